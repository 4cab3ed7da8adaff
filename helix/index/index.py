"""The search index: words and meaning side by side, plugged into the follower as its tail.

Both stores keep fresh writes in memory and flush them in batches. What a crash takes with it shows when their hashes
are compared with the catalog (`catch_up`), which is the whole recovery; a store that cannot be read is set aside, one
that was deleted is made anew, and both are filled again the same way.

Another model means other vectors. They are made in the background, while those of the model before serve.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from helix.errors import HelixError
from helix.index.catalog import Catalog, Indexed
from helix.index.chunk import spoken_date
from helix.index.embed import Embedder, EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.facets import FacetIndex, facets_of
from helix.index.keywords import KeywordDoc, Keywords, WhooshKeywords
from helix.index.meaning import Meaning, opened
from helix.index.models import BUNDLED_NAME
from helix.index.worker import BULK, FRESH
from helix.vault.diff import Change
from helix.vault.erasures import INDEX, Erasures, discard_set_aside
from helix.vault.note import Note

log = logging.getLogger(__name__)

_MANY = 16  # changes at once: a bulk import, which lets single writes go first
_FLUSH_AFTER = 1.0  # seconds without a change: in a bulk import every flush would be one of many
_FLUSH_WITHIN = 10.0  # but no change waits for longer than this
_MAINTAIN_SECONDS = 60.0
_TWO_PROCESSES_FROM = 3_000
_BATCH = 100  # notes that a rebuild queues while writes wait
_TELL_EVERY = 0.5
_SERVING = "serving.json"

ReadNote = Callable[[str], Note | None]
Progress = Callable[[int, int], None]
FindEmbedder = Callable[[str], EmbedderChoice]


@dataclass(frozen=True)
class Indexing:
    """How far the embedding is. It is work, not trouble: everything is found by its words meanwhile."""

    done: int
    total: int
    seconds: float | None
    """until it is complete, at its pace so far"""
    message: str


@dataclass(frozen=True)
class IndexHealth:
    memories: int
    index_lag: int
    """memories that can be found by their words and not yet by their meaning"""
    model: str | None
    degraded: str | None
    """why search is by words only, or behind; None when all is well"""
    indexing: Indexing | None = None
    """set while that is all there is to say: nobody has to look after it"""
    cache_hits: int = 0
    cache_misses: int = 0
    """chunks whose vector was known since the start of the process, and those that went through the model"""


class Index:
    def __init__(self, state: Path, cache: EmbedCache, choice: str, find: FindEmbedder) -> None:
        """`choice` is the setting `model`; `find` gives the embedder of such a choice."""
        self.facets = FacetIndex()
        self.meaning: Meaning | None = None
        self.building: Meaning | None = None
        """the vectors of a new model, until they are complete"""
        self._state = state
        self._cache = cache
        self._choice = choice
        self._source: tuple[Catalog, ReadNote] | None = None
        self._trouble: str | None = None
        self._changed_at = 0.0
        self.guard: AbstractContextManager[object] = nullcontext()
        """the lock of the one who writes the catalog; taken before `_lock` by whoever compares with the catalog"""
        self.erasures: Erasures | None = None
        """what was erased, and how much of it has left the files; None for an index of the past"""
        self._lock = threading.RLock()
        self._rebuilding = threading.Lock()
        self._stopped = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="helix-index", daemon=True)
        found = find(choice)
        self.keywords: Keywords = opened(state / "keywords", WhooshKeywords)
        self._no_embedder = found.reason
        if found.embedder is not None:
            self._open_meaning(found.embedder, find)

    def _open_meaning(self, wanted: Embedder, find: FindEmbedder) -> None:
        new = Meaning(self._state, wanted, self._cache)
        before = _embedder_before(self._state, wanted, find)
        if before is None:
            self.meaning = new
            self._record()
        else:
            self.meaning, self.building = Meaning(self._state, before, self._cache), new
            log.warning(
                "notes are embedded again for %s; %s serves until that is done", wanted.name, before.name
            )

    @property
    def cosines_are_calibrated(self) -> bool:
        """What counts as near differs from model to model; it was measured for the bundled one."""
        return self.meaning is not None and self.meaning.embedder.name == BUNDLED_NAME

    def start(self) -> None:
        """Flush and tidy in the background from now on."""
        self._keeper.start()

    def close(self) -> None:
        self._stopped.set()
        if self._keeper.is_alive():
            self._keeper.join(timeout=30)
        for one in self._meanings():
            one.close()
        self.keywords.close()

    # Taking in

    def apply(self, changes: Sequence[Change]) -> None:
        """The tail of the follower: found by their words when this returns, by their meaning soon after."""
        notes = [one.note for one in changes if one.note is not None and one.note.memory.status != "erased"]
        kept = {note.id for note in notes}
        gone = [one.memory_id for one in changes if one.memory_id not in kept]
        self._changed_at = time.monotonic()
        with self._lock:
            self._drop(gone)
            self._put(notes, BULK if len(notes) > _MANY else FRESH)

    def catch_up(self, catalog: Catalog, read: ReadNote, progress: Progress | None = None) -> int:
        """Put what the catalog has and the stores have not, and drop what it no longer has. Returns how many."""
        with self._lock:
            self._source = (catalog, read)
            rows = {row.id: row for row in catalog.indexed()}
            self.facets.fill(row.facets for row in rows.values())
            in_words = self.keywords.hashes()
            self._drop([one for one in in_words if one not in rows])
            stale = [row for row in rows.values() if in_words.get(row.id) != row.hash]
            self._build_words(stale, read, progress)
            touched = {row.id for row in stale}
            for meaning in self._meanings():
                embedded = meaning.vectors.hashes()
                meaning.drop([one for one in embedded if one not in rows])
                for row in rows.values():
                    if (
                        embedded.get(row.id) != row.hash
                        and (note := read(row.path)) is not None
                        and note.id == row.id
                    ):
                        meaning.put(note, BULK)
                        touched.add(row.id)
            return len(touched)

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make both stores again from the notes, in place: what was there serves until it is replaced.

        Vectors come from the cache, as far as it has them. It may be stopped at any moment and asked for again.
        """
        if self._source is None:
            return
        with self._rebuilding:
            catalog, read = self._source
            rows = catalog.indexed()
            self._build_words(rows, read, progress)
            with self.guard:
                self.catch_up(catalog, read)
            for first in range(0, len(rows), _BATCH):
                # A note must not change between being read and being queued, or the older state would come last.
                with self.guard, self._lock:
                    for row in rows[first : first + _BATCH]:
                        if (note := read(row.path)) is not None and row.id in self.facets:
                            for meaning in self._meanings():
                                meaning.put(note, BULK)
            self._see_embedded(progress)
            self.keywords.purge()
            for meaning in self._meanings():
                meaning.vectors.purge()

    def _see_embedded(self, progress: Progress | None) -> None:
        for meaning in self._meanings():
            total = meaning.lag()
            while not meaning.wait(_TELL_EVERY) and meaning.trouble() is None and not self._stopped.is_set():
                if progress is not None:
                    progress(max(0, total - meaning.lag()), total)

    def _build_words(self, rows: Sequence[Indexed], read: ReadNote, progress: Progress | None) -> None:
        def docs() -> Iterable[KeywordDoc]:
            for done, row in enumerate(rows, start=1):
                note = read(row.path)
                if note is not None and note.id == row.id:
                    yield _keyword_doc(note)
                if progress is not None and (done % 100 == 0 or done == len(rows)):
                    progress(done, len(rows))

        if rows:
            self.keywords.build(docs(), processes=2 if len(rows) >= _TWO_PROCESSES_FROM else 1)

    def _put(self, notes: Sequence[Note], priority: int) -> None:
        self.keywords.put([_keyword_doc(note) for note in notes])
        for note in notes:
            self.facets.put(facets_of(note.memory))
            for meaning in self._meanings():
                meaning.put(note, priority)

    def _drop(self, memory_ids: Sequence[str]) -> None:
        if memory_ids:
            self.keywords.drop(memory_ids)
            for memory_id in memory_ids:
                self.facets.drop(memory_id)
            for meaning in self._meanings():
                meaning.drop(memory_ids)

    def _meanings(self) -> list[Meaning]:
        return [one for one in (self.meaning, self.building) if one is not None]

    # Looking after itself

    def health(self) -> IndexHealth:
        lag = 0 if self.meaning is None else self.meaning.lag()
        trouble = self._trouble or self._no_embedder or None
        indexing = None
        if error := next((one.trouble() for one in self._meanings() if one.trouble() is not None), None):
            trouble = error.message
        elif trouble is None and self.meaning is not None and lag:
            trouble = f"{lag} memories are found by their words only until they are embedded"
            indexing = self._progress(self.meaning)
        elif trouble is None and self.building is not None:
            trouble = (
                f"{self.building.lag()} memories are still to be embedded for {self.building.embedder.name}; "
                "the model before serves"
            )
            indexing = self._progress(self.building)
        model = None if self.meaning is None else self.meaning.embedder.name
        return IndexHealth(
            len(self.facets), lag, model, trouble, indexing, self._cache.hits, self._cache.misses
        )

    def _progress(self, meaning: Meaning) -> Indexing:
        total = len(self.facets)
        done, seconds = max(0, total - meaning.lag()), meaning.seconds_left()
        said = f"indexing {done:,} of {total:,}"
        return Indexing(done, total, seconds, said if seconds is None else f"{said}, about {_span(seconds)}")

    def wait_until_embedded(self, timeout: float) -> bool:
        return self.meaning is None or self.meaning.wait(timeout)

    def _keep(self) -> None:
        tidied = tended = time.monotonic()
        while not self._stopped.wait(_FLUSH_AFTER):
            now = time.monotonic()
            if now - self._changed_at < _FLUSH_AFTER and now - tended < _FLUSH_WITHIN:
                continue
            tended = now
            tidy = now - tidied > _MAINTAIN_SECONDS
            try:
                self.tend(tidy=tidy)
                self._trouble = None
            except (HelixError, OSError) as error:  # a full disk, most likely: what waits stays in memory
                log.exception("the index cannot be written; trying again")
                self._trouble = str(error)
            if tidy:
                tidied = now

    def tend(self, *, tidy: bool) -> None:
        """What the keeper does when it is quiet: notice a deleted index, flush, and switch to a new model's vectors."""
        if not (self._state / "keywords").exists() or any(
            not one.folder.exists() for one in self._meanings()
        ):
            self._make_anew()
        self.keywords.flush()
        for meaning in self._meanings():
            meaning.vectors.flush()
        if self.erasures is not None:
            self.erasures.clean(INDEX, self.erase)
        if tidy:
            self.keywords.maintain()
            for meaning in self._meanings():
                meaning.vectors.maintain()
        if self.building is not None and self.building.lag() == 0 and self.building.trouble() is None:
            self._switch(self.building)

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """Their words and vectors leave every file. That takes a moment, which is why it is done in the background."""
        with self._lock:
            self._drop(memory_ids)
        is_clean = self._cache.drop(memory_ids)
        self.keywords.purge()
        for meaning in self._meanings():
            meaning.vectors.purge()
        return discard_set_aside(self._state) and is_clean

    def _make_anew(self) -> None:
        """Somebody deleted the index: nothing is lost, the notes are the truth."""
        log.warning("the index was deleted; it is built again from the notes")
        with self.guard, self._lock:
            self.keywords = opened(self._state / "keywords", WhooshKeywords)
            if self.meaning is not None:
                self.meaning = Meaning(self._state, self.meaning.embedder, self._cache)
            if self.building is not None:
                self.building = Meaning(self._state, self.building.embedder, self._cache)
            if self._source is not None:
                self.catch_up(*self._source)

    def _switch(self, complete: Meaning) -> None:
        with self._lock:
            before, self.meaning, self.building = self.meaning, complete, None
            self._record()
        if before is not None:
            before.discard()

    def _record(self) -> None:
        """Which model's vectors are complete, for a start with another one."""
        if self.meaning is not None:
            said = {"model": self._choice, "digest": self.meaning.embedder.digest}
            (self._state / _SERVING).write_text(json.dumps(said), "utf-8")


def _span(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} min"


def _embedder_before(state: Path, wanted: Embedder, find: FindEmbedder) -> Embedder | None:
    """The model whose vectors are complete, when it is another one than is wanted now and can still be used."""
    try:
        said = json.loads((state / _SERVING).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(said, dict) or said.get("digest") == wanted.digest:
        return None
    before = find(str(said.get("model"))).embedder
    return before if before is not None and before.digest == said.get("digest") else None


def _keyword_doc(note: Note) -> KeywordDoc:
    memory = note.memory
    # People ask by day, month and project too, and write them into no text.
    filed = " ".join(filter(None, (memory.project, spoken_date(memory))))
    return KeywordDoc(note.id, memory.title, memory.tags, f"{memory.body}\n{filed}", note.hash)
