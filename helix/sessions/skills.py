"""Skills: procedures that agents propose, validate, apply and judge; what the logs say of them, and how they did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

from helix.errors import SessionNotFound
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.sessions import answers
from helix.sessions.learn import learn
from helix.sessions.skill_lifecycle import Skill, SkillVersion, versions_of
from helix.sessions.skill_note import note_of_skill, read_skills
from helix.sessions.whole_log import log_of
from helix.vault.log.event import EventDraft

_EVENTS_AT_MOST = 20_000
"""of all skills together, the last ones"""
_CANDIDATES = 5
_OUTCOMES = 50
_MODES = 5
_LONGEST = 200


@verb("session_skill")
def skill(
    request: Request,
    *,
    session_id: str,
    action: str,
    skill_id: str,
    version: str = "1",
    name: str | None = None,
    summary: str | None = None,
    procedure: Sequence[str] = (),
    applicability: Sequence[str] = (),
    citations: Sequence[str] = (),
    task: str | None = None,
    success_score: float | None = None,
    feedback: str | None = None,
    evidence: Sequence[str] = (),
    reason: str | None = None,
    supersedes_version: str | None = None,
    failure_modes: Sequence[str] = (),
    rollback: str | None = None,
    contradiction_reason: str | None = None,
    actor: str = "agent",
) -> answers.SkillEvent:
    given: dict[str, Any] = {
        "skill_id": skill_id, "version": version, "name": name, "summary": summary,
        "procedure": list(procedure), "applicability": list(applicability), "citations": list(citations),
        "task": task, "success_score": success_score, "feedback": feedback, "evidence": list(evidence),
        "reason": reason, "supersedes_version": supersedes_version, "failure_modes": list(failure_modes),
        "rollback": rollback, "contradiction_reason": contradiction_reason,
    }  # fmt: skip
    payload = {key: value for key, value in given.items() if value not in (None, [])}
    [event], degraded = log_of(request).append(session_id, [EventDraft(f"skill.{action}", actor, payload)])
    memory, why = learn(request, event)
    known = read_skills(request, skill_id.strip()).get(skill_id.strip())
    answer: answers.SkillEvent = {
        "session_id": session_id,
        "seq": event.seq,
        "hash": event.hash,
        "event_type": event.type,
        "citation": event.citation(12),
        "status": None if known is None else known.status,
    }
    if memory is not None:
        answer["memory"] = memory
    if degraded or why:
        answer["degraded"] = degraded or why
    return answer


class _Head(TypedDict, total=False):
    analytics: answers.SkillAnalytics


@verb("session_skills")
def skills(
    request: Request,
    *,
    skill_id: str | None = None,
    status: str | None = None,
    limit: int = 50,
    max_tokens: int = 2000,
    cursor: str | None = None,
) -> answers.Skills:
    check_limit(limit, 200)
    asked = None if skill_id is None else skill_id.strip()
    known = read_skills(request, asked, _EVENTS_AT_MOST)
    if asked is not None and asked not in known:
        raise SessionNotFound(f"there is no skill {asked[:60]!r}; `helix skill list` shows those there are")
    found = [one for one in known.values() if status in (None, one.status)]
    head: _Head = {} if cursor is not None else {"analytics": analytics(found)}

    def entries(_: View) -> list[str]:
        latest_first = sorted(found, key=lambda skill: (skill.changed, skill.skill_id), reverse=True)
        return [skill.skill_id for skill in latest_first]

    def render(entry: str) -> answers.Skill | None:
        return _shown(request, known[entry], whole=asked is not None) if entry in known else None

    def build(head: _Head, items: Sequence[answers.Skill], end: Page) -> answers.Skills:
        return {**head, "skills": list(items), **end}

    _, listing = request.listed("session_skills", request.view(), cursor, entries)
    return request.page(
        "session_skills", listing, render, build, head=head, limit=limit, max_tokens=max_tokens
    )


def _shown(request: Request, skill: Skill, *, whole: bool) -> answers.Skill:
    now = skill.current
    return {
        "skill_id": skill.skill_id,
        "name": skill.name,
        "status": now.status,
        "version": now.version,
        "summary": now.texts.get("summary"),
        "reason": now.reason,
        "procedure": now.lists.get("procedure", []),
        "applicability": now.lists.get("applicability", []),
        "citations": now.lists.get("citations", []),
        "evidence": now.lists.get("evidence", []),
        "failure_modes": now.lists.get("failure_modes", []),
        "rollback": now.texts.get("rollback"),
        "last": skill.changed,
        "memory_id": note_of_skill(request, skill.skill_id),
        "versions": [_version(version, whole) for version in skill.versions.values()],
    }


def _version(version: SkillVersion, whole: bool) -> answers.SkillVersion:
    shown: answers.SkillVersion = {
        "version": version.version,
        "status": version.status,
        "supersedes_version": version.supersedes,
        "applied_count": version.applied,
        "outcome_count": len(version.outcomes),
        "success_count": version.successes,
        "failure_count": version.failures,
        "contradiction_count": version.contradictions,
        "average_success_score": version.average_score,
        "latest_citation": version.latest_citation,
    }
    if whole:
        shown["outcomes"] = [
            {
                "time": outcome.time,
                "task": outcome.task,
                "success_score": outcome.score,
                "feedback": outcome.feedback,
                "citation": outcome.citation,
            }
            for outcome in version.outcomes[-_OUTCOMES:]
        ]
    return shown


def analytics(found: Iterable[Skill]) -> answers.SkillAnalytics:
    versions = versions_of(found)
    newest = sorted(versions, key=lambda pair: pair[1].changed, reverse=True)
    promoted = [_candidate(*pair) for pair in newest if pair[1].is_promotable]
    withdrawn = [_rolled_back(*pair) for pair in newest if pair[1].why_roll_back]
    return {
        "version_count": len(versions),
        "outcome_count": sum(len(version.outcomes) for _, version in versions),
        "contradiction_count": sum(version.contradictions for _, version in versions),
        "promotion_candidates": promoted[:_CANDIDATES],
        "rollback_candidates": withdrawn[:_CANDIDATES],
    }


def _candidate(skill: Skill, version: SkillVersion) -> answers.SkillCandidate:
    return {
        "skill_id": skill.skill_id[:_LONGEST],
        "version": version.version[:_LONGEST],
        "status": version.status,
        "success_count": version.successes,
        "failure_count": version.failures,
        "average_success_score": version.average_score,
        "latest_citation": version.latest_citation,
    }


def _rolled_back(skill: Skill, version: SkillVersion) -> answers.SkillCandidate:
    rollback = version.texts.get("rollback")
    return {
        **_candidate(skill, version),
        "reason": version.why_roll_back,
        "failure_modes": [mode[:_LONGEST] for mode in version.lists.get("failure_modes", [])[:_MODES]],
        "rollback": None if rollback is None else rollback[:_LONGEST],
    }
