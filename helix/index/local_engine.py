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

from helix.errors import HelixError, IndexNotReady
from helix.index.backlog import Backlog
from helix.index.candidates import Stores, find_alike, find_candidates, find_spellings
from helix.index.catalog import Indexed
from helix.index.chunk import spoken_date
from helix.index.embed import Embedder, EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.encoder import give_back_memory
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
from helix.index.filters import Where
from helix.index.keywords import KeywordDoc, Keywords, WhooshKeywords
from helix.index.meaning import Meaning, opened
from helix.index.models import BUNDLED_NAME
from helix.index.worker import BULK, FRESH
from helix.vault.diff import Change
from helix.vault.erasures import INDEX, Erasures, discard_set_aside
from helix.vault.note import Note

if TYPE_CHECKING:
    import numpy as np

log = logging.getLogger(__name__)

_MANY = 16  # changes at once: a bulk import, which lets single writes go first
_QUIET = 0.5  # seconds without so many, before they are embedded
_FLUSH_AFTER = 1.0  # seconds without a change: in a bulk import every flush would be one of many
_FLUSH_WITHIN = 10.0  # but no change waits for longer than this
_MAINTAIN_SECONDS = 60.0
_TWO_PROCESSES_FROM = 3_000
_TELL_EVERY = 0.5
_PATIENCE = 20.0  # for vectors that are being opened
_SERVING = "serving.json"
_WORDS = "keywords"
_GETTING_READY = "search by meaning is getting ready; until then memories are found by their words only"

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
        words_first: bool = False,
    ) -> None:
        """`choice` is the setting `model`; `find` gives the embedder of such a choice. `guard` is the lock of the one
        who writes the catalog; it is taken before the engine's own by whoever compares with the catalog. `erasures`
        says what was erased, and how much of it has left the files; an index of the past has none. `words_first` leaves
        the model and the vectors, which take seconds to open, to `attach`."""
        self._facets = FacetIndex()
        self._meaning: Meaning | None = None
        self._building: Meaning | None = None
        """the vectors of a new model, until they are complete"""
        self._backlogs: dict[Meaning, Backlog] = {}
        self._state = state
        self._cache = cache
        self._choice = choice
        self._find = find
        self._source: tuple[Ledger, ReadNote] | None = None
        self._trouble: str | None = None
        self._changed_at = 0.0
        self._crowded_at = -_QUIET
        """when many memories were put at once"""
        self._changes = 0
        self._guard: AbstractContextManager[object] = guard or nullcontext()
        self._erasures = erasures
        self._lock = threading.RLock()
        self._rebuilding = threading.Lock()
        self._stopped = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="helix-index", daemon=True)
        self._attached = threading.Event()
        self._no_embedder = _GETTING_READY
        """why nothing is searched by meaning"""
        if words_first:
            self._keywords: Keywords = opened(state / _WORDS, WhooshKeywords)
        else:
            found = find(choice)  # its model is loaded beside the opening of the stores
            self._keywords = opened(state / _WORDS, WhooshKeywords)
            self._attach(found)

    def attach(self) -> None:
        if self._attached.is_set():
            return
        try:
            self._attach(self._find(self._choice))
        except (HelixError, OSError, ImportError) as error:
            self._no_embedder = f"nothing is searched by meaning: {error}"
            raise
        give_back_memory()  # a start reads ids and hashes of all memories, and compares them

    def _attach(self, found: EmbedderChoice) -> None:
        opened = [] if found.embedder is None else self._open_meanings(found.embedder)
        with self._lock:
            self._no_embedder = found.reason
            if opened:
                self._meaning, self._building = opened[0], opened[1] if len(opened) > 1 else None
            if len(opened) == 1:
                self._record()
            self._compare_vectors()
        self._attached.set()

    def _open_meanings(self, wanted: Embedder) -> list[Meaning]:
        """That of the model, which serves; or of the one before, which does until those of the new one, that comes
        second, are complete."""
        new = Meaning(self._state, wanted, self._cache)
        before = _embedder_before(self._state, wanted, self._find)
        if before is None:
            return [new]
        log.warning("notes are embedded again for %s; %s serves until that is done", wanted.name, before.name)
        return [Meaning(self._state, before, self._cache), new]

    def start(self) -> None:
        """Flush and tidy in the background from now on."""
        self._keeper.start()

    def close(self) -> None:
        self._stopped.set()
        if self._keeper.is_alive():
            self._keeper.join(timeout=30)
        for backlog in list(self._backlogs.values()):
            backlog.stop()
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
            self._changes += 1  # last: an answer that saw a part of it is of the version before

    def catch_up(self, ledger: Ledger, read: ReadNote, progress: Progress | None = None) -> int:
        with self._lock:
            self._source = (ledger, read)
            in_words = self._keywords.hashes()
            names = {
                memory_id: memory_id for memory_id in in_words
            }  # one text of each id for both, in memory
            rows = {names.get(row.id, row.id): row for row in ledger.indexed()}
            self._facets.fill(rows, from_texts(row.facets_text for row in rows.values()))
            self._drop([memory_id for memory_id in in_words if memory_id not in rows])
            stale = [row for row in rows.values() if in_words.get(row.id) != row.hash]
            self._build_words(stale, read, progress)
            touched = {row.id for row in stale}
            self._changes += 1
            return len(touched | self._compare_vectors())

    def _compare_vectors(self) -> set[str]:
        """With what is found by its words. Who differs waits for its vectors; of many none is read here."""
        touched: set[str] = set()
        if self._source is None or not self._meanings():
            return touched
        in_words = self._keywords.hashes()
        for meaning in self._meanings():
            embedded = meaning.vectors.hashes()
            meaning.drop([memory_id for memory_id in embedded if memory_id not in self._facets])
            stale = [one for one, hash_ in in_words.items() if embedded.get(one) != hash_]
            if len(stale) > _MANY:
                self._backlog(meaning).add(stale)
            else:  # the last writes before the end, which the cache knows
                self._feed(self._backlog(meaning), stale)
            touched.update(stale)
        return touched

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
        if self._source is None:
            return
        ledger, read = self._source
        for memory_id in memory_ids:
            path = ledger.find_path(memory_id)
            note = None if path is None else read(path)
            if note is None or note.id != memory_id:
                continue
            with self._lock:
                # A file that says something else by now is told of by the follower, and the newer must come last.
                if self._keywords.find_hash(memory_id) == note.hash:
                    backlog.hand_over(note)

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
            self._see_attached(float("inf"))
            for meaning in self._meanings():
                self._backlog(meaning).add(self._keywords.hashes())
            self._see_embedded(progress)
            self._keywords.purge()
            for meaning in self._meanings():
                meaning.vectors.purge()

    def _see_attached(self, timeout: float) -> bool:
        """Whether there is no more to wait for: the vectors are there, or cannot be."""
        until = time.monotonic() + timeout
        while self._no_embedder == _GETTING_READY and not self._attached.wait(_TELL_EVERY):
            if self._stopped.is_set() or time.monotonic() > until:
                return False
        return True

    def _see_embedded(self, progress: Progress | None) -> None:
        for meaning in self._meanings():
            total = self._lag(meaning)
            while not self._wait(meaning, _TELL_EVERY):
                if meaning.trouble() is not None or self._stopped.is_set():
                    break
                if progress is not None:
                    progress(max(0, total - self._lag(meaning)), total)

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
        names = [note.id for note in notes]
        for meaning in self._meanings():
            backlog = self._backlog(meaning)
            if priority == BULK and self._source is not None:
                self._crowded_at = time.monotonic()
                backlog.add(names)
            else:
                backlog.discard(names)
                for note in notes:
                    meaning.put(note, priority)

    def _drop(self, memory_ids: Sequence[str]) -> None:
        if memory_ids:
            self._keywords.drop(memory_ids)
            for memory_id in memory_ids:
                self._facets.drop(memory_id)
            for meaning in self._meanings():
                self._backlog(meaning).discard(memory_ids)
                meaning.drop(memory_ids)

    def _lag(self, meaning: Meaning) -> int:
        return self._backlog(meaning).lag()

    def _wait(self, meaning: Meaning, timeout: float) -> bool:
        until = time.monotonic() + timeout
        # In this order: what leaves the backlog is with the worker by then.
        return self._backlog(meaning).wait(timeout) and meaning.wait(max(0.0, until - time.monotonic()))

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
        if not self._see_attached(_PATIENCE):
            raise IndexNotReady(_GETTING_READY)
        meaning = self._meaning
        return None if meaning is None else meaning.vectors.means()

    def vectors_version(self) -> object:
        meaning = self._meaning
        return None if meaning is None else (id(meaning.vectors), meaning.vectors.version)

    def version(self) -> object:
        return self._changes, self.vectors_version()

    def _stores(self) -> Stores:
        return Stores(self._facets, self._keywords, self._meaning)

    # Looking after itself

    def health(self) -> IndexHealth:
        lag = 0 if self._meaning is None else self._lag(self._meaning)
        trouble = self._trouble or self._no_embedder or None
        indexing = None
        if trouble == _GETTING_READY:
            lag = len(self._facets)
            indexing = EmbeddingProgress(0, lag, None, _GETTING_READY)
        elif errors := [error for meaning in self._meanings() if (error := meaning.trouble()) is not None]:
            trouble = errors[0].message
        elif trouble is None and self._meaning is not None and lag:
            trouble = f"{lag} memories are found by their words only until they are embedded"
            indexing = self._progress(self._meaning)
        elif trouble is None and self._building is not None:
            trouble = (
                f"{self._lag(self._building)} memories are still to be embedded for {self._building.embedder.name}; "
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
        in_hand, lag = meaning.lag(), self._lag(meaning)
        done, seconds = max(0, total - lag), meaning.seconds_left()
        message = f"indexing {done:,} of {total:,}"
        if seconds is not None:
            seconds *= lag / max(1, in_hand)  # the worker knows only what it has in hand
            message += f", about {_span(seconds)}"
        return EmbeddingProgress(done, total, seconds, message)

    def wait_until_embedded(self, timeout: float) -> bool:
        until = time.monotonic() + timeout
        if not self._attached.wait(timeout):
            return False
        return self._meaning is None or self._wait(self._meaning, max(0.0, until - time.monotonic()))

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
        if self._building is not None and self._lag(self._building) == 0 and self._building.trouble() is None:
            self._switch(self._building)

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """Their words and vectors leave every file. That takes a moment, which is why it is done in the background."""
        with self._lock:
            self._drop(memory_ids)
            self._changes += 1
        is_clean = self._cache.drop(memory_ids)
        self._keywords.purge()
        for meaning in self._meanings():
            meaning.vectors.purge()
        # Vectors that are not open yet still hold them.
        return discard_set_aside(self._state) and is_clean and self._attached.is_set()

    def _make_anew(self) -> None:
        """Somebody deleted the index: nothing is lost, the notes are the truth."""
        log.warning("the index was deleted; it is built again from the notes")
        with self._guard, self._lock:
            self._keywords = opened(self._state / _WORDS, WhooshKeywords)
            if self._meaning is not None:
                self._meaning = self._in_the_place_of(self._meaning)
            if self._building is not None:
                self._building = self._in_the_place_of(self._building)
            if self._source is not None:
                self.catch_up(*self._source)

    def _in_the_place_of(self, meaning: Meaning) -> Meaning:
        self._end_backlog(meaning)
        return Meaning(self._state, meaning.embedder, self._cache)

    def _end_backlog(self, meaning: Meaning) -> None:
        if (backlog := self._backlogs.pop(meaning, None)) is not None:
            backlog.end()

    def _switch(self, complete: Meaning) -> None:
        with self._lock:
            before, self._meaning, self._building = self._meaning, complete, None
            self._changes += 1
            self._record()
        if before is not None:
            self._end_backlog(before)
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
