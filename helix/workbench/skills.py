"""published_skills, skill_publish, skill_withdraw, skill_propose, skill_pull, skill_unpull: skills for others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from helix.errors import AlreadyExists, BadValue, MemoryNotFound
from helix.harnesses.harness import named
from helix.harnesses.skill_file import SkillFile, check_name, make_head, parse, to_name
from helix.harnesses.skill_folders import PulledSkill, SkillFolders, SkillOutcome
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.publishing.published_skills import (
    BASED_ON,
    EDIT_KIND,
    FROM,
    HEAD,
    KIND,
    NAME,
    VERSION,
    PublishedSkill,
    find_skill,
    get_skill,
    list_published,
)
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.memory.writing.store import Edit
from helix.memory.writing.write import check_secrets, check_visibility, to_project
from helix.sessions.skill_note import KIND as PROCEDURE
from helix.sessions.skill_note import note_of_skill
from helix.vault.authors import doing
from helix.vault.new_memory import NewMemory
from helix.vault.note import Note
from helix.workbench.skill_answers import (
    PublishedSkillList,
    PulledSkills,
    SkillListed,
    SkillProposed,
    SkillPublished,
    SkillWithdrawn,
)

_STANDS = re.compile(r"^Skill `[^`]*`, version (\S+), (\w+)", re.MULTILINE)
_GOOD = ("validated", "revised")
_TOLD = ("Procedure", "How it fails", "How to undo it", "Notes")
_PREFIX = "skill: "
_APPLIES = "When it applies"


@verb("published_skills")
def published_skills(
    request: Request, *, limit: int = 50, max_tokens: int = 8000, cursor: str | None = None
) -> PublishedSkillList:
    check_limit(limit, 200)

    def entries(view: View) -> list[str]:
        return [skill.name for skill in list_published(view)]

    view, listing = request.listed("published_skills", request.view(), cursor, entries)
    known = {skill.name: skill for skill in list_published(view)}

    def render(name: str) -> SkillListed | None:
        return _listed(known[name]) if name in known else None

    def build(_: Any, items: Sequence[SkillListed], end: Page) -> PublishedSkillList:
        return {"skills": list(items), **end}

    return request.page(
        "published_skills", listing, render, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens
    )


@verb("skill_publish")
def skill_publish(
    request: Request,
    *,
    skill_id: str,
    skill_name: str | None = None,
    description: str | None = None,
    visibility: str | None = None,
    project: str | None = None,
) -> SkillPublished:
    note = _validated(request, skill_id.strip())
    is_id = skill_id.strip() == note.id
    given = note.memory.title.removeprefix(_PREFIX) if is_id else skill_id
    name = to_name(given) if skill_name is None else check_name(skill_name)
    version, file = _to_file(note, name, description)
    check_secrets(False, {"text": file.text})
    own = replaced_project(note, project)
    seen_by = check_visibility(visibility, own) or ("project" if own else "team")
    with request.keys.of_vault().held(f"publish-skill-{name}"), doing(detail=f"skill {name}"):
        before = find_skill(request.view(), name)
        if before is None:
            stored = request.store.add(_new(request, note, name, version, file, own, seen_by))
            return _published("published", stored.note.id, name, version, file, stored.degraded)
        if str((request.view().get(before.id).memory.extra or {}).get(FROM)) != note.id:
            raise AlreadyExists(f"another skill is published as {name}; give this one another name")
        wanted: dict[str, Any] = {HEAD: file.head, VERSION: version}
        if visibility is not None:
            wanted["visibility"] = seen_by
        is_same = before.file.hash == file.hash and before.version == version
        if is_same and visibility in (None, before.visibility):
            return _published("noop", before.id, name, version, file, None)
        done = request.store.change(before.id, lambda _: Edit(wanted, f"{file.body}\n"))
        return _published("published", before.id, name, version, file, done.degraded)


@verb("skill_withdraw")
def skill_withdraw(request: Request, *, skill_name: str) -> SkillWithdrawn:
    skill = get_skill(request.view(), skill_name)
    with doing(detail=f"skill {skill.name}"):
        request.store.forget(skill.id)
    return {"id": skill.id, "name": skill.name, "status": "withdrawn"}


@verb("skill_propose")
def skill_propose(request: Request, *, skill_name: str, text: str, edited_from: str) -> SkillProposed:
    skill = get_skill(request.view(), skill_name)
    file = parse(text, skill.name)
    check_secrets(False, {"text": file.text})
    if file.hash == skill.file.hash:
        return {"id": skill.id, "name": skill.name, "status": "noop"}
    key = f"skill-edit-{hashlib.sha256(f'{skill.id} {file.hash}'.encode()).hexdigest()[:32]}"
    with request.keys.held(key):
        row = request.view().find_by_key(request.keys.in_note(key))
        if row is not None:  # also one that was forgotten: what somebody turned down is not asked again
            return {"id": row.id, "name": skill.name, "status": "noop"}
        new = NewMemory(
            body=f"{file.body}\n", title=f"Edit of the skill {skill.name}", kind=EDIT_KIND, scope=skill.scope,
            project=skill.project,
            more={
                "source": {"agent": request.place.client} if request.place.client else None,
                "idempotency_key": request.keys.in_note(key), "owner": request.principal.user,
                "visibility": skill.visibility, NAME: skill.name, HEAD: file.head, BASED_ON: edited_from,
            },
        )  # fmt: skip
        return {"id": request.store.add(new).note.id, "name": skill.name, "status": "proposed"}


@verb("skill_pull")
def skill_pull(
    request: Request,
    *,
    folder: str | None = None,
    names: Sequence[str] = (),
    harness_names: Sequence[str] = (),
    link: bool = False,
    dry_run: bool = False,
) -> PulledSkills:
    folders = _folders(request, folder)
    skills = [to_pulled(skill) for skill in list_published(request.view())]
    done = folders.pull(skills, named(harness_names), names=names, link=link, dry_run=dry_run)
    proposed = []
    for outcome in done:
        if outcome.edited_text is not None and not dry_run:
            try:
                asked = skill_propose(
                    request, skill_name=outcome.name, text=outcome.edited_text, edited_from=outcome.based_on
                )
            except (BadValue, MemoryNotFound):
                continue  # the outcome says that it was edited; what hosts would not read is nobody's proposal
            proposed.append(asked["id"])
    return _told(done, proposed, dry_run)


@verb("skill_unpull")
def skill_unpull(
    request: Request,
    *,
    folder: str | None = None,
    names: Sequence[str] = (),
    harness_names: Sequence[str] = (),
    dry_run: bool = False,
) -> PulledSkills:
    folders = _folders(request, folder)
    return _told(folders.remove(named(harness_names), names=names, dry_run=dry_run), [], dry_run)


def replaced_project(note: Note, project: str | None) -> str | None:
    if project is not None:
        return to_project(project)
    return note.memory.project if note.memory.scope == "project" else None


def to_pulled(skill: PublishedSkill) -> PulledSkill:
    return PulledSkill(skill.name, skill.file.text, skill.file.hash)


def _validated(request: Request, skill_id: str) -> Note:
    found = note_of_skill(request, skill_id)
    if found is None and (row := request.view().find_typed(skill_id)) is not None and row.kind == PROCEDURE:
        found = row.id
    if found is None:
        raise MemoryNotFound(f"there is no skill {skill_id[:60]!r}; `helix skill list` shows those there are")
    note = request.view().get(found)
    if note.memory.status != "active" or not any(status in note.memory.tags for status in _GOOD):
        stands = _STANDS.search(note.memory.body)
        raise BadValue(
            f"the skill {skill_id[:60]!r} is {stands[2] if stands else 'not validated'}; published is what somebody "
            "validated or revised"
        )
    return note


def _to_file(note: Note, name: str, description: str | None) -> tuple[str, SkillFile]:
    """Of its note what to do, without what is known of how it did."""
    body = note.memory.body.strip()
    stands = _STANDS.search(body)
    parts = re.split(r"^## (.+)$", body, flags=re.MULTILINE)
    sections = {parts[at].strip(): parts[at + 1].strip() for at in range(1, len(parts) - 1, 2)}
    if not sections.get("Procedure"):
        raise BadValue(f"the skill of {note.id} has no steps yet; there is nothing to publish")
    summary = parts[0].strip().partition("\n")[0]
    applies = " ".join(line.removeprefix("- ") for line in sections.get(_APPLIES, "").splitlines())
    described = description or f"{summary}{f' Use it when: {applies}' if applies else ''}"
    title = note.memory.title.removeprefix(_PREFIX)
    lines = [f"# {title}", "", sections["Procedure"]]
    for heading in _TOLD[1:]:
        if sections.get(heading):
            lines += ["", f"## {heading}", "", sections[heading]]
    file = SkillFile(make_head(name, described), "\n".join(lines))
    return (stands[1] if stands else "1"), parse(file.text, name)


def _new(
    request: Request,
    note: Note,
    name: str,
    version: str,
    file: SkillFile,
    project: str | None,
    visibility: str,
) -> NewMemory:
    return NewMemory(
        body=f"{file.body}\n", title=name, kind=KIND, scope="project" if project else "global", project=project,
        edges={"relates_to": [note.id]},
        more={
            "owner": request.principal.user, "visibility": visibility,
            NAME: name, HEAD: file.head, VERSION: version, FROM: note.id,
        },
    )  # fmt: skip


def _folders(request: Request, folder: str | None) -> SkillFolders:
    if request.vault_folder is None or request.state_folder is None:
        raise BadValue(
            "only the owner of the daemon's machine names folders on it; `helix skill pull` writes into yours"
        )
    return SkillFolders.at(folder, request.state_folder, request.vault_folder)


def _listed(skill: PublishedSkill) -> SkillListed:
    return {
        "id": skill.id,
        "name": skill.name,
        "version": skill.version,
        "description": skill.file.description,
        "hash": skill.file.hash,
        "owner": skill.owner,
        "visibility": skill.visibility,
        "project": skill.project,
        "updated": skill.updated_at,
        "text": skill.file.text,
    }


def _published(
    status: Any, memory_id: str, name: str, version: str, file: SkillFile, degraded: str | None
) -> SkillPublished:
    answer: SkillPublished = {
        "id": memory_id,
        "name": name,
        "version": version,
        "hash": file.hash,
        "status": status,
    }
    if degraded:
        answer["degraded"] = degraded
    return answer


def _told(done: Sequence[SkillOutcome], proposed: Sequence[str], dry_run: bool) -> PulledSkills:
    return {
        "dry_run": dry_run,
        "skills": [
            {
                "name": each.name,
                "harness": each.harness,
                "path": each.path,
                "state": each.state,
                "problem": each.problem,
            }
            for each in done
        ],
        "proposed": list(proposed),
    }
