"""The engine over PostgreSQL: words, vectors and facets in one schema for each vault.

What is found, and in which order, is what the local engine finds: the words are cut and weighed by the same code, the
vectors are the same, and ranking stands above both.

The database may go away at any moment. Memories are safe in their files; what it missed shows when hashes are compared
with the catalog, which is done again as soon as it answers.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from helix.errors import HelixError
from helix.index.catalog import Indexed
from helix.index.embed_cache import EmbedCache
from helix.index.embedding import MANY, Embedding, FindEmbedder
from helix.index.engine import Candidates, IndexHealth, Ledger, Progress, ReadNote, Spelling, Wording
from helix.index.facets import Facets
from helix.index.filters import Where
from helix.index.models import BUNDLED_NAME
from helix.index.postgres.candidates import Asker
from helix.index.postgres.database import Database
from helix.index.postgres.memories import MemoryTable, digest_of
from helix.index.postgres.schema import make_tables
from helix.index.postgres.vectors import VectorTables
from helix.index.worker import BULK, FRESH
from helix.vault.diff import Change
from helix.vault.erasures import INDEX, Erasures
from helix.vault.note import Note

if TYPE_CHECKING:
    import numpy as np

log = logging.getLogger(__name__)

_TEND_SECONDS = 1.0
_TWO_PROCESSES_FROM = 3_000


def schema_of(vault_id: str) -> str:
    """The name of a vault's schema: letters, whatever the id is made of."""
    return f"helix_{hashlib.sha256(vault_id.encode()).hexdigest()[:24]}"


