"""What can be done with memories, in the words of the product. Every surface calls this."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from helix.errors import HelixError, MemoryErased, MemoryNotFound, NoteError, StaleHash
from helix.index.catalog import Catalog, Row
from helix.vault import frontmatter
from helix.vault.authors import HELIX, acting
from helix.vault.edit import REMOVE, Remove
from helix.vault.files import Write
from helix.vault.folding import merge_copies
from helix.vault.frontmatter import Document
from helix.vault.history import History, Version
from helix.vault.load import Value
from helix.vault.new_memory import NewMemory, home_of
from helix.vault.note import Note, status_of
from helix.vault.vault import Edit, Vault

# What a record keeps of its present when its past is brought back.
_NEVER_TURNED_BACK = frozenset(
    {"id", "rev", "created_at", "updated_at", "deleted_at", "restored_at", "status"}
)

Took = Callable[[Sequence[str]], str | None]
"""makes the catalog follow what was just written, before the caller gets its answer; says why it could not, if so"""


class Memories:
    def __init__(self, vault: Vault, catalog: Catalog, took: Took) -> None:
        self._vault = vault
        self._catalog = catalog
        self._take = took
        self._answered = threading.local()

    # Reading

    def get(self, memory_id: str) -> Note:
        return self._vault.read(self._row(memory_id).path)

    def list(self, *, include_hidden: bool = False) -> Sequence[Row]:
        return self._catalog.memories(include_hidden=include_hidden)

    def has_said(self, memory_id: str, body: str) -> bool:
        """Whether a text is what a memory says, or said in a state that is still known."""
        row, ancestry = self._row(memory_id), self._vault.ancestry
        with suppress(NoteError, FileNotFoundError):
            if self._vault.read(row.path).document.body.strip() == body.strip():
                return True
        return any(one.body.strip() == body.strip() for one in ancestry.texts(row.id))

    def is_born(self, memory_id: str, new: NewMemory) -> bool:
        """Whether a new memory stands in its file, for one that the catalog could not take in yet."""
        try:
            note = self._vault.read(f"{home_of(new)}/{memory_id}.md")
        except (FileNotFoundError, HelixError):
            return False
        return note.id == memory_id and status_of(note.meta) != "deleted" and not note.is_erased

    # Writing

    def add(self, new: NewMemory, *, supersedes: Sequence[str] = ()) -> Note:
        """A new memory; those that it supersedes are flipped once it is safe on disk."""
        old = [self._row(memory_id) for memory_id in supersedes]
        named = (*new.edges.get("supersedes", ()), *(row.id for row in old))
        edges = {**new.edges, "supersedes": list(dict.fromkeys(named))}
        [note] = self._vault.create([replace(new, edges=edges)], self._catalog.is_taken)
        for row in old:
            with suppress(MemoryErased):  # a moment ago; the new one stands all the same
                self._vault.supersede(row.path, row.id)
        self._took([note.path, *(row.path for row in old)])
        return note

    def change(self, memory_id: str, change: Callable[[Note], Edit | None]) -> Note:
        """Change the memory as it is now; None from `change` means that nothing is to do."""
        row = self._row(memory_id)
        return self._taken(self._vault.edit(row.path, row.id, change))

    def edit(
        self,
        memory_id: str,
        wanted: Edit,
        *,
        based_on: str,
        may_merge: bool = True,
        on_merge: Callable[[], None] = lambda: None,
    ) -> Note:
        row = self._row(memory_id)
        return self._taken(
            self._vault.update(
                row.path, row.id, wanted, based_on=based_on, may_merge=may_merge, on_merge=on_merge
            )
        )

    def revise(self, memory_id: str, text: Document, *, based_on: Document) -> Note:
        row = self._row(memory_id)
        return self._taken(self._vault.revise(row.path, row.id, text, based_on=based_on))

    def forget(self, memory_id: str) -> Note:
        row = self._row(memory_id)
        return self._taken(self._vault.forget(row.path, row.id))

    def supersede(self, memory_id: str) -> Note:
        row = self._row(memory_id)
        return self._taken(self._vault.supersede(row.path, row.id))

    def erase(self, memory_id: str) -> Note:
        row = self._row(memory_id)
        note = self._vault.erase(row.path, row.id)
        copies = [
            copy.path for copy in self._catalog.rows_of(row.id) if not copy.is_stub and not copy.is_stale
        ]
        if len(copies) > 1:
            # The erasure stands. Copies that cannot be read now, moved or changed a moment ago are erased when
            # the follower sees them.
            with suppress(StaleHash, NoteError, FileNotFoundError):
                merge_copies(self._vault, row.id, copies)
        self._took(copies)
        if self.degraded:
            until = "Until then the state folder holds words of what was erased; the file does not"
            self._answered.degraded = f"{self.degraded}. {until}"
        return note

    def merge(self, memory_id: str) -> Note:
        """Fold the files that carry this memory's id into one, as the follower does when they are quiet."""
        row = self._row(memory_id)
        copies = [
            copy.path for copy in self._catalog.rows_of(row.id) if not copy.is_stub and not copy.is_stale
        ]
        if len(copies) < 2:
            return self._vault.read(row.path)
        merged = merge_copies(self._vault, row.id, copies)
        self._took([*copies, merged.survivor.path])
        return merged.survivor

    def restore(self, memory_id: str, *, at: str | None = None) -> Note:
        """Undo a forget; with `at` also turn the text back to a git revision."""
        if at is not None:
            return self._restore_from(memory_id, at)
        row = self._row(memory_id)
        replaced = any(row.id in other.meta.get("edges", {}).get("supersedes", ()) for other in self.list())
        return self._taken(
            self._vault.restore(row.path, row.id, status="superseded" if replaced else "active")
        )

    def adopt(self, memory_id: str) -> Note:
        row = self._row(memory_id)
        with acting(HELIX):
            return self._taken(self._vault.adopt(row.path, row.id))

    # The past

    def versions(self, memory_id: str, limit: int | None = None) -> Sequence[Version]:
        memory_id, path = self._whereabouts(memory_id)
        return self._history().versions(memory_id, path, limit)

    def as_of(
        self, memory_id: str, *, when: datetime | None = None, ref: str | None = None
    ) -> tuple[Version, Note]:
        memory_id, path = self._whereabouts(memory_id)
        version, data = self._history().at(memory_id, path, when=when, ref=ref)
        return version, Note.parse(version.path, data)

    def diff(self, memory_id: str, old: str, new: str | None = None) -> str:
        memory_id, path = self._whereabouts(memory_id)
        if self._vault.ancestry.erased_at(memory_id) is not None:
            raise MemoryErased(f"{memory_id} was erased for good; `git log -p` has what was committed of it")
        return self._history().diff(memory_id, path, old, new)

    def _restore_from(self, memory_id: str, revision: str) -> Note:
        version, past = self.as_of(memory_id, ref=revision)
        row = self._catalog.find_folded(memory_id)
        if self._vault.ancestry.erased_at(past.id) is not None:
            raise MemoryErased(
                f"{past.id} was erased for good; `git show {version.short}:{version.path}` has its text"
            )
        if row is None:
            # The file itself was deleted: it comes back where it was.
            self._vault.files.write(Write(version.path, frontmatter.emit(past.document), None))
            self._took([version.path])
            row = self._row(memory_id)
        note = self._vault.edit(row.path, row.id, lambda now: _turn_back(now, past))
        if status_of(note.meta) == "deleted":
            note = self._vault.restore(row.path, row.id)
        return self._taken(note)

    # Parts

    def _row(self, memory_id: str) -> Row:
        row = self._catalog.find_folded(memory_id)
        if row is not None and not self._vault.root.exists(row.path):
            self._took([row.path])  # moved a moment ago: the catalog may not know where to yet
            row = self._catalog.find_folded(memory_id)
        if row is None:
            raise MemoryNotFound(
                f"there is no memory {memory_id[:200]!r}; `helix recent` shows those there are"
            )
        return row

    def _took(self, paths: Sequence[str]) -> None:
        self._answered.degraded = self._take(paths)

    @property
    def degraded(self) -> str | None:
        """Why the last write of this thread cannot be found yet, though it is safe on disk; None when it can."""
        return getattr(self._answered, "degraded", None)

    def _taken(self, note: Note) -> Note:
        self._took([note.path])
        return note

    def _whereabouts(self, memory_id: str) -> tuple[str, str]:
        """Id and path; a memory whose file is gone is looked for in the past by its id, and first at its birth name."""
        row = self._catalog.find_folded(memory_id)
        return (memory_id, f"{memory_id}.md") if row is None else (row.id, row.path)

    def _history(self) -> History:
        return History.get(Path(self._vault.root.path))


def _turn_back(now: Note, past: Note) -> Edit | None:
    changes: dict[str, Value | Remove] = {}
    for key in dict.fromkeys((*past.meta, *now.meta)):
        if key not in _NEVER_TURNED_BACK and now.meta.get(key, REMOVE) != past.meta.get(key, REMOVE):
            changes[key] = past.meta.get(key, REMOVE)
    if not changes and now.document.body == past.document.body:
        return None
    return Edit(changes, past.document.body)
