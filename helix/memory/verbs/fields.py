"""The fields that several verbs take, and the words they take for choices."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypedDict

from helix.memory.size_limits import LEAST_TOKENS, MOST_AT_ONCE, MOST_TOKENS
from helix.memory.verbs.verb import About, Asks

Format = Literal["concise", "detailed"]
Scope = Literal["project", "global", "session"]
"""where a memory belongs"""
Sight = Literal["project", "global", "session", "all"]
"""what is seen"""
Status = Literal["active", "superseded", "deleted", "erased"]
Rel = Literal["supersedes", "depends_on", "contradicts", "refines", "relates_to"]
Visibility = Literal["private", "project", "team"]
"""for whom a memory is, beside its owner"""
Kind = Literal["fact", "preference", "decision", "snippet", "task"]
"""what memories are most often; any other word is taken too"""

What = Literal[
    "learned", "changed", "forgotten", "restored", "superseded", "merged", "erased", "moved", "gone", "refused",
]  # fmt: skip
"""what can happen to a memory"""
Who = Literal["agent", "person", "sync", "helix"]

NOTHING: Mapping[Any, Any] = MappingProxyType({})

ID = "mem_2026-06-18_auth-retry_a1b2"

MemoryId = Annotated[str, About("The id of a memory.", name="id", example=ID)]
Tokens = Annotated[int, About(least=LEAST_TOKENS, most=MOST_TOKENS)]
TokensOfAll = Annotated[
    int, About("The whole answer fits in so many tokens.", least=LEAST_TOKENS, most=MOST_TOKENS)
]
Limit = Annotated[int, About(least=1, most=MOST_AT_ONCE)]
HiddenToo = Annotated[bool, About("Also deleted and superseded memories.")]
OfProject = Annotated[str | None, About("Only memories of this project.")]
AsOf = Annotated[
    str | None,
    About("The vault as it was at this time (needs git): `2026-06-18` or `2026-06-18T09:12:44Z`."),
]
Ref = Annotated[str | None, About("The vault as it was at this commit, branch or tag (needs git).")]
IdempotencyKey = Annotated[str | None, About(shortest=1, longest=200)]


class Budgeted(Asks):
    max_tokens: TokensOfAll = 2000
    cursor: Annotated[str | None, About("The `next_cursor` of the answer before.")] = None


class InThePast(Asks):
    as_of: AsOf = None
    ref: Ref = None


class InAFormat(Asks):
    response_format: Annotated[
        Format, About("`concise` is the least to act on, `detailed` all there is to know.")
    ] = "concise"


class Filters(Asks):
    """What memories are narrowed down by; in an address each is a parameter of its own."""

    project: OfProject = None
    unfiled: Annotated[
        bool | None,
        About("Only memories of which nobody has said of which project they are, or none of them."),
    ] = None
    kind: Annotated[str | None, About("Only memories of this kind, such as `decision`.")] = None
    tag: Annotated[str | None, About("Only memories with this tag.")] = None
    after: Annotated[str | None, About("Only memories created after this time.")] = None
    before: Annotated[str | None, About("Only memories created before this time.")] = None
    status: Annotated[
        Status | None, About("Only memories with this status, hidden ones too; without it active ones.")
    ] = None


class Filtered(Asks):
    scope: Annotated[Sight, About("What is seen: `project` sees project and global, `all` everything.")] = (
        "project"
    )
    filters: Mapping[str, str] = NOTHING


class Source(TypedDict, total=False):
    """Where a memory comes from."""

    agent: str | None
    session: str | None
    uri: str | None
