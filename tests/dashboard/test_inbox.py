"""The inbox: what needs a person, and a click that does it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboard.conftest import Open, frontmatter
from tests.surfaces.conftest import Served
from tests.waiting import wait_for


@pytest.fixture
def messy(board: Served) -> Iterator[dict[str, Path]]:
    """A vault that something went wrong in."""
    folder = board.vault / "messy"
    tag = secrets.token_hex(
        3
    )  # what one test forgets stays forgotten, also when the next one writes its file again
    folder.mkdir()
    unreadable = folder / "unreadable.md"
    unreadable.write_text("---\ntitle: broken\nA note that cannot be read\n", "utf-8")
    twins = []
    for number in (1, 2):
        twin = folder / f"twin-{number}.md"
        twin.write_text(
            f"---\nid: mem_2026-11-0{number}_twin_{tag}{number}\ntitle: Twin of the lighthouse\nkind: fact\n"
            f"scope: global\nstatus: active\ncreated_at: 2026-11-0{number}T10:00:00Z\n"
            f"updated_at: 2026-11-0{number}T10:00:00Z\n---\n"
            "The lighthouse of Farilhoes flashes every five seconds.\n",
            "utf-8",
        )
        twins.append(twin)
    over = folder / "over.md"
    over.write_text(
        f"---\nid: mem_2026-10-01_permit_{tag}\ntitle: The permit of the drone\nkind: fact\nscope: global\n"
        "status: active\ncreated_at: 2026-10-01T10:00:00Z\nupdated_at: 2026-10-01T10:00:00Z\n"
        "valid_until: 2026-10-31T00:00:00Z\n---\n"
        "The drone may fly over the valley. See [[mem_no-such-memory_0000]].\n",
        "utf-8",
    )
    wait_for(lambda: board.http.get(f"/memory/mem_2026-10-01_permit_{tag}").status_code == 200, 30)
    wait_for(lambda: board.http.get(f"/memory/mem_2026-11-02_twin_{tag}2").status_code == 200, 30)
    yield {"unreadable": unreadable, "one": twins[0], "two": twins[1], "over": over}
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def item(page: Page, words: str) -> Locator:
    return page.locator(".inbox-item").filter(has_text=re.compile(words))


def test_an_unreadable_note_is_named_with_its_line_and_reason(
    visit: Open, board: Served, messy: dict[str, Path]
) -> None:
    page = visit().go("#/inbox")
    one = item(page, "unreadable.md")
    expect(one.locator("code").first).to_have_text(re.compile(r"messy/unreadable\.md:\d+"))
    messy["unreadable"].write_text("---\ntitle: mended\n---\nA note that can be read\n", "utf-8")
    expect(one).to_have_count(0)


def test_a_double_is_superseded_with_one_click(visit: Open, board: Served, messy: dict[str, Path]) -> None:
    page = visit().go("#/inbox?what=duplicate")
    one = item(page, "Twin of the lighthouse|twin")
    one.locator(".inbox-actions .primary").first.click()
    expect(one).to_have_count(0)
    states = {frontmatter(messy[name]).split("status: ")[1].split()[0] for name in ("one", "two")}
    assert states == {"active", "superseded"}


def test_what_is_over_is_forgotten_with_one_click(visit: Open, board: Served, messy: dict[str, Path]) -> None:
    page = visit().go("#/inbox?what=expired")
    one = item(page, "permit")
    one.locator(".inbox-actions .primary").first.click()
    expect(one).to_have_count(0)
    assert "status: active" not in frontmatter(messy["over"])


def test_what_is_dismissed_stays_away(visit: Open, board: Served, messy: dict[str, Path]) -> None:
    opened = visit()
    page = opened.go("#/inbox?what=dangling-link")
    one = item(page, "mem_no-such-memory_0000")
    expect(one).to_have_count(1)
    one.get_by_role("button", name=re.compile("dismiss", re.IGNORECASE)).click()
    expect(one).to_have_count(0)
    page.reload()
    expect(page.locator(".inbox-item, .empty").first).to_be_visible()
    expect(one).to_have_count(0)


def test_a_refused_secret_is_told_without_its_value(visit: Open, board: Served) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    answer = board.http.post(
        "/remember", json={"text": f"token: {secret}"}, headers={"Helix-Client": "codex"}
    )
    assert answer.status_code == 422
    page = visit().go("#/inbox?what=secret-refused")
    one = page.locator(".inbox-item").first
    expect(one).to_be_visible()
    assert secret not in page.content()
    expect(page.locator("#nav [data-view=inbox] .nav-count")).to_have_text(re.compile(r"\d+"))


def test_an_empty_inbox_says_so(visit: Open, board: Served) -> None:
    opened = visit()
    opened.page.route(
        "**/inbox?*", lambda route: route.fulfill(json={"items": [], "counts": {}, "next_cursor": None})
    )
    page = opened.go("#/inbox")
    expect(page.get_by_text("Nothing needs you")).to_be_visible()


def test_what_is_settled_elsewhere_leaves_the_inbox_by_itself(
    visit: Open, board: Served, messy: dict[str, Path]
) -> None:
    page = visit().go("#/inbox?what=expired")
    one = item(page, "permit")
    expect(one).to_have_count(1)
    board.http.post("/forget", json={"id": messy["over"].read_text("utf-8").split("id: ")[1].split()[0]})
    expect(one).to_have_count(0)


def test_an_action_that_fails_says_why_and_stays(visit: Open, board: Served, messy: dict[str, Path]) -> None:
    opened = visit()
    opened.watched.expected.append("503")
    refusal = {"error": "too much at once; try again in a second", "code": "busy"}
    opened.page.route(
        re.compile("/(forget|consolidate)$"), lambda route: route.fulfill(status=503, json=refusal)
    )
    page = opened.go("#/inbox?what=expired")
    one = item(page, "permit")
    one.get_by_role("button", name="Forget it").click()
    expect(page.locator(".toast.bad")).to_contain_text("too much at once; try again in a second")
    expect(one.get_by_role("button", name="Forget it")).to_be_enabled()


@pytest.fixture
def said(board: Served) -> Iterator[str]:
    """A session in which a rule was stated, as capture leaves it in the log; the words of it."""
    tag = secrets.token_hex(3)
    words = f"Always feed the seals of basin {tag} before noon."
    event = {"type": "transcript.turn", "actor": "user", "payload": {"role": "user", "content": words}}
    assert board.http.post(f"/sessions/zoo-{tag}/events", json=event).status_code == 200
    yield words
    board.http.post(f"/sessions/zoo-{tag}/erase", json={"seq": 1})


def _remembered(board: Served, words: str) -> list[dict[str, object]]:
    found = board.http.get("/recent", params={"scope": "all", "format": "detailed", "limit": 5}).json()
    return [one for one in found["results"] if one["text"].strip() == words]


def test_what_a_session_proposes_is_remembered_with_one_click(visit: Open, board: Served, said: str) -> None:
    page = visit().go("#/inbox?what=proposed")
    one = item(page, re.escape(said))
    expect(one.locator(".event-link")).to_have_attribute("href", re.compile("#/sessions?/zoo-"))
    assert _remembered(board, said) == []
    one.get_by_role("button", name="Accept").click()
    expect(one).to_have_count(0)
    [memory] = _remembered(board, said)
    assert memory["kind"] == "preference"
    assert "eventloom://zoo-" in str(memory["source"])


def test_a_proposal_can_be_put_into_other_words_first(visit: Open, board: Served, said: str) -> None:
    page = visit().go("#/inbox?what=proposed")
    one = item(page, re.escape(said))
    one.get_by_role("button", name="Edit").click()
    form = page.locator(".proposal-form")
    other = said.replace("noon", "dawn")
    expect(form.get_by_label("Text")).to_have_value(said)
    form.get_by_label("Text").fill(other)
    form.get_by_label("Kind").select_option("decision")
    form.get_by_role("button", name="Accept these words").click()
    expect(form).to_have_count(0)
    assert _remembered(board, said) == []
    [memory] = _remembered(board, other)
    assert memory["kind"] == "decision"


def test_a_proposal_that_is_dismissed_is_not_made_again(visit: Open, board: Served, said: str) -> None:
    opened = visit()
    page = opened.go("#/inbox?what=proposed")
    one = item(page, re.escape(said))
    one.get_by_role("button", name="Dismiss").click()
    expect(one).to_have_count(0)
    page.reload()
    expect(page.locator(".inbox-item, .empty").first).to_be_visible()
    expect(one).to_have_count(0)
    assert _remembered(board, said) == []
