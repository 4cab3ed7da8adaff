"""Memories: found as somebody types, narrowed, read; with keys, with a link, on a narrow screen."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.dashboard.conftest import NARROW, Open
from tests.surfaces.conftest import Served
from tests.waiting import wait_for

# The vault speaks of none of these; to one of them or another something is near.


def rows(page: Page) -> list[str]:
    return page.locator(".memory-list .memory-title").all_inner_texts()


def _scroll(page: Page) -> int:
    page.locator(".list-scroll").evaluate("place => place.scrollTo(0, place.scrollHeight)")
    return page.locator(".memory-list li").count()


def test_the_list_shows_what_the_api_says_latest_first(visit: Open, board: Served) -> None:
    page = visit().go("")
    expect(page.locator(".memory-list li").nth(20)).to_be_attached()
    said = board.http.get(
        "/recent", params={"limit": 20, "max_tokens": 20000, "format": "detailed", "scope": "all"}
    )
    assert rows(page)[:20] == [one["title"] for one in said.json()["results"]]
    expect(page).to_have_title("Memories · Helix")


def test_scrolling_down_brings_the_whole_vault(visit: Open, board: Served) -> None:
    page = visit().go("")
    whole = board.http.get("/stats", params={"scope": "all"}).json()["by_status"]["active"]
    page.locator(".memory-row").first.wait_for()
    wait_for(lambda: _scroll(page) == whole)
    expect(page.locator(".memory-list li")).to_have_count(whole)


def test_typing_finds_and_says_why(visit: Open) -> None:
    page = visit().go("")
    page.keyboard.press("Escape")  # a page with room for it begins in the search field
    page.keyboard.press("/")
    page.keyboard.type("elevation gain")
    first = page.locator(".memory-row").first
    expect(first.locator(".memory-title")).to_have_text("Elevation gain with a 5 m threshold")
    expect(first.locator(".ranking-words")).to_contain_text(re.compile(r"words \d+%"))
    expect(first.locator(".ranking-words")).to_contain_text(re.compile(r"meaning \d+%"))
    expect(page.locator("#said")).to_have_text(re.compile(r"\d+ memor"))
    assert "q=elevation+gain" in page.url


def test_only_the_last_of_quick_keys_is_answered(visit: Open) -> None:
    opened = visit()
    page = opened.go("")
    page.locator(".memory-row").first.wait_for()
    with page.expect_response(lambda answer: "q=refresh+tokens+in+redis" in answer.url):
        page.get_by_role("searchbox", name="Search memories").press_sequentially(
            "refresh tokens in redis", delay=15
        )
    expect(page.locator(".list-note")).to_contain_text("found")
    questions = [one for one in opened.watched.asked if "/recall?" in one]
    assert 1 <= len(questions) < len("refresh tokens in redis") / 2
    assert any("q=refresh+tokens+in+redis" in one for one in questions)


def test_a_question_that_nothing_fits_says_so(visit: Open) -> None:
    page = visit().go("#/memories?q=elevation+gain&tag=no-such-tag")
    expect(page.get_by_text("Nothing fits")).to_be_visible()


def test_filters_narrow_the_list_and_stand_in_the_address(visit: Open, board: Served) -> None:
    page = visit().go("")
    page.get_by_role("button", name="Filters").click()
    page.locator("[name=kind]").select_option("decision")
    page.locator("[name=project]").select_option("fernway-api")
    expect(page).to_have_url(
        re.compile("kind=decision.*project=fernway-api|project=fernway-api.*kind=decision")
    )
    expect(page.locator(".memory-row .kind").first).to_have_text("decision")
    said = board.http.get(
        "/recent",
        params={
            "kind": "decision",
            "project": "fernway-api",
            "limit": 50,
            "max_tokens": 20000,
            "scope": "all",
        },
    ).json()["results"]
    expect(page.locator(".memory-list li")).to_have_count(len(said))
    page.reload()
    expect(page.locator(".memory-list li")).to_have_count(len(said))
    page.get_by_role("button", name="Remove filter kind: decision").click()
    expect(page.locator(".memory-list li")).not_to_have_count(len(said))
    assert "kind=" not in page.url


def test_status_tag_scope_and_time_narrow_too(visit: Open) -> None:
    opened = visit()
    page = opened.go("#/memories?status=superseded")
    expect(page.locator(".memory-row .badge").first).to_have_text("superseded")
    page = opened.go("#/memories?tag=auth")
    expect(page.locator(".memory-title").first).to_be_visible()
    page.locator(".memory-row").first.click()
    expect(page.locator(".reading .tags")).to_contain_text("#auth")
    page = opened.go("#/memories?scope=global")
    expect(page.locator(".memory-row").first).to_be_visible()
    expect(page.locator(".memory-row .project")).to_have_count(0)
    page = opened.go("#/memories?time=between&from=2026-06-20&to=2026-06-30")
    expect(page.locator(".memory-row").first).to_be_visible()
    for created in page.evaluate(
        "async () => (await (await fetch('/recent?after=2026-06-20&before=2026-06-30&scope=all&format=detailed"
        "&limit=50&max_tokens=20000')).json()).results.map(one => one.title)"
    ):
        assert created in rows(page)


def test_a_memory_is_read_with_its_markdown_and_its_connections(visit: Open, board: Served) -> None:
    found = board.http.get("/recall", params={"q": "access tokens live 15 minutes", "limit": 1}).json()[
        "results"
    ][0]
    page = visit().go(f"#/memory/{found['id']}")
    reading = page.get_by_role("article")
    expect(reading.locator("h2")).to_have_text("Access tokens live 15 minutes, refresh tokens 60 days")
    expect(reading.locator(".prose strong")).to_have_text("Why:")
    expect(reading.locator(".links dt").first).to_have_text("supersedes")
    expect(reading.locator(".links")).to_contain_text("Log-in down for 26 minutes")
    reading.locator(".prose a[data-memory]").click()
    expect(reading.locator("h2")).to_have_text("The app refreshes its token in the background")
    page.go_back()
    expect(reading.locator("h2")).to_have_text("Access tokens live 15 minutes, refresh tokens 60 days")
    reading.get_by_text("Details").click()
    expect(reading.locator(".facts")).to_contain_text(found["id"])


def test_keys_move_open_and_close(visit: Open) -> None:
    page = visit().go("")
    page.locator(".memory-row").nth(3).wait_for()
    page.locator("body").click(position={"x": 5, "y": 500})
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    focused = page.evaluate("document.activeElement.querySelector('.memory-title').textContent")
    assert focused == rows(page)[1]
    page.keyboard.press("Enter")
    expect(page.locator(".reading h2")).to_have_text(focused)
    page.keyboard.press("e")
    expect(page.locator("form.editor")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("form.editor")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_text("Choose a memory")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("8")
    expect(page.get_by_role("heading", name="Health", exact=True)).to_be_visible()


def test_single_keys_can_be_switched_off(visit: Open) -> None:
    page = visit().go("#/health")
    page.keyboard.press("?")
    page.get_by_label("Keys of a single letter or sign").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page).to_have_url(re.compile("#/health$"))


def test_on_a_narrow_screen_list_and_memory_are_two_screens(visit: Open) -> None:
    page = visit(*NARROW).go("")
    first = page.locator(".memory-row").first
    first.wait_for()
    expect(page.locator(".reading")).to_be_hidden()
    first.click()
    expect(page.locator(".reading h2")).to_be_visible()
    expect(page.locator(".list-column")).to_be_hidden()
    page.get_by_role("button", name="Back to the list").click()
    expect(first).to_be_visible()


def test_the_theme_is_switched_and_remembered(visit: Open) -> None:
    page = visit(theme="light").go("")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Theme: system").click()
    page.get_by_role("button", name="Theme: light").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Theme: dark").click()
    assert page.evaluate(ground) == light


def test_what_nobody_filed_is_marked_found_by_the_filter_and_filed(visit: Open, board: Served) -> None:
    said = board.http.post(
        "/remember",
        json={"text": "The bakery of the harbour closes at noon on Sundays"},
        headers={"Helix-Project": ""},
    )
    memory_id = said.json()["id"]
    page = visit().go("#/memories?unfiled=true")
    row = page.locator(f'.memory-row[data-memory="{memory_id}"]')
    expect(row.locator(".project")).to_have_text("unfiled")
    expect(page.get_by_role("button", name="Remove filter unfiled")).to_have_text("Unfiled")
    row.click()
    page.get_by_role("button", name="File", exact=True).click()
    page.get_by_label("Project", exact=True).fill("harbour")
    page.get_by_role("dialog").get_by_role("button", name="File", exact=True).click()
    expect(page.locator(".reading-head .project")).to_have_text("harbour")
    expect(row).to_have_count(0)
    assert board.http.get(f"/memory/{memory_id}").json()["project"] == "harbour"
