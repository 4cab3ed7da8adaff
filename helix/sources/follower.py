"""Keeping up with the folders of sources: a watch on each, and a look at everything every few minutes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from helix.errors import HelixError
from helix.follow.settle import Settle
from helix.follow.watch import Watcher
from helix.sources.commit import stamp_of
from helix.sources.source import SourceFolder

log = logging.getLogger(__name__)

_QUIET = 0.3
"""seconds that a path is left alone after something happened to it: editors and git write in several steps"""
_SCAN = 300.0
_ASK_GIT = 3.0
"""what git writes is in a dot folder, of which a watch tells nothing"""

Look = Callable[[SourceFolder, "set[str] | None"], None]


class _Followed:
    def __init__(self, source: SourceFolder, watcher: Watcher) -> None:
        self.source = source
        self.watcher = watcher
        self.settle = Settle()
        self.scanned = 0.0
        self.asked_git = 0.0
        self.stamp: tuple[int, ...] | None = None

    def has_another_commit(self, now: float) -> bool:
        if now - self.asked_git < _ASK_GIT:
            return False
        before, self.asked_git, self.stamp = self.stamp, now, stamp_of(self.source.folder)
        return before is not None and before != self.stamp


class SourceFollower:
    def __init__(self, look: Look) -> None:
        self._look = look
        self._followed: dict[str, _Followed] = {}
        self._changed = threading.Condition()
        self._is_leaving = False
        self._thread = threading.Thread(target=self._run, name="helix-sources", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def add(self, source: SourceFolder, *, only_new: bool = False) -> None:
        """Everything in it is looked at soon; with `only_new` unless it is followed already."""
        with self._changed:
            followed = self._followed.get(source.id)
            if followed is None:
                watcher = Watcher(str(source.folder), lambda paths: self._on_paths(source.id, paths))
                followed = self._followed[source.id] = _Followed(source, watcher)
                watcher.start()
            elif only_new:
                return
            followed.settle.add_everything(time.monotonic())
            self._changed.notify()

    def leave(self, source: SourceFolder) -> None:
        with self._changed:
            followed = self._followed.pop(source.id, None)
        if followed is not None:
            followed.watcher.stop()

    def stop(self) -> None:
        with self._changed:
            self._is_leaving = True
            self._changed.notify()
            watchers = [followed.watcher for followed in self._followed.values()]
        for watcher in watchers:
            watcher.stop()
        if self._thread.is_alive():
            self._thread.join(timeout=30)

    def _on_paths(self, source_id: str, paths: set[str] | None) -> None:
        now = time.monotonic()
        with self._changed:
            if (followed := self._followed.get(source_id)) is None:
                return
            if paths is None:
                followed.settle.add_everything(now + _QUIET)
            else:
                followed.settle.add(paths, now + _QUIET)
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._is_leaving:
                    return
                due = self._next()
                if due is None:
                    self._changed.wait(self._pause())
                    continue
            source, paths = due
            try:
                self._look(source, paths)
            except HelixError as error:
                log.warning("%s could not be looked at; it is tried again: %s", source.id, error.code)

    def _next(self) -> tuple[SourceFolder, set[str] | None] | None:
        now = time.monotonic()
        for followed in self._followed.values():
            paths = followed.settle.take(now)
            if paths is None or now - followed.scanned > _SCAN:
                followed.scanned = now
                return followed.source, None
            if paths or followed.has_another_commit(now):
                return followed.source, paths
        return None

    def _pause(self) -> float:
        now = time.monotonic()
        pauses = [_SCAN]
        for followed in self._followed.values():
            pauses.append(followed.asked_git + _ASK_GIT - now)
            if (due := followed.settle.next_due()) is not None:
                pauses.append(due - now)
        return max(0.01, min(pauses))
