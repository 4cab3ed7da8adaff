"""Writers that come together are taken in together: one of them does it for all, in one commit.

While one takes in, the files of the others become durable and queue up; whoever is next takes in all that wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

TakeIn = Callable[[Sequence[str]], str | None]
"""makes the catalog and the index follow files that were just written; says why it could not, if so"""


@dataclass(eq=False)
class _Waiting:
    paths: Sequence[str]
    is_done: bool = False
    answer: str | None = None


class GroupCommit:
    def __init__(self, take_in: TakeIn) -> None:
        self._take_in = take_in
        self._turn = threading.Lock()
        self._queue = threading.Lock()  # held for microseconds
        self._waiting: list[_Waiting] = []

    def take_in(self, paths: Sequence[str]) -> str | None:
        mine = _Waiting(paths)
        with self._queue:
            self._waiting.append(mine)
        with self._turn:
            if not mine.is_done:
                self._take_in_all(mine)
        return mine.answer

    def _take_in_all(self, mine: _Waiting) -> None:
        with self._queue:
            group, self._waiting = self._waiting, []
        try:
            answer = self._take_in(list(dict.fromkeys(path for one in group for path in one.paths)))
            for writer in group:
                writer.answer, writer.is_done = answer, True
        finally:
            # An error, or an interrupt (Ctrl-C), is of this thread alone: the others try for themselves.
            with self._queue:
                self._waiting += [one for one in group if not one.is_done and one is not mine]
