"""What goes into the six tools and what comes out of them. Every word here is paid for in each conversation."""

from __future__ import annotations

from typing import get_args

from helix.dialects.schema import STRING, Schema, gives, takes
from helix.memory.verbs.fields import Kind, Scope

# What is longer than this a host cuts.
_TOKENS = {"maximum": 25_000}
_SCOPE = {"enum": list(get_args(Scope))}
# Who is read for, and when: on every tool that looks for memories.
_PLACE: dict[str, Schema] = {"project": {}, "session": {}}
_WHEN = {
    "as_of": {"description": "Past time, e.g. 2026-06-18"},
    "ref": {"description": "Git commit, branch or tag"},
}
_CURSOR = {"anyOf": [STRING, {"type": "null"}]}

SEARCH = takes(
    "search",
    query={"description": "Natural-language or keyword query"},
    scope=_SCOPE,
    filters={"description": "kind, tag, project, status, after, before or a frontmatter key"},
    limit={},
    max_tokens=_TOKENS,
    response_format={},
    cursor={"description": "next_cursor of the page before"},
    include_deleted={},
    **_PLACE,
    **_WHEN,
)
FOUND = gives(
    "Hits",
    ["results", "truncated", "tokens_used", "next_cursor"],
    results={"items": gives("Hit", ["id", "text"], id={}, text={}, score={}, more={})},
    truncated={},
    tokens_used={},
    next_cursor=_CURSOR,
)

CONTEXT = takes(
    "context",
    task={"description": "What you are about to do"},
    scope=_SCOPE,
    max_tokens={"minimum": 128, **_TOKENS},
    response_format={},
    **_PLACE,
    **_WHEN,
)
PACK = gives(
    "Pack",
    ["context", "citations", "tokens_used", "dropped"],
    context={},
    citations={},
    tokens_used={},
    dropped={},
    truncated={},
)

WRITE = takes(
    "write",
    text={},
    title={},
    kind={"enum": list(get_args(Kind))},
    scope={},
    tags={},
    importance={},
    idempotency_key={"description": "Retries with same key are no-ops"},
    supersede_hint={"description": "ID this write replaces"},
    force={"description": "Keep it though it is a duplicate or trivial"},
    allow_secrets={},
    **_PLACE,
)
WRITTEN = gives("Written", ["id", "status", "supersedes"], id={}, status={}, supersedes={})

GET = takes(
    "get",
    id={},
    response_format={},
    max_tokens=_TOKENS,
    cursor={},
    include_deleted={},
    **_WHEN,
)
MEMORY = gives(
    "MemoryPage",
    ["id", "text"],
    id={},
    text={},
    kind={},
    scope={},
    tags={},
    edges={"items": gives("Edge", ["rel", "to"], rel={}, to={})},
    created={},
    updated={},
    truncated={},
    tokens_used={},
    next_cursor=_CURSOR,
)

FORGET = takes("forget", id={}, mode={"description": "hard erases the text for good"}, idempotency_key={})
FORGOTTEN = gives("Forgotten", ["id", "status"], id={}, status={})

RELATE = takes("relate", **{"from": {}, "to": {}, "rel": {}, "idempotency_key": {}})
RELATED = gives("Related", ["edge_id", "status"], edge_id={}, status={})
