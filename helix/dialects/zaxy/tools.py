"""The tools of this dialect: each is a verb, in the words and shapes that its clients know."""

from __future__ import annotations

from helix.dialects.dialect import READS, Hints, Run, Tool
from helix.dialects.schema import Schema
from helix.dialects.zaxy import events, learning, orientation, query, recall, schemas

_ADDS = Hints(read_only=False, idempotent=False)


def _tool(
    name: str, about: str, takes: Schema, run: Run, hints: Hints = READS, *, searches: bool = False
) -> Tool:
    return Tool(name, name.replace("_", "."), about, takes, run, hints=hints, uses_search=searches)


TOOLS = (
    _tool("memory_append", "Add an event to the log of a session. Decisions, goals and tasks become memories.",
          schemas.APPEND, events.append, _ADDS, searches=True),
    _tool("memory_query", "Facts that bear on a question, as they hold now or held at a time.",
          schemas.QUERY, query.query, searches=True),
    _tool("memory_verbatim", "What was said word for word in a session, with citations.",
          schemas.VERBATIM, events.verbatim),
    _tool("memory_feedback", "Say whether something that was found helped.",
          schemas.FEEDBACK, learning.feedback, _ADDS),
    _tool("memory_skill", "Say what happened to a skill: a procedure that is learned, applied and judged.",
          schemas.SKILL, learning.skill, _ADDS, searches=True),
    _tool("memory_replay", "The events of a session in their order, and whether its log verifies.",
          schemas.REPLAY, events.replay),
    _tool("memory_invalidate", "Say since when a fact holds no longer; its history stays.",
          schemas.INVALIDATE, learning.invalidate, Hints(read_only=False), searches=True),
    _tool("memory_capabilities", "What memory can do here, and what to call next.",
          schemas.ORIENTATION, orientation.capabilities),
    _tool("memory_bootstrap", "Call first in a session: what to do with memory, in one packet.",
          schemas.ORIENTATION, orientation.bootstrap),
    _tool("memory_checkout", "Call before larger work and for a question: cited facts, and whether they answer it.",
          schemas.CHECKOUT, recall.checkout, searches=True),
    _tool("context_assemble", "What happened last and what bears on a question, as one text with its sources.",
          schemas.ASSEMBLE, recall.assemble, searches=True),
    _tool("context_after_turn", "Add a turn to the log, and get what bears on it.",
          schemas.AFTER_TURN, recall.after_turn, _ADDS, searches=True),
    _tool("subagent_cleanup", "A subagent is done: close its session and hand over what came of it.",
          schemas.CLEANUP, recall.clean_up, _ADDS, searches=True),
)  # fmt: skip
