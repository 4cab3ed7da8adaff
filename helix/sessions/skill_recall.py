"""Skills in a checkout: those whose notes were found, with their steps, and how their versions did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from helix.memory.request import Request
from helix.sessions.answers import SkillAnalytics
from helix.sessions.contexts import Context
from helix.sessions.skill_lifecycle import WITHDRAWN, Skill
from helix.sessions.skill_note import KIND, note_of_skill, read_skills
from helix.sessions.skills import analytics

_SHOWN = 3
_STEPS_IN_PROMPT = 5
_EVENTS_AT_MOST = 500
"""of all skills together, the last ones: what is looked up beside an answer has to be quick"""


@dataclass(frozen=True)
class RecalledSkills:
    applicable: Sequence[tuple[Skill, Context]] = ()
    """such as stand, best first"""
    analytics: SkillAnalytics | None = None
    """of all that were found, also of such as were withdrawn"""

    def diagnostics(self, longest: int) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        if self.applicable:
            items = [_item(skill, context, longest) for skill, context in self.applicable[:_SHOWN]]
            shown["skills"] = {"count": len(self.applicable), "items": items}
        if self.analytics is not None:
            shown["skill_analytics"] = self.analytics
        return shown

    def lines(self, longest: int) -> Iterator[str]:
        """For the text that a model reads."""
        if self.applicable:
            yield "## Applicable Skills"
        for skill, _ in self.applicable[:_SHOWN]:
            now = skill.current
            yield f"- {skill.skill_id} v{now.version} [{now.status}] ({now.latest_citation})"
            for step in now.lists.get("procedure", [])[:_STEPS_IN_PROMPT]:
                yield f"  - {step[:longest]}"
        if self.analytics is not None:
            yield "## Skill Analytics"
            for label, candidates in (
                ("promote", self.analytics["promotion_candidates"]),
                ("roll back", self.analytics["rollback_candidates"]),
            ):
                for candidate in candidates:
                    which = f"{candidate['skill_id']} v{candidate['version']} [{candidate['status']}]"
                    yield f"- {label}: {which} ({candidate['latest_citation']})"
            yield f"- Outcomes: {self.analytics['outcome_count']}"


def recall_skills(request: Request, contexts: Sequence[Context]) -> RecalledSkills:
    found = {
        context.memory_id: context for context in contexts if context.entity_type == KIND and context.held > 0
    }
    if not found:
        return RecalledSkills()
    known = {
        note: skill
        for skill in read_skills(request, None, _EVENTS_AT_MOST).values()
        if (note := note_of_skill(request, skill.skill_id)) in found
    }
    if not known:
        return RecalledSkills()
    applicable = [
        (known[note], context)
        for note, context in found.items()
        if note in known and context.is_current and known[note].status not in WITHDRAWN
    ]
    return RecalledSkills(applicable, analytics(known.values()))


def _item(skill: Skill, context: Context, longest: int) -> dict[str, Any]:
    now = skill.current
    return {
        "skill_id": skill.skill_id,
        "version": now.version,
        "status": now.status,
        "summary": (now.texts.get("summary") or skill.name)[:longest],
        "procedure": [step[:longest] for step in now.lists.get("procedure", [])],
        "applicability": [one[:longest] for one in now.lists.get("applicability", [])],
        "citation": now.latest_citation,
        "score": context.score,
    }
