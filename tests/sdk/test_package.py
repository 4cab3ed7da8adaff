"""The TypeScript SDK as somebody gets it: packed, installed into an empty project, used in Node and in a browser."""

from __future__ import annotations

import http.server
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import sync_playwright

from tests.sdk.package import MODULES, ROOT, SDK, Package

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ENTRIES = ("index", "openai", "ai", "login", "react")


@pytest.fixture(scope="module")
def project(package: Package, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project with the package in it, packed from what git has and built by its own script."""
    source, project = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("project")
    listed = subprocess.run(["git", "ls-files", "."], cwd=SDK, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SDK / name, source / name)
    (source / "node_modules").symlink_to(MODULES)
    packed = package.run(package.npm, "pack", "--json", "--pack-destination", str(project), cwd=source)
    [said] = json.loads(packed[packed.index("[\n") :])
    (project / "package.json").write_text('{"name": "somebody", "private": true, "type": "module"}')
    tarball = f"./{said['filename'].replace('@', '').replace('/', '-')}"
    package.run(
        package.npm, "install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", tarball, cwd=project
    )  # fmt: skip
    return project


def test_the_package_holds_what_it_must_and_nothing_else(project: Path) -> None:
    installed = project / "node_modules" / "@helix" / "sdk"
    files = {str(file.relative_to(installed)) for file in installed.rglob("*") if file.is_file()}
    made = {name for name in files if name.startswith("dist/")}
    sources = {f"dist/{file.relative_to(SDK / 'src').with_suffix('')}" for file in SDK.glob("src/**/*.ts")}
    assert files - made == {"package.json", "README.md", "LICENSE"}
    assert made == {f"{name}{ending}" for name in sources for ending in (".js", ".d.ts")}
    assert not (project / "node_modules" / "react").exists()
    assert (SDK / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_every_entry_point_leads_to_a_file_with_types(project: Path) -> None:
    installed = project / "node_modules" / "@helix" / "sdk"
    said = json.loads((installed / "package.json").read_text())
    assert {
        "name",
        "version",
        "description",
        "license",
        "engines",
        "files",
        "exports",
        "keywords",
    } <= said.keys()
    assert "dependencies" not in said
    assert said["version"] in (ROOT / "pyproject.toml").read_text(), "one version for all of Helix"
    entries = {key: one for key, one in said["exports"].items() if isinstance(one, dict)}
    assert [Path(one["default"]).stem for one in entries.values()] == list(ENTRIES)
    for one in entries.values():
        assert (installed / one["types"]).is_file()
        assert (installed / one["default"]).is_file()


def test_the_core_knows_nothing_of_node(project: Path) -> None:
    dist = project / "node_modules" / "@helix" / "sdk" / "dist"
    imported = {
        line.rpartition(" from ")[2].strip(' ";')
        for file in dist.rglob("*.js")
        for line in file.read_text().splitlines()
        if line.startswith(("import ", "export ")) and " from " in line
    }
    assert {name for name in imported if not name.startswith(".")} == {"react"}


def test_an_empty_project_uses_it(package: Package, project: Path, asked: dict[str, str]) -> None:
    script = """
      const { Helix } = await import('@helix/sdk');
      const { chatTools } = await import('@helix/sdk/openai');
      const { helixTools } = await import('@helix/sdk/ai');
      const mem = new Helix({ project: 'somebody' });
      const { id } = await mem.write('The beacon blinks twice a minute', { force: true });
      const { results } = await mem.search('how often does the beacon blink?');
      console.log(JSON.stringify({ found: results[0].id === id, tools: chatTools().length,
                                   ai: Object.keys(helixTools(mem)).length }));
    """
    said = package.run(package.node, "--input-type=module", "-e", script, cwd=project, env=asked)
    assert json.loads(said) == {"found": True, "tools": 6, "ai": 6}


@pytest.mark.parametrize("resolution", ["NodeNext", "Bundler"])
def test_its_types_stand_on_their_own(package: Package, project: Path, resolution: str) -> None:
    """Checked as strictly as there is, libraries too, by a project without React and without the types of Node."""
    folder = project / resolution
    folder.mkdir()
    (folder / "use.ts").write_text(
        "import { Helix, NotFound } from '@helix/sdk';\n"
        "import { chatTools } from '@helix/sdk/openai';\n"
        "import { helixTools } from '@helix/sdk/ai';\n"
        "const mem = new Helix({ scope: 'project' });\n"
        "const { results } = await mem.search('x', { limit: undefined });\n"
        "export const first: string = results[0]?.title ?? '';\n"
        "for await (const version of mem.history('mem_x')) version.commit satisfies string;\n"
        "// @ts-expect-error there is no such relation\n"
        "await mem.relate('a', 'b', { rel: 'likes' });\n"
        "export const tools = [chatTools(), helixTools(mem, { only: ['memory_get'] }).memory_get, NotFound];\n"
    )
    module = "NodeNext" if resolution == "NodeNext" else "ESNext"
    options = {
        "target": "ES2022", "module": module, "moduleResolution": resolution, "lib": ["ES2022", "DOM"], "types": [],
        "strict": True, "exactOptionalPropertyTypes": True, "noUncheckedIndexedAccess": True,
        "skipLibCheck": False, "noEmit": True,
    }  # fmt: skip
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["use.ts"]}))
    package.tsc("-p", ".", cwd=folder)


_USE = """async (url) => {
  const { Helix, HelixError } = await import('/sdk/index.js');
  const mem = new Helix({ url, project: 'hafen ⚓', retries: 0 });
  try {
    const { id } = await mem.write('The gangway is wet in the morning', { force: true });
    let seen = 0;
    for await (const memory of mem.recent({ limit: 1 })) seen += memory.id === id;
    return { id, seen, found: (await mem.search('wet gangway')).results[0].id === id };
  } catch (error) {
    return { error: error.name, ours: error instanceof HelixError };
  }
}"""


@pytest.mark.skipif(
    CHROMIUM is None, reason="NOT PROVED HERE: there is no Chromium, so the SDK was used by no page"
)
def test_a_page_of_the_daemons_own_uses_it_and_a_page_from_elsewhere_is_refused(
    package: Package, asked: dict[str, str], elsewhere: str
) -> None:
    url, dist = asked["HELIX_URL"], SDK / "dist"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            # The page that the daemon has now allows no scripts; one with scripts of its own would.
            page = browser.new_context(bypass_csp=True).new_page()
            page.route(
                f"{url}/sdk/**",
                lambda route: route.fulfill(
                    path=dist / route.request.url.partition("/sdk/")[2], content_type="text/javascript"
                ),
            )
            page.goto(url)
            same = page.evaluate(_USE, url)
            page.goto(elsewhere)
            other = page.evaluate(_USE, url)
        except BrowserError as error:
            pytest.fail(str(error))
        finally:
            browser.close()
    assert same == {"id": same["id"], "seen": 1, "found": True}
    assert other == {"error": "DaemonUnreachable", "ours": True}


@pytest.fixture
def elsewhere(package: Package, tmp_path: Path) -> Iterator[str]:
    """A page on another port, with the SDK beside it."""
    (tmp_path / "index.html").write_text("<!doctype html><title>elsewhere</title>")
    shutil.copytree(SDK / "dist", tmp_path / "sdk")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name in the base class)
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
