from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, KeyReused, MemoryErased, MemoryNotFound, NotWorthKeeping, SecretRefused
from helix.memory.place import Place
from helix.memory.writing import write as writing
from helix.memory.writing.amend import Amendment
from tests.memory.world import ME, NOW, World, opened, record
from tests.residue import residue
from tests.scale import scaled


def test_a_new_text_is_created_and_is_a_file_and_is_found(world: World) -> None:
    answer = world.add("Auth client retries 3x with jitter", kind="decision", tags=["auth", "#retries"])
    assert answer["status"] == "created"
    assert answer["supersedes"] == []
    text = world.read(answer["id"])
    assert "kind: decision" in text
    assert "project: billing" in text
    assert "agent: tester" in text
    assert "- retries" in text or "retries]" in text
    assert world.found("how often does the auth client retry") == [answer["id"]]


def test_the_same_text_in_other_writing_is_merged_and_only_adds_what_is_new(world: World) -> None:
    first = world.add("Auth client retries 3x with jitter", tags=["auth"])
    file = world.folder / world.helix.catalog.find(first["id"]).path  # type: ignore[union-attr]
    file.write_text(
        file.read_text().replace("kind: fact", "kind: fact # mine").rstrip() + "\n\nMy own line.\n"
    )
    file.write_text(file.read_text().replace("\n\nMy own line.", ""))
    world.helix.reconciler.reconcile()
    other = Place("billing", "s-2", "cursor")
    again = world.add("auth client  retries 3x, with jitter.", other, tags=["auth", "net"])
    assert (again["status"], again["id"]) == ("merged", first["id"])
    text = file.read_text()
    assert "kind: fact # mine" in text
    assert "net" in text
    assert "session: s-2" in text
    assert "Auth client retries 3x with jitter" in text
    assert len(world.files()) == 1


def test_merging_what_adds_nothing_leaves_the_file_alone(world: World) -> None:
    world.add("Auth client retries 3x with jitter", tags=["auth"])
    before = world.files()
    assert world.add("Auth client retries 3x with jitter", tags=["auth"])["status"] == "merged"
    assert world.files() == before


def test_a_changed_value_supersedes_and_names_the_old_one_which_can_be_brought_back(world: World) -> None:
    old = world.add("The API listens on 8080")
    new = world.add("The API listens on 9090")
    assert new["status"] == "superseded"
    assert new["supersedes"] == [old["id"]]
    assert "status: superseded" in world.read(old["id"])
    assert f"[[{old['id']}]]" in world.read(new["id"])
    assert world.found("which port does the API listen on") == [new["id"]]
    world.service.forget(new["id"])
    assert world.service.restore(old["id"])["memory_status"] == "active"
    assert world.found("which port does the API listen on") == [old["id"]]


def test_a_neighbour_is_created_and_the_similar_one_is_named(world: World) -> None:
    old = world.add("The staging API listens on 8080")
    new = world.add("The production API listens on 9090")
    assert new["status"] == "created"
    assert [one["id"] for one in new["similar"]] == [old["id"]]
    assert set(world.found("API listens")) == {old["id"], new["id"]}


def test_another_project_or_session_is_another_place(world: World) -> None:
    world.add("The API listens on 8080")
    assert world.add("The API listens on 8080", Place("auth"))["status"] == "created"
    assert world.add("The API listens on 9090", scope="global")["status"] == "created"
    assert world.add("The API listens on 8080", scope="session")["status"] == "created"
    assert (
        world.add("The API listens on 8080", Place("billing", "s-2"), scope="session")["status"] == "created"
    )


def test_a_hint_supersedes_whatever_the_texts_say(world: World) -> None:
    old = world.add("We deploy by hand")
    new = world.add("Releases are cut by the pipeline every Tuesday", supersede_hint=old["id"])
    assert (new["status"], new["supersedes"]) == ("superseded", [old["id"]])
    with pytest.raises(MemoryNotFound):
        world.add("Something else entirely", supersede_hint="mem_nothing")
    assert len(world.files()) == 2


def test_events_are_not_undone_by_later_events(world: World) -> None:
    world.add("The outage on Monday lasted 30 minutes", kind="event")
    assert world.add("The outage on Tuesday lasted 50 minutes", kind="event")["status"] == "created"


