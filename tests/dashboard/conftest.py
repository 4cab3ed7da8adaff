"""One real helixd on the example vault for the tests of a worker, one real Chromium for a module, a page for each test.

Whatever a test does, its page may not complain on the console, and may ask nobody but the daemon.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, expect, sync_playwright

from tests.cli.commands import helix
from tests.flows.daemon import running_daemon
from tests.surfaces.conftest import Served, surroundings
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NO_CHROMIUM = "NOT PROVED HERE: there is no Chromium, so nobody looked at the dashboard"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip
PATIENCE = (
    30_000  # milliseconds, for what is done and for what is seen alike: a busy machine draws few frames
)
WIDE = (1400, 900)
NARROW = (400, 800)


@dataclass
class Watched:
    """What a page said and asked for."""

    url: str
    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """parts of complaints that a test provokes"""

    def check(self) -> None:
        unexpected = [one for one in self.complaints if not any(part in one for part in self.expected)]
        assert unexpected == []
        elsewhere = [one for one in self.asked if not one.startswith((f"{self.url}/", "data:", "blob:"))]
        assert elsewhere == []
        assert self.dialogs == []


@dataclass
class Visit:
    """A page of a test, and what was seen of it."""

    page: Page
    watched: Watched
    context: BrowserContext

    def go(self, where: str) -> Page:
        """To a place in the dashboard, such as `#/graph`."""
        self.page.goto(f"{self.watched.url}/{where}")
        return self.page


Open = Callable[..., Visit]


def example_vault(place: Path) -> dict[str, str]:
    """The example vault under git in this place; the environment to serve it in."""
    env = surroundings(place, model="bundled")
    shutil.copytree(ROOT / "examples" / "vault" / "fernway", place / "vault")
    helix("init", "--git", env=env)
    return env


def small_vault(place: Path) -> dict[str, str]:
    """The starter vault, searched by words only: a daemon that is up at once."""
    env = surroundings(place)
    helix("init", env=env)
    return env


def settle(page: Page) -> None:
    """When what the page began is done: two frames, and an answer to a request made after all others."""
    page.evaluate(
        "async () => { for (let at = 0; at < 2; at += 1) await new Promise(done => requestAnimationFrame(done));"
        " await (await fetch('/healthz')).text(); }"
    )


def is_settled(served: Served) -> bool:
    said = served.http.get("/healthz").json()
    return bool(said["index"] and said["index"]["index_lag"] == 0 and not said["waiting"])


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("board")
    env = example_vault(place)
    with running_daemon(env) as daemon, httpx.Client(base_url=daemon.url, timeout=30) as http:
        served = Served(daemon, place, env, http)
        wait_for(lambda: is_settled(served), 90)
        wait_for(lambda: http.get("/map").status_code == 200, 60)  # it is drawn behind the memories
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one module: as long as it is open its event loop runs on this thread, and no other test could run one."""
    if CHROMIUM is None:
        pytest.skip(NO_CHROMIUM)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Browser, board: Served) -> Iterator[Open]:
    """Opens pages; each is looked at when the test is over."""
    opened: list[Visit] = []

    def start(
        width: int = WIDE[0],
        height: int = WIDE[1],
        theme: str | None = None,
        url: str | None = None,
        context: BrowserContext | None = None,
        **more: object,
    ) -> Visit:
        settings: dict[str, object] = {"viewport": {"width": width, "height": height}, **more}
        if theme is not None:
            settings["color_scheme"] = theme
        within = context or browser.new_context(**settings)  # type: ignore[arg-type]
        within.set_default_timeout(PATIENCE)
        page = within.new_page()
        watched = Watched(url or board.url)
        _watch(page, watched)
        opened.append(Visit(page, watched, within))
        return opened[-1]

    yield start
    for one in opened:
        one.context.close()
    for one in opened:
        one.watched.check()


def _watch(page: Page, watched: Watched) -> None:
    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            watched.complaints.append(f"{message.type}: {message.text} {message.location.get('url', '')}")

    def on_dialog(dialog: Dialog) -> None:
        watched.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("console", on_console)
    page.on("pageerror", lambda error: watched.complaints.append(f"error: {error}"))
    page.on("request", lambda request: watched.asked.append(request.url))
    page.on("dialog", on_dialog)


def frontmatter(file: Path) -> str:
    return file.read_text("utf-8").split("---\n")[1]


def file_of(board: Served, memory_id: str) -> Path:
    answer = board.http.get(f"/memory/{memory_id}", params={"include_deleted": True})
    return board.vault / str(answer.json()["path"])
