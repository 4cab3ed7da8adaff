from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from helix.follow.group_commit import GroupCommit
from tests.waiting import wait_for

PATIENCE = 60


class Catalog:
    """Notes what is taken in, and holds the first up until it is told to go on."""

    def __init__(self, error: Exception | None = None) -> None:
        self.groups: list[Sequence[str]] = []
        self.error = error
        self.go_on = threading.Event()

    def take_in(self, paths: Sequence[str]) -> str | None:
        self.groups.append(paths)
        if len(self.groups) == 1:
            assert self.go_on.wait(PATIENCE)
            if self.error is not None:
                raise self.error
        return None if "full" not in paths else "the disk is full"


def queue_behind_the_first(catalog: Catalog, group: GroupCommit, rest: list[list[str]]) -> list[object]:
    """What each is answered: the first is held up until all the others wait."""
    with ThreadPoolExecutor(1 + len(rest)) as pool:
        first = pool.submit(group.take_in, ["first"])
        wait_for(lambda: len(catalog.groups) == 1)
        others = [pool.submit(group.take_in, paths) for paths in rest]
        wait_for(lambda: len(group._waiting) == len(rest))
        catalog.go_on.set()
        return [answer.exception() or answer.result() for answer in (first, *others)]


def test_who_comes_while_one_is_taken_in_is_taken_in_with_all_who_wait() -> None:
    catalog = Catalog()
    answers = queue_behind_the_first(catalog, GroupCommit(catalog.take_in), [["a"], ["b", "a"], ["c"]])
    assert answers == [None] * 4
    assert [sorted(paths) for paths in catalog.groups] == [["first"], ["a", "b", "c"]]


def test_each_of_a_group_is_told_why_it_could_not_be_taken_in() -> None:
    catalog = Catalog()
    answers = queue_behind_the_first(catalog, GroupCommit(catalog.take_in), [["full"], ["b"]])
    assert answers == [None, "the disk is full", "the disk is full"]


def test_an_error_is_of_the_one_who_took_in_and_the_others_try_for_themselves() -> None:
    catalog = Catalog(OSError("gone"))
    answers = queue_behind_the_first(catalog, GroupCommit(catalog.take_in), [["a"], ["b"]])
    assert answers == [catalog.error, None, None]
    assert sorted(catalog.groups[1]) == ["a", "b"]


def test_one_alone_is_taken_in_at_once() -> None:
    catalog = Catalog()
    catalog.go_on.set()
    group = GroupCommit(catalog.take_in)
    assert group.take_in(["full"]) == "the disk is full"
    with pytest.raises(ZeroDivisionError):
        GroupCommit(lambda paths: str(1 // 0)).take_in(["a"])
