"""The vectors of an engine, whatever keeps them: those of the model that serves and, after a change of the model, those
of the new one, until they are complete.

An engine finds everything by its words first. What has no vectors yet is worked off beside that, note by note; what a
crash left undone shows when hashes are compared (`compare`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from helix.errors import HelixError, IndexNotReady
from helix.index.backlog import Backlog
from helix.index.embed import Embedder, EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.engine import EmbeddingProgress, Ledger, Progress, ReadNote
from helix.index.meaning import Meaning, VectorStore
from helix.index.worker import BULK
from helix.vault.note import Note

if TYPE_CHECKING:
    import numpy as np

log = logging.getLogger(__name__)

MANY = 16  # changes at once: a bulk import, which lets single writes go first
_QUIET = 0.5  # seconds without many changes at once, before they are embedded
_TELL_EVERY = 0.5
_PATIENCE = 20.0  # for vectors that are being opened
GETTING_READY = "search by meaning is getting ready; until then memories are found by their words only"

FindEmbedder = Callable[[str], EmbedderChoice]


class Serving(NamedTuple):
    """Whose vectors are complete."""

    model: str
    """as the setting `model` says it"""
    digest: str


class VectorPlaces(Protocol):
    """Where an engine keeps vectors: one place for each model."""

    def open(self, embedder: Embedder) -> VectorStore: ...

    def serving(self) -> Serving | None: ...

    def record(self, serving: Serving) -> None: ...


class Words(Protocol):
    """What is found by its words: vectors are to be those of the same states."""

    def hashes(self) -> Mapping[str, str]: ...

    def find_hash(self, memory_id: str) -> str | None: ...


class Embedding:
    def __init__(
        self,
        cache: EmbedCache,
        choice: str,
        find: FindEmbedder,
        places: VectorPlaces,
        *,
        words: Callable[[], Words],
        lock: threading.RLock,
        guard: AbstractContextManager[object],
    ) -> None:
        """`lock` is the engine's own, and taken here where memories and vectors must not part; `guard` is held by
        whoever takes in many notes."""
        self.meaning: Meaning | None = None
        self.building: Meaning | None = None
        """the vectors of a new model, until they are complete"""
        self.source: tuple[Ledger, ReadNote] | None = None
        self.why_not = GETTING_READY
        """why nothing is searched by meaning"""
        self._cache = cache
        self._choice = choice
        self._find = find
        self._places = places
        self._words = words
        self._lock = lock
        self._guard = guard
        self._backlogs: dict[Meaning, Backlog] = {}
        self._crowded_at = -_QUIET
        """when many memories were put at once"""
        self._attached = threading.Event()
        self._stopped = threading.Event()

    @property
    def is_attached(self) -> bool:
        return self._attached.is_set()

    def attach(self) -> None:
        """Open the model that is set, and the vectors. It may take seconds."""
        if self.is_attached:
            return
        try:
            self.attach_found(self._find(self._choice))
        except (HelixError, OSError, ImportError) as error:
            self.why_not = f"nothing is searched by meaning: {error}"
            raise

    def attach_found(self, found: EmbedderChoice) -> None:
        opened = [] if found.embedder is None else self._open(found.embedder)
        with self._lock:
            self.why_not = found.reason
            if opened:
                self.meaning, self.building = opened[0], opened[1] if len(opened) > 1 else None
            if len(opened) == 1:
                self._record()
            self.compare()
        self._attached.set()

    def _open(self, wanted: Embedder) -> list[Meaning]:
        """That of the model, which serves; or of the one before, which does until those of the new one, that comes
        second, are complete."""
        new = self._open_one(wanted)
        before = self._embedder_before(wanted)
        if before is None:
            return [new]
        log.warning("notes are embedded again for %s; %s serves until that is done", wanted.name, before.name)
        return [self._open_one(before), new]

    def _open_one(self, embedder: Embedder) -> Meaning:
        return Meaning(embedder, self._cache, self._places.open(embedder))

    def _embedder_before(self, wanted: Embedder) -> Embedder | None:
        """The model whose vectors are complete, when it is another one than is wanted now and can still be used."""
        serving = self._places.serving()
        if serving is None or serving.digest == wanted.digest:
            return None
        before = self._find(serving.model).embedder
        return before if before is not None and before.digest == serving.digest else None

    def close(self) -> None:
        self._stopped.set()
        for backlog in list(self._backlogs.values()):
            backlog.stop()
        for meaning in self.meanings():
            meaning.close()

    def meanings(self) -> list[Meaning]:
        return [one for one in (self.meaning, self.building) if one is not None]

    # Keeping up

    def put(self, notes: Sequence[Note], priority: int) -> None:
        names = [note.id for note in notes]
        for meaning in self.meanings():
            backlog = self._backlog(meaning)
            if priority == BULK and self.source is not None:
                self._crowded_at = time.monotonic()
                backlog.add(names)
            else:
                backlog.discard(names)
                for note in notes:
                    meaning.put(note, priority)

    def drop(self, memory_ids: Sequence[str]) -> None:
        for meaning in self.meanings():
            self._backlog(meaning).discard(memory_ids)
            meaning.drop(memory_ids)

    def compare(self) -> set[str]:
        """With what is found by its words. Who differs waits for its vectors; of many none is read here."""
        touched: set[str] = set()
        if self.source is None or not self.meanings():
            return touched
        in_words = self._words().hashes()
        for meaning in self.meanings():
            embedded = meaning.vectors.hashes()
            meaning.drop([memory_id for memory_id in embedded if memory_id not in in_words])
            stale = [one for one, hash_ in in_words.items() if embedded.get(one) != hash_]
            if len(stale) > MANY:
                self._backlog(meaning).add(stale)
            else:  # the last writes before the end, which the cache knows
                self._feed(self._backlog(meaning), stale)
            touched.update(stale)
        return touched

    def renew(self) -> None:
        """All of them wait for their vectors again, which the cache may have."""
        for meaning in self.meanings():
            self._backlog(meaning).add(self._words().hashes())

    def reopen(self) -> None:
        """Somebody deleted the stores: empty ones take their places."""
        self.meaning = None if self.meaning is None else self._in_the_place_of(self.meaning)
        self.building = None if self.building is None else self._in_the_place_of(self.building)

    def switch_when_complete(self) -> bool:
        """To the vectors of the new model. Whether that happened."""
        complete = self.building
        if complete is None or self.lag(complete) or complete.trouble() is not None:
            return False
        with self._lock:
            before, self.meaning, self.building = self.meaning, complete, None
            self._record()
        if before is not None:
            self._end_backlog(before)
            before.discard()
        return True

    def _backlog(self, meaning: Meaning) -> Backlog:
        known = self._backlogs.get(meaning)
        return (
            self._backlogs.setdefault(meaning, Backlog(meaning, self._feed, self._is_quiet))
            if known is None
            else known
        )

    def _is_quiet(self) -> bool:
        with self._guard:  # whoever takes in many notes has it until they are in
            pass
        return time.monotonic() - self._crowded_at > _QUIET

    def _feed(self, backlog: Backlog, memory_ids: Sequence[str]) -> None:
        if self.source is None:
            return
        ledger, read = self.source
        for memory_id in memory_ids:
            path = ledger.find_path(memory_id)
            note = None if path is None else read(path)
            if note is None or note.id != memory_id:
                continue
            with self._lock:
                # A file that says something else by now is told of by the follower, and the newer must come last.
                if self._words().find_hash(memory_id) == note.hash:
                    backlog.hand_over(note)

    def _in_the_place_of(self, meaning: Meaning) -> Meaning:
        self._end_backlog(meaning)
        return self._open_one(meaning.embedder)

    def _end_backlog(self, meaning: Meaning) -> None:
        if (backlog := self._backlogs.pop(meaning, None)) is not None:
            backlog.end()

    def _record(self) -> None:
        """Which model's vectors are complete, for a start with another one."""
        if self.meaning is not None:
            self._places.record(Serving(self._choice, self.meaning.embedder.digest))

    # How far it is

    def lag(self, meaning: Meaning) -> int:
        return self._backlog(meaning).lag()

    def wait(self, timeout: float) -> bool:
        """Until what serves has everything."""
        until = time.monotonic() + timeout
        if not self._attached.wait(timeout):
            return False
        return self.meaning is None or self._wait(self.meaning, max(0.0, until - time.monotonic()))

    def see_to_the_end(self, progress: Progress | None) -> None:
        """Wait until all have their vectors, or until that stands still."""
        self._see_attached(float("inf"))
        for meaning in self.meanings():
            total = self.lag(meaning)
            while not self._wait(meaning, _TELL_EVERY):
                if meaning.trouble() is not None or self._stopped.is_set():
                    break
                if progress is not None:
                    progress(max(0, total - self.lag(meaning)), total)

    def _wait(self, meaning: Meaning, timeout: float) -> bool:
        until = time.monotonic() + timeout
        # In this order: what leaves the backlog is with the worker by then.
        return self._backlog(meaning).wait(timeout) and meaning.wait(max(0.0, until - time.monotonic()))

    def _see_attached(self, timeout: float) -> bool:
        """Whether there is no more to wait for: the vectors are there, or cannot be."""
        until = time.monotonic() + timeout
        while self.why_not == GETTING_READY and not self._attached.wait(_TELL_EVERY):
            if self._stopped.is_set() or time.monotonic() > until:
                return False
        return True

    def means(self) -> tuple[list[str], np.ndarray] | None:
        if not self._see_attached(_PATIENCE):
            raise IndexNotReady(GETTING_READY)
        meaning = self.meaning
        return None if meaning is None else meaning.vectors.means()

    def version(self) -> object:
        meaning = self.meaning
        return None if meaning is None else (id(meaning.vectors), meaning.vectors.version)

    def trouble(self, count: int) -> tuple[int, str | None, EmbeddingProgress | None]:
        """How many of `count` memories have no vectors that are searched; what there is to say of it; and that as
        progress, where it is work and no trouble."""
        lag = 0 if self.meaning is None else self.lag(self.meaning)
        if self.why_not == GETTING_READY:
            return count, GETTING_READY, EmbeddingProgress(0, count, None, GETTING_READY)
        if self.why_not:
            return lag, self.why_not, None
        if errors := [error for meaning in self.meanings() if (error := meaning.trouble()) is not None]:
            return lag, errors[0].message, None
        if self.meaning is not None and lag:
            trouble = f"{lag} memories are found by their words only until they are embedded"
            return lag, trouble, self._progress(self.meaning, count)
        if self.building is not None:
            trouble = (
                f"{self.lag(self.building)} memories are still to be embedded for {self.building.embedder.name}; "
                "the model before serves"
            )
            return lag, trouble, self._progress(self.building, count)
        return lag, None, None

    def _progress(self, meaning: Meaning, total: int) -> EmbeddingProgress:
        in_hand, lag = meaning.lag(), self.lag(meaning)
        done, seconds = max(0, total - lag), meaning.seconds_left()
        message = f"indexing {done:,} of {total:,}"
        if seconds is not None:
            seconds *= lag / max(1, in_hand)  # the worker knows only what it has in hand
            message += f", about {_span(seconds)}"
        return EmbeddingProgress(done, total, seconds, message)


def _span(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} min"
