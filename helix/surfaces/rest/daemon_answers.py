"""What the daemon answers about itself, and how it says that something is wrong."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from helix.memory.answers import FrozenState, Upkeep
from helix.memory.verbs.verb import About


class Problem(TypedDict):
    error: Annotated[str, About("What is wrong and what to do, in a sentence.")]
    code: Annotated[str, About("The same in kebab-case, for programs; it stays as it is between versions.")]


class AskedProgram(TypedDict):
    session: str
    at: str
    outcome: Annotated[str, About("What it proposed, or why it failed.")]


class DistillState(TypedDict):
    """The program that proposes memories of sessions that have ended."""

    on: bool
    today: Annotated[int, About("How often it was asked within 24 hours.")]
    per_day: int
    last: AskedProgram | None


class CaptureState(TypedDict):
    on: bool
    folders: list[str]
    all: bool
    hosts: list[str]
    distill: DistillState


class PurgedCapture(TypedDict):
    on: bool
    sessions: int
    events: int


class RouteFigures(TypedDict):
    route: str
    requests: int
    failed: Annotated[int, About("Answered with 400 or more.")]
    p50_ms: Annotated[float | None, About("Until the answer began; from the buckets of the histogram.")]
    p95_ms: float | None


class VerbFigures(TypedDict):
    verb: str
    answers: int
    tokens_asked: int
    tokens_served: int


class Client(TypedDict):
    name: str
    project: str | None
    session_count: int
    transport: Literal["mcp", "rest", "page"]
    last_seen: str


class EmbedderState(TypedDict):
    model: str | None
    dimensions: int | None
    lag: int
    cache_hits: int
    cache_misses: int
    degraded: str | None


class WatcherState(TypedDict):
    state: str
    restarts: int
    last_scan_seconds: float | None
    waiting: int


class Disk(TypedDict):
    vault_bytes: int
    state_bytes: int
    free_bytes: int


class Git(TypedDict):
    branch: str | None
    dirty: Annotated[int | None, About("Files that differ from the last commit.")]
    ahead: int | None
    behind: int | None
    autocommit: bool
    error: Annotated[str | None, About("Why there is nothing to say.")]


class Reason(TypedDict):
    code: str
    message: str
    count: NotRequired[int | None]


class Indexing(TypedDict):
    done: Annotated[int, About("Memories that are found by their meaning already.")]
    total: int
    seconds: Annotated[
        float | None, About("Until it is complete, at its pace so far; null when it has just begun.")
    ]
    message: Annotated[str, About("The same in words: `indexing 412 of 1,000, about 20 s`.")]


class IndexState(TypedDict):
    memories: int
    index_lag: int
    model: str | None
    degraded: str | None
    indexing: Annotated[Indexing | None, About("How far the embedding is while it is under way.")]
    cache_hits: int
    cache_misses: int


class Health(TypedDict):
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


class Status(TypedDict):
    state: Literal["starting", "ready", "degraded"]
    version: str
    uptime_seconds: float
    routes: list[RouteFigures]
    verbs: list[VerbFigures]
    clients: Annotated[list[Client], About("Who asked lately, the last one first.")]
    mcp_sessions: int
    listeners: Annotated[int, About("Open streams of events.")]
    embedder: EmbedderState | None
    watcher: WatcherState
    disk: Annotated[Disk | None, About("Measured now and then; null until it was.")]
    git: Annotated[Git | None, About("Looked at now and then; null until it was.")]
    consolidation: Upkeep
    role: NotRequired[
        Annotated[
            str,
            About(
                "Among daemons that share an index: `keeper`, `standby` or `reader`; absent where nobody does."
            ),
        ]
    ]
    frozen: NotRequired[Annotated[FrozenState, About("Why nothing is changed for now; absent when it is.")]]
    mode: NotRequired[Annotated[str, About("Whom the daemon serves: `team` or `hybrid`; absent in `local`.")]]
    limits: NotRequired[
        Annotated[
            dict[str, int], About("How often in a minute one caller may ask for what; 0 for any number.")
        ]
    ]


class HostFiles(TypedDict):
    user: str | None
    project: str | None


class Host(TypedDict):
    name: str
    title: str
    files: HostFiles
    language: str
    fragment: Annotated[str, About("What its file holds to start `helix-mcp`.")]
    http_fragment: Annotated[
        str | None, About("What its file holds to connect to this daemon; null if it cannot.")
    ]
    command: str


class Hosts(TypedDict):
    hosts: list[Host]


EXAMPLES: dict[str, Any] = {"Problem": {"error": "there is no memory 'mem_x'", "code": "not-found"}}
