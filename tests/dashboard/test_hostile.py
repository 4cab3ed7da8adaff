"""A vault whose every title, text, tag, project and kind wants to be a program stays words, in every view."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import Open, settle
from tests.dashboard.hostile import HOST, PAYLOADS
from tests.surfaces.conftest import Served
from tests.waiting import wait_for

FOLDER = "hostile"
# What could run or fetch: a listener or an address in an attribute, or an element that no view makes.
_LIVE = """() => [...document.querySelectorAll('*')].filter(one =>
  [...one.attributes].some(({name, value}) => /^on/i.test(name) ||
    (['href', 'src', 'action', 'srcset'].includes(name) && /^\\s*(javascript|data|vbscript|file)/i.test(value))) ||
  (one.matches('script, iframe, object, embed, style, base, link, meta, form') && one.closest('main') &&
    !one.matches('form.editor, form.lab-form'))).map(one => one.outerHTML)"""


def note(number: int, payload: str) -> str:
    """A file as a sync client may bring it: nobody has looked at it before Helix does."""
    other = PAYLOADS[(number + 7) % len(PAYLOADS)]
    meta = {
        "id": f"mem_2026-11-01_hostile-{number}_aa{number:02}",
        "title": f"hostile {number} {payload}",
        "kind": "fact" if number % 3 else other,
        "scope": "project",
        "project": other,
        "status": "active",
        "tags": [payload, "hostile"],
        "created_at": "2026-11-01T10:00:00Z",
        "updated_at": "2026-11-01T10:00:00Z",
        "source": {"agent": other, "uri": f"javascript:{payload}"},
        "x-own-key": payload,
        "relates_to": [
            f"[[mem_2026-11-01_hostile-{(number + 1) % len(PAYLOADS)}_aa{(number + 1) % len(PAYLOADS):02}]]"
        ],
    }
    lines = "\n".join(f"{key}: {json.dumps(value)}" for key, value in meta.items())
    return f"---\n{lines}\n---\n{payload}\n\n{other}\n"


@pytest.fixture(scope="module")
def ids(board: Served) -> Iterator[list[str]]:
    folder = board.vault / FOLDER
    folder.mkdir()
    for number, payload in enumerate(PAYLOADS):
        (folder / f"hostile-{number}.md").write_text(note(number, payload), "utf-8")
    (folder / "broken <img src=x onerror=window.marked=1>.md").write_text("---\na: [<script>\n---\n", "utf-8")
    known = [f"mem_2026-11-01_hostile-{number}_aa{number:02}" for number in range(len(PAYLOADS))]
    wait_for(lambda: all(board.http.get(f"/memory/{one}").status_code == 200 for one in known), 60)
    yield known
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    wait_for(lambda: board.http.get(f"/memory/{known[0]}").status_code == 404, 60)
    board.http.post("/reindex", params={"accept_missing": True}, timeout=60)


def check_inert(page: Page) -> None:
    settle(page)
    assert page.evaluate("window.marked === undefined")
    assert page.evaluate(_LIVE) == []
    assert page.locator("main img").count() == 0
    assert page.locator("[id=main]").count() == 1


def test_there_are_many_of_them() -> None:
    assert len(set(PAYLOADS)) >= 60


def test_reading_them_runs_nothing_and_asks_nobody(visit: Open, board: Served, ids: list[str]) -> None:
    opened = visit()
    page = opened.go("#/memories?tag=hostile")
    expect(page.locator(".memory-row").first).to_be_visible()
    check_inert(page)
    for number, memory_id in enumerate(ids):
        page.evaluate("id => { location.hash = '#/memory/' + id + '?tag=hostile' }", memory_id)
        expect(page.locator(".reading h2")).to_contain_text(f"hostile {number} ")
        assert page.evaluate("window.marked === undefined"), PAYLOADS[number]
        for link in page.locator(".prose a[href]").all():
            assert str(link.get_attribute("href")).startswith(
                ("http:", "https:", "mailto:", "obsidian:", "#/memory/")
            )
    check_inert(page)
    assert not any(HOST in one for one in opened.watched.asked)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_other_view_shows_them_as_words(visit: Open, ids: list[str], theme: str) -> None:
    opened = visit(theme=theme)
    for where, shown in (
        ("#/memories?q=hostile script", ".memory-row"),
        ("#/graph", ".side-list a"),
        ("#/map", ".side-list a"),
        ("#/map?by=project", ".legend-entry"),
        ("#/timeline", ".event"),
        ("#/inbox", ".inbox-item"),
        ("#/lab?task=hostile script onerror", ".pack"),
        ("#/health", ".health-cards .card"),
    ):
        page = opened.go(where)
        expect(page.locator(shown).first).to_be_visible(timeout=20_000)
        check_inert(page)
    assert not any(HOST in one for one in opened.watched.asked)


def test_editing_searching_and_picking_one_runs_nothing(visit: Open, ids: list[str]) -> None:
    opened = visit()
    page = opened.go(f"#/memory/{ids[6]}?tag=hostile")
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("button", name="Relate").click()
    page.get_by_role("combobox", name="The other memory").fill("hostile onerror img")
    expect(page.get_by_role("listbox").get_by_role("option").first).to_be_visible()
    check_inert(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Title")).to_have_value(f"hostile 6 {PAYLOADS[6]}")
    check_inert(page)


def test_an_address_that_is_hostile_itself_runs_nothing(visit: Open) -> None:
    opened = visit()
    opened.watched.expected += ["404", "400"]
    for payload in (
        "<img src=x onerror=window.marked=1>",
        "javascript:window.marked=1",
        '"><script>window.marked=1</script>',
    ):
        for where in (
            f"#/memory/{payload}",
            f"#/memories?q={payload}",
            f"#/memories?kind={payload}",
            f"#/{payload}",
        ):
            page = opened.go(where)
            settle(page)
            assert page.evaluate("window.marked === undefined")
