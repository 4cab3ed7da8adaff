"""Writers side by side. Who is where is said by the tests, by events, so nothing depends on time."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from helix.index.filters import ComparedPlace
from helix.memory.judgement.resemble import ComparedMemory
from helix.memory.tokens import Payload
from helix.memory.writing import write as writing
from helix.memory.writing.write_order import WriteOrder, WritePlan
from helix.vault.ownership import FOR_TEAM, PRIVATE, Ownership
from tests.memory.world import World, opened
from tests.scale import scaled
from tests.waiting import wait_for

MINE = Ownership(None, PRIVATE)
HERE = ComparedPlace.of("project", "billing", None, MINE)
PATIENCE = 60


def compared(text: str) -> ComparedMemory:
    return ComparedMemory("", text)


def hold_back_those_who_looked(monkeypatch: pytest.MonkeyPatch, writers: int) -> None:
    """Each looks for doubles, and goes on when all have looked: nobody sees in the index what the others write."""
    look, barrier, looks = (
        writing._find_alike,
        threading.Barrier(writers, timeout=PATIENCE),
        itertools.count(),
    )

    def look_together(*arguments: Any) -> object:
        found = look(*arguments)
        if next(looks) < writers:  # who looks again is not held back
            barrier.wait()
        return found

    monkeypatch.setattr(writing, "_find_alike", look_together)


def write_at_once(world: World, texts: list[str], **how: Any) -> list[Payload]:
    with ThreadPoolExecutor(len(texts)) as pool:
        return list(pool.map(lambda text: world.add(text, **how), texts))


def test_the_same_text_written_at_once_by_many_is_one_memory(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_back_those_who_looked(monkeypatch, 6)
    answers = write_at_once(world, ["The API listens on port 8080"] * 6)
    assert Counter(answer["status"] for answer in answers) == {"created": 1, "merged": 5}
    assert len({answer["id"] for answer in answers}) == len(world.files()) == 1


def test_of_two_values_written_at_once_one_replaces_the_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_back_those_who_looked(monkeypatch, 2)
    answers = write_at_once(world, ["The API listens on 8080", "The API listens on 9090"])
    first, second = sorted(answers, key=lambda answer: answer["status"])
    assert (first["status"], second["status"], second["supersedes"]) == (
        "created",
        "superseded",
        [first["id"]],
    )
    assert world.found("API listens") == [second["id"]]


def test_of_two_that_replace_one_memory_at_once_the_second_replaces_the_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = world.add("The API listens on 7070")
    hold_back_those_who_looked(monkeypatch, 2)
    answers = write_at_once(world, ["The API listens on 8080", "The API listens on 9090"])
    replaced = [answer["supersedes"] for answer in answers]
    assert [old["id"]] in replaced
    [last] = [answer for answer in answers if answer["supersedes"] != [old["id"]]]
    assert world.found("API listens") == [last["id"]]


def test_what_is_about_other_things_is_written_side_by_side(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them are in the middle of writing at once: were one to wait for another, none would go on."""
    texts = [
        "The ferry leaves at noon",
        "Invoices are numbered without gaps",
        "We deploy from the main branch",
    ]
    inside = threading.Barrier(len(texts), timeout=PATIENCE)
    create = world.helix.vault.create

    def create_together(*arguments: Any) -> Any:
        inside.wait()
        return create(*arguments)

    monkeypatch.setattr(world.helix.vault, "create", create_together)
    answers = write_at_once(world, texts)
    assert [answer["status"] for answer in answers] == ["created"] * 3
    assert all(world.found(text)[0] == answer["id"] for text, answer in zip(texts, answers, strict=True))


def test_who_forces_a_text_waits_for_nobody_and_is_seen_by_who_does_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_back_those_who_looked(monkeypatch, 4)
    answers = write_at_once(world, ["The API listens on port 8080"] * 4, force=True)
    assert [answer["status"] for answer in answers] == ["created"] * 4
    assert world.add("The API listens on port 8080")["status"] == "merged"


