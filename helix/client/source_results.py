"""What the daemon answers about sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from helix.client.answer_shape import Listing, Result, each, mapping


@dataclass(frozen=True, kw_only=True)
class _SourceFields(Result):
    id: str
    name: str
    folder: str | None = None
    """told to the owner of the machine, and to who connected it"""
    project: str | None = None
    owner: str | None = None
    visibility: str
    state: str
    """`waiting`, `indexing`, `ready` or `unreachable`"""
    files: int
    lines: int
    commit: str | None = None
    """that is checked out, in a repository"""
    looked: str | None = None
    """when everything was looked at last"""
    created: str


@dataclass(frozen=True, kw_only=True)
class SourceSummary(_SourceFields):
    """A folder that is searched where it is."""


@dataclass(frozen=True, kw_only=True)
class SourceList(Listing[SourceSummary]):
    sources: tuple[SourceSummary, ...] = each(SourceSummary)

    @property
    def items(self) -> tuple[SourceSummary, ...]:
        return self.sources


@dataclass(frozen=True, kw_only=True)
class ConnectedSource(_SourceFields):
    """A source that was connected just now, or before."""

    status: str
    """`connected` or `known`"""


@dataclass(frozen=True, kw_only=True)
class SourceProblem(Result):
    """A file that is not searched."""

    path: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class SourceHealth(_SourceFields):
    """How far a source is indexed."""

    passages: int
    done: int
    total: int
    trouble: str | None = None
    """why the folder cannot be looked at"""
    cut: str | None = None
    """why there is more in the folder than is searched"""
    ignored: int
    left_out: Mapping[str, int] = mapping()
    """files that hold no text, by the end of their names"""
    problems: tuple[SourceProblem, ...] = each(SourceProblem)
    problem_count: int


@dataclass(frozen=True, kw_only=True)
class PurgedSource(Result):
    id: str
    name: str
    status: str
    files: int
    """how many were searched"""
