"""The engine of one machine: words in Whoosh, vectors in LanceDB, facets in memory, plugged into the follower's tail.

Both stores keep fresh writes in memory and flush them in batches. What a crash takes with it shows when their hashes
are compared with the catalog (`catch_up`), which is the whole recovery; a store that cannot be read is set aside, one
that was deleted is made anew, and both are filled again the same way.

Which vectors there are to be, and how far they are, is in `embedding`.
"""

from __future__ import annotations

import json
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from helix.errors import HelixError, IndexBroken
from helix.index.candidates import Stores, find_alike, find_candidates, find_spellings
from helix.index.catalog import Indexed
from helix.index.embed import Embedder
from helix.index.embed_cache import EmbedCache
from helix.index.embedding import MANY, Embedding, FindEmbedder, Serving
from helix.index.encoder import give_back_memory
from helix.index.engine import (
    Candidates,
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
from helix.index.models import BUNDLED_NAME
from helix.index.vectors import Vectors, vectors_folder
from helix.index.word_doc import word_doc
from helix.index.worker import BULK, FRESH
from helix.vault.diff import Change
from helix.vault.erasures import BROKEN, INDEX, Erasures, discard_set_aside
from helix.vault.note import Note

if TYPE_CHECKING:
    import numpy as np

log = logging.getLogger(__name__)

_FLUSH_AFTER = 1.0  # seconds without a change: in a bulk import every flush would be one of many
_FLUSH_WITHIN = 10.0  # but no change waits for longer than this
_MAINTAIN_SECONDS = 60.0
_TWO_PROCESSES_FROM = 3_000
_SERVING = "serving.json"
_WORDS = "keywords"

Store = TypeVar("Store")


class _Folders:
    """The vectors of each model in a folder of the state."""

    def __init__(self, state: Path) -> None:
        self._state = state

    def open(self, embedder: Embedder) -> Vectors:
        folder = vectors_folder(self._state, embedder.digest)
        return _opened(folder, lambda at: Vectors(at, embedder.digest, embedder.dimensions))

    def serving(self) -> Serving | None:
        try:
            read = json.loads((self._state / _SERVING).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return Serving(str(read.get("model")), str(read.get("digest"))) if isinstance(read, dict) else None

    def record(self, serving: Serving) -> None:
        (self._state / _SERVING).write_text(json.dumps(serving._asdict()), "utf-8")


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
        self._state = state
        self._cache = cache
        self._trouble: str | None = None
        self._changed_at = 0.0
        self._changes = 0
        self._guard: AbstractContextManager[object] = guard or nullcontext()
        self._erasures = erasures
        self._lock = threading.RLock()
        self._rebuilding = threading.Lock()
        self._stopped = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="helix-index", daemon=True)
        self._embedding = Embedding(
            *(cache, choice, find, _Folders(state)),
            words=lambda: self._keywords,
            lock=self._lock,
            guard=self._guard,
        )
        if words_first:
            self._keywords: Keywords = _opened(state / _WORDS, WhooshKeywords)
        else:
            found = find(choice)  # its model is loaded beside the opening of the stores
            self._keywords = _opened(state / _WORDS, WhooshKeywords)
            self._embedding.attach_found(found)

    def attach(self) -> None:
        self._embedding.attach()
        give_back_memory()  # a start reads ids and hashes of all memories, and compares them

    def start(self) -> None:
        """Flush and tidy in the background from now on."""
        self._keeper.start()

    def close(self) -> None:
        self._stopped.set()
        if self._keeper.is_alive():
            self._keeper.join(timeout=30)
        self._embedding.close()
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
            self._put(notes, BULK if len(notes) > MANY else FRESH)
            self._changes += 1  # last: an answer that saw a part of it is of the version before

    def catch_up(self, ledger: Ledger, read: ReadNote, progress: Progress | None = None) -> int:
        with self._lock:
            self._embedding.source = (ledger, read)
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
            return len(touched | self._embedding.compare())

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make both stores again from the notes, in place: what was there serves until it is replaced.

        Vectors come from the cache, as far as it has them. It may be stopped at any moment and asked for again.
        """
        if self._embedding.source is None:
            return
        with self._rebuilding:
            ledger, read = self._embedding.source
            rows = ledger.indexed()
            self._build_words(rows, read, progress)
            with self._guard:
                self.catch_up(ledger, read)
            self._embedding.renew()
            self._embedding.see_to_the_end(progress)
            self._keywords.purge()
            for meaning in self._embedding.meanings():
                meaning.vectors.purge()

    def _build_words(self, rows: Sequence[Indexed], read: ReadNote, progress: Progress | None) -> None:
        def docs() -> Iterable[KeywordDoc]:
            for done, row in enumerate(rows, start=1):
                note = read(row.path)
                if note is not None and note.id == row.id:
                    yield word_doc(note)
                if progress is not None and (done % 100 == 0 or done == len(rows)):
                    progress(done, len(rows))

        if rows:
            self._keywords.build(docs(), processes=2 if len(rows) >= _TWO_PROCESSES_FROM else 1)

    def _put(self, notes: Sequence[Note], priority: int) -> None:
        self._keywords.put([word_doc(note) for note in notes])
        for note in notes:
            self._facets.put(facets_of(note.memory))
        self._embedding.put(notes, priority)

    def _drop(self, memory_ids: Sequence[str]) -> None:
        if memory_ids:
            self._keywords.drop(memory_ids)
            for memory_id in memory_ids:
                self._facets.drop(memory_id)
            self._embedding.drop(memory_ids)

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
        return self._embedding.means()

    def vectors_version(self) -> object:
        return self._embedding.version()

    def version(self) -> object:
        return self._changes, self.vectors_version()

    def _stores(self) -> Stores:
        return Stores(self._facets, self._keywords, self._embedding.meaning)

    # Looking after itself

    def health(self) -> IndexHealth:
        lag, trouble, indexing = self._embedding.trouble(len(self._facets))
        if self._trouble is not None:
            trouble, indexing = self._trouble, None
        meaning = self._embedding.meaning
        embedder = None if meaning is None else meaning.embedder
        return IndexHealth(
            *(len(self._facets), lag, None if embedder is None else embedder.name, trouble, indexing),
            *(self._cache.hits, self._cache.misses),
            dimensions=None if embedder is None else embedder.dimensions,
            is_calibrated=embedder is not None and embedder.name == BUNDLED_NAME,
            is_kept=self._trouble is None,
        )

    def wait_until_embedded(self, timeout: float) -> bool:
        return self._embedding.wait(timeout)

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
        meanings = self._embedding.meanings()
        if not (self._state / _WORDS).exists() or not all(one.vectors.exists() for one in meanings):
            self._make_anew()
        self._keywords.flush()
        for meaning in self._embedding.meanings():
            meaning.vectors.tend()
        if self._erasures is not None:
            self._erasures.clean(INDEX, self.erase)
        if tidy:
            self._keywords.maintain()
        if self._embedding.switch_when_complete():
            self._changes += 1

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """Their words and vectors leave every file. That takes a moment, which is why it is done in the background."""
        with self._lock:
            self._drop(memory_ids)
            self._changes += 1
        is_clean = self._cache.drop(memory_ids)
        self._keywords.purge()
        for meaning in self._embedding.meanings():
            meaning.vectors.purge()
        # Vectors that are not open yet still hold them.
        return discard_set_aside(self._state) and is_clean and self._embedding.is_attached

    def _make_anew(self) -> None:
        """Somebody deleted the index: nothing is lost, the notes are the truth."""
        log.warning("the index was deleted; it is built again from the notes")
        with self._guard, self._lock:
            self._keywords = _opened(self._state / _WORDS, WhooshKeywords)
            self._embedding.reopen()
            if self._embedding.source is not None:
                self.catch_up(*self._embedding.source)


def _opened(folder: Path, opener: Callable[[Path], Store]) -> Store:
    """A store, or an empty one in the place of one that cannot be read, which is kept aside once."""
    try:
        return opener(folder)
    except IndexBroken:
        aside = folder.with_name(f"{folder.name}{BROKEN}")
        shutil.rmtree(aside, ignore_errors=True)
        folder.rename(aside)
        return opener(folder)


def check_files(state: Path) -> None:
    """Raises IndexBroken for an index that cannot be read, as nobody else has it open."""
    if (folder := state / _WORDS).is_dir():
        WhooshKeywords(folder).close()


def has_files(state: Path) -> bool:
    return any(state.glob(f"{_WORDS}*")) or any(state.glob("vectors-*"))