def test_a_forgotten_text_can_be_written_again_and_does_not_wake_the_old_one(world: World) -> None:
    old = world.add("Auth client retries 3x with jitter")
    world.service.forget(old["id"])
    new = world.add("Auth client retries 3x with jitter")
    assert new["status"] == "created"
    assert "status: deleted" in world.read(old["id"])


def test_a_retry_with_the_same_key_is_answered_and_not_done_again(world: World) -> None:
    first = world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
    before = world.files()
    assert world.add("Auth client retries 3x with jitter", idempotency_key="write-001") == {
        "id": first["id"],
        "status": "noop",
        "supersedes": [],
    }
    assert world.files() == before
    with pytest.raises(KeyReused):
        world.add("Something else", idempotency_key="write-001")


def test_a_key_is_known_from_the_file_when_the_state_folder_is_gone(tmp_path: Path) -> None:
    with opened(tmp_path) as world:
        first = world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
    (tmp_path / "state").rename(tmp_path / "lost")
    with opened(tmp_path) as world:
        again = world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
        assert (again["status"], again["id"]) == ("noop", first["id"])
        with pytest.raises(KeyReused):
            world.add("Something else", idempotency_key="write-001")
        assert len(world.files()) == 1


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_retry_of_what_was_forgotten_since_says_so_and_wakes_nothing(tmp_path: Path, is_lost: bool) -> None:
    with opened(tmp_path) as world:
        first = world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
        world.service.forget(first["id"])
    if is_lost:
        lose_requests(tmp_path)
    with opened(tmp_path) as world:
        with pytest.raises(MemoryErased) as refused:
            world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
        assert refused.value.code == "forgotten"
        assert "status: deleted" in world.read(first["id"])
        assert len(world.files()) == 1
        world.service.restore(first["id"])
        again = world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
        assert (again["status"], again["id"]) == ("noop", first["id"])


def test_a_retry_of_what_was_erased_since_does_not_write_it_again(tmp_path: Path) -> None:
    with opened(tmp_path) as world:
        first = world.add("The zqretry text of the auth client", title="Auth", idempotency_key="zqretry-001")
        world.service.forget(first["id"], mode="hard")
        with pytest.raises(MemoryErased) as refused:
            world.add("The zqretry text of the auth client", title="Auth", idempotency_key="zqretry-001")
        assert refused.value.code == "erased"
        world.recall.index.tend(tidy=False)
        assert residue("zqretry", tmp_path) == []


def test_a_retry_of_what_a_person_deleted_is_not_answered_as_if_it_were_stored(world: World) -> None:
    first = world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
    [path] = world.files()
    (world.folder / path).unlink()
    world.helix.catch_up()
    with pytest.raises(MemoryErased):
        world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
    assert first["id"] not in str(world.files())


