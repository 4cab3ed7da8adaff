"""What the daemon answers. All of it is frozen; lists are tuples, and times are texts as they stand in the files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helix.client.answer_shape import Listing, Page, Result, each, mapping, named


@dataclass(frozen=True, kw_only=True)
class Edge(Result):
    rel: str
    to: str


@dataclass(frozen=True, kw_only=True)
class _MemoryFields(Result):
    """What is said of a memory. `concise` answers leave most of it out."""

    id: str
    text: str = ""
    title: str | None = None
    kind: str | None = None
    scope: str | None = None
    project: str | None = None
    status: str | None = None
    tags: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = each(Edge)
    source: str | None = None
    created: str | None = None
    updated: str | None = None
    deleted: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    importance: float | None = None
    owner: str | None = None
    """the user whose it is, in a team"""
    visibility: str | None = None
    """for whom it is beside its owner"""
    path: str | None = None
    hash: str | None = None
    """of the file as it was read: `based_on` for an update"""
    properties_unread: bool | None = None
    """its properties cannot be read: it is known by its text alone, and cannot be changed"""
    extra: Mapping[str, Any] = mapping()
    """properties of the file that Helix does not know"""


@dataclass(frozen=True, kw_only=True)
class Memory(_MemoryFields, Page):
    """One memory."""


@dataclass(frozen=True, kw_only=True)
class Hit(_MemoryFields):
    """A memory that was found."""

    score: float | None = None
    reasons: Mapping[str, float] = mapping()
    nearest: bool = False
    """nothing fits: it is merely what is nearest"""
    whole_tokens: int | None = field(default=None, metadata={"key": "more"})
    """`more` of the answer: the text is a part of the memory, which has about so many tokens; `get` reads it whole"""
    citation: str | None = None
    """of a document: the place in its file, as in `/papers/retries.pdf#page=3`"""
    truncated: bool = False
    """whether its text was cut to fit the budget"""


@dataclass(frozen=True, kw_only=True)
class SearchResult(Listing[Hit]):
    results: tuple[Hit, ...] = each(Hit)
    note: str | None = None
    """why there is nothing, or what was done about the question"""
    degraded: str | None = None
    suggestions: tuple[str, ...] = ()
    confidence: float | None = None

    @property
    def items(self) -> tuple[Hit, ...]:
        return self.results


@dataclass(frozen=True, kw_only=True)
class Memories(Listing[Memory]):
    results: tuple[Memory, ...] = each(Memory)

    @property
    def items(self) -> tuple[Memory, ...]:
        return self.results


@dataclass(frozen=True, kw_only=True)
class Part(Result):
    """A memory in a pack."""

    id: str
    title: str
    section: str
    tokens: int
    score: float | None = None
    """None for a preference that holds whatever the task is"""


@dataclass(frozen=True, kw_only=True)
class LeftOut(Result):
    """A memory that was found and is not in a pack."""

    id: str
    title: str
    tokens: int
    reason: str
    why: str
    score: float | None = None


@dataclass(frozen=True, kw_only=True)
class ContextPack(Result):
    context: str
    """the memories, fenced as data"""
    citations: tuple[str, ...] = ()
    dropped: int = 0
    truncated: bool = False
    tokens_used: int = 0
    note: str | None = None
    degraded: str | None = None
    parts: tuple[Part, ...] = each(Part)
    """with `explain`: what is in it, in its order"""
    left_out: tuple[LeftOut, ...] = each(LeftOut)
    """with `explain`: what was found and is not in it, and why"""
    overhead_tokens: int | None = None
    unexplained: int | None = None
    """with `explain`: memories for which `explain_tokens` had no room"""


@dataclass(frozen=True, kw_only=True)
class Similar(Result):
    id: str
    title: str
    why: str


@dataclass(frozen=True, kw_only=True)
class WriteResult(Result):
    id: str
    status: str
    """created, merged, superseded, or noop: it was there under this idempotency key"""
    supersedes: tuple[str, ...] = ()
    similar: tuple[Similar, ...] = each(Similar)
    reason: str | None = None
    not_kept: tuple[str, ...] = ()
    """of a merge: what was said otherwise than the memory that was there, which stays as it is"""
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class UpdateResult(Result):
    id: str
    status: str
    hash: str
    merged: bool = False
    """the file had changed since it was read, and the two changes were merged"""
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class FileResult(Result):
    status: str
    project: str
    filed: tuple[str, ...] = ()
    """the ids of those that were not of this project before"""
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class ForgetResult(Result):
    id: str
    status: str
    deleted_at: str | None = None
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class RestoreResult(Result):
    id: str
    status: str
    memory_status: str
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class RelateResult(Result):
    edge_id: str
    status: str
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class Node(Result):
    id: str
    title: str = ""
    kind: str = ""
    project: str | None = None
    status: str | None = None


@dataclass(frozen=True, kw_only=True)
class Link(Result):
    frm: str = named("from")
    to: str
    rel: str
    dangling: bool = False
    """nothing answers to what it names"""


@dataclass(frozen=True, kw_only=True)
class Graph(Page):
    nodes: tuple[Node, ...] = each(Node)
    edges: tuple[Link, ...] = each(Link)


@dataclass(frozen=True, kw_only=True)
class Neighbor(Result):
    id: str
    distance: int
    title: str | None = None
    kind: str | None = None
    project: str | None = None
    status: str | None = None
    edge: Link | None = field(default=None, metadata={"of": Link})
    """the edge that led to it"""
    more_edges: tuple[Link, ...] = each(Link)
    """further edges that lead to it from as near"""


@dataclass(frozen=True, kw_only=True)
class Neighbors(Listing[Neighbor]):
    neighbors: tuple[Neighbor, ...] = each(Neighbor)

    @property
    def items(self) -> tuple[Neighbor, ...]:
        return self.neighbors


@dataclass(frozen=True, kw_only=True)
class Version(Result):
    commit: str
    time: str
    author: str
    subject: str
    path: str


@dataclass(frozen=True, kw_only=True)
class History(Listing[Version]):
    id: str
    versions: tuple[Version, ...] = each(Version)

    @property
    def items(self) -> tuple[Version, ...]:
        return self.versions