class PostgresEngine:
    def __init__(
        self,
        url: str,
        schema: str,
        cache: EmbedCache,
        choice: str,
        find: FindEmbedder,
        *,
        guard: AbstractContextManager[object] | None = None,
        erasures: Erasures | None = None,
        words_first: bool = False,
    ) -> None:
        """As `LocalEngine` is made. IndexNotReady while the database does not answer, or somebody else keeps the
        index in it."""
        self.schema = schema
        self._database = Database(url, schema)
        try:
            make_tables(self._database)
            self._memories = MemoryTable(self._database)
            self._asker = Asker(self._database, self._memories)
            self._cache = cache
            self._erasures = erasures
            self._guard: AbstractContextManager[object] = guard or nullcontext()
            self._lock = threading.RLock()
            self._rebuilding = threading.Lock()
            self._changes = 0
            self._count = self._memories.count()
            self._trouble: str | None = None
            self._is_behind = False
            """something could not be put: hashes have to be compared again"""
            self._stopped = threading.Event()
            self._keeper = threading.Thread(target=self._keep, name="helix-index", daemon=True)
            self._embedding = Embedding(
                *(cache, choice, find, VectorTables(self._database)),
                words=lambda: self._memories,
                lock=self._lock,
                guard=self._guard,
            )
            if not words_first:
                self._embedding.attach()
        except BaseException:
            self._database.close()
            raise

    def attach(self) -> None:
        self._embedding.attach()

    def start(self) -> None:
        self._keeper.start()

    def close(self) -> None:
        self._stopped.set()
        if self._keeper.is_alive():
            self._keeper.join(timeout=30)
        self._embedding.close()
        self._database.close()

    # Keeping

    def apply(self, changes: Sequence[Change]) -> None:
        current = [change.note for change in changes if change.note is not None]
        notes = [note for note in current if note.memory.status != "erased"]
        kept = {note.id for note in notes}
        gone = [change.memory_id for change in changes if change.memory_id not in kept]
        with self._lock:
            try:
                self._embedding.drop(gone)
                self._memories.change(notes, gone)
                self._embedding.put(notes, BULK if len(notes) > MANY else FRESH)
            except HelixError as error:
                self._is_behind, self._trouble = True, error.message
                raise
            finally:
                self._changes += 1  # last: an answer that saw a part of it is of the version before
            self._count = self._memories.count()

    def catch_up(self, ledger: Ledger, read: ReadNote, progress: Progress | None = None) -> int:
        with self._lock:
            self._embedding.source = (ledger, read)
            here = self._memories.states()
            rows = {row.id: row for row in ledger.indexed()}
            gone = [memory_id for memory_id in here if memory_id not in rows]
            if gone:
                self._embedding.drop(gone)
                self._memories.change([], gone)
            stale = [
                row for row in rows.values() if here.get(row.id) != (row.hash, digest_of(row.facets_text))
            ]
            self._build(stale, read, progress)
            touched = {row.id for row in stale} | self._embedding.compare()
            self._changes += 1
            self._count = self._memories.count()
            self._is_behind, self._trouble = False, None
            return len(touched)

    def rebuild(self, progress: Progress | None = None) -> None:
        """In place, some hundred memories in a transaction: what was there serves until it is replaced."""
        if self._embedding.source is None:
            return
        with self._rebuilding:
            ledger, read = self._embedding.source
            self._build(ledger.indexed(), read, progress)
            with self._guard:
                self.catch_up(ledger, read)
            self._embedding.renew()
            self._embedding.see_to_the_end(progress)
            self._purge()

    def _build(self, rows: Sequence[Indexed], read: ReadNote, progress: Progress | None) -> None:
        def notes() -> Iterator[Note]:
            for row in rows:
                note = read(row.path)
                if note is not None and note.id == row.id:
                    yield note

        done = 0
        for count in self._memories.build(notes(), 2 if len(rows) >= _TWO_PROCESSES_FROM else 1):
            done += count
            if progress is not None:
                progress(done, len(rows))
        if progress is not None and done < len(rows):  # some could not be read
            progress(len(rows), len(rows))

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """They leave every row and every page of the tables. Write-ahead logs, replicas and backups are the database's
        own, and keep what they keep."""
        with self._lock:
            self._embedding.drop(memory_ids)
            self._memories.change([], memory_ids)
            self._changes += 1
            self._count = self._memories.count()
        is_clean = self._cache.drop(memory_ids)
        self._purge()
        return is_clean and self._embedding.is_attached

    def _purge(self) -> None:
        self._memories.purge()
        for meaning in self._embedding.meanings():
            meaning.vectors.purge()

    def tend(self, *, tidy: bool) -> None:
        if not self._database.is_held():
            self._is_behind = True
        if self._is_behind and self._embedding.source is not None:
            with self._guard:
                self.catch_up(*self._embedding.source)
        if self._erasures is not None:
            self._erasures.clean(INDEX, self.erase)
        if tidy:
            for meaning in self._embedding.meanings():
                meaning.vectors.tend()
        if self._embedding.switch_when_complete():
            self._changes += 1

    def _keep(self) -> None:
        tidied = time.monotonic()
        while not self._stopped.wait(_TEND_SECONDS):
            tidy = time.monotonic() - tidied > 60
            try:
                self.tend(tidy=tidy)
                self._trouble = None
            except (HelixError, OSError) as error:
                log.warning("the index cannot be kept; trying again: %s", error)
                self._trouble = str(error)
            if tidy:
                tidied = time.monotonic()

    # Asking

    def hashes(self) -> Mapping[str, str]:
        return self._memories.hashes()

    def facets(self, where: Where) -> list[Facets]:
        return self._asker.facets(where)

    def candidates(self, wording: Wording, where: Where, limit: int) -> Candidates:
        return self._asker.candidates(self._embedding.meaning, wording, where, limit)

    def alike(self, text: str, limit: int, where: Where) -> list[str]:
        return self._asker.alike(text, limit, where)

    def spellings(self, words: Sequence[str], where: Where) -> list[Spelling]:
        return self._asker.spellings(words, where)

    def means(self) -> tuple[list[str], np.ndarray] | None:
        return self._embedding.means()

    def vectors_version(self) -> object:
        return self._embedding.version()

    def version(self) -> object:
        return self._changes, self.vectors_version()

    def health(self) -> IndexHealth:
        lag, trouble, indexing = self._embedding.trouble(self._count)
        if self._trouble is not None:
            trouble, indexing = self._trouble, None
        meaning = self._embedding.meaning
        embedder = None if meaning is None else meaning.embedder
        return IndexHealth(
            *(self._count, lag, None if embedder is None else embedder.name, trouble, indexing),
            *(self._cache.hits, self._cache.misses),
            dimensions=None if embedder is None else embedder.dimensions,
            is_calibrated=embedder is not None and embedder.name == BUNDLED_NAME,
        )

    def wait_until_embedded(self, timeout: float) -> bool:
        return self._embedding.wait(timeout)
