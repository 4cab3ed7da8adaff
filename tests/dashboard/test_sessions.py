"""The pages of sessions: which there are, what happened in one, and the way from a citation to its event and back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.dashboard.conftest import Open
from tests.surfaces.conftest import Served


def _append(board: Served, session: str, kind: str, **payload: Any) -> Any:
    body = {"type": kind, "actor": "agent", "payload": payload}
    answer = board.http.post(f"/sessions/{session}/events", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture(scope="module")
def decided(board: Served) -> Any:
    _append(board, "heron", "transcript.turn", role="user", content="Where do the herons nest?")
    made = _append(board, "heron", "decision.made", decision="Count the herons from the east dyke")
    _append(board, "heron", "transcript.turn", role="assistant", content="In the reeds behind the dyke.")
    return made


def test_a_session_is_listed_read_and_live(visit: Open, board: Served, decided: Any) -> None:
    page = visit().go("#/sessions")
    page.locator(".session-list").get_by_text("heron").first.click()
    pane = page.get_by_role("article", name="Session")
    expect(pane).to_contain_text("Where do the herons nest?")
    expect(pane).to_contain_text("verified", ignore_case=True)
    expect(pane.get_by_role("link", name=re.compile("Count the herons"))).to_be_visible()
    _append(board, "heron", "transcript.turn", role="user", content="And the egrets, live?")
    expect(pane).to_contain_text("And the egrets, live?")


@pytest.mark.parametrize("way", ["link", "search", "memory"])
def test_a_citation_opens_its_event_in_its_place(visit: Open, board: Served, decided: Any, way: str) -> None:
    opened = visit()
    if way == "link":  # as from a note in Obsidian
        page = opened.go(f"#/cite/{decided['citation']}")
    elif way == "search":
        page = opened.go("#/memories")
        page.get_by_role("searchbox").first.fill(decided["citation"])
    else:
        page = opened.go(f"#/memory/{decided['memory']['id']}")
        page.get_by_role("link", name="event 2 of heron").click()
    cited = page.locator(".log-event.is-cited")
    expect(cited).to_contain_text("Count the herons from the east dyke")
    assert cited.get_attribute("data-seq") == "2"


def test_an_event_gives_a_link_for_a_note_that_leads_back_to_it(
    visit: Open, board: Served, decided: Any
) -> None:
    opened = visit()
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened.go(f"#/cite/{decided['citation']}")
    cited = page.locator(".log-event.is-cited")
    if cited.locator("details").get_attribute("open") is None:
        cited.locator("summary").click()
    cited.get_by_role("button", name="Copy link for a note").click()
    expect(page.locator(".toast").last).to_contain_text("Copied the link")
    found = re.fullmatch(r"\[event 2 of heron\]\((.+)\)", page.evaluate("navigator.clipboard.readText()"))
    assert found is not None
    page.goto("about:blank")
    page.goto(found[1])
    expect(page.locator(".log-event.is-cited")).to_contain_text("Count the herons from the east dyke")


def test_an_erased_event_says_so_and_shows_nothing_of_what_it_was(visit: Open, board: Served) -> None:
    gone = _append(board, "egret", "transcript.turn", role="user", content="The word is xylophone")
    board.http.post("/sessions/egret/erase", json={"seq": gone["seq"]})
    page = visit().go("#/session/egret")
    pane = page.get_by_role("article", name="Session")
    expect(pane).to_contain_text("The content was erased for good.")
    assert "xylophone" not in pane.inner_text()
