"""What is wrong with a file, in words that a person can act on."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from helix.errors import HelixError, NoteError


@dataclass(frozen=True)
class Problem:
    path: str
    code: str
    reason: str
    remedy: str = ""
    line: int | None = None
    detail: str = ""
    """more to show on demand: the two sides of a git conflict, the files of an unmerged one"""

    @classmethod
    def of(cls, path: str, error: HelixError) -> Problem:
        if isinstance(error, NoteError):
            return cls(path, error.code, error.reason, error.remedy, error.line)
        return cls(path, error.code, error.message)

    def to_dict(self) -> dict[str, object]:
        return asdict(self)
