"""The engine over PostgreSQL: words, vectors and facets in one schema for each vault.

What is found, and in which order, is what the local engine finds: the words are cut and weighed by the same code, the
vectors are the same, and ranking stands above both.

The database may go away at any moment. Memories are safe in their files; what it missed shows when hashes are compared
with the catalog, which is done again as soon as it answers.

One daemon keeps it. Others over the same vault answer from it, and one of them takes over when the keeper ends.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from helix.index.postgres.memories import MemoryTable, state_of
from helix.index.postgres.notes import NoteTable, put_shared
from helix.index.postgres.pulse import Pulse
from helix.index.postgres.schema import check_tables, make_tables
from helix.index.postgres.vectors import VectorTables
from helix.index.station import Keeper, Station
from helix.index.worker import BULK, FRESH
from helix.vault.diff import Change
from helix.vault.erasures import INDEX, Erasures
from helix.vault.note import Note

if TYPE_CHECKING:
    import numpy as np

log = logging.getLogger(__name__)

_TEND_SECONDS = 1.0
_TWO_PROCESSES_FROM = 3_000


Share = Callable[[], bytes | None]
"""what a file holds that readers need; None as long as it is as it was"""
OnNews = Callable[[Keeper, int], None]


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
        name: str = "",
        station: Station | None = None,
        reads_only: bool = False,
        before_turn: Callable[[], None] = lambda: None,
        shares: Mapping[str, Share] | None = None,
        on_news: OnNews = lambda keeper, since: None,
    ) -> None:
        """As `LocalEngine` is made. IndexNotReady while the database does not answer.

        Besides: `name` is the id of the vault, `station` where others ask this daemon. With `reads_only` it never keeps
        the index. `before_turn` is done before it takes over. `shares` are files that readers need, each told when it
        has changed. `on_news` hears of every version.
        """
        self.schema = schema
        self._database = Database(url, schema, name, station, may_keep=not reads_only)
        self._epoch = self._database.epoch
        """of the turn in which everything was compared"""
        self._keeps = self._database.keeps
        self._pulse = Pulse(url, schema, self._epoch_kept, on_news)
        try:
            if self._keeps:
                make_tables(self._database)
            else:
                check_tables(self._database)
            self.notes = NoteTable(self._database)
            self._before_turn = before_turn
            self._shares = shares or {}
            self._source: tuple[Ledger, ReadNote] | None = None
            if reads_only:  # who has the folder reads notes there
                self._database.why_away = lambda: self._pulse.away
            self._vectors = VectorTables(self._database)
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
                *(cache, choice, find, self._vectors),
                words=lambda: self._memories,
                lock=self._lock,
                guard=self._guard,
            )
            if not reads_only:
                # At once: to put all words may take minutes, and who keeps the index must be heard of meanwhile.
                self._pulse.start()
            if not words_first:
                self._embedding.attach()
        except BaseException:
            self._pulse.stop()
            self._database.close()
            raise

    def attach(self) -> None:
        self._embedding.attach()

    def start(self) -> None:
        if not self._database.may_keep:
            self._pulse.start()  # not before somebody takes in what it tells of
        self._keeper.start()

    def close(self) -> None:
        self._stopped.set()
        self._pulse.stop()
        if self._keeper.is_alive():
            self._keeper.join(timeout=30)
        self._embedding.close()
        self._database.close()

    # Keeping

    def apply(self, changes: Sequence[Change]) -> None:
        if not self._keeps:
            self._changes += 1
            return  # who keeps it sees the same files
        current = [change.note for change in changes if change.note is not None]
        notes = [note for note in current if note.memory.status != "erased"]
        erased = [note for note in current if note.memory.status == "erased"]
        kept = {note.id for note in notes}
        gone = [change.memory_id for change in changes if change.memory_id not in kept]
        with self._lock:
            try:
                self._embedding.drop(gone)
                self._memories.change(notes, gone, erased)
                self._embedding.put(notes, BULK if len(notes) > MANY else FRESH)
            except HelixError as error:
                self._is_behind, self._trouble = True, error.message
                raise
            finally:
                self._changes += 1  # last: an answer that saw a part of it is of the version before
            self._count = self._memories.count()

    def catch_up(self, ledger: Ledger, read: ReadNote, progress: Progress | None = None) -> int:
        with self._lock:
            self._source = (ledger, read)
            if not self._keeps:
                return 0
            self._embedding.source = (ledger, read)
            here = self._memories.states()
            rows = {row.id: row for row in ledger.indexed()}
            gone = [memory_id for memory_id in here if memory_id not in rows]
            if gone:
                self._embedding.drop(gone)
                self._memories.change([], gone)
            stale = [row for row in rows.values() if here.get(row.id) != state_of(row)]
            self._build(stale, read, progress)
            touched = {row.id for row in stale} | self._embedding.compare()
            self._changes += 1
            self._count = self._memories.count()
            self._is_behind, self._trouble = False, None
            self._epoch = self._database.epoch
            return len(touched)

    def rebuild(self, progress: Progress | None = None) -> None:
        """In place, some hundred memories in a transaction: what was there serves until it is replaced."""
        if self._embedding.source is None or not self._keeps:
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
        if not self._keeps:
            return self._cache.drop(memory_ids)
        with self._lock:
            self._embedding.drop(memory_ids)
            self._memories.drop_texts(memory_ids)
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
        if not self._keeps:
            self._look(tidy=tidy)
            return
        if not self._database.is_held() and not self._database.try_to_keep():
            log.warning("another daemon has taken over the index of this vault")
            self._keeps, self._is_behind = False, False
            return
        if self._database.epoch != self._epoch:
            self._is_behind = (
                True  # the connection was another one for a while, or is: something may be missing
            )
        if self._is_behind and self._source is not None:
            with self._guard:
                self.catch_up(*self._source)
        if self._erasures is not None:
            self._erasures.clean(INDEX, self.erase)
        for name, share in self._shares.items():
            if (data := share()) is not None:
                put_shared(self._database, name, data)
        if tidy:
            for meaning in self._embedding.meanings():
                meaning.vectors.tend()
        if self._embedding.switch_when_complete():
            self._changes += 1

    def _look(self, *, tidy: bool) -> None:
        """What there is to do while somebody else keeps the index."""
        if self._source is not None and self._database.may_keep and self._database.try_to_keep():
            self._take_over()
            return
        self._count = self._memories.count()
        if self._erasures is not None:
            self._erasures.clean(INDEX, self.erase)
        building = self._embedding.building
        if building is not None and (serving := self._vectors.serving()) is not None:
            is_complete = serving.digest == building.embedder.digest
            if is_complete and self._embedding.switch_when_complete():
                self._changes += 1
        if tidy:
            for meaning in self._embedding.meanings():
                meaning.vectors.tend()

    def _take_over(self) -> None:
        log.warning("this daemon keeps the index of this vault from now on")
        make_tables(self._database)
        with self._guard:
            self._before_turn()
            # From here on every change is put; what came before is compared.
            self._keeps, self._is_behind = True, True
            if self._source is not None:
                self.catch_up(*self._source)

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

    # One of several

    @property
    def keeps(self) -> bool:
        return self._keeps

    def _epoch_kept(self) -> int | None:
        return self._database.epoch if self._database.keeps else None

    def keeper(self) -> Keeper | None:
        return self._pulse.keeper

    def written(self) -> str:
        keeper = self._pulse.keeper
        if keeper is None:
            return ""
        return f"{keeper.era}.{max(self._database.version, self._pulse.version)}"

    def reached(self, mark: str, seconds: float) -> bool:
        era, _, version = mark.partition(".")
        keeper = self._pulse.keeper
        if self._keeps or keeper is None or keeper.era != era or not version.isdigit():
            return True
        return self._pulse.wait_for(int(version), seconds)

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
        return self._changes, self._pulse.version, self.vectors_version()

    def health(self) -> IndexHealth:
        lag, trouble, indexing = self._embedding.trouble(self._count)
        if self._trouble is not None:
            trouble, indexing = self._trouble, None
        elif self._pulse.trouble is not None:
            trouble, indexing = f"the database of the index does not answer ({self._pulse.trouble})", None
        meaning = self._embedding.meaning
        embedder = None if meaning is None else meaning.embedder
        return IndexHealth(
            *(self._count, lag, None if embedder is None else embedder.name, trouble, indexing),
            *(self._cache.hits, self._cache.misses),
            dimensions=None if embedder is None else embedder.dimensions,
            is_calibrated=embedder is not None and embedder.name == BUNDLED_NAME,
            is_kept=self._trouble is None and self._pulse.trouble is None,
        )

    def disk_bytes(self) -> int:
        """Of its tables and their indexes."""
        return self._memories.disk_bytes(self.schema)

    def wait_until_embedded(self, timeout: float) -> bool:
        return self._embedding.wait(timeout)
