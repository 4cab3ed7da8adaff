"""docs/typescript-sdk.md cannot lie: its snippets are type-checked, run, and print what it says they print."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sdk.conftest import asking
from tests.sdk.package import MODULES, ROOT, SDK, Package

PAGES = (ROOT / "docs" / "typescript-sdk.md", SDK / "README.md")
_BLOCK = re.compile(r"^```(tsx?)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SNIPPETS = [
    (f"{page.stem.lower()}-{number}", kind, text)
    for page in PAGES
    for number, (kind, text) in enumerate(_BLOCK.findall(page.read_text("utf-8")))
]
# Rendered as a server would: what it shows before anything was asked.
_RENDER = 'import { renderToString } from "react-dom/server";\nconsole.log(renderToString(<App />));\n'


@pytest.fixture(scope="module")
def built(package: Package, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Every snippet as a program in a project that has the SDK and what it is used with."""
    project = tmp_path_factory.mktemp("snippets")
    (project / "node_modules" / "@helix").mkdir(parents=True)
    for name in ("@types", "ai", "react", "react-dom"):
        (project / "node_modules" / name).symlink_to(MODULES / name)
    (project / "node_modules" / "@helix" / "sdk").symlink_to(SDK)
    (project / "package.json").write_text('{"type": "module"}')
    for name, kind, text in SNIPPETS:
        (project / f"{name}.{kind}").write_text(text + (_RENDER if kind == "tsx" else ""), "utf-8")
    tests = json.loads((SDK / "test" / "tsconfig.json").read_text())
    options = {**tests["compilerOptions"], "types": ["node"], "outDir": "out", "rootDir": "."}
    (project / "tsconfig.json").write_text(
        json.dumps({"extends": str(SDK / "tsconfig.json"), "compilerOptions": options, "include": ["*"]})
    )
    package.tsc("-p", ".", cwd=project)
    yield project
    shutil.rmtree(project)


@pytest.fixture(scope="module")
def asked(package: Package, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A vault of their own: what is in no project is found in every one, whoever wrote it."""
    with asking(tmp_path_factory.mktemp("asked")) as env:
        yield env


@pytest.mark.parametrize(("name", "kind", "text"), SNIPPETS, ids=[name for name, *_ in SNIPPETS])
def test_a_snippet_runs_and_prints_what_it_says(
    package: Package, built: Path, asked: dict[str, str], name: str, kind: str, text: str
) -> None:
    env = {**asked, "HELIX_PROJECT": name}  # what other snippets wrote is not seen
    printed = package.run(package.node, f"out/{name}.js", cwd=built, env=env).splitlines()
    if kind == "tsx":
        assert "Looking…" in printed[0]
        return
    said = [one.strip() for line in text.splitlines() for one in line.split("// →")[1:]]
    assert len(printed) == len(said)
    for line, wanted in zip(printed, said, strict=True):
        assert re.fullmatch(re.escape(wanted).replace("…", ".*"), line.strip()), f"{line!r} is not {wanted!r}"
