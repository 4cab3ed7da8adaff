"""Embeddings that were made before, by model and chunk. Renames, restores, branch switches and rebuilds are free.

It is shared by all vaults and bounded: what was not used for longest goes first. Losing it loses only time.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from helix.errors import StorageError
from helix.state.permissions import FOLDER, make_file
from helix.vault.times import Clock, utc_now

if TYPE_CHECKING:
    import numpy as np

DEFAULT_MAX_BYTES = 512 * 1024 * 1024

_SCHEMA_VERSION = 2
_SCHEMA = """CREATE TABLE vectors (
    key BLOB PRIMARY KEY, used INTEGER NOT NULL, owner BLOB NOT NULL, vector BLOB NOT NULL
)"""
_INDEX = "CREATE INDEX vectors_owner ON vectors (owner)"
_AT_ONCE = 500  # SQLite allows 999 parameters at least
_EVICTED_SHARE = 10


class EmbedCache:
    def __init__(
        self,
        path: Path,
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
        clock: Clock = utc_now,
        earlier: Path | None = None,
    ) -> None:
        """`earlier` is the file of another cache, in which vectors of the same memories may be from before."""
        self._earlier = earlier
        path.parent.mkdir(parents=True, exist_ok=True, mode=FOLDER)
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        self._max_bytes = max_bytes
        self._clock = clock
        try:
            self._db = _open(path)
        except sqlite3.DatabaseError:
            # A torn file after a power cut: it is only a cache.
            for leftover in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
                with suppress(FileNotFoundError):
                    leftover.unlink()
            self._db = _open(path)

    def find(
        self, digest: str, hashes: Sequence[str], owners: Mapping[str, str] | None = None
    ) -> dict[str, np.ndarray]:
        """The vectors that are there, by chunk hash, as float32. `owners` are the memories that they are for now."""
        import numpy as np

        keys = {_key(digest, chunk_hash): chunk_hash for chunk_hash in hashes}
        found: dict[str, np.ndarray] = {}
        today = self._today()
        with self._lock, _reported():
            for some in _portions(list(keys)):
                marks = ",".join("?" * len(some))
                rows = self._db.execute(
                    f"SELECT key, used, owner, vector FROM vectors WHERE key IN ({marks})", some
                ).fetchall()
                stale = []
                for key, used, owner, vector in rows:
                    found[keys[key]] = np.frombuffer(vector, np.float16).astype(np.float32)
                    now = owner if owners is None else _owner(owners[keys[key]])
                    # Once a day is exact enough to know what is old, and keeps reads from being writes.
                    if used < today or now != owner:
                        stale.append((today, now, key))
                if stale:
                    self._db.executemany("UPDATE vectors SET used = ?, owner = ? WHERE key = ?", stale)
            self._db.commit()
            self.hits += len(found)
            self.misses += len(keys) - len(found)
        return found

    def put(
        self, digest: str, vectors: Mapping[str, np.ndarray], owners: Mapping[str, str] | None = None
    ) -> None:
        """`owners` says which memory each chunk belongs to, so that `drop` finds them again."""
        import numpy as np

        today = self._today()
        rows = [
            (
                _key(digest, chunk_hash),
                today,
                b"" if owners is None else _owner(owners[chunk_hash]),
                vector.astype(np.float16).tobytes(),
            )
            for chunk_hash, vector in vectors.items()
        ]
        with self._lock, _reported(), self._db:
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
            if self._bytes() > self._max_bytes:
                count = self._db.execute("SELECT count(*) FROM vectors").fetchone()[0]
                self._db.execute(
                    "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY used, rowid LIMIT ?)",
                    (count // _EVICTED_SHARE + 1,),
                )

    def drop(self, memory_ids: Sequence[str]) -> bool:
        """Of an erased memory nothing stays behind: none of its earlier states, with whichever model.

        False while another process reads, and the log still has them.
        """
        with self._lock, _reported():
            with self._db:
                self._db.executemany(
                    "DELETE FROM vectors WHERE owner = ?", [(_owner(one),) for one in memory_ids]
                )
            is_busy, *_ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy and self._drop_earlier(memory_ids)

    def _drop_earlier(self, memory_ids: Sequence[str]) -> bool:
        if self._earlier is None or not self._earlier.exists():
            return True
        earlier = EmbedCache(self._earlier, max_bytes=self._max_bytes, clock=self._clock)
        try:
            return earlier.drop(memory_ids)
        finally:
            earlier.close()

    def __len__(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM vectors").fetchone()[0])

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _bytes(self) -> int:
        pages, free, size = (
            self._db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def _today(self) -> int:
        return self._clock().toordinal()


def _open(path: Path) -> sqlite3.Connection:
    make_file(path)
    db = sqlite3.connect(path, check_same_thread=False, timeout=10)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute("PRAGMA secure_delete=ON")
        if db.execute("PRAGMA user_version").fetchone()[0] != _SCHEMA_VERSION:
            with db:
                db.execute("DROP TABLE IF EXISTS vectors")
                db.execute(_SCHEMA)
                db.execute(_INDEX)
                db.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


@contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:  # a full disk, a lock that does not go away
        raise StorageError(f"the cache of embeddings cannot be used: {error}") from error


def _key(digest: str, chunk_hash: str) -> bytes:
    return bytes.fromhex(digest[:16] + chunk_hash)


def _owner(memory_id: str) -> bytes:
    return hashlib.blake2b(memory_id.encode(errors="surrogatepass"), digest_size=8).digest()


def _portions(keys: list[bytes]) -> list[list[bytes]]:
    return [keys[first : first + _AT_ONCE] for first in range(0, len(keys), _AT_ONCE)]
