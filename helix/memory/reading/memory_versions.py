"""What git knows of one memory: its versions, one of them, and what differs between two."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from helix.errors import MemoryErased
from helix.index.catalog import Catalog, Row
from helix.memory.principal import Allows
from helix.memory.reading.vault_view import not_found
from helix.memory.reading.view import View
from helix.vault.history import History
from helix.vault.history import Version as Version
from helix.vault.note import Note
from helix.vault.vault import Vault


class MemoryVersions(Protocol):
    def check(self, memory_id: str) -> None:
        """Raises MemoryNotFound for one whose past is not for who asks."""

    def list(self, memory_id: str, limit: int | None = None) -> Sequence[Version]: ...

    def at(
        self, memory_id: str, *, when: datetime | None = None, ref: str | None = None
    ) -> tuple[Version, Note]: ...

    def diff(self, memory_id: str, old: str, new: str | None = None) -> str: ...


class GitVersions:
    """Of every memory, also of one whose file is gone."""

    def __init__(self, vault: Vault, catalog: Catalog) -> None:
        self._vault = vault
        self._catalog = catalog

    def check(self, memory_id: str) -> None:
        return

    def list(self, memory_id: str, limit: int | None = None) -> Sequence[Version]:
        memory_id, path = self._whereabouts(memory_id)
        return self._history().versions(memory_id, path, limit)

    def at(
        self, memory_id: str, *, when: datetime | None = None, ref: str | None = None
    ) -> tuple[Version, Note]:
        memory_id, path = self._whereabouts(memory_id)
        version, data = self._history().at(memory_id, path, when=when, ref=ref)
        return version, Note.parse(version.path, data, self._vault.folder_of(version.path))

    def diff(self, memory_id: str, old: str, new: str | None = None) -> str:
        memory_id, path = self._whereabouts(memory_id)
        if self._vault.ancestry.erased_at(memory_id) is not None:
            raise MemoryErased(f"{memory_id} was erased for good; `git log -p` has what was committed of it")
        return self._history().diff(memory_id, path, old, new)

    def _whereabouts(self, memory_id: str) -> tuple[str, str]:
        """Id and path; a memory whose file is gone is looked for in the past by its id, and first at its birth name."""
        row = self._catalog.find_folded(memory_id)
        return (memory_id, f"{memory_id}.md") if row is None else (row.id, row.path)

    def _history(self) -> History:
        return History.get(Path(self._vault.root.path))


class NarrowedVersions:
    """Of memories that are seen now, and of what they said as far as that would be seen too."""

    def __init__(self, versions: GitVersions, view: View, allows: Allows) -> None:
        self._versions = versions
        self._view = view
        self._allows = allows

    def check(self, memory_id: str) -> None:
        self._view.row(memory_id)

    def list(self, memory_id: str, limit: int | None = None) -> Sequence[Version]:
        return self._versions.list(self._view.row(memory_id).id, limit)

    def at(
        self, memory_id: str, *, when: datetime | None = None, ref: str | None = None
    ) -> tuple[Version, Note]:
        version, note = self._versions.at(self._view.row(memory_id).id, when=when, ref=ref)
        if not self._allows(Row.of(note)):
            raise not_found(memory_id, version.commit)
        return version, note

    def diff(self, memory_id: str, old: str, new: str | None = None) -> str:
        memory_id = self._view.row(memory_id).id
        for revision in (old, new):
            if revision is not None:
                self.at(memory_id, ref=revision)
        return self._versions.diff(memory_id, old, new)
