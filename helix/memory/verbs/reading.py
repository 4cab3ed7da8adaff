"""The verbs that read. They change no file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, get_args

from helix.memory.size_limits import (
    DEEPEST,
    HITS_SHOWN,
    LEAST_TOKENS,
    LONGEST_TEXT,
    MOST_AT_ONCE,
    MOST_EVENTS,
    MOST_NODES,
    MOST_PHASES,
    MOST_POINTS,
    MOST_TOKENS,
)
from helix.memory.verbs.fields import (
    NOTHING,
    AsOf,
    Budgeted,
    Filtered,
    Format,
    HiddenToo,
    InAFormat,
    InThePast,
    Limit,
    MemoryId,
    OfProject,
    Ref,
    Sight,
    Tokens,
    What,
    Who,
)
from helix.memory.verbs.verb import About, Asks, Route, Verb


def _named(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


class SearchRequest(Filtered, InAFormat, InThePast, Budgeted):
    query: Annotated[
        str,
        About(
            'Words, a question, filters: `tag:auth "exact phrase" -word`.',
            # Twelve times as many bytes in a URL, which must stay below 64 KiB.
            longest=4_000,
            name="q",
            example="retry policy for the auth client",
        ),
    ]
    limit: Annotated[
        int,
        About(
            f"How many at most. By default, {HITS_SHOWN}, a concise answer has as many as the ranking leaves in doubt.",
            least=1,
            most=MOST_AT_ONCE,
        ),
    ] = HITS_SHOWN
    max_tokens: Annotated[
        int, About("The whole answer fits in so many tokens.", least=LEAST_TOKENS, most=MOST_TOKENS)
    ] = 1500
    include_deleted: HiddenToo = False
    rerank: Annotated[bool, About("Read the best ones again with the finer model; slower.")] = False


class ContextRequest(Asks):
    task: Annotated[str, About("What the agent is about to do.", longest=20_000)]
    scope: Sight = "project"
    filters: Annotated[Mapping[str, str], About("As in a search: `project`, `kind`, `tag`, …")] = NOTHING
    max_tokens: Tokens = 4000
    response_format: Format = "concise"
    rerank: bool = False
    explain: Annotated[bool, About("Say also what each memory costs, and what was left out and why.")] = False
    explain_tokens: Annotated[
        int,
        About("The explanation fits in so many tokens of its own.", least=LEAST_TOKENS, most=MOST_TOKENS),
    ] = 4000
    as_of: AsOf = None
    ref: Ref = None


class PhasesRequest(Asks):
    phases: Annotated[Sequence[str], About(shortest=1, longest=MOST_PHASES, example=["plan", "work"])]
    budget_tokens: Tokens = 4096
    scope: Sight = "project"
    idempotency_key: Annotated[
        str | None,
        About("The same key in the same session gets the same bundle.", shortest=1, longest=200),
    ] = None


class GetRequest(InAFormat, InThePast, Budgeted):
    memory_id: MemoryId
    response_format: Annotated[
        Format, About("`concise` is the least to act on, `detailed` all there is to know.")
    ] = "detailed"
    max_tokens: Annotated[
        int, About("A longer text is read on with `next_cursor`.", least=LEAST_TOKENS, most=MOST_TOKENS)
    ] = 8000
    include_deleted: Annotated[bool, About("Also when it was forgotten or superseded.")] = False


class RecentRequest(Filtered, InAFormat, InThePast, Budgeted):
    limit: Limit = 20
    since: Annotated[str | None, About("Only what changed since this time.")] = None
    include_deleted: HiddenToo = False


class TodayRequest(Filtered, InAFormat, InThePast, Budgeted):
    limit: Limit = 20


class HistoryRequest(Budgeted):
    memory_id: MemoryId
    limit: Limit = 20


class DiffRequest(Budgeted):
    memory_id: MemoryId
    old: Annotated[
        str,
        About(
            "A commit, branch or tag, such as one of the history.",
            shortest=1, longest=200, name="from", example="HEAD",
        ),
    ]  # fmt: skip
    new: Annotated[
        str | None, About("Another one; without it the file as it is.", shortest=1, longest=200, name="to")
    ] = None
    max_tokens: Annotated[
        int, About("A longer diff is read on with `next_cursor`.", least=LEAST_TOKENS, most=MOST_TOKENS)
    ] = 8000


class RenderRequest(Asks):
    text: Annotated[str, About("Markdown, such as the text of a memory.", longest=LONGEST_TEXT)]


class GraphRequest(InThePast, Budgeted):
    scope: Sight = "project"
    project: OfProject = None
    limit: Annotated[int, About("How many nodes and edges together.", least=1, most=MOST_NODES)] = 500
    max_tokens: Tokens = 4000
    include_deleted: HiddenToo = False


class MapRequest(Budgeted):
    scope: Sight = "all"
    project: OfProject = None
    limit: Annotated[int, About(least=1, most=MOST_POINTS)] = 500
    max_tokens: Tokens = 4000


class NeighborsRequest(InThePast, Budgeted):
    memory_id: MemoryId
    depth: Annotated[int, About("How many edges away.", least=1, most=DEEPEST)] = 1
    limit: Limit = 25
    include_deleted: HiddenToo = False


class StatsRequest(InThePast, Budgeted):
    scope: Sight = "all"


class TimelineRequest(Budgeted):
    limit: Annotated[int, About(least=1, most=MOST_EVENTS)] = 50
    since: Annotated[str | None, About("Only what happened at this time or after it.")] = None
    until: Annotated[str | None, About("Only what happened before this time.")] = None
    project: OfProject = None
    what: Annotated[str | None, About(f"Only these, with commas between them: {_named(get_args(What))}.")] = (
        None
    )
    who: Annotated[
        str | None, About(f"Only by these, with commas between them: {_named(get_args(Who))}.")
    ] = None
    max_tokens: Tokens = 4000


class ListRequest(Budgeted):
    limit: Limit = 20
    max_tokens: Tokens = 4000


READING = (
    Verb(
        "search", SearchRequest, "Hits", run="memory.reading.search:search", permission="recall", uses_caller=True,
        route=Route("GET", "/recall", "recall", "reading", errors=(404,)),
        command="recall", tool="memory_search", sdk="search",
        about="Memories that fit a question, best first. Nothing is returned to fill a limit.",
    ),
    Verb(
        "context", ContextRequest, "ExplainedPack", run="memory.reading.context:context",
        permission="recall", uses_caller=True,
        route=Route("POST", "/context", "context", "reading",
                    example={"task": "debug the auth retry storm"}),
        command="context", tool="memory_context", sdk="context",
        about="One text for an agent to read before a task: grouped, cited, fenced as data, within its budget.",
    ),
    Verb(
        "phases", PhasesRequest, "Pack", run="memory.reading.phase_recall:recall_phases",
        permission="recall", uses_caller=True,
        route=Route("POST", "/phases", "phases", "reading",
                    example={"phases": ["plan"], "budget_tokens": 2000}),
        sdk="phases",
        about="A bundle for phases of work, such as `plan`, `work`, `review`, `debug`, `release`.",
    ),
    Verb(
        "get", GetRequest, "MemoryPage", run="memory.reading.browse:get", permission="recall",
        route=Route("GET", "/memory/{id}", "get_memory", "reading", errors=(404, 409), has_etag=True),
        command="get", tool="memory_get", sdk="get",
        about="One memory. The `ETag` is the hash of its file, for `If-Match` when it is changed.",
    ),
    Verb(
        "recent", RecentRequest, "Memories", run="memory.reading.browse:recent", permission="recall", uses_caller=True,
        route=Route("GET", "/recent", "recent", "reading", errors=(404,)), command="recent", sdk="recent",
        about="Memories by their last change, the latest first.",
    ),
    Verb(
        "today", TodayRequest, "Memories", run="memory.reading.browse:today", permission="recall", uses_caller=True,
        route=Route("GET", "/today", "today", "reading", errors=(404,)), sdk="today",
        about="What changed in the last 24 hours.",
    ),
    Verb(
        "history", HistoryRequest, "Versions", run="memory.reading.versions:history", permission="recall",
        route=Route("GET", "/memory/{id}/history", "history", "reading", errors=(404,)),
        command="history", sdk="history",
        about="The versions of a memory in git, newest first, across renames.",
    ),
    Verb(
        "diff", DiffRequest, "Diff", run="memory.reading.versions:diff", permission="recall",
        route=Route("GET", "/memory/{id}/diff", "diff", "reading", errors=(404, 409, 410)), command="diff",
        about="What changed in the file of a memory between two revisions of git, or since one.",
    ),
    Verb(
        "render", RenderRequest, "Rendered", run="memory.reading.render:render", permission="recall",
        route=Route("POST", "/render", "render", "reading",
                    example={"text": "Retries **3x**, see [[http-client]]"}),
        about="""Markdown as HTML that a page can show as it is, whatever the text holds.

        Raw HTML is shown as text. Links lead to the web, to a mail address or to Obsidian; pictures become links.
        `[[…]]` becomes `<a href="#/memory/ID" data-memory="ID">` where the memory exists, else a marked span.
        """,
    ),
    Verb(
        "graph", GraphRequest, "Graph", run="memory.reading.graph:graph", permission="recall", uses_caller=True,
        route=Route("GET", "/graph", "graph", "graph", errors=(404,)), command="graph", sdk="graph_page",
        about="The memories and the edges between them.",
    ),
    Verb(
        "map", MapRequest, "Map", run="memory.reading.map_points:draw_map", permission="recall", uses_caller=True,
        route=Route("GET", "/map", "map", "graph", errors=(409,), title="Draw Map"),
        about="""\
        The memories on a plane, near in meaning near each other. 503 `index-not-ready` until there is a first map.

        A map is drawn in the background when memories have changed and somebody looks; points stay about where they
        were. A cursor leads through one map: when it was drawn again meanwhile the answer is 409 `stale-hash`.
        """,
    ),
    Verb(
        "neighbors", NeighborsRequest, "Neighbors", run="memory.reading.graph:neighbors", permission="recall",
        route=Route("GET", "/memory/{id}/neighbors", "neighbors", "graph", errors=(404,)),
        command="graph", sdk="neighbors",
        about="The memories around one, nearest first, each with the edge that led to it.",
    ),
    Verb(
        "stats", StatsRequest, "Stats", run="memory.reading.browse:stats", permission="analytics", uses_caller=True,
        route=Route("GET", "/stats", "stats", "care", errors=(404,)), sdk="stats",
        about="How many memories there are, by status, scope, kind, project and tag.",
    ),
    Verb(
        "projects", ListRequest, "helix.memory.reading.projects:Projects", run="memory.reading.projects:projects",
        permission="recall", route=Route("GET", "/projects", "projects", "projects"),
        command="projects", sdk="projects",
        about="The projects of the memories, the one that changed last first, and how many memories are unfiled.",
    ),
    Verb(
        "timeline", TimelineRequest, "Timeline", run="memory.activity.timeline:timeline", permission="recall",
        route=Route("GET", "/timeline", "timeline", "care"),
        about="""What happened to the memories and who did it, the latest first, as far as the journal goes back.

        Before the journal began it tells what the notes themselves do. A time is that at which Helix saw it happen.
        """,
    ),
    Verb(
        "conflicts", ListRequest, "Conflicts", run="memory.reading.browse:conflicts", permission="diagnostics",
        route=Route("GET", "/conflicts", "conflicts", "care"), command="conflicts", sdk="conflicts",
        about="What needs a person: files that cannot be read, and ids that stand in several files.",
    ),
    Verb(
        "strand_manifest", Budgeted, "StrandManifest", run="memory.reading.browse:strand_manifest", permission="recall",
        route=Route("GET", "/strand/manifest", "strand_manifest", "care"), sdk="manifest",
        about="What an export of the vault would hold, entry by entry, with its checksums.",
    ),
)  # fmt: skip
