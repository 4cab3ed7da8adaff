"""Texts that a person is editing: kept in the state folder until they are safe in the vault, or erased with it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from helix.errors import NoteError
from helix.vault import frontmatter

_READABLE = 60


@dataclass(frozen=True)
class Draft:
    """What the person was shown, and what they made of it; both survive a crash."""

    shown: Path
    text: Path

    @classmethod
    def of(cls, memory_id: str, state: Path) -> Self:
        # An id may hold what a file name on some system cannot. The hash tells apart what then looks alike.
        digest = hashlib.sha256(memory_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        draft = cls._named(f"{_spelled(memory_id, _READABLE)}-{digest}", state)
        earlier = cls._named(_spelled(memory_id, 120), state)  # as Helix named them before
        if not draft.is_there() and earlier.is_there() and earlier._is_of(memory_id):
            for before, now in ((earlier.shown, draft.shown), (earlier.text, draft.text)):
                before.replace(now)
        return draft

    @classmethod
    def _named(cls, name: str, state: Path) -> Self:
        return cls(state / "drafts" / f"{name}.shown", state / "drafts" / f"{name}.md")

    def begin(self, data: bytes) -> None:
        self.text.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file in (self.shown, self.text):
            file.write_bytes(data)
            file.chmod(0o600)

    def is_there(self) -> bool:
        return self.shown.exists() and self.text.exists()

    def is_changed(self) -> bool:
        return self.shown.read_bytes() != self.text.read_bytes()

    def end(self) -> None:
        for file in (self.text, self.shown):
            file.unlink(missing_ok=True)
        with suppress(OSError):
            self.text.parent.rmdir()

    def _is_of(self, memory_id: str) -> bool:
        try:
            shown_id = frontmatter.parse(self.shown.read_bytes()).meta.get("id")
        except (OSError, NoteError):
            return False
        # A note without an id is known by an id that is made of its path, and needs no other spelling.
        return shown_id == memory_id or (shown_id is None and self.shown.stem == memory_id)


def erase_drafts(state: Path, memory_ids: Sequence[str]) -> bool:
    for memory_id in memory_ids:
        Draft.of(memory_id, state).end()
    return True


def _spelled(memory_id: str, length: int) -> str:
    return "".join(char if char.isalnum() or char in "-_." else "_" for char in memory_id)[:length]
