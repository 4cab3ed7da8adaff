"""Tools over the logs of sessions, for agents that ask for them: each is a verb, with a choice of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helix.dialects.ask import ask, asks
from helix.dialects.dialect import READS, Arguments, Hints, Run, Tool
from helix.dialects.schema import Schema, takes, whole_answer
from helix.errors import BadValue
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.sessions.tool_names import called

_NAMES = {
    "memory_capabilities": "session_capabilities",
    "memory_checkout": "session_checkout",
    "memory_append": "session_append",
    "memory_feedback": "session_feedback",
    "memory_verbatim": "session_verbatim",
    "memory_replay": "session_replay",
    "context_after_turn": "session_after_turn",
}
_ADDS = Hints(read_only=False, idempotent=False)
_TOKENS = {"maximum": 25_000}  # what is longer a host cuts
_CURSOR = {"description": "next_cursor of the page before"}
_REF = {"description": "HEAD or refs/NAME: as it was known then"}


def _in_session(verb_name: str) -> Run:
    """A verb that needs a session: that of the connection, unless the call names another."""

    def run(request: Request, arguments: Arguments) -> Payload:
        session = arguments.get("session_id") or request.place.session
        if session is None:
            raise BadValue("this connection has no session of its own; name one as session_id")
        with called(_NAMES):
            return ask(request.at(session=session), verb_name, **{**arguments, "session_id": session})

    return run


def _takes(verb_name: str, **fields: Mapping[str, Any]) -> Schema:
    made = takes(verb_name, **fields, session_id={"description": "This session when absent"})
    return {**made, "required": [name for name in made["required"] if name != "session_id"]}


def _tool(name: str, about: str, takes: Schema, hints: Hints = READS, *, searches: bool = True) -> Tool:
    return Tool(
        name, name.replace("_", "."), about, takes, _in_session(name), whole_answer(name), hints,
        uses_search=searches,
    )  # fmt: skip


def session_tools() -> tuple[Tool, ...]:
    window: dict[str, dict[str, Any]] = {
        "replay_from_seq": {}, "limit": {}, "max_recent_events": {}, "ref": _REF, "max_tokens": _TOKENS,
    }  # fmt: skip
    return (
        _tool("session_bootstrap", "Call first in a session: what to do with its log and with memory.",
              _takes("session_bootstrap", current_task={}), Hints(read_only=False), searches=False),
        _tool("session_capabilities", "What can be done with the log of a session, and what is known of it.",
              _takes("session_capabilities", current_task={}), searches=False),
        _tool("session_checkout",
              "Before larger work, or for a question: current facts, cited, and whether they answer it.",
              _takes("session_checkout", query={}, purpose={}, **window)),
        _tool("session_assemble",
              "What happened last in a session and what bears on a question, as one text with its sources.",
              _takes("session_assemble", query={}, **window)),
        _tool("session_append",
              "Add an event to the log. Decisions, preferences, goals and tasks become memories, too.",
              _takes("session_append", type={}, actor={}, payload={}, external_ref={}), _ADDS),
        _tool("session_after_turn", "Add a turn to the log, and get what bears on it.",
              _takes("session_after_turn", role={}, content={}, query={}, limit={}, max_tokens=_TOKENS), _ADDS),
        Tool("session_query", "session.query",
             "Facts that bear on a question, as they hold now or held at a time, each with its citation.",
             takes("session_query", query={}, held_at={}, session_ids={}, ref=_REF, limit={},
                   max_tokens=_TOKENS, cursor=_CURSOR),
             asks("session_query"), whole_answer("session_query"), uses_search=True),
        Tool("session_verbatim", "session.verbatim",
             "What was said word for word, with citations: in one session, or in all when none is named.",
             takes("session_verbatim", query={}, session_id={}, limit={}, max_tokens=_TOKENS, cursor=_CURSOR),
             asks("session_verbatim"), whole_answer("session_verbatim")),
        _tool("session_replay", "The events of a session in their order, and whether its log verifies.",
              _takes("session_replay", from_seq={}, to_seq={}, type={}, limit={}, max_tokens=_TOKENS,
                     cursor=_CURSOR), searches=False),
        _tool("session_invalidate", "Say that what was stated no longer holds; its history stays.",
              _takes("session_invalidate", entity_name={}, entity_type={}, invalid_at={}, reason={}),
              Hints(read_only=False)),
        _tool("session_feedback", "Say whether a memory that was found helped.",
              _takes("session_feedback", entity_name={}, entity_type={}, feedback={}, query={}, citation={},
                     reason={}), _ADDS, searches=False),
        _tool("session_skill", "Say what happened to a skill: a procedure that is learned, applied and judged.",
              _takes("session_skill", action={}, skill_id={}, version={}, name={}, summary={}, procedure={},
                     applicability={}, task={}, success_score={}, feedback={}, evidence={}, reason={}), _ADDS),
        _tool("session_handover", "A subagent is done: close its session and hand over what came of it.",
              _takes("session_handover", subagent_session_id={}, summary={}, query={}, limit={},
                     max_tokens=_TOKENS), _ADDS),
    )  # fmt: skip