def test_one_key_used_by_many_at_once_writes_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    started = threading.Barrier(6, timeout=PATIENCE)

    def add(_: int) -> Payload:
        started.wait()
        return world.add("Cranes are checked on Mondays", idempotency_key="cranes", force=True)

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(add, range(6)))
    assert Counter(answer["status"] for answer in answers) == {"created": 1, "noop": 5}
    assert len(world.files()) == 1


def test_a_key_is_held_by_one_at_a_time_and_forgotten_when_nobody_holds_it(world: World) -> None:
    keys = world.workspace.keys
    inside, most = 0, 0

    def hold(_: int) -> None:
        nonlocal inside, most
        with keys.held("me", "key"):
            inside += 1
            most = max(most, inside)
            inside -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hold, range(200)))
    assert (most, keys._held) == (1, {})


def test_any_interleaving_leaves_one_memory_for_each_thing_that_was_said(tmp_path: Path) -> None:
    said = [f"Service {name} keeps its data in {place}" for name, place in (
        ("auth", "Redis"), ("billing", "Postgres"), ("mail", "SQLite"), ("search", "Whoosh"),
    )]  # fmt: skip
    for round_ in range(scaled(3)):
        with opened(tmp_path / str(round_)) as world:
            with ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(world.add, said * 6))
            assert Counter(answer["status"] for answer in answers) == {"created": 4, "merged": 20}
            assert len(world.files()) == len(said)


def test_who_began_to_look_before_another_ended_looks_again() -> None:
    order = WriteOrder()
    looks: list[str] = []

    def look_and_be_overtaken() -> WritePlan[str]:
        looks.append("second")
        if len(looks) == 1:
            with order.turn(HERE, compared("The API listens on 8080"), lambda: WritePlan("first")):
                pass
        return WritePlan("second")

    with order.turn(HERE, compared("the API listens on 8080"), look_and_be_overtaken) as found:
        assert (found, looks) == ("second", ["second", "second"])


@pytest.mark.parametrize(
    ("other", "place"),
    [
        ("Lunch is at noon", HERE),
        ("The API listens on 8080", ComparedPlace.of("global", None, None, MINE)),
        ("The API listens on 8080", ComparedPlace.of("project", "billing", None, Ownership("ines", PRIVATE))),
        ("The API listens on 8080", ComparedPlace.of("project", "billing", None, Ownership(None, FOR_TEAM))),
    ],
)
def test_nobody_waits_for_what_is_said_of_something_else_or_elsewhere(
    other: str, place: ComparedPlace
) -> None:
    order = WriteOrder()
    with (
        order.turn(HERE, compared("The API listens on 8080"), lambda: WritePlan(1)) as one,
        order.turn(place, compared(other), lambda: WritePlan(2)) as two,
    ):
        assert (one, two) == (1, 2)


def test_who_fails_stands_in_nobodys_way() -> None:
    order = WriteOrder()
    memory = compared("The API listens on 8080")

    def fail() -> WritePlan[int]:
        raise IndexError

    with pytest.raises(IndexError), order.turn(HERE, memory, fail):
        pass
    with pytest.raises(KeyError), order.turn(HERE, memory, lambda: WritePlan(1)):
        raise KeyError
    with order.turn(HERE, memory, lambda: WritePlan(2)) as found:
        assert found == 2
    assert (order._announced, order._looking) == ([], [])


def test_what_touches_one_memory_is_done_one_after_the_other() -> None:
    order = WriteOrder()
    entered, leave, looks = threading.Event(), threading.Event(), list[str]()
    done: list[str] = []

    def touch(name: str, wait: Callable[[], object]) -> None:
        def look() -> WritePlan[str]:
            looks.append(name)
            return WritePlan(name, frozenset({"mem_x"}))

        with order.turn(HERE, compared(f"{name} is another thing"), look) as found:
            entered.set()
            wait()
            done.append(found)

    first = threading.Thread(target=touch, args=("Apples", lambda: leave.wait(PATIENCE)))
    first.start()
    assert entered.wait(PATIENCE)
    second = threading.Thread(target=touch, args=("Oranges", lambda: None))
    second.start()
    wait_for(lambda: "Oranges" in looks)
    leave.set()
    first.join(PATIENCE)
    second.join(PATIENCE)
    assert (done, looks) == (["Apples", "Oranges"], ["Apples", "Oranges", "Oranges"])
