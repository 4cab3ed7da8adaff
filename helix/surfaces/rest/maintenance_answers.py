"""What the REST routes answer about the vault and the daemon, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from helix.surfaces.rest.answers import Page


class Stats(Page):
    memories: int
    by_status: dict[str, int]
    by_scope: dict[str, int]
    by_kind: dict[str, int]
    by_project: dict[str, int]
    by_tag: dict[str, int]


class Conflict(BaseModel):
    code: str
    id: str | None = None
    paths: list[str] = []
    path: str | None = None
    line: int | None = None
    reason: str | None = None
    remedy: str | None = None
    detail: str | None = None


class Conflicts(Page):
    conflicts: list[Conflict]


class Action(BaseModel):
    """A request that does it, as it stands."""

    name: str
    label: str
    method: Literal["POST", "PATCH"]
    route: str
    body: dict[str, Any]


class InboxItem(BaseModel):
    key: str = Field(description="Stands for the item as it is now.")
    what: Literal[
        "unreadable", "unmerged", "waiting-to-merge", "duplicate", "contradiction", "expired", "stale-task",
        "dangling-link", "secret-refused",
    ]  # fmt: skip
    id: str | None
    title: str | None
    other: str | None = Field(
        description="The memory that would stand in its place; of a dangling link what it names."
    )
    other_title: str | None
    path: str | None
    line: int | None
    reason: str
    remedy: str
    detail: str
    actions: list[Action]


class Inbox(Page):
    """The first page also counts what there is."""

    items: list[InboxItem]
    counts: dict[str, int] | None = None
    looking: bool | None = Field(
        None, description="Every memory is being looked at; what is proposed is from the look before."
    )


class DismissedItem(BaseModel):
    key: str
    status: Literal["dismissed"]


class Settled(BaseModel):
    id: str
    status: Literal["updated", "merged", "noop"]
    hash: str


class StrandEntry(BaseModel):
    name: str
    sha256: str
    size: int
    id: str | None = None
    status: str | None = None
    updated_at: str | None = None


class StrandManifest(Page):
    """The first page also says what it is the manifest of."""

    format: str | None = None
    version: int | None = None
    record_format: int | None = None
    vault: str | None = None
    created_at: str | None = None
    embedder: str | None = None
    counts: dict[str, int] | None = None
    entries: list[StrandEntry]


class Proposal(BaseModel):
    id: str
    what: str
    memory: str
    other: str | None
    reason: str
    action: str
    certain: bool


class Proposals(Page):
    proposals: list[Proposal]


class RouteFigures(BaseModel):
    route: str
    requests: int
    failed: int = Field(description="Answered with 400 or more.")
    p50_ms: float | None = Field(description="Until the answer began; from the buckets of the histogram.")
    p95_ms: float | None


class VerbFigures(BaseModel):
    verb: str
    answers: int
    tokens_asked: int
    tokens_served: int


class Client(BaseModel):
    name: str
    project: str | None
    session_count: int
    transport: Literal["mcp", "rest", "page"]
    last_seen: str


class EmbedderState(BaseModel):
    model: str | None
    dimensions: int | None
    lag: int
    cache_hits: int
    cache_misses: int
    degraded: str | None


class WatcherState(BaseModel):
    state: str
    restarts: int
    last_scan_seconds: float | None
    waiting: int


class Disk(BaseModel):
    vault_bytes: int
    state_bytes: int
    free_bytes: int


class Git(BaseModel):
    branch: str | None
    dirty: int | None = Field(description="Files that differ from the last commit.")
    ahead: int | None
    behind: int | None
    autocommit: bool
    error: str | None = Field(description="Why there is nothing to say.")


class Consolidated(BaseModel):
    applied: list[Proposal]
    remaining: int


class Upkeep(BaseModel):
    state: Literal["waiting", "looking", "paused"]
    runs: int
    applied: int
    proposals: int | None
    error: str | None


class Reason(BaseModel):
    code: str
    message: str
    count: int | None = None


class Indexing(BaseModel):
    done: int = Field(description="Memories that are found by their meaning already.")
    total: int
    seconds: float | None = Field(
        description="Until it is complete, at its pace so far; null when it has just begun."
    )
    message: str = Field(description="The same in words: `indexing 412 of 1,000, about 20 s`.")


class IndexState(BaseModel):
    memories: int
    index_lag: int
    model: str | None
    degraded: str | None
    indexing: Indexing | None = Field(description="How far the embedding is while it is under way.")
    cache_hits: int
    cache_misses: int


class Health(BaseModel):
    state: Literal["starting", "ready", "degraded"]
    reasons: list[Reason]
    version: str
    vault: str
    uptime_seconds: float
    memories: dict[str, int]
    problems: int
    conflicts: int
    waiting: int
    watcher: str
    watcher_restarts: int
    last_scan_seconds: float | None
    autocommit_error: str | None
    index: IndexState | None
    consolidation: Upkeep


class Status(BaseModel):
    state: Literal["starting", "ready", "degraded"]
    version: str
    uptime_seconds: float
    routes: list[RouteFigures]
    verbs: list[VerbFigures]
    clients: list[Client] = Field(description="Who asked lately, the last one first.")
    mcp_sessions: int
    listeners: int = Field(description="Open streams of events.")
    embedder: EmbedderState | None
    watcher: WatcherState
    disk: Disk | None = Field(description="Measured now and then; null until it was.")
    git: Git | None = Field(description="Looked at now and then; null until it was.")
    consolidation: Upkeep


class HostFiles(BaseModel):
    user: str | None
    project: str | None


class Host(BaseModel):
    name: str
    title: str
    files: HostFiles
    language: str
    fragment: str = Field(description="What its file holds to start `helix-mcp`.")
    http_fragment: str | None = Field(
        description="What its file holds to connect to this daemon; null if it cannot."
    )
    command: str


class Hosts(BaseModel):
    hosts: list[Host]
