"""Every view in both themes, wide and narrow: nothing serious for axe, nothing that runs out of the window."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import NARROW, WIDE, Open
from tests.surfaces.conftest import Served

VIEWS = {
    "memories": ("#/memories", ".memory-row"),
    "search": ("#/memories?q=elevation gain&kind=snippet", ".ranking"),
    "memory": ("#/memory/ID", ".reading h2"),
    "graph": ("#/graph", "canvas[data-still=true]"),
    "map": ("#/map", "canvas[data-still=true]"),
    "timeline": ("#/timeline", ".event"),
    "inbox": ("#/inbox", ".inbox-item, .empty"),
    "lab": ("#/lab?task=debug the log-in&budget=1000", ".pack"),
    "health": ("#/health", ".fragment"),
}


def open_view(page: Page, url: str, board: Served, name: str) -> None:
    where, shown = VIEWS[name]
    found = board.http.get("/recall", params={"q": "access tokens live 15 minutes", "limit": 1}).json()[
        "results"
    ]
    page.goto(f"{url}/{where.replace('ID', found[0]['id'])}")
    expect(page.locator(shown).first).to_be_visible(timeout=20_000)


def serious(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node.get('failureSummary', '')}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_view_is_usable_by_everybody(
    visit: Open, board: Served, theme: str, size: tuple[int, int]
) -> None:
    opened = visit(*size, theme=theme, reduced_motion="reduce")
    found: dict[str, list[str]] = {}
    for name in VIEWS:
        open_view(opened.page, board.url, board, name)
        found[name] = serious(opened.page)
        beyond = opened.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert beyond <= 0, f"{name} is {beyond} px wider than the window"
    assert {name: said for name, said in found.items() if said} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_dialogs_editor_and_notes_are_too(visit: Open, board: Served, theme: str) -> None:
    page = visit(theme=theme, reduced_motion="reduce").page
    memory_id = board.remember("Shown with everything open", title="Everything open")
    page.goto(f"{board.url}/#/memory/{memory_id}")
    page.get_by_role("button", name="Filters").click()
    page.get_by_text("History").click()
    page.get_by_text("Details").click()
    expect(page.locator(".reading .facts")).to_be_visible()
    assert serious(page) == []
    page.get_by_role("button", name="Relate").click()
    expect(page.get_by_role("listbox").get_by_role("option").first).to_be_visible()
    assert serious(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More actions").click()
    assert serious(page) == []
    page.get_by_role("button", name="Erase for good").click()
    assert serious(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert serious(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Text, in markdown").fill("Mine")
    board.http.patch(f"/memory/{memory_id}", json={"text": "Theirs"})
    expect(page.get_by_role("region", name="Two versions")).to_be_visible()
    assert serious(page) == []
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(has_text="Both versions")).to_be_visible()
    assert serious(page) == []
    page.get_by_role("button", name="Save").click()  # both are kept
    expect(page.locator(".toast").first).to_be_visible()
    assert serious(page) == []


def test_everything_is_reached_with_the_tab_key_and_shows_where_it_is(visit: Open) -> None:
    page = visit().go("#/health")
    page.locator(".fragment").wait_for()
    reached = []
    for _ in range(15):
        page.keyboard.press("Tab")
        said = page.evaluate(
            "(() => { const one = document.activeElement, style = getComputedStyle(one);"
            " return [one.textContent.trim() || one.getAttribute('aria-label'), style.outlineStyle]; })()"
        )
        reached.append(said[0])
        assert said[1] != "none", said
    assert reached[0] == "Skip to the content"
    views = [name.rstrip("0123456789") for name in reached[2:10]]  # the inbox also says how much is in it
    assert views == ["Memories", "Graph", "Map", "Timeline", "Sessions", "Inbox", "Context lab", "Health"]


def test_the_skip_link_leads_into_the_view(visit: Open) -> None:
    page = visit().go("#/timeline")
    page.locator(".event").first.wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.url.endswith("#/timeline")


def test_who_asks_for_less_motion_gets_it(visit: Open) -> None:
    page = visit(reduced_motion="reduce").go("#/graph")
    expect(page.locator("canvas[data-still]")).to_have_attribute("data-still", "true")
