"""Memories as files: every change that Helix makes to one, and what makes the catalog follow it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from helix.errors import HelixError, MemoryErased, MemoryNotFound, NoteError, StaleHash
from helix.follow.group_commit import TakeIn
from helix.index.catalog import Catalog, Row
from helix.memory.reading.memory_versions import GitVersions
from helix.memory.writing.store import Stored
from helix.vault import frontmatter
from helix.vault.authors import HELIX, acting
from helix.vault.edit import REMOVE, Remove
from helix.vault.files import Write
from helix.vault.folding import merge_copies
from helix.vault.frontmatter import Document
from helix.vault.new_memory import NewMemory, home_of
from helix.vault.note import Note, status_of
from helix.vault.ownership import PRIVATE
from helix.vault.vault import Edit, Vault
from helix.vault.yaml_load import Value

# What a record keeps of its present when its past is brought back.
_NEVER_TURNED_BACK = frozenset(
    {"id", "rev", "created_at", "updated_at", "deleted_at", "restored_at", "status", "owner", "visibility"}
)


class VaultStore:
    def __init__(self, vault: Vault, catalog: Catalog, take_in: TakeIn) -> None:
        self._vault = vault
        self._catalog = catalog
        self._take_in = take_in
        self._versions = GitVersions(vault, catalog)

    # Reading

    def get(self, memory_id: str) -> Note:
        return self._vault.read(self._row(memory_id).path)

    def list(self, *, include_hidden: bool = False) -> Sequence[Row]:
        return self._catalog.memories(include_hidden=include_hidden)

    def has_had_text(self, memory_id: str, body: str) -> bool:
        row, ancestry = self._row(memory_id), self._vault.ancestry
        with suppress(NoteError, FileNotFoundError):
            if self._vault.read(row.path).document.body.strip() == body.strip():
                return True
        return any(one.body.strip() == body.strip() for one in ancestry.texts(row.id))

    def is_born(self, memory_id: str, new: NewMemory) -> bool:
        try:
            note = self._vault.read(f"{home_of(new)}/{memory_id}.md")
        except (FileNotFoundError, HelixError):
            return False
        return note.id == memory_id and status_of(note.meta) != "deleted" and not note.is_erased

    # Writing

    def add(self, new: NewMemory, *, supersedes: Sequence[str] = ()) -> Stored:
        old = [self._row(memory_id) for memory_id in supersedes]
        named = (*new.edges.get("supersedes", ()), *(row.id for row in old))
        edges = {**new.edges, "supersedes": list(dict.fromkeys(named))}
        [note] = self._vault.create([replace(new, edges=edges)], self._catalog.is_taken)
        for row in old:
            with suppress(MemoryErased):  # a moment ago; the new one stands all the same
                self._vault.supersede(row.path, row.id)
        return Stored(note, self._take_in([note.path, *(row.path for row in old)]))

    def change(self, memory_id: str, change: Callable[[Note], Edit | None]) -> Stored:
        row = self._row(memory_id)
        return self._stored(self._vault.edit(row.path, row.id, change))

    def edit(
        self,
        memory_id: str,
        wanted: Edit,
        *,
        based_on: str,
        may_merge: bool = True,
        on_merge: Callable[[], None] = lambda: None,
    ) -> Stored:
        row = self._row(memory_id)
        return self._stored(
            self._vault.update(
                row.path, row.id, wanted, based_on=based_on, may_merge=may_merge, on_merge=on_merge
            )
        )

    def revise(self, memory_id: str, text: Document, *, based_on: Document) -> Stored:
        row = self._row(memory_id)
        return self._stored(self._vault.revise(row.path, row.id, text, based_on=based_on))

    def forget(self, memory_id: str) -> Stored:
        row = self._row(memory_id)
        return self._stored(self._vault.forget(row.path, row.id))

    def set_members(self, memory_id: str, owner: str | None, members: Sequence[str]) -> Stored:
        names: list[Value] = list(members)
        return self.change(
            memory_id, lambda _: Edit({"owner": REMOVE if owner is None else owner, "members": names})
        )

    def forget_project(self, memory_id: str) -> Stored:
        return self.forget_of_project(memory_id, memory_id)

    def forget_of_project(self, memory_id: str, project_id: str) -> Stored:
        self.change(memory_id, lambda _: Edit({"visibility": PRIVATE}))
        return self.forget(memory_id)

    def supersede(self, memory_id: str) -> Stored:
        row = self._row(memory_id)
        return self._stored(self._vault.supersede(row.path, row.id))

    def erase(self, memory_id: str) -> Stored:
        row = self._row(memory_id)
        note = self._vault.erase(row.path, row.id)
        copies = self._copies(row.id)
        if len(copies) > 1:
            # The erasure stands. Copies that cannot be read now, moved or changed a moment ago are erased when
            # the follower sees them.
            with suppress(StaleHash, NoteError, FileNotFoundError):
                merge_copies(self._vault, row.id, copies)
        degraded = self._take_in(copies)
        if degraded is not None:
            degraded += ". Until then the state folder holds words of what was erased; the file does not"
        return Stored(note, degraded)

    def merge(self, memory_id: str) -> Stored:
        row = self._row(memory_id)
        copies = self._copies(row.id)
        if len(copies) < 2:
            return Stored(self._vault.read(row.path))
        merged = merge_copies(self._vault, row.id, copies)
        return Stored(merged.survivor, self._take_in([*copies, merged.survivor.path]))

    def restore(self, memory_id: str, *, at: str | None = None, among: Sequence[Row] | None = None) -> Stored:
        """Superseded still, if one of `among` says so; of all there are, unless somebody sees a part."""
        if at is not None:
            return self._restore_from(memory_id, at)
        row = self._row(memory_id)
        others = self.list() if among is None else [other for other in among if other.status == "active"]
        replaced = any(row.id in other.edges.get("supersedes", ()) for other in others)
        return self._stored(
            self._vault.restore(row.path, row.id, status="superseded" if replaced else "active")
        )

    def adopt(self, memory_id: str) -> Stored:
        row = self._row(memory_id)
        with acting(HELIX):
            return self._stored(self._vault.adopt(row.path, row.id))

    def _restore_from(self, memory_id: str, revision: str) -> Stored:
        version, past = self._versions.at(memory_id, ref=revision)
        row = self._catalog.find_folded(memory_id)
        if self._vault.ancestry.erased_at(past.id) is not None:
            raise MemoryErased(
                f"{past.id} was erased for good; `git show {version.short}:{version.path}` has its text"
            )
        if row is None:
            # The file itself was deleted: it comes back where it was.
            self._vault.files.write(Write(version.path, frontmatter.emit(past.document), None))
            self._take_in([version.path])
            row = self._row(memory_id)
        note = self._vault.edit(row.path, row.id, lambda now: _turn_back(now, past))
        if status_of(note.meta) == "deleted":
            note = self._vault.restore(row.path, row.id)
        return self._stored(note)

    # Parts

    def _row(self, memory_id: str) -> Row:
        row = self._catalog.find_folded(memory_id)
        if row is not None and not self._vault.root.exists(row.path):
            # Moved a moment ago: the catalog may not know where to yet.
            self._take_in([row.path])
            row = self._catalog.find_folded(memory_id)
        if row is None:
            raise MemoryNotFound(
                f"there is no memory {memory_id[:200]!r}; `helix recent` shows those there are"
            )
        return row

    def _copies(self, memory_id: str) -> Sequence[str]:
        """The files that carry an id and can be read."""
        rows = self._catalog.rows_of(memory_id)
        return [row.path for row in rows if not row.is_stub and not row.is_stale]

    def _stored(self, note: Note) -> Stored:
        return Stored(note, self._take_in([note.path]))


def _turn_back(now: Note, past: Note) -> Edit | None:
    changes: dict[str, Value | Remove] = {}
    for key in dict.fromkeys((*past.meta, *now.meta)):
        if key not in _NEVER_TURNED_BACK and now.meta.get(key, REMOVE) != past.meta.get(key, REMOVE):
            changes[key] = past.meta.get(key, REMOVE)
    if not changes and now.document.body == past.document.body:
        return None
    return Edit(changes, past.document.body)
