"""Work for the moments when nobody asks: on all cores then, on one and aside when somebody does."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

# A question rarely comes alone: for this long after one, the work keeps to one core.
ASKED_LATELY = 1.0
# Who asks without a pause must not keep the work from ever being done: after so long the next piece is begun.
LONGEST_PAUSE = 0.25
# A tenth of what a question gets of a core that both want. Less would be worse for the questions: a thread that has the
# interpreter's lock while another program takes its core would hold it for long.
_NICE = 10


class Background:
    def __init__(
        self,
        threads: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        longest_pause: float = LONGEST_PAUSE,
    ) -> None:
        self._threads = threads
        self._longest_pause = longest_pause
        self._clock = clock
        self._one_at_a_time = threading.Lock()
        self._answered = threading.Condition()
        self._asking = 0
        self._asked_at = float("-inf")

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Somebody waits for an answer meanwhile."""
        with self._answered:
            self._asking += 1
        try:
            yield
        finally:
            with self._answered:
                self._asking -= 1
                self._asked_at = self._clock()
                if not self._asking:
                    self._answered.notify_all()

    def is_wanted_elsewhere(self) -> bool:
        """A question is being answered, or was a moment ago."""
        with self._answered:
            return self._asking > 0 or self._clock() - self._asked_at < ASKED_LATELY

    def each(self, function: Callable[[Item], Made], items: Sequence[Item]) -> list[Made]:
        """The function of every item, in their order. One such piece of work at a time: there are only so many cores.

        The threads end with the work, so that nobody has to stop them; to start them costs less than one item.
        """
        left = deque(enumerate(items))
        made: dict[int, Made] = {}

        def work(is_first: bool) -> None:
            while left:
                if is_first:
                    self._step_aside()
                elif self.is_wanted_elsewhere():
                    return  # the first does the rest
                try:
                    number, item = left.popleft()
                except IndexError:
                    return
                try:
                    made[number] = function(item)
                except BaseException:
                    left.clear()
                    raise

        with self._one_at_a_time:
            threads = 1 if self.is_wanted_elsewhere() else min(self._threads, len(items))
            with ThreadPoolExecutor(max(threads, 1), "helix-encode", _lower_priority) as pool:
                for done in [pool.submit(work, number == 0) for number in range(threads)]:
                    done.result()
        return [made[number] for number in range(len(items))]

    def _step_aside(self) -> None:
        with self._answered:
            self._answered.wait_for(lambda: not self._asking, self._longest_pause)


def usable_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))  # a container may have fewer than the machine
    return os.cpu_count() or 1


def _lower_priority() -> None:
    """Of this thread. Linux gives each thread a priority of its own; elsewhere it would be the whole process."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, min(os.getpriority(os.PRIO_PROCESS, thread) + _NICE, 19))
