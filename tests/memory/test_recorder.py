"""What the timeline tells: every road, who took it, and nothing of what was erased."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, SecretRefused
from helix.follow.mend import Mender
from helix.memory.place import Place
from helix.memory.tokens import Payload
from helix.vault.authors import Author, acting
from tests.memory.world import ME, World, opened, record
from tests.vault.git_sandbox import Sandbox

_SECRET = "AKIA" + "Q3EGRIVJ5T7YKLMN"


def told(world: World, **asked: Any) -> list[Payload]:
    """The events, the latest first."""
    events: list[Payload] = world.service.timeline(max_tokens=50_000, limit=200, **asked)["events"]
    return events


def last(world: World) -> tuple[Any, ...]:
    event = told(world)[0]
    return event["what"], event["id"], event["who"], event["name"]


def mend(world: World) -> None:
    mender = Mender(world.helix.reconciler, monotonic=iter(range(0, 10_000_000, 10_000)).__next__)
    mender.mend()
    mender.mend()


def test_an_agents_life_with_a_memory_is_told_step_by_step(world: World) -> None:
    one = world.add("The API listens on 8080")["id"]
    assert last(world) == ("learned", one, "agent", "tester")
    two = world.add("The API listens on 9090")["id"]
    assert [(event["what"], event["id"]) for event in told(world)[:2]] == [
        ("superseded", one),
        ("learned", two),
    ]
    assert told(world)[0]["detail"] == f"replaced by {two}"
    with acting(Author("agent", "claude-code")):
        world.service.forget(two)
        assert last(world) == ("forgotten", two, "agent", "claude-code")
        world.service.restore(two)
        assert last(world) == ("restored", two, "agent", "claude-code")
    again = world.add("The API listens on 9090", Place("billing", client="codex"), tags=["ports"])
    assert (again["status"], last(world)) == ("merged", ("merged", two, "agent", "codex"))
    seqs = [event["seq"] for event in told(world)]
    assert seqs == sorted(seqs, reverse=True)


def test_a_new_memory_is_by_the_agent_that_its_source_names(world: World) -> None:
    memory_id = world.add("Deploys need two approvals", source={"agent": "claude-code"})["id"]
    assert last(world) == ("learned", memory_id, "agent", "claude-code")


def test_a_person_who_edits_moves_and_deletes_files_is_told_of_as_one(world: World) -> None:
    file = world.put("a.md", record("mem_a", "One"))
    assert last(world) == ("learned", "mem_a", "person", None)
    world.put("a.md", record("mem_a", "Two"))
    assert last(world) == ("changed", "mem_a", "person", None)
    file.rename(world.folder / "b.md")
    world.helix.reconciler.reconcile()
    assert last(world) == ("moved", "mem_a", "person", None)
    assert told(world)[0]["detail"] == "moved from a.md"
    (world.folder / "b.md").unlink()
    world.helix.reconciler.reconcile()
    assert last(world) == ("gone", "mem_a", "person", None)
    assert told(world)[0]["title"] == "mem_a"
    assert len(told(world)) == 4


def test_a_flipped_status_is_a_persons_and_its_stamp_helixs(world: World) -> None:
    memory_id = world.add("Herons nest in May")["id"]
    row = world.helix.catalog.find(memory_id)
    assert row is not None
    world.put(row.path, world.read(memory_id).replace("status: active", "status: deleted"))
    assert last(world) == ("forgotten", memory_id, "person", None)
    mend(world)
    assert last(world) == ("changed", memory_id, "helix", None)
    assert "stamped" in told(world)[0]["detail"]


def test_what_another_machine_wrote_is_by_sync_and_what_a_command_here_wrote_by_a_person(
    tmp_path: Path, world: World
) -> None:
    with opened(tmp_path / "other") as other:
        memory_id = other.add("Geese fly over the pier")["id"]
        row = other.helix.catalog.find(memory_id)
        assert row is not None
        arrived, text = row.path, other.read(memory_id)
    world.put(arrived, text)
    assert last(world) == ("learned", memory_id, "sync", "tester")
    with acting(None):
        note = world.helix.vault.edit(arrived, memory_id, lambda note: None)
        world.helix.vault.forget(arrived, memory_id)  # as another process does: nobody signs here
    world.helix.reconciler.reconcile([arrived], settled=True)
    assert note.id == memory_id
    assert last(world) == ("forgotten", memory_id, "person", None)


def test_a_conflict_copy_that_was_folded_in_is_a_merge_by_sync(world: World) -> None:
    memory_id = world.add("First line\n\nSecond line\n\nThird line")["id"]
    row = world.helix.catalog.find(memory_id)
    assert row is not None
    copy = row.path.replace(".md", ".sync-conflict-20261116-120000-ABCDEFG.md")
    world.put(copy, world.read(memory_id).replace("Third", "Fourth"))
    mend(world)
    assert last(world) == ("merged", memory_id, "sync", None)
    assert told(world)[0]["detail"] == f"folded in {copy}"


def test_a_pull_is_sync_and_an_edit_beside_it_is_not(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", record("mem_a", "One"))
    first = sandbox.save()
    sandbox.write("a.md", record("mem_a", "Two"))
    sandbox.save()
    with opened(tmp_path, now=None) as world:
        sandbox.git("checkout", "-q", first)
        world.helix.reconciler.reconcile()
        assert last(world) == ("changed", "mem_a", "sync", None)
        log = tmp_path / "vault" / ".git" / "logs" / "HEAD"
        os.utime(log, (time.time() - 3600, time.time() - 3600))
        world.put("a.md", record("mem_a", "Three"))
        assert last(world) == ("changed", "mem_a", "person", None)
        sandbox.save("a commit moves no file")
        world.put("a.md", record("mem_a", "Four"))
        assert last(world) == ("changed", "mem_a", "person", None)


def test_consolidation_is_helixs_own(world: World) -> None:
    text = "Oystercatchers return to the north quay in March"
    one, other = world.add(text, force=True)["id"], world.add(text, force=True)["id"]
    world.service.consolidate()
    flipped = next(event for event in told(world) if event["what"] == "superseded")
    assert flipped["who"] == "helix"
    assert flipped["id"] in (one, other)
    assert flipped["detail"].startswith("replaced by")


def test_a_note_that_gets_an_id_of_its_own_goes_on_as_the_same_memory(world: World) -> None:
    world.put("plain.md", "Just text\n")
    [row] = world.helix.store.list()
    note = world.helix.store.adopt(row.id).note
    assert last(world) == ("changed", note.id, "helix", None)
    assert told(world)[0]["detail"] == f"was known as {row.id}"
    assert len(told(world)) == 2


def test_a_refused_secret_is_told_by_its_kind_and_never_by_its_value(world: World) -> None:
    with pytest.raises(SecretRefused), acting(Author("agent", "claude-code")):
        world.add(f"The deploy key is {_SECRET} for now")
    event = told(world)[0]
    assert (event["what"], event["id"], event["name"]) == ("refused", "", "claude-code")
    assert "AWS" in event["detail"]
    assert _SECRET.encode() not in journal_bytes(world)


def journal_bytes(world: World) -> bytes:
    [file] = (world.folder.parent / "state").rglob("journal.db")
    return b"".join(one.read_bytes() for one in file.parent.glob("journal.db*"))


def test_no_byte_of_an_erased_memory_stays_in_the_journal(world: World) -> None:
    """Its id stays, as in the vault; so these files are named by a person and not after their titles."""
    for number in range(50):
        world.put(
            f"{number}.md", record(f"mem_{number}", f"Ballast {number}", title=f"Ballast note {number}")
        )
    world.put(
        "Quokka harbour.md", record("mem_x", "The wombat is a spy", title="Quokka harbour", project="emu")
    )
    (world.folder / "Quokka harbour.md").rename(world.folder / "Dugong bay.md")
    world.helix.reconciler.reconcile()
    world.put("Dugong bay.md", record("mem_x", "The wombat was a spy", title="Dugong bay", project="emu"))
    world.put("plain quoll.md", "# Bilby meadow\n\nText\n")
    [plain] = [row.id for row in world.helix.store.list() if row.path == "plain quoll.md"]
    before = journal_bytes(world)
    assert b"Quokka harbour" in before
    assert b"Bilby meadow" in before
    for memory_id in ("mem_x", plain):
        world.service.forget(memory_id, mode="hard")
    after = journal_bytes(world)
    for words in (b"Quokka", b"Dugong", b"wombat", b"emu", b"Bilby", b"plain quoll"):
        assert words not in after, words
    assert [event["what"] for event in told(world) if event["id"] == "mem_x"] == [
        "erased", "changed", "moved", "learned",
    ]  # fmt: skip
    assert all(event["title"] == "" for event in told(world) if event["id"] == "mem_x")


def test_what_happened_before_the_journal_is_told_by_the_notes(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    times = {"created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-02-03T04:05:06Z"}
    vault = tmp_path / "vault"
    (vault / "a.md").write_text(record("mem_a", "One", source="{agent: codex}", **times))
    (vault / "b.md").write_text(
        record("mem_b", "Two", status="deleted", deleted_at="2026-03-04T05:06:07Z", **times)
    )
    (vault / "c.md").write_text("No times at all\n")
    with opened(tmp_path) as world:
        seen = [(one["time"], one["what"], one["id"], one["who"], one["name"]) for one in told(world)]
        assert seen == [
            ("2026-03-04T05:06:07Z", "forgotten", "mem_b", None, None),
            ("2026-02-03T04:05:06Z", "changed", "mem_a", None, None),
            ("2026-01-02T03:04:05Z", "learned", "mem_b", None, None),
            ("2026-01-02T03:04:05Z", "learned", "mem_a", "agent", "codex"),
        ]


def test_what_happened_while_nobody_looked_is_told_at_the_next_start_and_once(tmp_path: Path) -> None:
    with opened(tmp_path) as world:
        world.put("a.md", record("mem_a", "One"))
        world.put("b.md", record("mem_b", "One"))
        world.put("c.md", record("mem_c", "One"))
    (tmp_path / "vault" / "a.md").write_text(record("mem_a", "Two"))
    (tmp_path / "vault" / "b.md").unlink()
    (tmp_path / "vault" / "d.md").write_text(record("mem_d", "New"))
    for _ in range(2):
        with opened(tmp_path) as world:
            seen = {(one["what"], one["id"]) for one in told(world)[:3]}
            assert seen == {("changed", "mem_a"), ("gone", "mem_b"), ("learned", "mem_d")}
            assert len(told(world)) == 6


def test_a_state_folder_that_is_deleted_begins_a_new_journal(world: World) -> None:
    world.put("a.md", record("mem_a", "One", created_at="2026-01-02T03:04:05Z"))
    seq = told(world)[0]["seq"]
    for file in (world.folder.parent / "state").rglob("*.db*"):
        file.unlink()
    world.helix.reconciler.reconcile()
    [event] = told(world)
    assert (event["what"], event["time"]) == ("learned", "2026-01-02T03:04:05Z")
    assert event["seq"] > seq
    world.put("a.md", record("mem_a", "Two", created_at="2026-01-02T03:04:05Z"))
    assert last(world)[0] == "changed"


def test_a_journal_that_cannot_be_written_loses_no_memory_and_catches_up(world: World) -> None:
    journal = world.workspace.journal
    world.put("a.md", record("mem_a", "One"))
    journal._db.execute("PRAGMA query_only=ON")
    world.put("a.md", record("mem_a", "Two"))
    assert world.service.get("mem_a")["text"] == "Two"
    journal._db.execute("PRAGMA query_only=OFF")
    world.helix.reconciler.reconcile()
    assert last(world) == ("changed", "mem_a", "person", None)


def test_the_timeline_is_narrowed_and_paged_within_its_budget(world: World) -> None:
    for number in range(30):
        world.put(
            f"{number}.md", record(f"mem_{number}", "Text", title="Long " * 20, project=f"p{number % 2}")
        )
    world.service.forget("mem_3")
    assert [one["id"] for one in told(world, what="forgotten,restored")] == ["mem_3"]
    assert {one["who"] for one in told(world, who="person")} == {"person"}
    assert len(told(world, project="p1")) == 16
    assert told(world, since="2027-01-01") == []
    assert told(world, until="2026-01-01") == []
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = world.service.timeline(limit=7, max_tokens=400, cursor=cursor, what="learned")
        assert page["tokens_used"] <= 400
        seen += [one["id"] for one in page["events"]]
        world.put(f"later-{len(seen)}.md", record(f"mem_later_{len(seen)}", "Text"))
        if (cursor := page["next_cursor"]) is None:
            break
    assert seen == [f"mem_{number}" for number in reversed(range(30))]
    for asked in ({"what": "eaten"}, {"who": "nobody"}, {"since": "soon"}, {"cursor": "x"}, {"limit": 0}):
        with pytest.raises(BadValue):
            world.service.timeline(**asked)


def test_the_journal_is_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("helix.memory.activity.journal._KEPT", 20)
    monkeypatch.setattr("helix.memory.activity.journal._TRIM_EVERY", 5)
    for number in range(60):
        world.put("a.md", record("mem_a", f"Text {number}"))
    assert 20 <= len(told(world)) <= 26
    [file] = (world.folder.parent / "state").rglob("journal.db")
    assert sqlite3.connect(file).execute("SELECT count(*) FROM known").fetchone() == (1,)


def test_a_write_that_the_follower_sees_first_is_still_the_agents(world: World) -> None:
    with acting(Author("agent", "claude-code")):
        world.put("a.md", record("mem_a", "One"))
        world.helix.vault.forget("a.md", "mem_a")
    with acting(None):
        world.helix.reconciler.reconcile()
    assert last(world) == ("forgotten", "mem_a", "agent", "claude-code")


def test_who_asks_is_not_who_edits(world: World) -> None:
    """Reading signs nothing, and a signature is used once."""
    world.add("Pelicans rest at noon", ME)
    assert last(world)[2] == "agent"
    world.put("a.md", record("mem_a", "One"))
    assert last(world)[2] == "person"
