"""Changing memories for somebody who sees a part: nothing else is touched, and nothing is put out of their sight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from helix.errors import BadValue
from helix.index.catalog import Row
from helix.index.facets import session_of
from helix.index.filters import HasFacets
from helix.memory.principal import Allows
from helix.memory.reading.memory_versions import MemoryVersions
from helix.memory.reading.view import View
from helix.memory.writing.store import Edit, Stored
from helix.memory.writing.vault_store import VaultStore
from helix.vault.new_memory import NewMemory
from helix.vault.note import Note


@dataclass(frozen=True)
class _Would:
    """A memory as it would be."""

    id: str
    status: str
    kind: str
    scope: str
    project: str | None
    tags: Sequence[str]
    session: str | None
    created: datetime | None = None


class NarrowedStore:
    def __init__(self, store: VaultStore, view: View, versions: MemoryVersions, allows: Allows) -> None:
        self._store = store
        self._view = view
        self._versions = versions
        self._allows = allows

    def has_had_text(self, memory_id: str, body: str) -> bool:
        return self._store.has_had_text(self._seen(memory_id), body)

    def is_born(self, memory_id: str, new: NewMemory) -> bool:
        return self._allows(_born(new)) and self._store.is_born(memory_id, new)

    def add(self, new: NewMemory, *, supersedes: Sequence[str] = ()) -> Stored:
        self._check(_born(new))
        return self._store.add(new, supersedes=[self._seen(memory_id) for memory_id in supersedes])

    def change(self, memory_id: str, change: Callable[[Note], Edit | None]) -> Stored:
        def checked(note: Note) -> Edit | None:
            wanted = change(note)
            if wanted is not None:
                self._check(_edited(note, wanted))
            return wanted

        return self._store.change(self._seen(memory_id), checked)

    def edit(
        self,
        memory_id: str,
        wanted: Edit,
        *,
        based_on: str,
        may_merge: bool = True,
        on_merge: Callable[[], None] = lambda: None,
    ) -> Stored:
        self._check(_edited(self._view.get(memory_id), wanted))
        return self._store.edit(
            self._seen(memory_id), wanted, based_on=based_on, may_merge=may_merge, on_merge=on_merge
        )

    def forget(self, memory_id: str) -> Stored:
        return self._store.forget(self._seen(memory_id))

    def supersede(self, memory_id: str) -> Stored:
        return self._store.supersede(self._seen(memory_id))

    def erase(self, memory_id: str) -> Stored:
        return self._store.erase(self._seen(memory_id))

    def merge(self, memory_id: str) -> Stored:
        return self._store.merge(self._seen(memory_id))

    def restore(self, memory_id: str, *, at: str | None = None) -> Stored:
        """Of one that is there: a file that was deleted is nobody's."""
        seen = self._seen(memory_id)
        if at is not None:
            self._versions.at(seen, ref=at)
        return self._store.restore(seen, at=at)

    def _seen(self, memory_id: str) -> str:
        return self._view.row(memory_id).id

    def _check(self, memory: HasFacets) -> None:
        if not self._allows(memory):
            raise BadValue("nothing is written where you could not read it again; name a place that you see")


def _born(new: NewMemory) -> _Would:
    return _Would(
        "", "active", new.kind, new.scope, new.project, new.tags, session_of(_mapping(new.more.get("source")))
    )


def _edited(note: Note, wanted: Edit) -> _Would:
    """The memory with what an edit says of its place and kind; where it takes a thing away, nothing is there."""
    memory, changes = note.memory, wanted.changes

    def after(name: str, before: Any) -> Any:
        value = changes.get(name, before)
        return value if isinstance(value, str | list | tuple | dict) else None

    return _Would(
        memory.id,
        memory.status,
        after("kind", memory.kind) or "",
        after("scope", memory.scope) or "",
        after("project", memory.project),
        after("tags", memory.tags) or (),
        session_of(_mapping(changes.get("source", memory.source))),
        Row.of(note).created,
    )


def _mapping(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, dict) else None
