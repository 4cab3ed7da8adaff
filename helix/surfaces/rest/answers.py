"""What the REST routes answer, for the OpenAPI document. The answers themselves are sent as they were counted."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_ID = "mem_2026-06-18_auth-retry_a1b2"


class Problem(BaseModel):
    error: str = Field(description="What is wrong and what to do, in a sentence.")
    code: str = Field(description="The same in kebab-case, for programs; it stays as it is between versions.")

    model_config = ConfigDict(
        json_schema_extra={"example": {"error": "there is no memory 'mem_x'", "code": "not-found"}}
    )


class Page(BaseModel):
    truncated: bool = Field(description="Whether there is more than is said here.")
    tokens_used: int = Field(description="Tokens of this whole answer, in o200k_base.")
    next_cursor: str | None = Field(None, description="Leads to the rest; null when this is all.")


class Edge(BaseModel):
    rel: str
    to: str


class Memory(BaseModel):
    id: str = Field(examples=[_ID])
    text: str
    title: str | None = None
    kind: str | None = None
    scope: str | None = None
    project: str | None = None
    status: str | None = None
    tags: list[str] = []
    edges: list[Edge] = []
    source: str | None = Field(
        None, description="Where it comes from, such as `agent=claude-code session=s-81`."
    )
    created: str | None = None
    updated: str | None = None
    deleted: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    importance: float | None = None
    path: str | None = None
    hash: str | None = None
    properties_unread: bool | None = Field(
        None,
        description="Its properties cannot be read: it is known by its text alone, and cannot be changed.",
    )
    extra: dict[str, Any] = {}


class MemoryPage(Memory, Page):
    pass


class Hit(Memory):
    score: float | None = None
    reasons: dict[str, float] = {}
    nearest: bool = Field(False, description="Nothing fits: it is merely what is nearest.")
    truncated: bool = False


class Hits(Page):
    results: list[Hit]
    note: str | None = None
    degraded: str | None = None
    suggestions: list[str] = []
    confidence: float | None = None

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "results": [{"id": _ID, "text": "Auth client retries 3x with jitter", "score": 0.83}],
                "truncated": False,
                "next_cursor": None,
                "tokens_used": 61,
            }
        }
    )


class Memories(Page):
    results: list[Memory]


class Pack(BaseModel):
    context: str = Field(description="The memories, fenced as data.")
    citations: list[str]
    dropped: int = Field(description="Memories that did not fit, or said the same.")
    truncated: bool
    tokens_used: int
    note: str | None = None
    degraded: str | None = None


class Part(BaseModel):
    id: str
    title: str
    section: str = Field(description="Under which heading of the pack it stands.")
    tokens: int
    score: float | None = Field(description="Null for a preference that holds whatever the task is.")


class LeftOut(BaseModel):
    id: str
    title: str
    tokens: int
    score: float | None
    reason: Literal[
        "over-budget", "says-the-same", "contradicted", "superseded", "forgotten", "below-gate",
        "not-in-scope", "unreadable",
    ]  # fmt: skip
    why: str


class ExplainedPack(Pack):
    parts: list[Part] | None = Field(None, description="With `explain`: what is in the pack, in its order.")
    overhead_tokens: int | None = Field(
        None,
        description="With `explain`: what is not memory: headings, fences, citations, the answer around them.",
    )
    left_out: list[LeftOut] | None = Field(
        None, description="With `explain`: what was found and is not in it."
    )
    unexplained: int | None = Field(
        None, description="With `explain`: memories for which `explain_tokens` had no room."
    )


class Similar(BaseModel):
    id: str
    title: str
    why: str


class Written(BaseModel):
    id: str = Field(examples=[_ID])
    status: Literal["created", "merged", "superseded", "noop"]
    supersedes: list[str]
    similar: list[Similar] = []
    reason: str | None = None
    not_kept: list[str] = Field(
        [],
        description="Of a merge: what was said otherwise than the memory that was there, which stays as it is.",
    )
    degraded: str | None = Field(None, description="Safe on disk, but not found yet, or not compared.")


class Updated(BaseModel):
    id: str
    status: Literal["updated", "noop"]
    hash: str
    merged: bool = Field(
        False, description="The file had changed since it was read, and the two changes were merged."
    )
    degraded: str | None = None


class Forgotten(BaseModel):
    id: str
    status: Literal["forgotten", "noop"]
    deleted_at: str | None = None
    degraded: str | None = None


class Filed(BaseModel):
    status: Literal["filed", "noop"]
    project: str
    filed: list[str] = Field(description="The ids of those that were not of this project before.")
    degraded: str | None = None


class Restored(BaseModel):
    id: str
    status: Literal["restored", "noop"]
    memory_status: str
    degraded: str | None = None


class Related(BaseModel):
    edge_id: str
    status: Literal["created", "noop"]
    degraded: str | None = None


class Node(BaseModel):
    id: str
    title: str
    kind: str
    project: str | None = None
    status: str | None = None


class Link(BaseModel):
    source: str = Field(alias="from")
    to: str
    rel: str
    dangling: bool = Field(False, description="Nothing answers to what it names.")


class Graph(Page):
    nodes: list[Node]
    edges: list[Link]


class Point(BaseModel):
    id: str
    title: str
    kind: str
    project: str | None
    x: float = Field(description="From -1 to 1.")
    y: float = Field(description="From -1 to 1.")
    cluster: int


class Cluster(BaseModel):
    cluster: int
    terms: list[str] = Field(description="Up to three words that tell it from the others.")
    x: float
    y: float
    count: int


class Map(Page):
    """The first page also says which clusters there are."""

    points: list[Point]
    clusters: list[Cluster] | None = None
    method: str | None = Field(None, description="How the vectors came to lie on a plane.")
    waiting: int | None = Field(
        None, description="Memories that are not embedded yet, and so not on the map."
    )


class Neighbor(BaseModel):
    id: str
    title: str | None = None
    kind: str | None = None
    project: str | None = None
    status: str | None = None
    distance: int
    edge: Link
    more_edges: list[Link] | None = Field(None, description="further edges that lead to it from as near")


class Neighbors(Page):
    neighbors: list[Neighbor]


class Version(BaseModel):
    commit: str
    time: str
    author: str
    subject: str
    path: str


class Versions(Page):
    id: str
    versions: list[Version]


class Diff(Page):
    id: str
    old: str = Field(alias="from")
    new: str | None = Field(alias="to", description="Null for the file as it is.")
    diff: str = Field(description="A unified diff of the file; empty when both are the same.")


class Rendered(BaseModel):
    html: str = Field(description="Holds no script, no style, no id, and asks no other host for anything.")


class Event(BaseModel):
    seq: int = Field(description="Grows from event to event.")
    time: str
    what: Literal[
        "learned", "changed", "forgotten", "restored", "superseded",
        "merged", "erased", "moved", "gone", "refused",
    ]  # fmt: skip
    id: str = Field(description="The memory; empty for a write that was refused.")
    title: str = Field(description="Empty for what was erased.")
    kind: str | None = None
    project: str | None = None
    who: Literal["agent", "person", "sync", "helix"] | None = Field(
        description="Null for what happened before the journal began."
    )
    name: str | None = Field(description="Of the agent, where it is known.")
    path: str
    detail: str = Field(
        description="What else there is to say: which memory replaced it, which copy was folded in."
    )


class Timeline(Page):
    events: list[Event]
