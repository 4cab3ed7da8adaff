"""What an event is about, where others are about the same: a skill, an answer that somebody judged, or a ref."""

from __future__ import annotations

from helix.vault.log.event import LogEvent
from helix.vault.log.log_paths import REFS

SKILL = "skill"
FEEDBACK = "feedback"
REF = "ref"
REF_UPDATED = "memory.ref.updated"
SKILL_ACTIONS = (
    "proposed", "validated", "revised", "deprecated", "contradicted", "applied", "outcome_recorded",
)  # fmt: skip
SKILL_TYPES = frozenset(f"skill.{action}" for action in SKILL_ACTIONS)
FEEDBACK_TYPES = frozenset({"memory.reinforced", "memory.feedback"})
LONGEST_SUBJECT = 500


def subject_of(event: LogEvent) -> tuple[str, str] | None:
    """The family of events that it belongs to, and what it is about; None for most events, and for erased ones."""
    if event.erased_at is not None:
        return None
    if event.type in SKILL_TYPES:
        family, name = SKILL, event.payload.get("skill_id")
    elif event.type in FEEDBACK_TYPES:
        family, name = FEEDBACK, event.payload.get("memory_id") or event.payload.get("entity_name")
    elif event.type == REF_UPDATED and event.thread == REFS:
        family, name = REF, event.payload.get("name")
    else:
        return None
    # One that is longer names nothing that there is.
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_SUBJECT:
        return None
    return family, name.strip()
