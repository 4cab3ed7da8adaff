"""What the daemon answers about harnesses and the rules that they are told."""

from __future__ import annotations

from dataclasses import dataclass

from helix.client.answer_shape import Listing, Result, each


@dataclass(frozen=True, kw_only=True)
class MarkedRule(Result):
    """A note that its owner marked as a rule."""

    id: str
    title: str = ""
    text: str = ""
    importance: float | None = None
    created: str = ""
    truncated: bool = False
    """it did not fit whole: `max_tokens` was too small"""


@dataclass(frozen=True, kw_only=True)
class RuleList(Listing[MarkedRule]):
    project: str | None = None
    """beside what holds everywhere, rules of this project"""
    rules: tuple[MarkedRule, ...] = each(MarkedRule)

    @property
    def items(self) -> tuple[MarkedRule, ...]:
        return self.rules


@dataclass(frozen=True, kw_only=True)
class _FileFields(Result):
    file: str
    """from the folder of the project"""
    harnesses: tuple[str, ...]
    """who reads it"""
    state: str
    """of its block: `absent`, `current`, `outdated`, `edited` or `damaged`"""
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class HarnessFile(_FileFields):
    """A file of a project that harnesses read at their start."""


@dataclass(frozen=True, kw_only=True)
class HarnessFiles(Listing[HarnessFile]):
    files: tuple[HarnessFile, ...] = each(HarnessFile)

    @property
    def items(self) -> tuple[HarnessFile, ...]:
        return self.files


@dataclass(frozen=True, kw_only=True)
class SyncedFile(_FileFields):
    """A file, and what was done to it."""

    changed: bool
    removed: bool
    """it was made for the block, and is gone"""
    diff: str


@dataclass(frozen=True, kw_only=True)
class SyncedFiles(Result):
    folder: str
    dry_run: bool
    files: tuple[SyncedFile, ...] = each(SyncedFile)
