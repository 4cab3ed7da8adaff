"""What goes into the six tools and what comes out of them. Every word here is paid for in each conversation."""

from __future__ import annotations

from typing import Any

from helix.memory.tokens import Payload
from helix.vault.links import EDGE_KINDS
from helix.vault.note import SCOPES

_SCOPE = {"type": "string", "enum": list(SCOPES), "default": "project"}
_STRING = {"type": "string"}
_FLAG = {"type": "boolean", "default": False}
_KEY = {"type": "string", "description": "Retries with same key are no-ops"}
# Who is read for, and when: on every tool that looks for memories.
_WHERE: Payload = {"project": _STRING, "session": _STRING}
_WHEN: Payload = {
    "as_of": {"type": "string", "description": "Past time, e.g. 2026-06-18"},
    "ref": {"type": "string", "description": "Git commit, branch or tag"},
}
_NUMBER = {"type": "integer"}
_YES_NO = {"type": "boolean"}
_STRINGS = {"type": "array", "items": _STRING}
_CURSOR = {"anyOf": [_STRING, {"type": "null"}]}


def _format(default: str) -> Payload:
    return {"type": "string", "enum": ["concise", "detailed"], "default": default}


def _tokens(least: int, default: int) -> Payload:
    return {"type": "integer", "minimum": least, "maximum": 25000, "default": default}


def _takes(required: list[str], **properties: Any) -> Payload:
    # Closed: a misspelt argument that is silently ignored loses what the model wanted to say.
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _gives(required: list[str], **properties: Any) -> Payload:
    return {"type": "object", "properties": properties, "required": required}


SEARCH = _takes(
    ["query"],
    query={"type": "string", "description": "Natural-language or keyword query"},
    scope=_SCOPE,
    filters={
        "type": "object",
        "additionalProperties": _STRING,
        "description": "kind, tag, project, status, after, before or a frontmatter key",
    },
    limit={"type": "integer", "minimum": 1, "maximum": 50, "default": 8},
    max_tokens=_tokens(64, 1500),
    response_format=_format("concise"),
    cursor={"type": "string", "description": "next_cursor of the page before"},
    include_deleted=_FLAG,
    **_WHERE,
    **_WHEN,
)
FOUND = _gives(
    ["results", "truncated", "tokens_used", "next_cursor"],
    results={
        "type": "array",
        "items": _gives(["id", "text"], id=_STRING, text=_STRING, score={"type": "number"}),
    },
    truncated=_YES_NO,
    tokens_used=_NUMBER,
    next_cursor=_CURSOR,
)

CONTEXT = _takes(
    ["task"],
    task={"type": "string", "description": "What you are about to do"},
    scope=_SCOPE,
    max_tokens=_tokens(128, 4000),
    response_format=_format("concise"),
    **_WHERE,
    **_WHEN,
)
PACK = _gives(
    ["context", "citations", "tokens_used", "dropped"],
    context=_STRING,
    citations=_STRINGS,
    tokens_used=_NUMBER,
    dropped=_NUMBER,
    truncated=_YES_NO,
)

WRITE = _takes(
    ["text"],
    text=_STRING,
    title=_STRING,
    kind={
        "type": "string",
        "enum": ["fact", "preference", "decision", "snippet", "task"],
        "default": "fact",
    },
    scope=_SCOPE,
    tags=_STRINGS,
    importance={"type": "number", "minimum": 0, "maximum": 1},
    idempotency_key=_KEY,
    supersede_hint={"type": "string", "description": "ID this write replaces"},
    force={**_FLAG, "description": "Keep it though it is a duplicate or trivial"},
    allow_secrets=_FLAG,
    **_WHERE,
)
WRITTEN = _gives(
    ["id", "status", "supersedes"],
    id=_STRING,
    status={"type": "string", "enum": ["created", "merged", "superseded", "noop"]},
    supersedes=_STRINGS,
)

GET = _takes(
    ["id"],
    id=_STRING,
    response_format=_format("detailed"),
    max_tokens=_tokens(64, 8000),
    cursor=_STRING,
    include_deleted=_FLAG,
    **_WHEN,
)
MEMORY = _gives(
    ["id", "text"],
    id=_STRING,
    text=_STRING,
    kind=_STRING,
    scope=_STRING,
    tags=_STRINGS,
    edges={"type": "array", "items": _gives(["rel", "to"], rel=_STRING, to=_STRING)},
    created=_STRING,
    updated=_STRING,
    truncated=_YES_NO,
    tokens_used=_NUMBER,
    next_cursor=_CURSOR,
)

FORGET = _takes(
    ["id"],
    id=_STRING,
    mode={
        "type": "string",
        "enum": ["tombstone", "hard"],
        "default": "tombstone",
        "description": "hard erases the text for good",
    },
    idempotency_key=_STRING,
)
FORGOTTEN = _gives(["id", "status"], id=_STRING, status={"type": "string", "enum": ["forgotten", "noop"]})

RELATE = _takes(
    ["from", "to", "rel"],
    **{
        "from": _STRING,
        "to": _STRING,
        "rel": {"type": "string", "enum": list(EDGE_KINDS)},
        "idempotency_key": _STRING,
    },
)
RELATED = _gives(
    ["edge_id", "status"], edge_id=_STRING, status={"type": "string", "enum": ["created", "noop"]}
)
