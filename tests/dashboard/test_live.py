"""Live: what happens elsewhere shows here; a daemon that goes is missed quietly and found again."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.dashboard.conftest import Open, file_of, small_vault
from tests.flows.daemon import running_daemon
from tests.surfaces.conftest import Served
from tests.waiting import wait_for

GONE = ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE", "ERR_EMPTY", "ERR_CONNECTION_RESET"]
"""what a browser says of a daemon that was stopped"""


def test_an_edit_in_one_window_shows_in_the_other(visit: Open, board: Served) -> None:
    memory_id = board.remember("The light is white", title="Colour of the light")
    one = visit()
    other = visit(context=one.context)
    for opened in (one, other):
        expect(opened.go(f"#/memory/{memory_id}").locator(".prose")).to_have_text("The light is white")
    one.page.get_by_role("button", name="Edit").click()
    one.page.get_by_label("Text, in markdown").fill("The light is amber")
    one.page.get_by_role("button", name="Save").click()
    expect(other.page.locator(".prose")).to_have_text("The light is amber")


def test_an_edit_elsewhere_is_shown_beside_what_somebody_is_writing(visit: Open, board: Served) -> None:
    memory_id = board.remember("Oars\n\nSails", title="What drives the boat")
    page = visit().go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Text, in markdown").fill("Oars of ash\n\nSails")
    file = file_of(board, memory_id)
    file.write_text(file.read_text("utf-8").replace("Sails", "Sails of hemp"), "utf-8")
    expect(page.get_by_role("region", name="Two versions")).to_contain_text("Sails of hemp")
    expect(page.get_by_label("Text, in markdown")).to_have_value("Oars of ash\n\nSails of hemp")


def test_the_timeline_tells_what_happens_as_it_happens(visit: Open, board: Served) -> None:
    page = visit().go("#/timeline")
    expect(page.locator(".pulse")).to_have_text("live")
    expect(page.locator(".event").nth(5)).to_be_visible()
    answer = board.http.post(
        "/remember", json={"text": "The petrel came back", "title": "Return of the petrel", "force": True},
        headers={"Helix-Client": "claude-code"},
    )  # fmt: skip
    memory_id = str(answer.json()["id"])
    first = page.locator(".event").first
    expect(first).to_contain_text("Return of the petrel")
    expect(first.locator(".event-what")).to_have_text("learned")
    expect(first.locator(".who")).to_have_text("claude-code")
    file = file_of(board, memory_id)
    file.write_text(file.read_text("utf-8").replace("came back", "came back at dawn"), "utf-8")
    expect(page.locator(".event").first.locator(".event-what")).to_have_text("changed")
    board.http.post("/forget", json={"id": memory_id})
    expect(page.locator(".event").first.locator(".event-what")).to_have_text("forgotten")
    expect(page.locator("h2").first).to_have_text("Today")


def test_the_timeline_is_narrowed_and_leads_to_the_memory(visit: Open, board: Served) -> None:
    board.remember("Narrowed to one project", title="Only of the harbour", project="harbour", scope="project")
    page = visit().go("#/timeline")
    page.get_by_label("What happened").select_option("learned")
    page.get_by_label("Project").select_option("harbour")
    expect(page).to_have_url(re.compile("what=learned.*project=harbour"))
    expect(page.locator(".event .project").first).to_have_text("harbour")
    for event in page.locator(".event").all():
        expect(event.locator(".event-what")).to_have_text("learned")
        expect(event.locator(".project")).to_have_text("harbour")
    page.get_by_role("link", name="Only of the harbour").click()
    expect(page.locator(".reading h2")).to_have_text("Only of the harbour")


def test_a_new_memory_appears_in_the_list_by_itself(visit: Open, board: Served) -> None:
    page = visit().go("")
    page.locator(".memory-row").first.wait_for()
    board.remember("Seen without a reload", title="The arrival of the tern")
    expect(page.locator(".memory-title").first).to_have_text("The arrival of the tern")


@pytest.fixture
def restarted(tmp_path: Path) -> dict[str, str]:
    return small_vault(tmp_path)


def test_a_daemon_that_goes_is_missed_and_found_again(visit: Open, restarted: dict[str, str]) -> None:
    url = f"http://127.0.0.1:{restarted['HELIX_PORT']}"
    opened = visit(url=url)
    opened.watched.expected += GONE
    with running_daemon(restarted):
        page = opened.go("#/timeline")
        expect(page.locator(".pulse")).to_have_text("live")
        page.evaluate("location.hash = '#/memories'")
        page.locator(".memory-row").first.click()
        page.get_by_role("button", name="Edit").click()
        page.get_by_label("Text, in markdown").fill("Written while nobody listens")
    expect(page.locator("#banner")).to_contain_text("Helix does not answer")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("form.editor .problem")).to_contain_text("does not answer")
    with running_daemon(restarted), httpx.Client(base_url=url, timeout=30) as http:
        expect(page.locator("#banner")).to_be_empty(timeout=20_000)
        expect(page.get_by_label("Text, in markdown")).to_have_value("Written while nobody listens")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".prose")).to_have_text("Written while nobody listens")
        page.evaluate("location.hash = '#/timeline'")
        expect(page.locator(".pulse")).to_have_text("live")
        http.post("/remember", json={"text": "After the return", "title": "The return", "force": True})
        expect(page.locator(".event").first).to_contain_text("The return")


def test_what_was_missed_while_the_stream_was_down_is_told(visit: Open, restarted: dict[str, str]) -> None:
    url = f"http://127.0.0.1:{restarted['HELIX_PORT']}"
    opened = visit(url=url)
    opened.watched.expected += GONE
    with running_daemon(restarted), httpx.Client(base_url=url, timeout=30) as http:
        page = opened.go("#/timeline")
        expect(page.locator(".pulse")).to_have_text("live")
        http.post("/remember", json={"text": "Before the pause", "title": "Before", "force": True})
        expect(page.locator(".event").first).to_contain_text("Before")
    vault = Path(restarted["HELIX_VAULT"])
    (vault / "global" / "while-away.md").write_text(
        "# While the daemon was away\n\nA person wrote this.\n", "utf-8"
    )
    with running_daemon(restarted):
        expect(page.locator(".pulse")).to_have_text("live", timeout=20_000)
        expect(page.locator(".days")).to_contain_text("While the daemon was away", timeout=20_000)


def test_where_a_token_is_asked_for_the_page_asks_for_it(visit: Open, tmp_path: Path) -> None:
    env = {**small_vault(tmp_path), "HELIX_TOKEN": "correct-horse"}
    Path(env["HELIX_CONFIG_DIR"]).mkdir(exist_ok=True)
    (Path(env["HELIX_CONFIG_DIR"]) / "config.toml").write_text("require_token = true\n", "utf-8")
    with running_daemon(env) as daemon:
        wait_for(lambda: daemon.get("/healthz")[0] == 200)
        assert daemon.get("/")[0] == 200
        assert daemon.get("/recent")[0] == 401
        opened = visit(url=daemon.url)
        opened.watched.expected += ["401", *GONE]
        page = opened.go("")
        dialog = page.get_by_role("dialog", name="Sign in")
        dialog.get_by_label("Token").fill("wrong")
        dialog.get_by_role("button", name="Sign in").click()
        dialog = page.get_by_role("dialog", name="Sign in")
        expect(dialog).to_contain_text("That token is not the one in force")
        dialog.get_by_label("Token").fill("correct-horse")
        dialog.get_by_role("button", name="Sign in").click()
        expect(page.locator(".memory-row").first).to_be_visible()
        page.evaluate("location.hash = '#/timeline'")
        expect(page.locator(".pulse")).to_have_text("live")
        page.reload()
        expect(page.locator(".pulse")).to_have_text("live")
        assert "correct-horse" not in page.url
        assert page.evaluate("JSON.stringify(localStorage)") == "{}"
        assert opened.context.cookies() == []
        assert not any("correct-horse" in one for one in opened.watched.asked)
