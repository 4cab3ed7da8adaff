"""What a request may change: the memories that it sees, through one door.

`vault_store` changes the files, `narrowed_store` does so for somebody who sees a part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from helix.vault.new_memory import NewMemory
from helix.vault.note import Note
from helix.vault.vault import Edit as Edit


@dataclass(frozen=True)
class Stored:
    """A memory as it was written. It is safe on disk."""

    note: Note
    degraded: str | None = None
    """why it cannot be found yet, all the same; None when it can"""


class Store(Protocol):
    """Every method raises MemoryNotFound for a memory that is not there for who asks."""

    def has_had_text(self, memory_id: str, body: str) -> bool:
        """Whether a text is what a memory says, or said in a state that is still known."""

    def is_born(self, memory_id: str, new: NewMemory) -> bool:
        """Whether a new memory stands in its file, for one that the catalog could not take in yet."""

    def add(self, new: NewMemory, *, supersedes: Sequence[str] = ()) -> Stored:
        """A new memory; those that it supersedes are flipped once it is safe on disk."""

    def change(self, memory_id: str, change: Callable[[Note], Edit | None]) -> Stored:
        """Change the memory as it is now; None from `change` means that nothing is to do."""

    def edit(
        self,
        memory_id: str,
        wanted: Edit,
        *,
        based_on: str,
        may_merge: bool = True,
        on_merge: Callable[[], None] = lambda: None,
    ) -> Stored:
        """Change the memory as it was read; `based_on` is the hash of that."""

    def forget(self, memory_id: str) -> Stored: ...

    def supersede(self, memory_id: str) -> Stored: ...

    def erase(self, memory_id: str) -> Stored: ...

    def set_members(self, memory_id: str, owner: str | None, members: Sequence[str]) -> Stored:
        """In the note of a project. Its owner does, or somebody who takes their own name out."""

    def forget_project(self, memory_id: str) -> Stored:
        """The note of a project. Its owner does."""

    def forget_of_project(self, memory_id: str, project_id: str) -> Stored:
        """A memory of a project that is about to go: from then on it is its owner's alone, so that nobody comes by it
        who makes a project of that name. The owner of the project does."""

    def merge(self, memory_id: str) -> Stored:
        """Fold the files that carry this memory's id into one, as the follower does when they are quiet."""

    def restore(self, memory_id: str, *, at: str | None = None) -> Stored:
        """Undo a forget; with `at` also turn the text back to a git revision."""
