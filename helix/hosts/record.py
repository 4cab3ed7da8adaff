"""What was written into a host's file, kept in the state folder so that it can be undone to the byte.

Without its record an entry can still be taken away; then an empty container or a blank line may stay behind.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from helix.hosts.patch import difference

Purpose: TypeAlias = str
"""`hooks`, or `server` and, of one that has another name than ours, its name"""

FOLDER = "hosts"
_DIGITS = 24


@dataclass(frozen=True)
class ChangeRecord:
    """The one place in which the text before and the text after differ, and what else was made."""

    path: str
    purpose: str
    start: int
    old: str
    new: str
    after: str
    """hash of the whole text after"""
    made: list[list[str]]
    """the containers that came with it"""
    file_was_missing: bool
    folders: list[str]
    """those that were made for the file, outermost first"""

    @classmethod
    def of(
        cls,
        path: Path,
        purpose: Purpose,
        before: str,
        after: str,
        made: list[list[str]],
        file_was_missing: bool,
        folders: list[str],
    ) -> ChangeRecord:
        patch = difference(before, after)
        old = before[patch.start : patch.end]
        return cls(
            str(path), purpose, patch.start, old, patch.text, digest(after), made, file_was_missing, folders
        )

    def is_untouched(self, text: str) -> bool:
        """Whether nobody has changed the file since."""
        return digest(text) == self.after

    def undo(self, text: str) -> str | None:
        """The text as it was before; None when what was written cannot be found as it was written."""
        at = self.start if self.is_untouched(text) else text.find(self.new)
        if at < 0 or not self.new or (at != self.start and text.find(self.new, at + 1) >= 0):
            return None
        return text[:at] + self.old + text[at + len(self.new) :]


class Records:
    def __init__(self, state_dir: Path) -> None:
        self._folder = state_dir / FOLDER

    def find(self, path: Path, purpose: Purpose) -> ChangeRecord | None:
        try:
            return ChangeRecord(**json.loads(self._path(path, purpose).read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None  # it only makes undoing exact

    def others(self, path: Path, purpose: Purpose) -> list[ChangeRecord]:
        """Of the same file."""
        own = self._path(path, purpose)
        names = [one for one in self._folder.glob(f"*-{own.stem[-_DIGITS:]}.json") if one != own]
        found = (self.find(path, one.stem[: -_DIGITS - 1]) for one in names)
        return [record for record in found if record is not None]

    def keep(self, record: ChangeRecord) -> None:
        path = self._path(Path(record.path), record.purpose)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        # Part of the host's file is in it, and a person may keep secrets there.
        with os.fdopen(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
        ) as file:
            json.dump(asdict(record), file)
        draft.replace(path)

    def forget(self, path: Path, purpose: Purpose) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._path(path, purpose).unlink()

    def _path(self, path: Path, purpose: str) -> Path:
        return self._folder / f"{purpose}-{digest(str(path))[:_DIGITS]}.json"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
