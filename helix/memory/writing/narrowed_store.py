"""Changing memories for somebody who sees a part: nothing else is touched, and nothing is put out of their sight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from helix.errors import BadValue, Forbidden, NotYours
from helix.index.catalog import Row
from helix.index.facets import session_of
from helix.index.filters import HasFacets, predicate_of
from helix.memory.membership import is_project_note, members_of
from helix.memory.principal import Wall
from helix.memory.publishing.followed import PERMISSION as PUBLISHING
from helix.memory.publishing.followed import is_followed
from helix.memory.reading.memory_versions import MemoryVersions
from helix.memory.reading.view import View
from helix.memory.writing.store import Edit, Stored
from helix.memory.writing.vault_store import VaultStore
from helix.vault.edit import REMOVE
from helix.vault.new_memory import NewMemory
from helix.vault.note import Note
from helix.vault.ownership import FOR_PROJECT, PRIVATE, ownership_of
from helix.vault.yaml_load import Value


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
    owner: str | None
    visibility: str
    created: datetime | None = None


class NarrowedStore:
    def __init__(
        self,
        store: VaultStore,
        view: View,
        versions: MemoryVersions,
        wall: Wall,
        user: str | None,
        *,
        may_publish: bool = False,
    ) -> None:
        self._store = store
        self._view = view
        self._versions = versions
        self._allows = predicate_of(wall.sees)
        self._may_change = predicate_of(wall.changes)
        self._owns = predicate_of(wall.owns)
        self._is_of_member = predicate_of(wall.member_of)
        self._user = user
        self._may_publish = may_publish

    def has_had_text(self, memory_id: str, body: str) -> bool:
        return self._store.has_had_text(self._seen(memory_id), body)

    def is_born(self, memory_id: str, new: NewMemory) -> bool:
        return self._allows(_born(new)) and self._store.is_born(memory_id, new)

    def add(self, new: NewMemory, *, supersedes: Sequence[str] = ()) -> Stored:
        self._check(_born(new))
        if not is_project_note(new.kind, new.more.get("name")):
            self._check_shared(_born(new))
        return self._store.add(new, supersedes=[self._own(memory_id) for memory_id in supersedes])

    def change(self, memory_id: str, change: Callable[[Note], Edit | None]) -> Stored:
        def checked(note: Note) -> Edit | None:
            wanted = change(note)
            if wanted is not None:
                # The file may say something else by now than the catalog knows.
                self._check_change(Row.of(note))
                self._check_edit(note, wanted)
            return wanted

        return self._store.change(self._own(memory_id), checked)

    def edit(
        self,
        memory_id: str,
        wanted: Edit,
        *,
        based_on: str,
        may_merge: bool = True,
        on_merge: Callable[[], None] = lambda: None,
    ) -> Stored:
        self._check_edit(self._view.get(memory_id), wanted)
        return self._store.edit(
            self._own(memory_id), wanted, based_on=based_on, may_merge=may_merge, on_merge=on_merge
        )

    def forget(self, memory_id: str) -> Stored:
        return self._store.forget(self._own(memory_id))

    def set_members(self, memory_id: str, owner: str | None, members: Sequence[str]) -> Stored:
        row = self._view.row(memory_id)
        leaves = owner == row.owner and {*members_of(row.extra)} - {*members} == {self._user}
        if not self._owns(row) and not (leaves and {*members} <= {*members_of(row.extra)}):
            raise NotYours("only its owner says who is a member of a project, and everybody may leave")
        return self._store.set_members(row.id, owner, members)

    def forget_project(self, memory_id: str) -> Stored:
        row = self._view.row(memory_id)
        if not self._owns(row):
            raise NotYours("only its owner deletes a project")
        return self._store.forget_project(row.id)

    def forget_of_project(self, memory_id: str, project_id: str) -> Stored:
        memory, note = self._view.row(memory_id), self._view.row(project_id)
        if not self._owns(note) or note.extra.get("name") != memory.project:
            raise NotYours("only its owner deletes a project")
        return self._store.forget_of_project(self._own(memory.id), note.id)

    def supersede(self, memory_id: str) -> Stored:
        return self._store.supersede(self._own(memory_id))

    def erase(self, memory_id: str) -> Stored:
        return self._store.erase(self._own(memory_id))

    def merge(self, memory_id: str) -> Stored:
        return self._store.merge(self._own(memory_id))

    def restore(self, memory_id: str, *, at: str | None = None) -> Stored:
        """Of one that is there: a file that was deleted is nobody's."""
        own = self._own(memory_id)
        if at is not None:
            _, past = self._versions.at(own, ref=at)
            # As it would be: of the present it keeps its owner, and for whom it is.
            back = {key: past.meta.get(key, REMOVE) for key in ("scope", "project", "filed", "kind")}
            self._check_edit(self._view.get(own), Edit(back))
        return self._store.restore(own, at=at, among=self._view.everything())

    def _seen(self, memory_id: str) -> str:
        return self._view.row(memory_id).id

    def _own(self, memory_id: str) -> str:
        row = self._view.row(memory_id)
        self._check_change(row)
        return row.id

    def _check_change(self, row: Row) -> None:
        if not self._may_change(row):
            raise NotYours(
                f"{row.id} is there for you to read; its owner changes it, or a member of its project"
            )
        self._check_followed(row)
        if is_project_note(row.kind, row.extra.get("name")):
            raise NotYours(f"{row.id} says who is a member of a project; share, leave or delete the project")

    def _check_edit(self, note: Note, wanted: Edit) -> None:
        if "visibility" in wanted.changes and not self._owns(Row.of(note)):
            raise NotYours(f"only the owner of {note.id} says for whom it is")
        before, after = Row.of(note), _edited(note, wanted)
        self._check(after)
        if (before.project, before.visibility) != (after.project, after.visibility):
            self._check_shared(after)

    def _check_shared(self, memory: HasFacets) -> None:
        """What others are to see is put before them by one of them."""
        if memory.visibility == FOR_PROJECT and not self._is_of_member(memory):
            raise BadValue(f"you are no member of the project {memory.project!r}; keep it private")

    def _check_followed(self, memory: HasFacets) -> None:
        """What others are to follow or to use is put before them by who may publish."""
        if memory.visibility != PRIVATE and not self._may_publish and is_followed(memory.kind, memory.tags):
            raise Forbidden(
                f"a {memory.kind} that others follow or use needs the permission {PUBLISHING!r}, and the key that was "
                "shown is not good for it; keep it private"
            )

    def _check(self, memory: HasFacets) -> None:
        self._check_followed(memory)
        if not self._allows(memory):
            raise BadValue("nothing is written where you could not read it again; name a place that you see")


def _born(new: NewMemory) -> _Would:
    return _Would(
        "", "active", new.kind, new.scope, new.project, new.tags, session_of(_mapping(new.more.get("source"))),
        *ownership_of(new.more, new.scope, new.project),
    )  # fmt: skip


def _edited(note: Note, wanted: Edit) -> _Would:
    """The memory with what an edit says of its place and kind; where it takes a thing away, nothing is there."""
    memory, changes = note.memory, wanted.changes

    def after(name: str, before: Any) -> Any:
        value = changes.get(name, before)
        return value if isinstance(value, str | list | tuple | dict) else None

    scope, project = after("scope", memory.scope) or "", after("project", memory.project)
    meta: dict[str, Value] = {
        key: value for key, value in {**note.meta, **changes}.items() if value is not REMOVE
    }
    return _Would(
        memory.id,
        memory.status,
        after("kind", memory.kind) or "",
        scope,
        project,
        after("tags", memory.tags) or (),
        session_of(_mapping(changes.get("source", memory.source))),
        *ownership_of(meta, scope, project, note.folder),
        Row.of(note).created,
    )


def _mapping(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, dict) else None
