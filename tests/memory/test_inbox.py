"""What waits for a person: all of it is listed, and every action does what it says when it is sent as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.errors import BadValue, SecretRefused
from helix.memory.tokens import Payload
from helix.memory.writing.amend import Amendment
from helix.vault.authors import Author, acting
from helix.vault.text_merge import COLLISION
from tests.memory.world import World, record

_SECRET = "AKIA" + "Q3EGRIVJ5T7YKLMN"


class Inbox:
    def __init__(self, world: World) -> None:
        self.list = world.service.inbox
        self.dismiss = world.service.dismiss


@pytest.fixture
def inbox(world: World) -> Iterator[Inbox]:
    yield Inbox(world)
    world.workspace.upkeep.stop()


def items(inbox: Inbox, what: str | None = None) -> list[Payload]:
    found: list[Payload] = []
    cursor: str | None = None
    while True:
        page = inbox.list(limit=50, max_tokens=20_000, cursor=cursor)
        assert page["tokens_used"] <= 20_000
        found += page["items"]
        if (cursor := page["next_cursor"]) is None:
            return [one for one in found if what in (None, one["what"])]


def carry_out(world: World, inbox: Inbox, item: Payload, name: str) -> None:
    """As a page would: the request as it stands."""
    [action] = [one for one in item["actions"] if one["name"] == name]
    body = action["body"]
    match action["method"], action["route"]:
        case "POST", "/consolidate":
            assert world.service.apply_proposals(body["ids"])["applied"]
        case "POST", "/relate":
            world.service.relate(body["from"], body["to"], body["rel"])
        case "POST", "/inbox/dismiss":
            inbox.dismiss(**body)
        case "POST", "/inbox/keep-both":
            world.service.keep_both(body["id"])
        case "POST", "/inbox/merge":
            world.service.merge(body["id"])
        case "PATCH", route:
            world.service.update(route.removeprefix("/memory/"), Amendment(**body))
        case other:
            raise AssertionError(other)


def test_a_note_that_cannot_be_read_is_listed_with_line_reason_and_remedy(world: World, inbox: Inbox) -> None:
    world.put("a.md", record("mem_a", "Text", title="Still known"))
    world.put("a.md", "---\nid: mem_a\ntags: [open\n---\nText\n")
    [one] = items(inbox)
    assert (one["what"], one["path"], one["line"], one["id"]) == ("unreadable", "a.md", 3, "mem_a")
    assert one["title"] == "Still known"
    assert one["reason"]
    assert inbox.list()["counts"] == {"unreadable": 1}
    carry_out(world, inbox, one, "dismiss")
    assert items(inbox) == []
    world.put("a.md", "---\nid: mem_a\n\ntags: [open\n---\nText\n")
    assert [item["line"] for item in items(inbox)] == [4]  # it changed: it is shown again


def test_texts_that_could_not_be_merged_are_found_and_kept_both_with_one_click(
    world: World, inbox: Inbox
) -> None:
    memory_id = world.add("When the quay opens\n\nAt nine in the morning")["id"]
    row = world.helix.catalog.find(memory_id)
    assert row is not None
    copy = row.path.replace(".md", ".sync-conflict-20261116-120000-ABCDEFG.md")
    base = world.read(memory_id)
    world.put(copy, base.replace("nine", "eight"))
    world.put(row.path, base.replace("nine", "ten"))
    [waiting] = items(inbox)
    assert (waiting["what"], waiting["id"]) == ("waiting-to-merge", memory_id)
    carry_out(world, inbox, waiting, "merge")
    [one] = items(inbox)
    assert (one["what"], one["id"], one["path"]) == ("unmerged", memory_id, row.path)
    lines = world.read(memory_id).splitlines()
    assert lines[one["line"] - 1] == COLLISION
    carry_out(world, inbox, one, "keep-both")
    text = world.read(memory_id)
    assert COLLISION not in text
    assert "eight" in text
    assert "ten" in text
    assert items(inbox) == []


def test_doubles_are_settled_either_way(world: World, inbox: Inbox) -> None:
    text = "Oystercatchers return to the north quay in the second week of March"
    world.put("a.md", record("mem_a", text, title="Oysters", created_at="2026-01-01T00:00:00Z"))
    world.put("b.md", record("mem_b", text, title="Oysters", created_at="2026-02-01T00:00:00Z"))
    [one] = items(inbox, "duplicate")
    assert (one["id"], one["other"]) == ("mem_b", "mem_a")
    carry_out(world, inbox, one, "keep-both")
    assert items(inbox) == []
    world.put("c.md", record("mem_c", text, title="Oysters", created_at="2026-03-01T00:00:00Z"))
    doubles = items(inbox, "duplicate")
    carry_out(world, inbox, doubles[0], "apply")
    assert world.service.get("mem_c", include_deleted=True)["status"] == "superseded"


def test_what_is_over_is_forgotten_or_holds_again(world: World, inbox: Inbox) -> None:
    world.put("a.md", record("mem_a", "The ferry is out of service", valid_until="2026-02-01"))
    world.put("b.md", record("mem_b", "The lift is out of service too", valid_until="2026-03-01"))
    world.put("t.md", record("mem_t", "Paint the pier", kind="task", created_at="2026-01-01T00:00:00Z"))
    world.put("l.md", record("mem_l", "See [[nowhere at all]]"))
    found = {one["id"]: one for one in items(inbox)}
    assert {one["what"] for one in found.values()} == {"expired", "stale-task", "dangling-link"}
    carry_out(world, inbox, found["mem_a"], "still-holds")
    carry_out(world, inbox, found["mem_b"], "apply")
    carry_out(world, inbox, found["mem_t"], "apply")
    carry_out(world, inbox, found["mem_l"], "dismiss")
    assert items(inbox) == []
    assert "valid_until" not in world.service.get("mem_a")
    assert world.service.get("mem_t", include_deleted=True)["status"] == "deleted"


def test_a_refused_secret_is_listed_without_its_value(world: World, inbox: Inbox) -> None:
    with pytest.raises(SecretRefused), acting(Author("agent", "claude-code")):
        world.add(f"The deploy key is {_SECRET} for now")
    [one] = items(inbox)
    assert one["what"] == "secret-refused"
    assert "AWS" in one["reason"]
    assert "claude-code" in one["detail"]
    assert _SECRET not in str(one)
    carry_out(world, inbox, one, "dismiss")
    assert items(inbox) == []


def test_the_inbox_is_paged_within_its_budget_and_skips_what_was_dismissed_meanwhile(
    world: World, inbox: Inbox
) -> None:
    for number in range(9):
        world.put(f"{number}.md", f"---\nid: mem_{number}\ntags: [open\n---\nText\n")
    page = inbox.list(limit=3, max_tokens=1500)
    assert page["counts"] == {"unreadable": 9}
    assert page["tokens_used"] <= 1500
    every = items(inbox)
    inbox.dismiss(every[4]["key"])
    rest = inbox.list(limit=50, max_tokens=20_000, cursor=page["next_cursor"])
    assert "counts" not in rest
    keys = [one["key"] for one in (*page["items"], *rest["items"])]
    assert keys == [one["key"] for one in every if one["key"] != every[4]["key"]]


@pytest.mark.parametrize(
    "key", [" ", "what the deploy key is", "a-0123456789ab\nmore", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3"]
)
def test_only_the_key_of_an_item_is_kept_as_dismissed(world: World, inbox: Inbox, key: str) -> None:
    with pytest.raises(BadValue):
        inbox.dismiss(key)
    for state in (Path(world.folder.parent) / "state").rglob("dismissed.db*"):
        assert key.strip().encode() not in state.read_bytes() or not key.strip()


def test_nothing_of_an_erased_memory_waits_in_the_inbox(world: World, inbox: Inbox) -> None:
    text = "Oystercatchers return to the north quay in the second week of March"
    for name in ("a", "b", "c"):
        world.put(f"{name}.md", record(f"mem_{name}", text, title="Oyster notes"))
    page = inbox.list(limit=1)
    assert page["next_cursor"] is not None
    for name in ("a", "b", "c"):
        world.service.forget(f"mem_{name}", mode="hard")
    assert "Oyster" not in str(inbox.list(max_tokens=20_000))
    with pytest.raises(BadValue, match="cursor"):
        inbox.list(cursor=page["next_cursor"])
    [state] = (Path(world.folder.parent) / "state").rglob("dismissed.db")
    assert b"Oyster" not in state.read_bytes()
