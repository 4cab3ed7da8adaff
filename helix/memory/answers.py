"""What the verbs answer: the shapes that are sent over REST, and of which the SDKs have their own.

An answer is a plain dictionary that is sent as it was counted; these types cost nothing when the program runs. A name
here is the name of a schema in the OpenAPI document.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from helix.memory.verbs.fields import ID, What, Who
from helix.memory.verbs.verb import About


class Page(TypedDict):
    truncated: Annotated[bool, About("Whether there is more than is said here.")]
    tokens_used: Annotated[int, About("Tokens of this whole answer, in o200k_base.")]
    next_cursor: NotRequired[Annotated[str | None, About("Leads to the rest; null when this is all.")]]


class Edge(TypedDict):
    rel: str
    to: str


class Memory(TypedDict):
    id: Annotated[str, About(example=ID)]
    text: str
    title: NotRequired[str | None]
    kind: NotRequired[str | None]
    scope: NotRequired[str | None]
    project: NotRequired[str | None]
    status: NotRequired[str | None]
    tags: NotRequired[Annotated[list[str], About(absent=[])]]
    edges: NotRequired[Annotated[list[Edge], About(absent=[])]]
    source: NotRequired[
        Annotated[str | None, About("Where it comes from, such as `agent=claude-code session=s-81`.")]
    ]
    created: NotRequired[str | None]
    updated: NotRequired[str | None]
    deleted: NotRequired[str | None]
    valid_from: NotRequired[str | None]
    valid_until: NotRequired[str | None]
    importance: NotRequired[float | None]
    owner: NotRequired[Annotated[str | None, About("The user whose it is, in a team.")]]
    visibility: NotRequired[
        Annotated[str | None, About("For whom it is beside its owner; absent where nobody owns it.")]
    ]
    path: NotRequired[str | None]
    hash: NotRequired[str | None]
    properties_unread: NotRequired[
        Annotated[
            bool | None,
            About("Its properties cannot be read: it is known by its text alone, and cannot be changed."),
        ]
    ]
    extra: NotRequired[Annotated[dict[str, Any], About(absent={})]]


class UnreadMark(TypedDict, total=False):
    """Part of a memory: of one that is known by its text alone."""

    properties_unread: bool


class MemoryPage(Page, Memory):
    pass


class HitMarks(TypedDict, total=False):
    """Part of a hit: what it has beside the memory."""

    score: float
    nearest: bool
    more: int
    citation: str
    reasons: dict[str, float]
    truncated: bool


class Hit(Memory):
    score: NotRequired[float | None]
    reasons: NotRequired[Annotated[dict[str, float], About(absent={})]]
    more: NotRequired[
        Annotated[
            int | None,
            About("The text is a part of the memory, which has about so many tokens; `get` reads it whole."),
        ]
    ]
    citation: NotRequired[
        Annotated[
            str | None, About("Of a document: the place in its file, as in `/papers/retries.pdf#page=3`.")
        ]
    ]
    nearest: NotRequired[Annotated[bool, About("Nothing fits: it is merely what is nearest.", absent=False)]]
    truncated: NotRequired[Annotated[bool, About(absent=False)]]


class SearchNotices(TypedDict, total=False):
    """What hits can do without when the budget is small."""

    note: str
    degraded: str
    suggestions: list[str]
    confidence: float


class Hits(Page):
    results: list[Hit]
    note: NotRequired[str | None]
    degraded: NotRequired[str | None]
    suggestions: NotRequired[Annotated[list[str], About(absent=[])]]
    confidence: NotRequired[float | None]


class Memories(Page):
    results: list[Memory]


class PackNotices(TypedDict, total=False):
    """What a pack can do without when the budget is small."""

    note: str
    degraded: str


class Pack(TypedDict):
    context: Annotated[str, About("The memories, fenced as data.")]
    citations: list[str]
    dropped: Annotated[int, About("Memories that did not fit, or said the same.")]
    truncated: bool
    tokens_used: int
    note: NotRequired[str | None]
    degraded: NotRequired[str | None]


class Part(TypedDict):
    id: str
    title: str
    section: Annotated[str, About("Under which heading of the pack it stands.")]
    tokens: int
    score: Annotated[float | None, About("Null for a preference that holds whatever the task is.")]


LeftOutFor = Literal[
    "over-budget",
    "says-the-same",
    "contradicted",
    "superseded",
    "forgotten",
    "below-gate",
    "not-in-scope",
    "unreadable",
]


class LeftOut(TypedDict):
    id: str
    title: str
    tokens: int
    score: float | None
    reason: LeftOutFor
    why: str


class ExplainedPack(Pack):
    parts: NotRequired[
        Annotated[list[Part] | None, About("With `explain`: what is in the pack, in its order.")]
    ]
    overhead_tokens: NotRequired[
        Annotated[
            int | None,
            About("With `explain`: what is not memory: headings, fences, citations, the answer around them."),
        ]
    ]
    left_out: NotRequired[
        Annotated[list[LeftOut] | None, About("With `explain`: what was found and is not in it.")]
    ]
    unexplained: NotRequired[
        Annotated[int | None, About("With `explain`: memories for which `explain_tokens` had no room.")]
    ]


class PackExplanation(TypedDict):
    """What an explained pack has beside the pack."""

    overhead_tokens: int
    parts: list[Part]
    left_out: list[LeftOut]
    unexplained: int


class Similar(TypedDict):
    id: str
    title: str
    why: str


class Degraded(TypedDict, total=False):
    """Part of the answer to a change: what was not done of what was asked."""

    degraded: str


WriteStatus = Literal["created", "merged", "superseded", "noop"]


class Written(TypedDict):
    id: Annotated[str, About(example=ID)]
    status: WriteStatus
    supersedes: list[str]
    similar: NotRequired[Annotated[list[Similar], About(absent=[])]]
    reason: NotRequired[str | None]
    not_kept: NotRequired[
        Annotated[
            list[str],
            About(
                "Of a merge: what was said otherwise than the memory that was there, which stays as it is.",
                absent=[],
            ),
        ]
    ]
    degraded: NotRequired[Annotated[str | None, About("Safe on disk, but not found yet, or not compared.")]]


class MergedMark(TypedDict, total=False):
    """Part of the answer to an update."""

    merged: bool


class Updated(TypedDict):
    id: str
    status: Literal["updated", "noop"]
    hash: str
    merged: NotRequired[
        Annotated[
            bool,
            About("The file had changed since it was read, and the two changes were merged.", absent=False),
        ]
    ]
    degraded: NotRequired[str | None]


class Forgotten(TypedDict):
    id: str
    status: Literal["forgotten", "noop"]
    deleted_at: NotRequired[str | None]
    degraded: NotRequired[str | None]


class Filed(TypedDict):
    status: Literal["filed", "noop"]
    project: str
    filed: Annotated[list[str], About("The ids of those that were not of this project before.")]
    degraded: NotRequired[str | None]


class Restored(TypedDict):
    id: str
    status: Literal["restored", "noop"]
    memory_status: str
    degraded: NotRequired[str | None]


class Related(TypedDict):
    edge_id: str
    status: Literal["created", "noop"]
    degraded: NotRequired[str | None]


class Node(TypedDict):
    id: str
    title: str
    kind: str
    project: NotRequired[str | None]
    status: NotRequired[str | None]


Link = TypedDict(
    "Link",
    {
        "from": str,
        "to": str,
        "rel": str,
        "dangling": NotRequired[Annotated[bool, About("Nothing answers to what it names.", absent=False)]],
    },
)


class Graph(Page):
    nodes: list[Node]
    edges: list[Link]


class Point(TypedDict):
    id: str
    title: str
    kind: str
    project: str | None
    x: Annotated[float, About("From -1 to 1.")]
    y: Annotated[float, About("From -1 to 1.")]
    cluster: int


class Cluster(TypedDict):
    cluster: int
    terms: Annotated[list[str], About("Up to three words that tell it from the others.")]
    x: float
    y: float
    count: int


class MapHead(TypedDict, total=False):
    """What only the first page of a map says."""

    method: str
    waiting: int
    clusters: list[Cluster]


class Map(Page):
    """The first page also says which clusters there are."""

    points: list[Point]
    clusters: NotRequired[list[Cluster] | None]
    method: NotRequired[Annotated[str | None, About("How the vectors came to lie on a plane.")]]
    waiting: NotRequired[
        Annotated[int | None, About("Memories that are not embedded yet, and so not on the map.")]
    ]


class NodeAsKnown(TypedDict):
    """Part of a neighbour: of what nothing answers to, only what it is called."""

    id: str
    title: NotRequired[str | None]
    kind: NotRequired[str | None]
    project: NotRequired[str | None]
    status: NotRequired[str | None]


class WayThere(TypedDict):
    """Part of a neighbour: how far away it is, and by which edges."""

    distance: int
    edge: Link
    more_edges: NotRequired[list[Link]]


class Neighbor(TypedDict):
    id: str
    title: NotRequired[str | None]
    kind: NotRequired[str | None]
    project: NotRequired[str | None]
    status: NotRequired[str | None]
    distance: int
    edge: Link
    more_edges: NotRequired[Annotated[list[Link] | None, About("further edges that lead to it from as near")]]


class Neighbors(Page):
    neighbors: list[Neighbor]


class Version(TypedDict):
    commit: str
    time: str
    author: str
    subject: str
    path: str


class Versions(Page):
    id: str
    versions: list[Version]


_Diff = TypedDict(
    "_Diff",
    {
        "id": str,
        "from": str,
        "to": Annotated[str | None, About("Null for the file as it is.")],
        "diff": Annotated[str, About("A unified diff of the file; empty when both are the same.")],
    },
)


class Diff(Page, _Diff):
    pass


class Rendered(TypedDict):
    html: Annotated[str, About("Holds no script, no style, no id, and asks no other host for anything.")]


class Event(TypedDict):
    seq: Annotated[int, About("Grows from event to event.")]
    time: str
    what: What
    id: Annotated[str, About("The memory; empty for a write that was refused.")]
    title: Annotated[str, About("Empty for what was erased.")]
    kind: NotRequired[str | None]
    project: NotRequired[str | None]
    who: Annotated[Who | None, About("Null for what happened before the journal began.")]
    name: Annotated[str | None, About("Of the agent, where it is known.")]
    path: str
    detail: Annotated[
        str, About("What else there is to say: which memory replaced it, which copy was folded in.")
    ]


class Timeline(Page):
    events: list[Event]


class Stats(Page):
    memories: int
    by_status: dict[str, int]
    by_scope: dict[str, int]
    by_kind: dict[str, int]
    by_project: dict[str, int]
    by_tag: dict[str, int]


class CountsBy(TypedDict):
    """The part of the figures that a page may cut."""

    by_status: dict[str, int]
    by_scope: dict[str, int]
    by_kind: dict[str, int]
    by_project: dict[str, int]
    by_tag: dict[str, int]


class Conflict(TypedDict):
    code: str
    id: NotRequired[str | None]
    paths: NotRequired[Annotated[list[str], About(absent=[])]]
    path: NotRequired[str | None]
    line: NotRequired[int | None]
    reason: NotRequired[str | None]
    remedy: NotRequired[str | None]
    detail: NotRequired[str | None]


class Conflicts(Page):
    conflicts: list[Conflict]


class Action(TypedDict):
    """A request that does it, as it stands."""

    name: str
    label: str
    method: Literal["POST", "PATCH"]
    route: str
    body: dict[str, Any]


Tidying = Literal["duplicate", "contradiction", "expired", "stale-task", "dangling-link"]
Waiting = Literal[
    "proposed", "unreadable", "unmerged", "waiting-to-merge", Tidying, "skill-edit", "secret-refused"
]


Rule = Literal["said", "fix", "program"]
"""how it was found that something may be worth a memory"""


class ProposedMemory(TypedDict):
    """What was said in a session and may be worth a memory."""

    text: str
    title: str | None
    kind: str
    project: str | None
    rule: Annotated[
        Rule, About("`said`: a sentence of a turn. `fix`: a command failed, and passed after edits.")
    ]
    session: str
    uri: Annotated[str, About("The event that says it.")]
    said_by: str
    said_at: str
    times: Annotated[int, About("In how many places it is said.")]


class InboxItem(TypedDict):
    key: Annotated[str, About("Stands for the item as it is now.")]
    what: Waiting
    id: str | None
    title: str | None
    other: Annotated[
        str | None, About("The memory that would stand in its place; of a dangling link what it names.")
    ]
    other_title: str | None
    path: str | None
    line: int | None
    reason: str
    remedy: str
    detail: str
    actions: list[Action]
    proposal: NotRequired[ProposedMemory | None]


class InboxHead(TypedDict, total=False):
    """What only the first page of an inbox says."""

    counts: dict[str, int]
    looking: bool


class Inbox(Page):
    """The first page also counts what there is."""

    items: list[InboxItem]
    counts: NotRequired[dict[str, int] | None]
    looking: NotRequired[
        Annotated[
            bool | None, About("Every memory is being looked at; what is proposed is from the look before.")
        ]
    ]


class DismissedItem(TypedDict):
    key: str
    status: Literal["dismissed"]


class Accepted(TypedDict):
    key: str
    id: str
    status: Annotated[WriteStatus, About("As of a write: `merged` when a memory said it already.")]
    degraded: NotRequired[str | None]


class Settled(TypedDict):
    id: str
    status: Literal["updated", "merged", "noop"]
    hash: str


class StrandEntry(TypedDict):
    name: str
    sha256: str
    size: int
    id: NotRequired[str | None]
    status: NotRequired[str | None]
    updated_at: NotRequired[str | None]


class FileLeftOut(TypedDict):
    path: str
    reason: str


class StrandHead(TypedDict, total=False):
    """What only the first page of a manifest says."""

    format: str
    version: int
    record_format: int
    vault: str | None
    created_at: str | None
    embedder: str
    selection: dict[str, Any]
    counts: dict[str, int]
    left_out: list[FileLeftOut]


class StrandManifest(Page):
    """The first page also says what it is the manifest of."""

    format: NotRequired[str | None]
    version: NotRequired[int | None]
    record_format: NotRequired[int | None]
    vault: NotRequired[str | None]
    created_at: NotRequired[str | None]
    embedder: NotRequired[str | None]
    selection: NotRequired[
        Annotated[dict[str, Any] | None, About("What was selected; empty for the whole vault.")]
    ]
    counts: NotRequired[dict[str, int] | None]
    left_out: NotRequired[
        Annotated[list[FileLeftOut] | None, About("Files that could not be read, and so do not travel.")]
    ]
    entries: list[StrandEntry]


class Proposal(TypedDict):
    id: str
    what: str
    memory: str
    other: str | None
    reason: str
    action: str
    certain: bool


class Proposals(Page):
    proposals: list[Proposal]


class Tidied(TypedDict):
    """What a look at everything did, and what else could be done."""

    applied: list[Proposal]
    proposals: list[Proposal]


class Consolidated(TypedDict):
    applied: list[Proposal]
    remaining: int


class FrozenState(TypedDict):
    since: str
    by: str
    reason: str


class Freezing(TypedDict):
    frozen: Annotated[FrozenState | None, About("Since when, by whom and why; null when it is not frozen.")]


class Upkeep(TypedDict):
    state: Literal["waiting", "looking", "paused"]
    runs: int
    applied: int
    proposals: int | None
    error: str | None


EXAMPLES: dict[str, Any] = {
    "Hits": {
        "results": [{"id": ID, "text": "Auth client retries 3x with jitter", "score": 0.83}],
        "truncated": False,
        "next_cursor": None,
        "tokens_used": 61,
    }
}
"""answers as they may look, by name"""
