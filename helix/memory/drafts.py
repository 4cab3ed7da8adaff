"""Texts that a person is editing: kept in the state folder until they are safe in the vault, or erased with it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class Draft:
    """What the person was shown, and what they made of it; both survive a crash."""

    shown: Path
    text: Path

    @classmethod
    def of(cls, memory_id: str, state: Path) -> Self:
        # An id may hold what a file name on some system cannot.
        name = "".join(char if char.isalnum() or char in "-_." else "_" for char in memory_id)[:120]
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
