"""What the tools of this dialect take. Limits are said in words, and checked by the tools: with the sentences that
clients know."""

from __future__ import annotations

from typing import Any

from helix.dialects.schema import STRING, Schema, closed

_INTEGER: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_TEXTS: Schema = {"type": "array", "items": STRING}
_PURPOSE: Schema = {"type": ["string", "object"], "description": "What it is for"}
_QUERY: Schema = {**STRING, "description": "1 to 4096 characters"}
_SESSION: Schema = {**STRING, "description": "1 to 128 letters, digits, _ - ."}
_TOKENS: Schema = {**_INTEGER, "description": "Budget of the whole answer"}


def _defaulting(schema: Schema, default: Any) -> Schema:
    return {**schema, "default": default}


_LIMIT = _defaulting({**_INTEGER, "description": "1 to 100"}, 10)
_RECENT = _defaulting({**_INTEGER, "description": "1 to 100"}, 20)
_FIRST = _defaulting(_INTEGER, 1)
_ADMIN: Schema = {**STRING, "description": "Not needed"}

APPEND = closed(
    ["event_type", "actor", "payload"],
    event_type={**STRING, "description": "e.g. decision.made"},
    actor=STRING,
    payload={"type": "object", "description": "At most 1 MiB"},
    thread={**STRING, "description": "The older name of session_id"},
    session_id=_SESSION,
)
QUERY = closed(
    ["query"],
    query=_QUERY,
    temporal_filter={**STRING, "description": "What held at this time, ISO 8601"},
    limit=_LIMIT,
    session_id=_SESSION,
    cursor={**STRING, "description": "next_cursor of the page before"},
    paged={"type": "boolean", "description": "Answer with a page"},
    session_ids={**_TEXTS, "description": "Only what these sessions stated"},
)
INVALIDATE = closed(
    ["entity_name", "entity_type", "invalid_at"],
    entity_name=STRING,
    entity_type=STRING,
    invalid_at={**STRING, "description": "ISO 8601"},
    admin_token=_ADMIN,
)
VERBATIM = closed(["query"], query=_QUERY, session_id=_SESSION, limit=_LIMIT)
FEEDBACK = closed(
    ["entity_name", "entity_type", "feedback"],
    entity_name=STRING,
    entity_type=STRING,
    feedback={**STRING, "description": "used, helpful or irrelevant"},
    actor=_defaulting(STRING, "zaxy"),
    session_id=_SESSION,
    query=STRING,
    source=_defaulting(STRING, "mcp"),
    score=_NUMBER,
    citation=STRING,
    reason=STRING,
    importance=_NUMBER,
    purpose=_PURPOSE,
    outcome=STRING,
)
SKILL = closed(
    ["action", "skill_id"],
    action={
        **STRING,
        "description": "proposed, validated, revised, deprecated, contradicted, applied or outcome_recorded",
    },
    skill_id=STRING,
    version=_defaulting(STRING, "1"),
    name=STRING,
    summary=STRING,
    procedure=_TEXTS,
    applicability=_TEXTS,
    citations=_TEXTS,
    task=STRING,
    success_score=_NUMBER,
    feedback=STRING,
    evidence=_TEXTS,
    reason=STRING,
    supersedes_version=STRING,
    actor=_defaulting(STRING, "zaxy"),
    session_id=_SESSION,
    failure_modes=_TEXTS,
    rollback=STRING,
    contradiction_reason=STRING,
)
REPLAY = closed(["session_id"], session_id=_SESSION, from_seq=_FIRST, admin_token=_ADMIN)
ORIENTATION = closed([], session_id=_SESSION, current_task=STRING)
CHECKOUT = closed(
    ["query"],
    query=_QUERY,
    session_id=_SESSION,
    ref={**STRING, "description": "HEAD or refs/NAME: as it was known then"},
    replay_from_seq=_FIRST,
    limit=_LIMIT,
    max_recent_events=_RECENT,
    max_tokens=_TOKENS,
    purpose=_PURPOSE,
)
ASSEMBLE = closed(
    ["query"],
    query=_QUERY,
    session_id=_SESSION,
    replay_from_seq=_FIRST,
    limit=_LIMIT,
    max_recent_events=_RECENT,
    max_tokens=_TOKENS,
)
AFTER_TURN = closed(
    ["role", "content"],
    role=STRING,
    content=STRING,
    query={**STRING, "description": "What to look for; the content when absent"},
    source=_defaulting(STRING, "mcp"),
    session_id=_SESSION,
    limit=_LIMIT,
    max_recent_events=_RECENT,
)
CLEANUP = closed(
    ["parent_session_id", "subagent_session_id", "summary"],
    parent_session_id=STRING,
    subagent_session_id=STRING,
    summary=STRING,
    query=_defaulting(STRING, "subagent handoff"),
    limit=_LIMIT,
)
