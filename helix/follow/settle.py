"""When to look: gathers paths, lets them settle, and says which are due. Pure; time is handed in."""

from __future__ import annotations

from collections.abc import Iterable

# How long to wait before looking again at a file that was still being written, by the number of looks.
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.0)

Everything = None
"""stands for all paths, where a set of paths could stand"""


class Settle:
    def __init__(self) -> None:
        self._due: dict[str, float] = {}
        self._looks: dict[str, int] = {}
        self._everything: float | None = None

    def add(self, paths: Iterable[str], now: float) -> None:
        """Something happened to these paths: they are due at once."""
        for path in paths:
            self._due[path] = now
            self._looks.pop(path, None)

    def add_everything(self, now: float) -> None:
        self._everything = now if self._everything is None else min(self._everything, now)

    def again(self, paths: Iterable[str], now: float) -> None:
        """These were not ready: look again, after a pause that grows with every look."""
        for path in paths:
            looks = self._looks.get(path, 0)
            self._looks[path] = looks + 1
            self._due.setdefault(path, now + _PAUSES[min(looks, len(_PAUSES) - 1)])

    def take(self, now: float) -> set[str] | None:
        """The paths that are due (maybe none), or Everything, which takes all waiting ones with it."""
        if self._everything is not None and self._everything <= now:
            self._everything = None
            self._due.clear()
            return Everything
        ready = {path for path, due in self._due.items() if due <= now}
        for path in ready:
            del self._due[path]
        return ready

    def settled(self, paths: Iterable[str] | None) -> None:
        """These were ready (or all that were waiting): the next pause is a short one again."""
        for path in list(self._looks) if paths is None else paths:
            self._looks.pop(path, None)

    def next_due(self) -> float | None:
        times = [*self._due.values(), *([] if self._everything is None else [self._everything])]
        return min(times, default=None)

    def __len__(self) -> int:
        return len(self._due) + (self._everything is not None)
