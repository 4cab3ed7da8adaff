"""The files of assets as verbs reach them: of notes that they have seen, and no larger than the settings say."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from helix.vault.asset_files import AssetFiles


class SharedFiles:
    """`sees` says whether who asks sees the note: of others no file is found, and none kept."""

    def __init__(self, files: AssetFiles, most_bytes: int, sees: Callable[[str], bool]) -> None:
        self._files = files
        self._sees = sees
        self.most_bytes = most_bytes

    def keep(self, memory_id: str, data: bytes) -> str:
        return self._files.keep(memory_id, data) if self._sees(memory_id) else self.hash_of(data)

    def find(self, memory_id: str, digest: str) -> bytes | None:
        return self._files.find(memory_id, digest) if self._sees(memory_id) else None

    @staticmethod
    def hash_of(data: bytes) -> str:
        return hashlib.sha256(data).hexdigest()
