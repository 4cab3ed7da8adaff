"""The example that `helix init --example` adds: a good vault, and one in which questions find their answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helix.compose import open_vault, open_workspace
from helix.config import from_process
from helix.memory.place import Place
from helix.memory.search_engine import open_recall
from helix.vault.conflict_names import is_note_name
from helix.vault.note import Note
from helix.vault.starter import find_example
from helix.vault.times import parse_time
from tests.cli.commands import helix, helix_json
from tests.memory.asking import Verbs

EXAMPLE = find_example()
NOTES = [
    Note.parse(path.relative_to(EXAMPLE).as_posix(), path.read_bytes())
    for path in sorted(EXAMPLE.rglob("*"))
    if is_note_name(path.name)
]
BY_ID = {note.id: note.memory for note in NOTES}
ID = re.compile(r"mem_2026-\d\d-\d\d_[a-z0-9]+(?:-[a-z0-9]+)*_[a-z2-7]{6}")

QUESTIONS = {
    "how long does an access token live?": "short-access-token-with-refresh",
    "how often does the app take a GPS fix while recording?": "gps-adaptive",
    "when does API v1 go away?": "v1-switched-off",
    "how do I deploy the api?": "deploy-by-tag",
    "why did log-in fail in October?": "redis-full-incident",
    "which coordinate system do we compute lengths in?": "store-4326-compute-in-laea",
    "how large may a pull request be?": "small-pull-requests",
    "what does sac_scale alpine_hiking become?": "sac-scale-mapping",
}


def test_there_are_about_sixty_and_each_is_named_by_its_id() -> None:
    assert 55 <= len(NOTES) <= 70
    assert len(BY_ID) == len(NOTES)
    for note in NOTES:
        assert ID.fullmatch(note.id)
        assert Path(note.path).stem == note.id
        assert note.path.startswith("fernway/"), "one folder, so that one command removes it"


def test_every_link_leads_to_a_memory_of_the_example() -> None:
    dangling = {
        (memory.id, target)
        for memory in BY_ID.values()
        for targets in memory.edges.values()
        for target in targets
        if target not in BY_ID
    }
    assert dangling == set()


def test_what_is_superseded_is_superseded_by_something_and_the_other_way_round() -> None:
    replaced = {target for memory in BY_ID.values() for target in memory.edges.get("supersedes", ())}
    assert replaced == {memory.id for memory in BY_ID.values() if memory.status == "superseded"}
    assert any(BY_ID[one].edges.get("supersedes") for one in replaced), "a chain of three"


def test_it_shows_every_part_of_the_format_that_people_meet() -> None:
    memories = BY_ID.values()
    assert {memory.status for memory in memories} == {"active", "superseded", "deleted"}
    assert {"decision", "fact", "preference", "snippet", "task", "event"} <= {one.kind for one in memories}
    assert {kind for one in memories for kind in one.edges} == {
        *("supersedes", "depends_on", "contradicts", "refines", "relates_to")
    }
    assert len({one.project for one in memories}) == 4
    assert len({str(one.source) for one in memories}) > 10


def test_its_dates_are_of_one_half_year_and_in_order() -> None:
    for memory in BY_ID.values():
        made, changed = parse_time(memory.created_at), parse_time(memory.updated_at)
        assert made is not None
        assert changed is not None
        assert "2026-06-01" < str(made)[:10] <= str(changed)[:10] < "2026-11-16"


@pytest.mark.model
def test_questions_find_their_answer_first_and_nothing_is_to_be_tidied(place: Path) -> None:
    helix("init", "--example")
    found: dict[str, object] = {}
    with open_vault(from_process()) as opened:
        opened.catch_up()
        with open_recall(opened) as recall, open_workspace(opened, lambda: recall) as workspace:
            assert recall.index.wait_until_embedded(120)
            for question, slug in QUESTIONS.items():
                hits = Verbs(workspace).search(question, caller=Place(), scope="all")["results"]
                found[question] = slug if hits and slug in hits[0]["id"] else hits[:1]
    assert found == QUESTIONS
    # A task that nobody touches for months is out of date by then, in this vault too.
    proposals = helix_json("consolidate", "--dry-run")["proposals"]
    assert [one for one in proposals if one["what"] != "stale-task"] == []


def test_the_example_leaves_as_init_says(place: Path) -> None:
    said = helix("init", "--example").stderr
    before = helix_json("status")["memories"]["active"]
    command = said.strip().splitlines()[-1].strip()
    assert command == f"rm -r {place}/vault/fernway && helix reindex --accept-missing"
    for path in (place / "vault" / "fernway").rglob("*.md"):
        path.unlink()
    helix("reindex", "--accept-missing")
    assert before - helix_json("status")["memories"]["active"] > 50


def test_a_vault_that_is_there_gets_no_example_and_a_folder_with_notes_neither(place: Path) -> None:
    helix("init")
    helix("init", "--if-missing", "--example")
    assert not (place / "vault" / "fernway").exists()
    mine = place / "mine"
    mine.mkdir()
    (mine / "note.md").write_text("My own note.\n")
    assert "left out" in helix("init", str(mine), "--example").stderr
    assert sorted(path.name for path in mine.iterdir()) == [".helix", "note.md"]
