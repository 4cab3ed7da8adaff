"""The note of a skill: one for each, made anew from its events whenever one more is known.

What a person writes below the heading "Notes" stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from helix.index.event_subject import SKILL, SKILL_TYPES, subject_of
from helix.memory.request import Request
from helix.memory.writing.amend import Amendment, update
from helix.memory.writing.write import NewText, write
from helix.sessions.answers import LearnedMemory
from helix.sessions.skill_lifecycle import WITHDRAWN, Skill, SkillVersion, fold
from helix.vault.authors import Author, acting, current
from helix.vault.log.event import LogEvent

EVENTS_AT_MOST = 5_000
"""of one skill, the last ones"""
KIND = "procedure"
_TAG = "skill"
_STATUSES = ("proposed", "validated", "revised", *WITHDRAWN)
_OWN = "\n## Notes\n"
_OUTCOMES_SHOWN = 10
_LONGEST_TITLE = 160


def skill_of(event: LogEvent) -> str | None:
    about = subject_of(event)
    return None if about is None or about[0] != SKILL else about[1]


def key_of_skill(skill_id: str) -> str:
    return f"skill-{hashlib.sha256(skill_id.encode('utf-8', 'replace')).hexdigest()[:32]}"


def note_of_skill(request: Request, skill_id: str) -> str | None:
    row = request.view().find_by_key(key_of_skill(skill_id))
    return None if row is None else row.id


def read_skills(
    request: Request, skill_id: str | None = None, limit: int = EVENTS_AT_MOST
) -> dict[str, Skill]:
    """What the logs say of a skill, or of all."""
    index = None if request.events is None else request.events.find_index()
    if index is None:
        return {}
    read = index.read(index.about(SKILL, skill_id, limit))
    return fold(event for _, event in read if event is not None and event.type in SKILL_TYPES)


def keep_skill(request: Request, skill_id: str) -> tuple[LearnedMemory | None, str | None]:
    """The note of a skill, as its events are now; and why it is not found yet, if so."""
    own, key = replace(request, keys=request.keys.of_vault()), key_of_skill(skill_id)
    # From reading the events to writing: of two at once the second one knows of both.
    with own.keys.held(f"{key}-note"), acting(current() or Author("agent", request.place.client)):
        skill = read_skills(request, skill_id).get(skill_id)
        if skill is None:
            return None, None
        return _keep(own, skill, key)


def _keep(request: Request, skill: Skill, key: str) -> tuple[LearnedMemory, str | None]:
    row = request.view().find_by_key(key)
    title = _titled(skill.name)
    until = skill.current.withdrawn_at
    if row is None:
        source = {"uri": skill.current.latest_citation}
        new = NewText(
            text=_body(skill), title=title, kind=KIND, tags=(_TAG, skill.status), source=source,
            valid_until=until, idempotency_key=key, force=True,
        )  # fmt: skip
        written = write(request, new)
        return {"id": written["id"], "status": written["status"]}, written.get("degraded")
    note = request.view().get(row.id)
    _, heading, own = note.memory.body.partition(_OWN)
    tags = [tag for tag in note.memory.tags if tag not in _STATUSES]
    wanted = Amendment(
        text=f"{_body(skill)}{heading}{own}",
        title=title,
        tags=[*tags, *(() if _TAG in tags else (_TAG,)), skill.status],
        valid_until=until or "",
    )
    updated = update(request, row.id, wanted, based_on=note.hash)
    return {"id": row.id, "status": updated["status"]}, updated.get("degraded")


def _titled(name: str) -> str:
    title = f"skill: {' '.join(name.split())}"
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"


def _body(skill: Skill) -> str:
    return "\n".join(_lines(skill)) + "\n"


def _lines(skill: Skill) -> Iterator[str]:
    now = skill.current
    yield " ".join((now.texts.get("summary") or skill.name).split())
    yield ""
    why = f": {now.reason}" if now.reason else ""
    yield f"Skill `{skill.skill_id}`, version {now.version}, {now.status}{why}"
    yield from _section("Procedure", now.lists.get("procedure", ()), "1.")
    yield from _section("When it applies", now.lists.get("applicability", ()))
    yield from _section("How it fails", now.lists.get("failure_modes", ()))
    if rollback := now.texts.get("rollback"):
        yield from ("", "## How to undo it", "", " ".join(rollback.split()))
    yield from _section("Evidence", [*now.lists.get("evidence", ()), *now.lists.get("citations", ())])
    yield from _section("Versions", [_standing(version) for version in skill.versions.values()])
    outcomes = [outcome for version in skill.versions.values() for outcome in version.outcomes]
    last = sorted(outcomes, key=lambda outcome: outcome.time)[-_OUTCOMES_SHOWN:]
    lines = [
        " ".join(
            filter(None, (
                outcome.time[:10],
                outcome.feedback,
                None if outcome.score is None else f"{outcome.score:g}",
                outcome.task,
                f"({outcome.citation})",
            ))
        )
        for outcome in last
    ]  # fmt: skip
    yield from _section("Outcomes", lines)


def _standing(version: SkillVersion) -> str:
    facts = [f"{version.version}: {version.status}"]
    if version.supersedes:
        facts.append(f"replaces {version.supersedes}")
    if version.applied:
        facts.append(f"applied {version.applied} times")
    if version.outcomes:
        facts.append(f"{len(version.outcomes)} outcomes, {version.successes} good and {version.failures} bad")
    return f"{', '.join(facts)} ({version.latest_citation})"


def _section(title: str, items: Sequence[str], bullet: str = "-") -> Iterator[str]:
    if items:
        yield from ("", f"## {title}", "")
        # On one line each, so that what somebody said cannot end the list.
        yield from (f"{bullet} {' '.join(item.split())}" for item in items)
