"""How a skill stands: what its events say together, in the order in which they happened.

Pure: no log, no clock. That it was applied, and how that went, does not change how it stands: only who proposes,
validates, revises, deprecates or contradicts it does. What was deprecated or contradicted stays so until it is
validated or revised anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from helix.vault.log.event import LogEvent
from helix.vault.times import parse_time

Status = Literal["proposed", "validated", "revised", "deprecated", "contradicted"]
WITHDRAWN = ("deprecated", "contradicted")
_PROMOTED = ("validated", "revised")
_SUCCEEDED = frozenset({"used", "helpful", "passed", "success"})
_FAILED = frozenset({"failed", "failure", "irrelevant", "regressed"})
_GOOD, _BAD = 0.8, 0.5
_TEXTS = ("name", "summary", "rollback")
_LISTS = ("procedure", "applicability", "citations", "evidence", "failure_modes")
_MOST_LISTED = 100
_LONGEST = 4_000


@dataclass(frozen=True)
class Outcome:
    time: str
    task: str | None
    score: float | None
    feedback: str | None
    citation: str

    @property
    def succeeded(self) -> bool:
        return self.feedback in _SUCCEEDED or (self.score is not None and self.score >= _GOOD)

    @property
    def failed(self) -> bool:
        return self.feedback in _FAILED or (self.score is not None and self.score < _BAD)


@dataclass
class SkillVersion:
    version: str
    status: Status = "proposed"
    texts: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    supersedes: str | None = None
    reason: str | None = None
    """why it stands as it does"""
    withdrawn_at: str | None = None
    applied: int = 0
    contradictions: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    changed: str = ""
    latest_citation: str = ""

    @property
    def successes(self) -> int:
        return sum(outcome.succeeded for outcome in self.outcomes)

    @property
    def failures(self) -> int:
        return sum(outcome.failed for outcome in self.outcomes)

    @property
    def average_score(self) -> float | None:
        scores = [outcome.score for outcome in self.outcomes if outcome.score is not None]
        return round(sum(scores) / len(scores), 4) if scores else None

    @property
    def is_promotable(self) -> bool:
        average = self.average_score
        is_good = self.successes > 0 and not self.failures and (average is None or average >= _GOOD)
        return self.status in _PROMOTED and is_good

    @property
    def why_roll_back(self) -> str | None:
        average = self.average_score
        if self.status in WITHDRAWN:
            return self.status
        if self.failures > self.successes:
            return "failed_outcomes"
        return "low_success_score" if average is not None and average < _BAD else None


@dataclass
class Skill:
    skill_id: str
    versions: dict[str, SkillVersion] = field(default_factory=dict)
    adopted: str | None = None
    """the version that was validated or revised last"""
    changed: str = ""

    @property
    def current(self) -> SkillVersion:
        """The one to follow: what is only proposed takes no place from what was validated."""
        return self.versions[self.adopted] if self.adopted else next(reversed(self.versions.values()))

    @property
    def status(self) -> Status:
        return self.current.status

    @property
    def name(self) -> str:
        return self.current.texts.get("name") or self.skill_id

    def take(self, event: LogEvent) -> None:
        payload, action = event.payload, event.type.partition(".")[2]
        version = self._version(payload)
        version.changed = self.changed = event.timestamp
        version.latest_citation = event.citation(12)
        if action == "applied":
            version.applied += 1
            return
        if action == "outcome_recorded":
            version.outcomes.append(_outcome(event))
            return
        _describe(version, payload)
        self._stand(version, action, event)

    def _version(self, payload: Mapping[str, Any]) -> SkillVersion:
        name = text_of(payload.get("version")) or "1"
        if name not in self.versions:
            self.versions[name] = SkillVersion(name)
        return self.versions[name]

    def _stand(self, version: SkillVersion, action: str, event: LogEvent) -> None:
        reason = text_of(event.payload.get("reason"))
        if action == "contradicted":
            version.contradictions += 1
            reason = text_of(event.payload.get("contradiction_reason")) or reason
        if action == "proposed":
            # Said again of one that stands otherwise already, it takes nothing back.
            version.reason = version.reason or reason
            return
        if action in _PROMOTED:
            if action == "revised":
                self._revise(version, event.payload)
            self.adopted = version.version
            version.withdrawn_at = None
        else:
            version.withdrawn_at = event.timestamp
        version.status = action  # type: ignore[assignment]  # the family of an event knows no other
        version.reason = reason

    def _revise(self, version: SkillVersion, payload: Mapping[str, Any]) -> None:
        """What a revision leaves unsaid is as in the version that it replaces."""
        named = text_of(payload.get("supersedes_version"))
        before = self.versions.get(named) if named else None
        if before is None and self.adopted:
            before = self.versions[self.adopted]
        if before is None or before is version:
            return
        version.supersedes = before.version
        version.texts = {**before.texts, **version.texts}
        version.lists = {**before.lists, **version.lists}


def fold(events: Iterable[LogEvent]) -> dict[str, Skill]:
    """Skills by their ids, of their events in whatever order."""
    skills: dict[str, Skill] = {}
    for event in sorted(events, key=_when):
        skill_id = text_of(event.payload.get("skill_id"))
        if skill_id is not None and event.erased_at is None:
            skills.setdefault(skill_id, Skill(skill_id)).take(event)
    return skills


def text_of(value: object) -> str | None:
    """As far as it is one: what is ingested may hold anything."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    return (value.strip()[:_LONGEST] or None) if isinstance(value, str) else None


def _texts_of(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [text for one in items[:_MOST_LISTED] if (text := text_of(one)) is not None]


def _describe(version: SkillVersion, payload: Mapping[str, Any]) -> None:
    for key in _TEXTS:
        if (text := text_of(payload.get(key))) is not None:
            version.texts[key] = text
    for key in _LISTS:
        if listed := _texts_of(payload.get(key)):
            version.lists[key] = listed


def _outcome(event: LogEvent) -> Outcome:
    payload, score = event.payload, event.payload.get("success_score")
    is_number = isinstance(score, int | float) and not isinstance(score, bool) and math.isfinite(score)
    feedback = text_of(payload.get("feedback"))
    return Outcome(
        event.timestamp,
        text_of(payload.get("task")),
        float(score) if is_number and score is not None else None,
        None if feedback is None else feedback.casefold(),
        event.citation(12),
    )


def _when(event: LogEvent) -> tuple[float, str, int]:
    """Two sessions have nothing in common but the clock; within one its own order counts at the same moment."""
    moment = parse_time(event.timestamp)
    return (0.0 if moment is None else moment.timestamp(), event.thread, event.seq)


def versions_of(skills: Iterable[Skill]) -> Sequence[tuple[Skill, SkillVersion]]:
    return [(skill, version) for skill in skills for version in skill.versions.values()]
