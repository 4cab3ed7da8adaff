"""Tools by which memory learns what helped and how things are done."""

from __future__ import annotations

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments
from helix.dialects.zaxy.arguments import given, needed, one_of, session_of, share_of, text, texts
from helix.dialects.zaxy.recall import purpose_of
from helix.dialects.zaxy.spelled import on_one_line
from helix.memory.request import Request
from helix.memory.tokens import Payload

FEEDBACK = ("used", "helpful", "irrelevant")
ACTIONS = (
    "proposed", "validated", "revised", "deprecated", "contradicted", "applied", "outcome_recorded",
)  # fmt: skip
_SKILL_TEXTS = (
    "name", "summary", "task", "feedback", "reason", "supersedes_version", "rollback", "contradiction_reason",
)  # fmt: skip
_SKILL_LISTS = ("procedure", "applicability", "citations", "evidence", "failure_modes")
_ACTOR = "zaxy"


def feedback(request: Request, arguments: Arguments) -> str:
    session = session_of(request, arguments)
    done = ask(
        request.at(session=session),
        "session_feedback",
        session_id=session,
        entity_name=needed(arguments, "entity_name"),
        entity_type=needed(arguments, "entity_type"),
        feedback=one_of(arguments, "feedback", "feedback", FEEDBACK),
        actor=text(arguments, "actor") or _ACTOR,
        source=text(arguments, "source") or "mcp",
        **given(
            **{name: text(arguments, name) for name in ("query", "citation", "reason", "outcome")},
            purpose=purpose_of(arguments),
            score=arguments.get("score"),
            importance=share_of(arguments, "importance"),
        ),
    )
    return _receipt(done)


def skill(request: Request, arguments: Arguments) -> str:
    session = session_of(request, arguments)
    done = ask(
        request.at(session=session),
        "session_skill",
        session_id=session,
        action=one_of(arguments, "action", "skill action", ACTIONS),
        skill_id=needed(arguments, "skill_id"),
        version=text(arguments, "version") or "1",
        actor=text(arguments, "actor") or _ACTOR,
        **given(
            **{name: text(arguments, name) for name in _SKILL_TEXTS},
            **{name: texts(arguments, name) for name in _SKILL_LISTS},
            success_score=share_of(arguments, "success_score"),
        ),
    )
    return _receipt(done)


def invalidate(request: Request, arguments: Arguments) -> str:
    ask(
        request,
        "session_invalidate",
        session_id=session_of(request, {}),
        entity_name=needed(arguments, "entity_name"),
        entity_type=needed(arguments, "entity_type"),
        invalid_at=needed(arguments, "invalid_at"),
        actor=_ACTOR,
    )
    # Also when nothing of that name holds: afterwards it does not, which is what was asked for.
    return on_one_line({"status": "invalidated"})


def _receipt(done: Payload) -> str:
    return on_one_line({key: done[key] for key in ("seq", "hash", "event_type", "degraded") if key in done})
