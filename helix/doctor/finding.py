"""What the doctor finds: kinds of findings, which are known beforehand, and findings, which are about this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helix.doctor.examined import Examined


class Severity(StrEnum):
    ERROR = "error"
    """something does not work, or data is at risk"""
    WARNING = "warning"
    """it works, and not as its owner would expect"""
    NOTE = "note"
    """worth knowing"""


@dataclass(frozen=True)
class Kind:
    code: str
    severity: Severity
    about: str
    """what is the case, in a few words"""
    why: str
    """why it matters"""
    remedy: str
    """what to do, with a command where there is one"""

    def at(
        self,
        where: str,
        what: str,
        *,
        line: int | None = None,
        remedy: str = "",
        detail: str = "",
        severity: Severity | None = None,
    ) -> Finding:
        return Finding(
            self,
            _readable(where),
            _readable(what),
            line,
            remedy or self.remedy,
            _readable(detail),
            severity or self.severity,
        )


@dataclass(frozen=True)
class Finding:
    kind: Kind
    where: str
    """a file of the vault, another path, an address, a variable"""
    what: str
    line: int | None
    remedy: str
    detail: str
    severity: Severity

    @property
    def code(self) -> str:
        return self.kind.code

    @property
    def place(self) -> str:
        return self.where if self.line is None else f"{self.where}:{self.line}"

    def to_dict(self) -> dict[str, object]:
        return {
            "code": self.code,
            "severity": str(self.severity),
            "path": self.where,
            "line": self.line,
            "what": self.what,
            "why": self.kind.why,
            "remedy": self.remedy,
            "detail": self.detail,
        }


def _readable(text: str) -> str:
    """A file name that is not UTF-8 can be kept in a text, and not be printed."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


Check = Callable[["Examined"], Iterable[Finding]]


@dataclass(frozen=True)
class Area:
    title: str
    kinds: tuple[Kind, ...]
    checks: tuple[Check, ...]
