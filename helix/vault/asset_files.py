"""The files of assets: `assets/<id of the note>/<hash>.asset`, never changed, and never named as somebody says.

Named by what is in them, so that no two machines can write one differently, and that nobody opens or runs one by its
name. What a file is called, and which of several counts, says the note.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from helix.errors import AlreadyExists, StorageError, TooLarge
from helix.vault import ids
from helix.vault.files import Files, Write
from helix.vault.paths import Root

FOLDER = "assets"
_LARGEST = 64 * 1024 * 1024
_HASH = re.compile(r"[0-9a-f]{64}")


class AssetFiles:
    def __init__(self, root: Root) -> None:
        self._root = root
        self._files = Files(root)

    def keep(self, memory_id: str, data: bytes) -> str:
        """Durable when it returns: the hash of it."""
        digest = hashlib.sha256(data).hexdigest()
        if self.find(memory_id, digest) != data:
            self._drop(memory_id, digest)  # a torn one, or one that somebody changed
            with contextlib.suppress(AlreadyExists):
                self._files.write(Write(_path(memory_id, digest), data, None))
        return digest

    def find(self, memory_id: str, digest: str) -> bytes | None:
        """None where it is not there (yet), or is not what it was."""
        if not ids.is_usable(memory_id) or not _HASH.fullmatch(digest):
            return None
        try:
            data = self._root.read(_path(memory_id, digest), _LARGEST)
        except (FileNotFoundError, TooLarge):
            return None
        return data if hashlib.sha256(data).hexdigest() == digest else None

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """Every version of them. Whether nothing is left."""
        folder = Path(self._root.path, FOLDER)
        if folder.is_symlink() or not folder.is_dir():
            return True
        for memory_id in filter(ids.is_usable, memory_ids):
            place = folder / memory_id
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
        return True

    def _drop(self, memory_id: str, digest: str) -> None:
        path = Path(self._root.path, _path(memory_id, digest))
        if any(one.is_symlink() for one in (path, path.parent, path.parent.parent)):
            raise StorageError(f"{_path(memory_id, digest)} lies behind a link, and links are not followed")
        path.unlink(missing_ok=True)


def _path(memory_id: str, digest: str) -> str:
    return f"{FOLDER}/{memory_id}/{digest}.asset"
