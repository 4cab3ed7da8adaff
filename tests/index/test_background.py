from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

import pytest

from helix.index.background import ASKED_LATELY, Background

_PATIENCE = 20.0


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Meeting:
    """Items that know on how many threads they are worked at."""

    def __init__(self, parties: int) -> None:
        self.barrier = threading.Barrier(parties)
        self.threads: set[int] = set()

    def __call__(self, item: int) -> int:
        self.threads.add(threading.get_ident())
        self.barrier.wait(_PATIENCE)
        return item * item


def _until(condition: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(int(_PATIENCE / 0.01)):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it did not come to that")


def test_each_item_has_its_result_in_their_order() -> None:
    assert Background(3).each(lambda item: item * item, range(20)) == [item * item for item in range(20)]
    assert Background(3).each(lambda item: item, []) == []


def test_when_nobody_asks_all_threads_work_at_once() -> None:
    meeting = Meeting(2)  # nobody gets past it alone
    assert Background(2).each(meeting, range(4)) == [0, 1, 4, 9]
    assert len(meeting.threads) == 2


def test_for_a_moment_after_a_question_one_thread_works(clock: Clock) -> None:
    background = Background(2, clock=clock)
    with background.asking():
        pass
    alone = Meeting(1)
    background.each(alone, range(4))
    assert len(alone.threads) == 1
    clock.now += ASKED_LATELY
    together = Meeting(2)
    background.each(together, range(4))
    assert len(together.threads) == 2


def test_a_question_in_the_middle_sends_all_but_one_away(clock: Clock) -> None:
    background = Background(2, clock=clock)
    threads: list[int] = []
    met = threading.Barrier(2)

    def work(item: int) -> None:
        if item < 2:
            met.wait(_PATIENCE)
            with background.asking():
                pass
            met.wait(_PATIENCE)
        else:
            threads.append(threading.get_ident())

    background.each(work, range(10))
    assert len(threads) == 8
    assert len(set(threads)) == 1


def test_an_item_is_begun_after_the_question_is_answered() -> None:
    background = Background(1, longest_pause=_PATIENCE)
    order: list[str] = []
    with background.asking():
        worker = threading.Thread(target=background.each, args=[order.append, ["item"]])
        worker.start()
        _until(background._one_at_a_time.locked)  # it has begun, and waits
        order.append("answer")
    worker.join(_PATIENCE)
    assert order == ["answer", "item"]


def test_questions_without_a_pause_do_not_keep_the_work_from_being_done() -> None:
    background = Background(2, longest_pause=0.01)
    with background.asking():
        assert background.each(lambda item: item, range(3)) == [0, 1, 2]


def test_two_pieces_of_work_do_not_take_the_cores_twice() -> None:
    background = Background(1)
    at_work = threading.Semaphore(1)

    def work(item: int) -> int:
        assert at_work.acquire(blocking=False)
        at_work.release()
        return item

    made: list[list[int]] = []
    both = [threading.Thread(target=lambda: made.append(background.each(work, range(50)))) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(_PATIENCE)
    assert made == [list(range(50))] * 2


def test_an_error_ends_the_work_and_is_passed_on() -> None:
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Background(2).each(work, range(100))
    assert len(begun) <= 2


def test_the_threads_end_with_the_work() -> None:
    threads = Background(4).each(lambda _: threading.current_thread(), range(20))
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of threads")
def test_the_work_has_a_lower_priority_than_who_asks() -> None:
    def priority(_: int) -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = priority(0)
    assert min(Background(2).each(priority, range(4))) > before or before == 19
    assert priority(0) == before
