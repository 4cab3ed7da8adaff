"""What was asked under which idempotency key, so that a retry is answered and not done again.

A file in the state folder. When it is lost the key in the memory's own frontmatter still says what was created.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from typing import Any

from helix.errors import BadValue, KeyReused, SecretRefused
from helix.memory.judgement.secrets import find_secret
from helix.memory.tokens import Payload
from helix.vault.database import StateDatabase

_KEPT = 20_000
_TRIM_EVERY = 500
_LONGEST_KEY = 200


class Requests(StateDatabase):
    def _prepare(self) -> None:
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS requests"
            " (key TEXT PRIMARY KEY, digest TEXT NOT NULL, answer TEXT NOT NULL, at REAL NOT NULL)"
        )

    def find(self, key: str, digest: str) -> Payload | None:
        """The answer that was given under this key. The same key for something else is a mistake of the caller's."""
        with self._lock:
            row = self._db.execute("SELECT digest, answer FROM requests WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        if row[0] != digest:
            raise KeyReused(f"the idempotency key {key!r} was used for something else; take a new key")
        return dict(json.loads(row[1]))

    def keep(self, key: str, digest: str, answer: Payload) -> None:
        said = json.dumps(answer, ensure_ascii=False)
        with self._lock:
            self._db.execute(
                "INSERT OR REPLACE INTO requests VALUES (?, ?, ?, ?)", (key, digest, said, time.time())
            )
            [(rows,)] = self._db.execute("SELECT count(*) FROM requests")
            if rows > _KEPT + _TRIM_EVERY:
                self._db.execute(
                    "DELETE FROM requests WHERE key NOT IN (SELECT key FROM requests ORDER BY at DESC LIMIT ?)",
                    (_KEPT,),
                )


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


def digest_of(verb: str, said: Mapping[str, Any]) -> str:
    canonical = json.dumps([verb, said], sort_keys=True, ensure_ascii=False, default=list)
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()