def test_after_the_requests_are_lost_another_text_under_the_key_of_a_changed_memory_is_refused(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as world:
        first = world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
        world.service.update(first["id"], Amendment(text="Auth client retries 4x, with jitter"))
    lose_requests(tmp_path)
    with opened(tmp_path, now=NOW + timedelta(hours=1)) as world:
        with pytest.raises(KeyReused):
            world.add("The pump of the pool is broken", idempotency_key="write-001")
        same = world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
        assert (same["status"], same["id"]) == ("noop", first["id"]), "what it said at first is still known"
    shutil.rmtree(tmp_path / "state")
    with opened(tmp_path) as world:
        with pytest.raises(KeyReused) as refused:
            world.add("Auth client retries 3x with jitter", idempotency_key="write-001")
        assert first["id"] in refused.value.message
        assert "new key" in refused.value.message
        assert len(world.files()) == 1


def lose_requests(place: Path) -> None:
    for file in (place / "state").rglob("requests.db*"):
        file.unlink()


def test_any_interleaving_of_retries_makes_one_memory_per_key(tmp_path: Path) -> None:
    chance = random.Random(7)
    texts = {f"key-{n}": f"Service {name} keeps its data in {place}" for n, (name, place) in enumerate(
        [("auth", "Redis"), ("billing", "Postgres"), ("mail", "SQLite"), ("search", "Whoosh")]
    )}  # fmt: skip
    for round_ in range(scaled(3)):
        with opened(tmp_path / str(round_)) as world:
            tries = [key for key in texts for _ in range(6)]
            chance.shuffle(tries)

            def one(key: str, world: World = world) -> tuple[str, str]:
                return key, world.add(texts[key], idempotency_key=key)["id"]

            with ThreadPoolExecutor(4) as pool:
                answers = list(pool.map(one, tries))
            assert len(world.files()) == len(texts)
            assert len(set(answers)) == len(texts)


def test_what_says_nothing_is_refused_with_a_reason_and_force_keeps_it(world: World) -> None:
    with pytest.raises(NotWorthKeeping, match="force"):
        world.add("Thanks!")
    with pytest.raises(BadValue):
        world.add("  \n ")
    assert world.files() == {}
    assert world.add("Thanks!", force=True)["status"] == "created"


def test_a_credential_is_refused_without_being_named_and_can_be_allowed(world: World) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    with pytest.raises(SecretRefused) as refused:
        world.add(f"The deploy token is {secret}")
    assert secret not in refused.value.message
    assert "GitHub" in refused.value.message
    assert world.files() == {}
    assert world.add(f"The deploy token is {secret}", allow_secrets=True)["status"] == "created"


@pytest.mark.parametrize(
    "wish",
    [
        {"scope": "galaxy"},
        {"kind": "not a kind!"},
        {"importance": 7},
        {"valid_from": "soonish"},
        {"title": "x" * 500},
        {"tags": ["x" * 500]},
        {"idempotency_key": "bad\nkey"},
        {"edges": {"likes": ["mem_a"]}},
    ],
)
def test_a_value_that_makes_no_sense_is_refused_and_nothing_is_written(
    world: World, wish: dict[str, Any]
) -> None:
    with pytest.raises(BadValue):
        world.add("The API listens on 8080", **wish)
    assert world.files() == {}


@pytest.mark.parametrize("named", [None, "", "  "])
def test_what_is_written_without_a_project_is_in_none_and_found_from_every_one(
    world: World, named: str | None
) -> None:
    nobody = Place()
    made = world.add(
        "Auth client retries 3x with jitter", nobody, kind="decision", scope="project", project=named
    )
    assert "project:" not in world.read(made["id"])
    assert "scope: project" in world.read(made["id"])
    for reader in (nobody, ME, Place("shop"), Place("default")):
        assert world.found("auth retries", reader) == [made["id"]]
        assert [one["id"] for one in world.service.recent(caller=reader)["results"]] == [made["id"]]
        assert world.service.context("auth retries", caller=reader)["citations"] == [made["id"]]
    assert world.found("auth retries", ME, scope="global") == []


def test_what_is_written_without_a_project_or_a_name_for_the_session_is_seen_by_that_session_alone(
    world: World,
) -> None:
    made = world.add("The build is red since noon", Place(session="s-1"), scope="session")
    assert world.found("build red", ME, scope="session") == [made["id"]]
    assert world.found("build red", Place("shop", "s-1"), scope="session") == [made["id"]]
    assert world.found("build red", Place("shop", "s-2"), scope="session") == []


def test_unfiled_memories_and_those_of_a_project_are_not_merged_and_do_not_replace_each_other(
    world: World,
) -> None:
    filed = world.add("The API listens on 8080")
    unfiled = world.add("The API listens on 8080", Place())
    assert unfiled["status"] == "created"
    assert world.add("The API listens on 8080", Place())["id"] == unfiled["id"]
    assert world.add("The API listens on 9090", Place())["supersedes"] == [unfiled["id"]]
    assert world.service.get(filed["id"])["status"] == "active"


def test_a_project_that_is_really_called_default_is_one_like_any_other(world: World) -> None:
    there = Place("default")
    made = world.add("The server of this folder listens on 8080", there)["id"]
    assert world.service.get(made)["project"] == "default"
    assert world.found("server", there) == [made]
    assert world.found("server", ME) == []
    assert world.found("server unfiled:true", there) == []


def test_a_hand_written_note_counts_as_being_there(world: World) -> None:
    world.put(
        "notes/ports.md",
        record("mem_hand", "The API listens on 8080", title="The API", scope="project", project="billing"),
    )
    answer = world.add("The API listens on 8080")
    assert (answer["status"], answer["id"]) == ("merged", "mem_hand")


def meanwhile(world: World, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Somebody changes a memory just after the writer has looked for what is alike."""
    look = writing._find_alike

    def look_and_be_overtaken(*arguments: Any) -> object:
        found = look(*arguments)
        change()
        return found

    monkeypatch.setattr(writing, "_find_alike", look_and_be_overtaken)


def test_nothing_is_merged_into_a_memory_that_was_forgotten_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = world.add("The API listens on 8080")
    meanwhile(world, monkeypatch, lambda: world.service.forget(old["id"]))
    new = world.add("The API listens on 8080")
    assert new["status"] == "created"
    assert world.found("API listens") == [new["id"]]


def test_nothing_is_merged_into_a_memory_that_a_person_rewrote_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.put("a.md", record("mem_a", "The API listens on 8080", scope="project", project="billing"))
    other = record("mem_a", "Lunch is at noon in the garden", scope="project", project="billing")
    meanwhile(world, monkeypatch, lambda: world.put("a.md", other))
    new = world.add("The API listens on 8080", title="mem_a")
    assert new["status"] == "created"
    assert world.found("API listens 8080") == [new["id"]]


def test_a_memory_that_a_person_rewrote_meanwhile_is_not_superseded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = world.add("The API listens on 8080")
    text = world.read(old["id"])
    row = world.helix.catalog.find(old["id"])
    assert row is not None
    other = text.replace("The API listens on 8080", "Lunch is at noon in the garden")
    meanwhile(world, monkeypatch, lambda: world.put(row.path, other))
    new = world.add("The API listens on 9090")
    assert new["status"] == "created"
    assert world.found("lunch garden")[0] == old["id"]


def test_what_was_erased_cannot_be_superseded_and_nothing_is_written(world: World) -> None:
    old = world.add("The API listens on 8080")
    world.service.forget(old["id"], mode="hard")
    before = world.files()
    with pytest.raises(MemoryErased):
        world.add("The API listens on 9090", supersede_hint=old["id"])
    assert world.files() == before


def test_an_edge_that_says_supersedes_supersedes(world: World) -> None:
    old = world.add("The API listens on 8080")
    new = world.add(
        "Ports are given out by the gateway now", edges={"supersedes": [old["id"], "mem_elsewhere"]}
    )
    assert (new["status"], new["supersedes"]) == ("superseded", [old["id"]])
    assert world.service.get(new["id"])["edges"] == [
        {"rel": "supersedes", "to": old["id"]},
        {"rel": "supersedes", "to": "mem_elsewhere"},
    ]
    assert world.found("API listens 8080", filters={"id": old["id"]}) == []


def test_an_edge_of_an_unknown_kind_is_refused_also_where_the_text_is_there_already(world: World) -> None:
    old = world.add("The API listens on 8080")
    before = world.files()
    with pytest.raises(BadValue, match="kind of edge"):
        world.add("The API listens on 8080", edges={"status": ["deleted"]})
    assert world.files() == before
    assert world.found("API listens") == [old["id"]]


def test_a_credential_in_the_source_of_a_memory_is_refused_too(world: World) -> None:
    with pytest.raises(SecretRefused):
        world.add(
            "The dump was taken from there", source={"uri": "postgres://admin:hT7xq9Lm2@db.internal/prod"}
        )
    assert world.files() == {}


def test_a_merge_fills_in_what_was_not_said_and_names_what_it_did_not_keep(world: World) -> None:
    first = world.add("Deploys of the quay service need two approvals", kind="decision")["id"]
    text = "Deploys of the quay service need two approvals."
    filled = world.add(text, kind="decision", importance=0.9, valid_until="2027-01-01")
    assert (filled["status"], filled["id"]) == ("merged", first)
    assert "not_kept" not in filled
    said = world.service.get(first)
    assert (said["importance"], said["valid_until"]) == (0.9, "2027-01-01")
    other = world.add(text, kind="decision", importance=0.2, valid_until="2028-01-01")
    assert other["not_kept"] == ["importance", "valid_until"]
    assert world.service.get(first)["importance"] == 0.9
