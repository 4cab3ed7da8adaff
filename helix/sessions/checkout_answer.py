"""What was gathered for a question, as an answer: in the shapes that clients of this kind of answer know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helix.sessions.answers import KnownRef
from helix.sessions.contexts import Context, Found
from helix.sessions.quality import EvidencePlan, Quality, next_query
from helix.sessions.skill_recall import RecalledSkills
from helix.sessions.tool_names import tool
from helix.sessions.working_set import summary_of, working_set
from helix.vault.log.event import LogEvent, parse_citation

_VERBATIM_SLOTS = 1


@dataclass(frozen=True)
class Gathered:
    session: str
    query: str
    ref: KnownRef | None
    found: Found
    facts: Sequence[Context]
    """that hold, and bear on the question"""
    closed: Sequence[Context]
    """that would bear on it, and no longer hold"""
    events: Sequence[LogEvent]
    is_compacted: bool
    warnings: Sequence[str]
    plan: EvidencePlan
    quality: Quality
    skills: RecalledSkills


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _part(items: Sequence[Any], share: float) -> list[Any]:
    """As many of them from the front; one as long as there is any."""
    return list(items[: max(1, round(len(items) * share))])


def _fact(context: Context, longest: int) -> dict[str, Any]:
    fact: dict[str, Any] = {
        "content": _cut(context.content, longest),
        "source": context.source,
        "score": context.score,
        "citation": context.citation,
        "valid_from": context.valid_from,
        "valid_to": context.valid_to,
        "source_lane": context.lane,
    }
    if context.entity_name is not None:
        fact["entity_name"], fact["entity_type"] = _cut(context.entity_name, 160), context.entity_type
    return fact


def _event_of(citation: str) -> dict[str, Any]:
    if not citation.startswith("eventloom://"):
        return {"event_seq": None, "event_hash": None}
    _, seq, fragment = parse_citation(citation)
    return {"event_seq": seq, "event_hash": fragment}


def _counts(known: Gathered) -> dict[str, int]:
    lanes = [context.lane for context in known.facts]
    return {
        "graph": lanes.count("graph"),
        "verbatim": lanes.count("verbatim"),
        "packet_memory": 0,
        "replay": len(known.events),
    }


_POLICY = {
    "verbatim_enabled": True,
    "verbatim_slots": _VERBATIM_SLOTS,
    "packet_memory_enabled": False,
    "packet_memory_slots": 0,
}


def to_checkout(known: Gathered, purpose: str | None, share: float, longest: int) -> dict[str, Any]:
    facts = _part(known.facts, share)
    events = list(known.events[-max(1, round(len(known.events) * share)) :]) if known.events else []
    guidance = _guidance(known, facts)
    lanes = [fact.lane for fact in facts]
    diagnostics = {
        "source_lanes": {lane: lanes.count(lane) for lane in sorted(set(lanes))},
        "citation_count": len(facts),
        "current_citation_count": len({fact.citation for fact in facts}),
        "current_fact_count": len(facts),
        "superseded_contexts_excluded": len(known.closed),
        "warning_count": len(known.warnings),
        "feedback_recommended": bool(facts),
        "feedback_tool": tool("memory_feedback"),
        "feedback_reason": "say which of the facts were used, so that they are found sooner",
        "evidence_plan": known.plan.to_dict(),
        "evidence_set": {"groups": sorted({fact.citation for fact in facts})[:8]},
        "search_confidence": round(known.found.confidence, 3),
        **known.skills.diagnostics(longest),
    }
    workset = working_set(events, facts)
    prompt = _checkout_prompt(known, facts, events, workset, longest)
    tokens = max(1, (len(prompt) + 3) // 4)
    return {
        "session_id": known.session,
        "query": known.query,
        "prompt": prompt,
        "working_set": workset,
        "ref": known.ref,
        "current_facts": [_fact(fact, longest) for fact in facts],
        "evidence": [
            {
                "citation": fact.citation,
                "content": _cut(fact.content, min(longest, 160)),
                "source": fact.source,
                "source_lane": fact.lane,
                "score": fact.score,
                **_event_of(fact.citation),
            }
            for fact in facts
        ],
        "provenance": [
            {
                "citation": context.citation,
                **_event_of(context.citation),
                "source": context.source,
                "source_lane": context.lane,
                "valid_from": context.valid_from,
                "valid_to": context.valid_to,
            }
            for context in [*facts, *(_part(known.closed, share) if known.closed else [])]
        ],
        "retention": {"policy": "current_only", "superseded_contexts_excluded": len(known.closed)},
        "warnings": list(known.warnings),
        "guidance": guidance,
        "quality": known.quality.to_dict(),
        "diagnostics": diagnostics,
        "context_counts": _counts(known),
        "replay_event_count": len(known.events),
        "token_efficiency": {
            "prompt_tokens": tokens,
            "current_fact_count": len(facts),
            "evidence_count": len(facts),
            "facts_per_1k_prompt_tokens": round(1000 * len(facts) / tokens, 2),
        },
        "compacted": known.is_compacted,
        "assembly_policy": dict(_POLICY),
        "purpose": purpose,
        "truncated": share < 1.0,
    }


def _guidance(known: Gathered, facts: Sequence[Context]) -> dict[str, Any]:
    action = known.quality.answerability
    following = {
        "tool": tool("memory_checkout"),
        "query": next_query(known.query),
        "reason": "to see where the work stands"
        if action == "answer_from_memory"
        else "what was found is not sure",
    }
    return {
        "trust": ["Current facts with a citation; each names the event or the memory that it stands on."],
        "ignore": ["What provenance shows with a valid_to: it no longer holds."],
        "recommended_next_call": following,
        "feedback": {
            "tool": tool("memory_feedback"),
            "when": "a cited fact was used in an answer",
            "payloads": [
                {
                    "entity_name": _cut(fact.entity_name or fact.content, 160),
                    "entity_type": fact.entity_type or "memory",
                    "feedback": "used",
                    "actor": "assistant",
                    "query": known.query,
                    "source": fact.source,
                    "score": fact.score,
                    "citation": fact.citation,
                    "importance": 0.6,
                }
                for fact in facts[:1]
            ],
        },
        "synthesis": None,
    }


def to_assembly(known: Gathered, share: float, longest: int) -> dict[str, Any]:
    graph = [context for context in known.found.contexts if context.is_current and context.lane == "graph"]
    spoken = [
        context for context in known.found.contexts if context.is_current and context.lane == "verbatim"
    ]
    room = max(1, round(10 * share))
    # Words of the log keep their place beside the memories, however many of those there are.
    taken = graph[: max(1, room - (_VERBATIM_SLOTS if spoken else 0))]
    contexts = [*taken, *spoken[: max(_VERBATIM_SLOTS, room - len(taken))]][:room]
    events = list(known.events[-max(1, round(len(known.events) * share)) :]) if known.events else []
    workset = working_set(events, contexts)
    rows = [
        {**_fact(context, longest), "metadata": {"assembly_lane": context.lane, "citation": context.citation}}
        for context in contexts
    ]
    prompt = "\n".join(
        [
            *_working_lines(workset),
            *_event_lines(events, longest),
            "# Retrieved Context",
            *(f"- {_cut(' '.join(one.content.split()), longest)} ({one.citation})" for one in contexts),
        ]
    )
    return {
        "session_id": known.session,
        "ref": known.ref,
        "prompt": prompt,
        "contexts": rows,
        "replay_event_count": len(known.events),
        "compacted": known.is_compacted,
        "assembly_policy": dict(_POLICY),
        "context_counts": _counts(known),
        "working_set": workset,
        "truncated": share < 1.0,
    }


def _checkout_prompt(
    known: Gathered,
    facts: Sequence[Context],
    events: Sequence[LogEvent],
    workset: dict[str, Any],
    longest: int,
) -> str:
    quality = known.quality
    action = "none" if quality.required_action is None else quality.answerability
    lines = ["# Memory Checkout", f"Query: {_cut(known.query, max(longest, 200))}", "## Current Facts"]
    lines += [f"- {_cut(' '.join(fact.content.split()), longest)} ({fact.citation})" for fact in facts] or [
        "- none"
    ]
    lines += ["## Evidence", *(f"- {fact.citation} [{fact.lane}]" for fact in facts)]
    lines += known.skills.lines(longest)
    lines += [
        "## Checkout Quality",
        f"- Answerability: {quality.answerability}",
        f"- Confidence: {quality.confidence}",
        f"- Citations: {len(facts)}",
        f"- Required action: {action}",
        "## Checkout Guidance",
        f"- Suggested next call: {tool('memory_checkout')}('{_cut(next_query(known.query), 200)}')",
        f"- Feedback: call {tool('memory_feedback')} for each cited fact that was used",
        "## Checkout Diagnostics",
        f"- Left out because they no longer hold: {len(known.closed)}",
        *_working_lines(workset),
        *_event_lines(events, longest),
    ]
    if known.warnings:
        lines += ["# Context Warnings", *(f"- {warning}" for warning in known.warnings)]
    return "\n".join(lines)


def _working_lines(workset: dict[str, Any]) -> list[str]:
    return [
        "# Active Memory Working Set",
        *(f"- {item['category']}: {item['summary']} ({item['citation']})" for item in workset["items"]),
    ]


def _event_lines(events: Sequence[LogEvent], longest: int) -> list[str]:
    lines = ["# Recent Events"]
    for event in events:
        lines.append(f"[{event.seq}] {event.type} by {event.actor}")
        if text := summary_of(event):
            lines.append(f"  {_cut(text, longest)}")
    return lines
