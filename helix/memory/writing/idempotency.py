"""What was asked under which idempotency key, so that a retry is answered and not done again.

A file in the state folder. Of a key only its hash is kept, of a request its digest, of an answer ids and a status. When
it is lost the key in the memory's own frontmatter still says what was created. Keys are one namespace for all callers:
the key in a note does not say whose it was.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from helix.errors import BadValue, KeyReused, MemoryErased, SecretRefused, StateUnwritable
from helix.memory.judgement.secrets import find_secret
from helix.memory.tokens import Payload
from helix.state.database import StateDatabase

_KEPT = 20_000
_TRIM_EVERY = 500
_LONGEST_KEY = 200

# Another number means another file: a retry of what was asked before is then known from the note alone.
_SCHEMA_VERSION = 2
_SCHEMA = f"""
BEGIN IMMEDIATE;
DROP TABLE IF EXISTS requests;
CREATE TABLE requests (
    key TEXT PRIMARY KEY, memory TEXT NOT NULL, digest TEXT NOT NULL, answer TEXT NOT NULL, at REAL NOT NULL
);
CREATE INDEX requests_memory ON requests (memory);
PRAGMA user_version = {_SCHEMA_VERSION};
COMMIT;
"""
_ERASED = ""
"""the digest of a request whose memory was erased: it fits no request"""


class Requests(StateDatabase):
    keeps = "what was asked under an idempotency key, which is known only until helixd stops"

    def __init__(self, path: Path) -> None:
        self._unwritten: OrderedDict[str, tuple[str, str, str, str, float]] = OrderedDict()
        """by hashed key, what could not be written: a retry is answered all the same"""
        super().__init__(path)

    def _prepare(self) -> None:
        if self._db.execute("PRAGMA user_version").fetchone()[0] != _SCHEMA_VERSION:
            self._db.executescript(_SCHEMA)

    def find(self, key: str, digest: str) -> Payload | None:
        """The answer that was given under this key. The same key for something else is a mistake of the caller's."""
        with self._lock:
            unwritten = self._unwritten.get(_hashed(key))
            row = (
                unwritten[1:4]
                if unwritten is not None
                else self._db.execute(
                    "SELECT memory, digest, answer FROM requests WHERE key = ?", (_hashed(key),)
                ).fetchone()
            )
        if row is None:
            return None
        memory_id, before, answer = row
        if before == _ERASED:
            raise MemoryErased(
                f"what was written under the idempotency key {key!r} is {memory_id}, which was erased for good; to "
                "write it all the same take a new key"
            )
        if before != digest:
            raise KeyReused(f"the idempotency key {key!r} was used for something else; take a new key")
        return dict(json.loads(answer))

    def keep(self, key: str, memory_id: str, digest: str, answer: Payload) -> str | None:
        """Says so when the answer is only in memory, because the disk is full."""
        said = json.dumps(answer, ensure_ascii=False)
        row = (_hashed(key), memory_id, digest, said, time.time())
        with self._lock:
            try:
                self._write([row])
            except StateUnwritable:
                self._unwritten[row[0]] = row
                if len(self._unwritten) > _TRIM_EVERY:
                    self._unwritten.popitem(last=False)
                return (
                    "A retry under this idempotency key is known only until helixd stops: "
                    f"{self._path.parent} cannot be written ({self.trouble})"
                )
        return None

    def _write_unwritten(self) -> None:
        self._write(self._unwritten.values())

    def _drop_unwritten(self) -> None:
        self._unwritten.clear()

    def _write(self, kept: Iterable[tuple[str, str, str, str, float]]) -> None:
        with self.transaction():
            self._db.executemany("INSERT OR REPLACE INTO requests VALUES (?, ?, ?, ?, ?)", kept)
            [(rows,)] = self._db.execute("SELECT count(*) FROM requests")
            if rows > _KEPT + _TRIM_EVERY:
                self._db.execute(
                    "DELETE FROM requests WHERE key NOT IN (SELECT key FROM requests ORDER BY at DESC LIMIT ?)",
                    (_KEPT,),
                )

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """What stays is that the keys were used: a retry that comes late must not write the memory again."""
        with self._lock:
            for key, (_, memory_id, _, _, at) in list(self._unwritten.items()):
                if memory_id in memory_ids:
                    self._unwritten[key] = (key, memory_id, _ERASED, "{}", at)
            with self.transaction():
                self._db.executemany(
                    "UPDATE requests SET digest = ?, answer = '{}' WHERE memory = ?",
                    ((_ERASED, one) for one in memory_ids),
                )
            return self.empty_log()


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def check_key(key: str | None) -> str | None:
    if key is None:
        return None
    if not key.strip() or len(key) > _LONGEST_KEY or any(ord(letter) < 32 for letter in key):
        raise BadValue(f"an idempotency key is 1 to {_LONGEST_KEY} printable characters")
    if (kind := find_secret(key)) is not None:
        raise SecretRefused(
            f"the idempotency key looks like {kind}; nothing was done. Take another key: it is written into files",
            kind,
        )
    return key.strip()


def with_degraded(answer: Payload, more: str | None) -> Payload:
    """The answer, and one thing more that was not done of what was asked."""
    said = [one for one in (answer.get("degraded"), more) if one]
    return {**answer, "degraded": ". ".join(said)} if said else answer


def digest_of(verb: str, said: Mapping[str, Any]) -> str:
    canonical = json.dumps([verb, said], sort_keys=True, ensure_ascii=False, default=list)
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()
