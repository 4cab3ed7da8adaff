"""What a document says: its text in markdown, stretch by stretch, each with the place it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


class Unreadable(Exception):
    """Why a file gives no text, in a sentence for who named it."""


class LeftOff(Exception):
    """Whoever wanted the text does not want it any more."""


@dataclass(frozen=True)
class Stretch:
    text: str
    unit: str = ""
    """`page`, `slide`, `sheet`, `cell`, or `line`, when the text is that of the file line by line; else nothing"""
    at: str = ""
    """which of them: a number, or the name of a sheet; of lines the first"""
    code: str = ""
    """the language, for a text that is shown as code"""


@dataclass(frozen=True)
class Converted:
    stretches: Sequence[Stretch] = field(default_factory=tuple)
    title: str | None = None
