"""The pictures of docs/dashboard.md: `make pictures`. The same daemon, vault and browser as in the tests."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Page, Route, expect, sync_playwright

from tests.cli.commands import BIN
from tests.dashboard.conftest import CHROMIUM, FLAGS, NARROW, ROOT, WIDE, example_vault, is_settled
from tests.flows.daemon import running_daemon
from tests.surfaces.conftest import Served
from tests.waiting import wait_for

FOLDER = ROOT / "docs" / "pictures"
_QUESTION = "how long do access tokens live"
_TASK = "debug the refresh of access tokens in the app"


def _something_happens(served: Served) -> None:
    """A morning's work, for the timeline, the inbox and the figures of health."""
    by = {"Helix-Client": "claude-code", "Helix-Project": "fernway-api"}

    def post(path: str, body: dict[str, object], headers: dict[str, str] = by) -> httpx.Response:
        return served.http.post(path, json=body, headers=headers)

    post("/remember", {
        "text": "Refresh tokens are rotated in one transaction: two requests at once had ended each other's session.",
        "title": "Rotate refresh tokens in one transaction", "kind": "decision", "tags": ["auth", "tokens"],
    })  # fmt: skip
    post("/remember", {
        "text": "The staging database is reset every Monday at 04:00 UTC.", "title": "Staging is reset on Mondays",
        "kind": "fact", "tags": ["staging"],
    }, {"Helix-Client": "cursor", "Helix-Project": "fernway-api"})  # fmt: skip
    short_lived = post(
        "/remember", {"text": "Try the second Redis on port 6380.", "title": "Second Redis on 6380"}
    )
    post("/remember", {"text": "The key of the bucket is AKIA" + "IOSFODNN7EXAMPLQ"})
    post("/forget", {"id": short_lived.json()["id"]})
    for task in (_TASK, "add a page to the API", "cut the tiles of Asturias again"):
        post("/context", {"task": task, "max_tokens": 2000})
    for name in ("staging", "tokens", "tiles", "closures", "GPS"):
        served.http.get("/recall", params={"q": name}, headers=by)
    (served.vault / "drafts").mkdir()
    (served.vault / "drafts" / "broken.md").write_text(
        "---\ntitle: [half a list\n---\nSaved too early.\n", "utf-8"
    )
    for name, day, text in (
        (
            "tokens-a",
            "01",
            "Push notifications go through the APNs key of the team, never through a certificate.",
        ),
        (
            "tokens-b",
            "02",
            "Push notifications go through the APNs key of the team, never through a certificate.",
        ),
        ("permit", "03", "The drone may fly over the valley. See [[mem_2026-09-01_drone-permit_zz11]]."),
    ):
        until = "valid_until: 2026-10-31T00:00:00Z\n" if name == "permit" else ""
        title = "Permit of the drone" if name == "permit" else "Push goes through the APNs key"
        (served.vault / "drafts" / f"{name}.md").write_text(
            f"---\nid: mem_2026-10-{day}_{name}_qq{day}\ntitle: {title}\nkind: fact\nscope: project\n"
            f"project: fernway-app\nstatus: active\ncreated_at: 2026-10-{day}T09:00:00Z\n{until}---\n{text}\n", "utf-8",
        )  # fmt: skip
    note = next(served.vault.rglob("*app-stack*"))
    note.write_text(note.read_text("utf-8") + "\nHermes is the engine on both platforms.\n", "utf-8")
    wait_for(lambda: served.daemon.health()["problems"] >= 1 and is_settled(served), 60)
    wait_for(lambda: "duplicate" in served.http.get("/inbox", params={"limit": 1}).json()["counts"], 120)


def _memory(page: Page) -> None:
    page.locator(".memory-row").first.click()
    expect(page.locator(".links a").first).to_be_visible()


def _still(page: Page) -> None:
    expect(page.locator("canvas[data-still=true]")).to_be_visible(timeout=30_000)


def _shown(selector: str) -> Callable[[Page], None]:
    return lambda page: expect(page.locator(selector).first).to_be_visible(timeout=30_000)


VIEWS: dict[str, tuple[str, Callable[[Page], None]]] = {
    "memories": (f"#/memories?q={_QUESTION}", _memory),
    "graph": ("#/graph", _still),
    "map": ("#/map", _still),
    "timeline": ("#/timeline", _shown(".event")),
    "inbox": ("#/inbox", _shown(".inbox-item")),
    "lab": (f"#/lab?task={_TASK}&budget=1000", _shown(".pack")),
    "health": ("#/health", _shown(".health-cards td")),
}


def main() -> None:
    if CHROMIUM is None:
        sys.exit("there is no Chromium on the PATH")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        place = Path(folder)
        env = example_vault(place)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with running_daemon(env) as daemon, httpx.Client(base_url=daemon.url, timeout=60) as http:
            served = Served(daemon, place, env, http)
            wait_for(lambda: is_settled(served), 120)
            _something_happens(served)
            whole = daemon.health()["memories"]["active"]
            wait_for(
                lambda: (
                    len(http.get("/map", params={"max_tokens": 90_000}).json().get("points", ())) == whole
                ),
                60,
            )
            for theme in ("light", "dark"):
                page = browser.new_page(
                    viewport={"width": WIDE[0], "height": WIDE[1]},
                    color_scheme=theme,
                    reduced_motion="reduce",
                )
                for name, (where, ready) in VIEWS.items():
                    _take(page, daemon.url, where, ready, FOLDER / f"{name}-{theme}.png")
                page.unroute_all(behavior="ignoreErrors")
                page.close()
            page = browser.new_page(
                viewport={"width": NARROW[0], "height": NARROW[1]}, reduced_motion="reduce"
            )
            _take(
                page, daemon.url, f"#/memories?q={_QUESTION}", _shown(".ranking"), FOLDER / "narrow-list.png"
            )
            _take(page, daemon.url, f"#/memories?q={_QUESTION}", _memory, FOLDER / "narrow-memory.png")
            page.unroute_all(behavior="ignoreErrors")
        browser.close()


def _at_home(route: Route) -> None:
    """The folders of a person, in place of the temporary ones of this run."""
    answer = route.fetch()
    text = answer.text().replace(str(BIN), "/home/ines/.local/bin")
    route.fulfill(response=answer, body=re.sub(r"/tmp/\w+", "/home/ines/helix", text))


def _take(page: Page, url: str, where: str, ready: Callable[[Page], None], file: Path) -> None:
    page.unroute_all(behavior="ignoreErrors")
    page.goto("about:blank")
    page.route(re.compile("/(healthz|hosts)$"), _at_home)
    page.goto(f"{url}/{where}")
    ready(page)
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement?.blur?.()")
    page.screenshot(path=file)
    # A page of a few flat colours: a palette keeps it as it is in half of the bytes. An octree keeps rare ones too.
    picture = Image.open(file).convert("RGB")
    picture.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file.name}: {file.stat().st_size // 1000} KB")


if __name__ == "__main__":
    main()
