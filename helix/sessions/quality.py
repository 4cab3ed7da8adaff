"""Whether memory answers a question: the arithmetic of a checkout, and what to do next.

The figures are those that clients of this kind of answer know. What counts as a fact is decided before: only what holds
enough of the question's words is one (`BEARS`), so that a full page of neighbours is no confidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from helix.sessions.contexts import Context
from helix.sessions.tool_names import tool

Answerability = Literal["answer_from_memory", "refresh_recommended", "ask_user"]

BEARS = 0.55
"""of the question's words by weight, what a fact must hold. Chosen on the half for tuning of `bench/checkout`"""

_WORD = re.compile(r"[a-z0-9']+")
_PERSONAL = frozenset({"i", "my", "me", "we", "our", "us"})
_ALTOGETHER = frozenset({"total", "altogether", "sum", "overall", "across", "combined"})
_SOURCES = frozenset({"citation", "cited", "document", "file", "provenance", "source", "sources"})
_OPERATION = frozenset({"checkpoint", "decision", "decisions", "handoff", "session", "turn"})
_ASKED = frozenset({"current", "recover", "retrieve", "what", "which"})


@dataclass(frozen=True)
class EvidencePlan:
    """How many sources of their own an answer must stand on, by the words of the question."""

    mode: str
    required: int
    reasons: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        wants = self.mode == "source_recall"
        return {
            "mode": self.mode,
            "needs_source_lane": wants,
            "source_lane_slots": self.required if wants else 0,
            "required_source_groups": self.required,
            "promote_cited_sources": wants,
            "reasons": list(self.reasons),
        }


def plan_for(query: str) -> EvidencePlan:
    words = set(_WORD.findall(query.casefold()))
    if words & _PERSONAL and words & _ALTOGETHER:
        return EvidencePlan("multi_source_aggregation", 2, ("the question adds up several statements",))
    if words & _SOURCES:
        return EvidencePlan("source_recall", 1, ("the question asks for a source",))
    if words & _OPERATION and words & _ASKED:
        return EvidencePlan("operational_memory", 1, ("the question asks for the state of the work",))
    if words & _PERSONAL:
        return EvidencePlan("direct_fact", 1, ("the question is about the asker's own statements",))
    return EvidencePlan("direct_fact", 0)


@dataclass(frozen=True)
class Quality:
    confidence: float
    answerability: Answerability
    required_action: Mapping[str, Any] | None
    reasons: Sequence[str]

    def to_dict(self) -> dict[str, Any]:
        action = None if self.required_action is None else dict(self.required_action)
        return {
            "confidence": self.confidence,
            "answerability": self.answerability,
            "required_action": action,
            "reasons": list(self.reasons),
        }


def next_query(query: str) -> str:
    return f"current decisions, blockers, and next actions for: {query}"


def judge(
    query: str,
    facts: Sequence[Context],
    *,
    cited: int,
    superseded: int,
    warnings: int,
    plan: EvidencePlan,
) -> Quality:
    confidence = confidence_of(
        len(facts), cited, superseded, warnings, is_met=cited >= plan.required or not facts
    )
    reasons = [_first_reason(len(facts), cited)]
    if superseded:
        reasons.append(f"{superseded} that no longer hold were left out.")
    if warnings:
        reasons.append(f"{warnings} warning(s) lower the confidence.")
    refresh = {
        "tool": tool("memory_checkout"),
        "query": next_query(query),
        "reason": "what was found is not sure",
    }
    if not facts:
        action = {"type": "ask_user", "reason": "nothing in memory answers this question"}
        return Quality(confidence, "ask_user", action, reasons)
    if cited < plan.required:
        reasons.append(f"the question needs {plan.required} sources of their own, and {cited} were found.")
        needed = {
            "type": tool("memory_checkout"),
            "reason": "more sources are needed",
            "query": next_query(query),
        }
        return Quality(confidence, "refresh_recommended", needed, reasons)
    if cited and not warnings and confidence >= 0.75:
        return Quality(confidence, "answer_from_memory", None, reasons)
    return Quality(confidence, "refresh_recommended", refresh, reasons)


def confidence_of(facts: int, cited: int, superseded: int, warnings: int, *, is_met: bool = True) -> float:
    confidence = 0.25 + 0.22 * min(facts, 2) + 0.28 * min(cited, 2)
    if superseded and facts:
        confidence += 0.07
    confidence = min(confidence, 0.95) - min(0.35, 0.18 * warnings)
    return round(max(0.0, confidence - (0.0 if is_met else 0.25)), 2)


def _first_reason(facts: int, cited: int) -> str:
    if not facts:
        return "No current fact in memory answers this question."
    return (
        "Current facts are backed by citations." if cited else "Current facts were found, without a citation."
    )
