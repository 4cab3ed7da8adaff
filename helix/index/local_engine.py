"""The engine of one machine: words in Whoosh, vectors in LanceDB, facets in memory, plugged into the follower's tail.

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
from pathlib import Path
from typing import TYPE_CHECKING

from helix.errors import HelixError
from helix.index.candidates import Stores, find_alike, find_candidates, find_spellings
from helix.index.catalog import Indexed
from helix.index.chunk import spoken_date
from helix.index.embed import Embedder, EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.engine import (
    Candidates,
    EmbeddingProgress,
    IndexHealth,
    Ledger,
    Progress,
    ReadNote,
    Spelling,
    Wording,
)
from helix.index.facet_index import FacetIndex
from helix.index.facets import Facets, facets_of, from_texts
from helix.index.keywords import KeywordDoc, Keywords, WhooshKeywords
from helix.index.meaning import Meaning, opened
from helix.index.models import BUNDLED_NAME
from helix.index.where import Where
from helix.index.worker import BULK, FRESH
from helix.vault.diff import Change
from helix.vault.erasures import INDEX, Erasures, discard_set_aside
from helix.vault.note import Note

if TYPE_CHECKING:
    import numpy as np

log = logging.getLogger(__name__)

_MANY = 16  # changes at once: a bulk import, which lets single writes go first
_FLUSH_AFTER = 1.0  # seconds without a change: in a bulk import every flush would be one of many
_FLUSH_WITHIN = 10.0  # but no change waits for longer than this
_MAINTAIN_SECONDS = 60.0
_TWO_PROCESSES_FROM = 3_000
_BATCH = 100  # notes that a rebuild queues while writes wait
_TELL_EVERY = 0.5
_SERVING = "serving.json"
_WORDS = "keywords"

FindEmbedder = Callable[[str], EmbedderChoice]


class LocalEngine:
    def __init__(
        self,
        state: Path,
        cache: EmbedCache,
        choice: str,
        find: FindEmbedder,
        *,
        guard: AbstractContextManager[object] | None = None,
        erasures: Erasures | None = None,
    ) -> None:
        """`choice` is the setting `model`; `find` gives the embedder of such a choice. `guard` is the lock of the one
        who writes the catalog; it is taken before the engine's own by whoever compares with the catalog. `erasures`
        says what was erased, and how much of it has left the files; an index of the past has none."""
        self._facets = FacetIndex()
        self._meaning: Meaning | None = None
        self._building: Meaning | None = None
        """the vectors of a new model, until they are complete"""
        self._state = state
        self._cache = cache
        self._choice = choice
        self._source: tuple[Ledger, ReadNote] | None = None
        self._trouble: str | None = None
        self._changed_at = 0.0
        self._guard: AbstractContextManager[object] = guard or nullcontext()
        self._erasures = erasures
        self._lock = threading.RLock()
        self._rebuilding = threading.Lock()
        self._stopped = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="helix-index", daemon=True)
        found = find(choice)
        self._keywords: Keywords = opened(state / _WORDS, WhooshKeywords)
        self._no_embedder = found.reason
        if found.embedder is not None:
            self._open_meaning(found.embedder, find)

    def _open_meaning(self, wanted: Embedder, find: FindEmbedder) -> None:
        new = Meaning(self._state, wanted, self._cache)
        before = _embedder_before(self._state, wanted, find)
        if before is None:
            self._meaning = new
            self._record()
        else:
            self._meaning, self._building = Meaning(self._state, before, self._cache), new
            log.warning(
                "notes are embedded again for %s; %s serves until that is done", wanted.name, before.name
            )

    def start(self) -> None:
        """Flush and tidy in the background from now on."""
        self._keeper.start()

    def close(self) -> None:
        self._stopped.set()
        if self._keeper.is_alive():
            self._keeper.join(timeout=30)
        for meaning in self._meanings():
            meaning.close()
        self._keywords.close()

    # Taking in

    def apply(self, changes: Sequence[Change]) -> None:
        """The tail of the follower."""
        current = [change.note for change in changes if change.note is not None]
        notes = [note for note in current if note.memory.status != "erased"]
        kept = {note.id for note in notes}
        gone = [change.memory_id for change in changes if change.memory_id not in kept]
        self._changed_at = time.monotonic()
        with self._lock:
            self._drop(gone)
            self._put(notes, BULK if len(notes) > _MANY else FRESH)

    def catch_up(self, ledger: Ledger, read: ReadNote, progress: Progress | None = None) -> int:
        with self._lock:
            self._source = (ledger, read)
            rows = {row.id: row for row in ledger.indexed()}
            self._facets.fill(from_texts(rows, (row.facets_text for row in rows.values())))
            in_words = self._keywords.hashes()
            self._drop([memory_id for memory_id in in_words if memory_id not in rows])
            stale = [row for row in rows.values() if in_words.get(row.id) != row.hash]
            self._build_words(stale, read, progress)
            touched = {row.id for row in stale}
            for meaning in self._meanings():
                embedded = meaning.vectors.hashes()
                meaning.drop([memory_id for memory_id in embedded if memory_id not in rows])
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
            ledger, read = self._source
            rows = ledger.indexed()
            self._build_words(rows, read, progress)
            with self._guard:
                self.catch_up(ledger, read)
            for first in range(0, len(rows), _BATCH):
                # A note must not change between being read and being queued, or the older state would come last.
                with self._guard, self._lock:
                    for row in rows[first : first + _BATCH]:
                        if (note := read(row.path)) is not None and row.id in self._facets:
                            for meaning in self._meanings():
                                meaning.put(note, BULK)
            self._see_embedded(progress)
            self._keywords.purge()
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
            self._keywords.build(docs(), processes=2 if len(rows) >= _TWO_PROCESSES_FROM else 1)

    def _put(self, notes: Sequence[Note], priority: int) -> None:
        self._keywords.put([_keyword_doc(note) for note in notes])
        for note in notes:
            self._facets.put(facets_of(note.memory))
            for meaning in self._meanings():
                meaning.put(note, priority)

    def _drop(self, memory_ids: Sequence[str]) -> None:
        if memory_ids:
            self._keywords.drop(memory_ids)
            for memory_id in memory_ids:
                self._facets.drop(memory_id)
            for meaning in self._meanings():
                meaning.drop(memory_ids)

    def _meanings(self) -> list[Meaning]:
        return [one for one in (self._meaning, self._building) if one is not None]

    # Asking

    def hashes(self) -> dict[str, str]:
        return self._keywords.hashes()

    def facets(self, where: Where) -> list[Facets]:
        return self._facets.rows(sorted(self._facets.within(where)))

    def candidates(self, wording: Wording, where: Where, limit: int) -> Candidates:
        return find_candidates(self._stores(), wording, where, limit)

    def alike(self, text: str, limit: int, where: Where) -> list[str]:
        return find_alike(self._stores(), text, limit, where)

    def spellings(self, words: Sequence[str], where: Where) -> list[Spelling]:
        return find_spellings(self._stores(), words, where)

    def means(self) -> tuple[list[str], np.ndarray] | None:
        meaning = self._meaning
        return None if meaning is None else meaning.vectors.means()

    def vectors_version(self) -> object:
        meaning = self._meaning
        return None if meaning is None else (id(meaning.vectors), meaning.vectors.version)

    def _stores(self) -> Stores:
        return Stores(self._facets, self._keywords, self._meaning)

    # Looking after itself

    def health(self) -> IndexHealth:
        lag = 0 if self._meaning is None else self._meaning.lag()
        trouble = self._trouble or self._no_embedder or None
        indexing = None
        if errors := [error for meaning in self._meanings() if (error := meaning.trouble()) is not None]:
            trouble = errors[0].message
        elif trouble is None and self._meaning is not None and lag:
            trouble = f"{lag} memories are found by their words only until they are embedded"
            indexing = self._progress(self._meaning)
        elif trouble is None and self._building is not None:
            trouble = (
                f"{self._building.lag()} memories are still to be embedded for {self._building.embedder.name}; "
                "the model before serves"
            )
            indexing = self._progress(self._building)
        embedder = None if self._meaning is None else self._meaning.embedder
        return IndexHealth(
            *(len(self._facets), lag, None if embedder is None else embedder.name, trouble, indexing),
            *(self._cache.hits, self._cache.misses),
            dimensions=None if embedder is None else embedder.dimensions,
            is_calibrated=embedder is not None and embedder.name == BUNDLED_NAME,
        )

    def _progress(self, meaning: Meaning) -> EmbeddingProgress:
        total = len(self._facets)
        done, seconds = max(0, total - meaning.lag()), meaning.seconds_left()
        message = f"indexing {done:,} of {total:,}"
        if seconds is not None:
            message += f", about {_span(seconds)}"
        return EmbeddingProgress(done, total, seconds, message)

    def wait_until_embedded(self, timeout: float) -> bool:
        return self._meaning is None or self._meaning.wait(timeout)

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
        if not (self._state / _WORDS).exists() or any(
            not meaning.folder.exists() for meaning in self._meanings()
        ):
            self._make_anew()
        self._keywords.flush()
        for meaning in self._meanings():
            meaning.vectors.tend()
        if self._erasures is not None:
            self._erasures.clean(INDEX, self.erase)
        if tidy:
            self._keywords.maintain()
        if self._building is not None and self._building.lag() == 0 and self._building.trouble() is None:
            self._switch(self._building)

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """Their words and vectors leave every file. That takes a moment, which is why it is done in the background."""
        with self._lock:
            self._drop(memory_ids)
        is_clean = self._cache.drop(memory_ids)
        self._keywords.purge()
        for meaning in self._meanings():
            meaning.vectors.purge()
        return discard_set_aside(self._state) and is_clean

    def _make_anew(self) -> None:
        """Somebody deleted the index: nothing is lost, the notes are the truth."""
        log.warning("the index was deleted; it is built again from the notes")
        with self._guard, self._lock:
            self._keywords = opened(self._state / _WORDS, WhooshKeywords)
            if self._meaning is not None:
                self._meaning = Meaning(self._state, self._meaning.embedder, self._cache)
            if self._building is not None:
                self._building = Meaning(self._state, self._building.embedder, self._cache)
            if self._source is not None:
                self.catch_up(*self._source)

    def _switch(self, complete: Meaning) -> None:
        with self._lock:
            before, self._meaning, self._building = self._meaning, complete, None
            self._record()
        if before is not None:
            before.discard()

    def _record(self) -> None:
        """Which model's vectors are complete, for a start with another one."""
        if self._meaning is not None:
            serving = {"model": self._choice, "digest": self._meaning.embedder.digest}
            (self._state / _SERVING).write_text(json.dumps(serving), "utf-8")


def _span(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} min"


def _embedder_before(state: Path, wanted: Embedder, find: FindEmbedder) -> Embedder | None:
    """The model whose vectors are complete, when it is another one than is wanted now and can still be used."""
    try:
        serving = json.loads((state / _SERVING).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(serving, dict) or serving.get("digest") == wanted.digest:
        return None
    before = find(str(serving.get("model"))).embedder
    return before if before is not None and before.digest == serving.get("digest") else None


def _keyword_doc(note: Note) -> KeywordDoc:
    memory = note.memory
    # People ask by day, month and project too, and write them into no text.
    filed = " ".join(filter(None, (memory.project, spoken_date(memory))))
    return KeywordDoc(note.id, memory.title, memory.tags, f"{memory.body}\n{filed}", note.hash)


def check_files(state: Path) -> None:
    """Raises IndexBroken for an index that cannot be read, as nobody else has it open."""
    if (folder := state / _WORDS).is_dir():
        WhooshKeywords(folder).close()


def has_files(state: Path) -> bool:
    return any(state.glob(f"{_WORDS}*")) or any(state.glob("vectors-*"))
