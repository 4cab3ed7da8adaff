"""What was asked under which idempotency key, so that a retry is answered and not done again.

A file in the state folder. Of a key only its hash is kept, of a request its digest, of an answer ids and a status. When
it is lost the key in the memory's own frontmatter still says what was created. Each principal has its own keys: one
that somebody else took is free. In a note the key of anybody but the owner of the vault stands behind their name.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from helix.errors import BadValue, KeyReused, MemoryErased, SecretRefused, StateUnwritable
from helix.memory.budget import Answer
from helix.memory.principal import LOCAL
from helix.memory.tokens import Payload
from helix.state.database import StateDatabase
from helix.vault.secrets import find_secret

_KEPT = 20_000
_TRIM_EVERY = 500
_LONGEST_KEY = 200

# Another number means another file: a retry of what was asked before is then known from the note alone. What was kept
# before there were owners was the local one's.
_BEFORE_OWNERS = 2
_SCHEMA_VERSION = 3
_SCHEMA = f"""
BEGIN IMMEDIATE;
DROP TABLE IF EXISTS requests;
DROP TABLE IF EXISTS keys;
CREATE TABLE keys (
    owner TEXT NOT NULL, key TEXT NOT NULL, memory TEXT NOT NULL, digest TEXT NOT NULL, answer TEXT NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (owner, key)
);
CREATE INDEX keys_memory ON keys (memory);
PRAGMA user_version = {_SCHEMA_VERSION};
COMMIT;
"""

_Kept = tuple[str, str, str, str, str, float]
"""owner, hashed key, memory, digest, answer, and when"""
_ERASED = ""
"""the digest of a request whose memory was erased: it fits no request"""


@dataclass(eq=False)
class _Held:
    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0


class IdempotencyKeys(StateDatabase):
    keeps = "what was asked under an idempotency key, which is known only until helixd stops"

    def __init__(self, path: Path) -> None:
        self._unwritten: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
        """by owner and hashed key, what could not be written: a retry is answered all the same"""
        self._held: dict[tuple[str, str], _Held] = {}
        self._holding = threading.Lock()  # of the one above; held for microseconds
        super().__init__(path)

    def _prepare(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version == _SCHEMA_VERSION:
            return
        known = []
        if version == _BEFORE_OWNERS:
            known = self._db.execute("SELECT key, memory, digest, answer, at FROM requests").fetchall()
        self._db.executescript(_SCHEMA)
        self._write((LOCAL.id, *row) for row in known)

    def of(self, owner: str) -> OwnKeys:
        """The keys of one principal."""
        return OwnKeys(self, owner)

    @contextmanager
    def held(self, owner: str, key: str) -> Iterator[None]:
        place = (owner, _hashed(key))
        with self._holding:
            held = self._held.setdefault(place, _Held())
            held.users += 1
        try:
            with held.lock:
                yield
        finally:
            with self._holding:
                held.users -= 1
                if not held.users:
                    del self._held[place]

    def find(self, owner: str, key: str, digest: str) -> Payload | None:
        place = (owner, _hashed(key))
        with self._lock:
            unwritten = self._unwritten.get(place)
            row = (
                unwritten[2:5]
                if unwritten is not None
                else self._db.execute(
                    "SELECT memory, digest, answer FROM keys WHERE owner = ? AND key = ?", place
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

    def keep(self, owner: str, key: str, memory_id: str, digest: str, answer: Payload) -> str | None:
        row = (owner, _hashed(key), memory_id, digest, json.dumps(answer, ensure_ascii=False), time.time())
        with self._lock:
            try:
                with self.transaction():
                    self._write([row])
            except StateUnwritable:
                self._unwritten[row[:2]] = row
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

    def _write(self, kept: Iterable[_Kept]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, ?, ?)", kept)
        [(rows,)] = self._db.execute("SELECT count(*) FROM keys")
        if rows > _KEPT + _TRIM_EVERY:
            self._db.execute(
                "DELETE FROM keys WHERE rowid NOT IN (SELECT rowid FROM keys ORDER BY at DESC LIMIT ?)",
                (_KEPT,),
            )

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """What stays is that the keys were used: a retry that comes late must not write the memory again."""
        with self._lock:
            for place, (owner, key, memory_id, _, _, at) in list(self._unwritten.items()):
                if memory_id in memory_ids:
                    self._unwritten[place] = (owner, key, memory_id, _ERASED, "{}", at)
            with self.transaction():
                self._db.executemany(
                    "UPDATE keys SET digest = ?, answer = '{}' WHERE memory = ?",
                    ((_ERASED, one) for one in memory_ids),
                )
            return self.empty_log()


@dataclass(frozen=True)
class OwnKeys:
    """The keys of one principal."""

    _keys: IdempotencyKeys
    _owner: str

    def of_vault(self) -> OwnKeys:
        """For what is kept once in the vault, whoever speaks of it."""
        return replace(self, _owner=LOCAL.id)

    def held(self, key: str) -> AbstractContextManager[None]:
        """From looking a key up to keeping what was done under it: of two at once one finds the other's answer."""
        return self._keys.held(self._owner, key)

    def find(self, key: str, digest: str) -> Payload | None:
        """The answer that was given under this key. The same key for something else is a mistake of the caller's."""
        return self._keys.find(self._owner, key, digest)

    def keep(self, key: str, memory_id: str, digest: str, answer: Payload) -> str | None:
        """Says so when the answer is only in memory, because the disk is full."""
        return self._keys.keep(self._owner, key, memory_id, digest, answer)

    def in_note(self, key: str) -> str:
        """The key as a note has it that was created under it."""
        return key if self._owner == LOCAL.id else f"{self._owner}:{key}"


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


def with_degraded(answer: Answer, more: str | None) -> Answer:
    """The answer, and one thing more that was not done of what was asked."""
    reasons = [reason for reason in (answer.get("degraded"), more) if reason]
    return cast(Answer, {**answer, "degraded": ". ".join(reasons)}) if reasons else answer


def digest_of(verb: str, arguments: Mapping[str, Any]) -> str:
    canonical = json.dumps([verb, arguments], sort_keys=True, ensure_ascii=False, default=list)
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()
