"""What the daemon answers about the vault and about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helix.client.answer_shape import Listing, Page, Result, each, mapping


@dataclass(frozen=True, kw_only=True)
class Stats(Page):
    memories: int
    by_status: Mapping[str, int] = mapping()
    by_scope: Mapping[str, int] = mapping()
    by_kind: Mapping[str, int] = mapping()
    by_project: Mapping[str, int] = mapping()
    by_tag: Mapping[str, int] = mapping()


@dataclass(frozen=True, kw_only=True)
class OpenConflict(Result):
    """Something that needs a person: a file that cannot be read, or an id that stands in several files."""

    code: str
    id: str | None = None
    paths: tuple[str, ...] = ()
    path: str | None = None
    line: int | None = None
    reason: str | None = None
    remedy: str | None = None
    detail: str | None = None


@dataclass(frozen=True, kw_only=True)
class Conflicts(Listing[OpenConflict]):
    conflicts: tuple[OpenConflict, ...] = each(OpenConflict)

    @property
    def items(self) -> tuple[OpenConflict, ...]:
        return self.conflicts


@dataclass(frozen=True, kw_only=True)
class Proposal(Result):
    """What could be tidied."""

    id: str
    what: str
    memory: str
    """the one that would be changed"""
    other: str | None = None
    reason: str = ""
    action: str = ""
    certain: bool = False


@dataclass(frozen=True, kw_only=True)
class Proposals(Listing[Proposal]):
    proposals: tuple[Proposal, ...] = each(Proposal)

    @property
    def items(self) -> tuple[Proposal, ...]:
        return self.proposals


@dataclass(frozen=True, kw_only=True)
class ConsolidateResult(Result):
    applied: tuple[Proposal, ...] = each(Proposal)
    remaining: int = 0


@dataclass(frozen=True, kw_only=True)
class InboxItem(Result):
    """Something that waits for a person."""

    key: str
    what: str
    id: str | None = None
    title: str | None = None
    other: str | None = None
    other_title: str | None = None
    path: str | None = None
    line: int | None = None
    reason: str = ""
    remedy: str = ""
    detail: str = ""
    actions: tuple[Mapping[str, Any], ...] = ()
    """what settles it: requests as they can be sent"""
    proposal: Mapping[str, Any] | None = None
    """of a proposed memory: `text`, `kind`, `project`, and where it was said"""


@dataclass(frozen=True, kw_only=True)
class Inbox(Listing[InboxItem]):
    inbox: tuple[InboxItem, ...] = field(default=(), metadata={"of": InboxItem, "key": "items"})
    counts: Mapping[str, int] = mapping()
    looking: bool | None = None

    @property
    def items(self) -> tuple[InboxItem, ...]:
        return self.inbox


@dataclass(frozen=True, kw_only=True)
class Accepted(Result):
    key: str
    id: str
    status: str
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class Dismissed(Result):
    key: str
    status: str


@dataclass(frozen=True, kw_only=True)
class ManifestEntry(Result):
    name: str
    sha256: str
    size: int
    id: str | None = None
    status: str | None = None
    updated_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class UnreadFile(Result):
    path: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Manifest(Listing[ManifestEntry]):
    """What an export would hold. The first page also says what it is the manifest of."""

    entries: tuple[ManifestEntry, ...] = each(ManifestEntry)
    format: str | None = None
    version: int | None = None
    vault: str | None = None
    created_at: str | None = None
    embedder: str | None = None
    selection: Mapping[str, Any] = mapping()
    counts: Mapping[str, int] = mapping()
    left_out: tuple[UnreadFile, ...] = each(UnreadFile)
    """files that could not be read, and so do not travel"""

    @property
    def items(self) -> tuple[ManifestEntry, ...]:
        return self.entries


@dataclass(frozen=True, kw_only=True)
class Reason(Result):
    code: str
    message: str
    count: int | None = None


@dataclass(frozen=True, kw_only=True)
class Indexing(Result):
    """How far the embedding is."""

    done: int = 0
    total: int = 0
    seconds: float | None = None
    """until it is complete, at its pace so far"""
    message: str = ""
    """the same in words"""


@dataclass(frozen=True, kw_only=True)
class IndexState(Result):
    memories: int = 0
    index_lag: int = 0
    model: str | None = None
    degraded: str | None = None
    indexing: Indexing | None = field(default=None, metadata={"of": Indexing})


@dataclass(frozen=True, kw_only=True)
class Health(Result):
    state: str
    """starting, ready or degraded"""
    reasons: tuple[Reason, ...] = each(Reason)
    version: str = ""
    vault: str = ""
    uptime_seconds: float = 0.0
    memories: Mapping[str, int] = mapping()
    problems: int = 0
    conflicts: int = 0
    index: IndexState | None = field(default=None, metadata={"of": IndexState})
    consolidation: Mapping[str, Any] = mapping()
