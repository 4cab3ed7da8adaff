"""Memories whose vectors are to be made, known by their names alone.

A note that waits is read and cut into chunks when its turn comes: to do so with all of them would keep the first
answer waiting after a start, and ten thousand texts in memory.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from helix.errors import HelixError
from helix.index.meaning import Meaning
from helix.index.worker import BULK
from helix.vault.note import Note

log = logging.getLogger(__name__)

_PORTION = 32  # memories that are read together
_AHEAD = 32  # that the worker has in hand: seconds of a model's work
_PAUSE = 0.02  # a cache that knows them all takes a thousand a second
_RETRY = 1.0


class Backlog:
    """Of one set of vectors. Its thread starts with the first that waits, and ends when none does."""

    def __init__(self, meaning: Meaning, feed: Feed, is_quiet: Callable[[], bool]) -> None:
        """Nothing is fed while it is not quiet: many notes are coming in, and should be found by their words first."""
        self.meaning = meaning
        self._feed = feed
        self._is_quiet = is_quiet
        self._waiting: dict[str, None] = {}
        self._in_hand: dict[str, None] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()

    def lag(self) -> int:
        """How many have no vectors yet, here or with the worker."""
        with self._changed:
            return len(self._waiting) + len(self._in_hand) + self.meaning.lag()

    def add(self, memory_ids: Iterable[str]) -> None:
        with self._changed:
            self._waiting.update(dict.fromkeys(memory_ids))
            if self._waiting and self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._run, name="helix-backlog", daemon=True)
                self._thread.start()

    def discard(self, memory_ids: Iterable[str]) -> None:
        """They were put or dropped by another way."""
        with self._changed:
            for memory_id in memory_ids:
                self._waiting.pop(memory_id, None)
            self._changed.notify_all()

    def hand_over(self, note: Note) -> None:
        """To the worker. In one go: who counts sees it once."""
        with self._changed:
            self.meaning.put(note, BULK)
            self._in_hand.pop(note.id, None)

    def wait(self, timeout: float) -> bool:
        """Until the worker has them all. False when the time was up first."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._in_hand, timeout)

    def end(self) -> None:
        """After the portion in hand. What still waits is found again by comparing the index with the catalog."""
        self._stopped.set()

    def stop(self) -> None:
        """The same, and waits for it."""
        self.end()
        thread = self._thread
        if thread is not None:
            thread.join(timeout=30)

    def _run(self) -> None:
        while True:
            while not self._may_feed() and not self._stopped.wait(_PAUSE):
                pass
            if self._stopped.is_set() or not self._take():
                return
            try:
                self._feed(self, list(self._in_hand))
            except (HelixError, OSError, sqlite3.Error):  # a full disk, a catalog that is being made anew
                log.exception("notes cannot be read for their vectors; trying again")
                self.add(self._in_hand)
                self._stopped.wait(_RETRY)

    def _may_feed(self) -> bool:
        return not self._waiting or (self._is_quiet() and self.meaning.lag() < _AHEAD)

    def _take(self) -> bool:
        """They leave those that wait before they are read: who is added from now on has changed again."""
        with self._changed:
            self._in_hand = dict.fromkeys(islice(self._waiting, _PORTION))
            for memory_id in self._in_hand:
                del self._waiting[memory_id]
            if not self._in_hand:
                self._thread = None
                self._changed.notify_all()
            return bool(self._in_hand)


Feed = Callable[[Backlog, Sequence[str]], None]
"""reads some of them and hands them over, but for those that have changed since"""
