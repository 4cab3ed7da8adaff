"""Skills that were published, and edits of them that wait for somebody who may publish: both are notes.

The note of a skill has what is below the properties of its SKILL.md, and those as they are written in its own property
`skill_head`. So a person may edit either in the vault, and who pulls gets it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from helix.errors import BadValue, MemoryNotFound, NotYours
from helix.harnesses.skill_file import SkillFile, is_name, parse
from helix.memory import answers
from helix.memory.reading.view import Row, View
from helix.memory.request import Request
from helix.memory.writing.store import Edit
from helix.memory.writing.write import check_secrets
from helix.vault.authors import doing
from helix.vault.note import Note
from helix.vault.ownership import PRIVATE

KIND, EDIT_KIND = "skill", "skill-edit"
NAME, HEAD, VERSION, FROM = "skill_name", "skill_head", "skill_version", "skill_from"
BASED_ON = "skill_based_on"


@dataclass(frozen=True)
class PublishedSkill:
    id: str
    name: str
    version: str
    file: SkillFile
    owner: str | None
    visibility: str
    scope: str
    project: str | None
    updated_at: str


@dataclass(frozen=True)
class SkillEdit:
    """A SKILL.md as a person changed it."""

    row: Row
    note: Note
    skill: PublishedSkill

    @property
    def key(self) -> str:
        state = "\n".join([self.row.id, self.row.hash, self.skill.file.hash])
        return f"{EDIT_KIND}-{hashlib.sha256(state.encode()).hexdigest()[:12]}"

    @property
    def text(self) -> str:
        return _file_of(self.note).text


def list_published(view: View) -> list[PublishedSkill]:
    """By name; of two with one name the older, since a folder is named after it."""
    found: dict[str, PublishedSkill] = {}
    for row in sorted(view.everything(), key=lambda row: (row.created_at or "", row.id)):
        if row.kind == KIND and row.status == "active" and is_name(row.extra.get(NAME)):
            note = view.find(row.id)
            if note is not None and (skill := _skill_of(note)) is not None:
                found.setdefault(skill.name, skill)
    return [found[name] for name in sorted(found)]


def find_skill(view: View, name: str) -> PublishedSkill | None:
    return next((skill for skill in list_published(view) if skill.name == name), None)


def get_skill(view: View, name: str) -> PublishedSkill:
    skill = find_skill(view, name)
    if skill is None:
        raise MemoryNotFound(
            f"no skill {name[:80]!r} is published; `helix skill published` shows those that are"
        )
    return skill


def list_edits(view: View) -> Iterator[SkillEdit]:
    """Those that still say something else than the skill does."""
    rows = [row for row in view.everything() if row.kind == EDIT_KIND and row.status == "active"]
    if not rows:
        return
    published = {skill.name: skill for skill in list_published(view)}
    for row in rows:
        note, skill = view.find(row.id), published.get(str(row.extra.get(NAME)))
        if note is not None and skill is not None and _file_of(note).hash != skill.file.hash:
            yield SkillEdit(row, note, skill)


def accept_edit(request: Request, key: str, text: str | None) -> answers.Accepted:
    """The skill says from now on what the person wrote, or what `text` says. The proposal is forgotten."""
    edit = next((found for found in list_edits(request.view()) if found.key == key), None)
    if edit is None:
        raise MemoryNotFound(
            f"no edit of a skill waits under {key[:60]!r}; `helix inbox` shows what there is"
        )
    file = parse(edit.text if text is None else text, edit.skill.name)
    check_secrets(False, {"text": file.text})
    with doing(detail=f"edit of the skill {edit.skill.name}"):
        stored = request.store.change(edit.skill.id, lambda _: Edit({HEAD: file.head}, f"{file.body}\n"))
    # One of somebody else stays: it says what the skill says by now, and so waits for nobody.
    with suppress(NotYours):
        request.store.forget(edit.row.id)
    answer: answers.Accepted = {"key": key, "id": edit.skill.id, "status": "merged"}
    if stored.degraded:
        answer["degraded"] = stored.degraded
    return answer


def _skill_of(note: Note) -> PublishedSkill | None:
    memory, extra = note.memory, note.memory.extra or {}
    file = _file_of(note)
    try:
        parse(file.text, str(extra.get(NAME)))
    except BadValue:
        return None  # a person is at it, or it was never meant as one
    return PublishedSkill(
        note.id, str(extra[NAME]), str(extra.get(VERSION) or "1"), file, memory.owner,
        memory.visibility or PRIVATE, memory.scope, memory.project, memory.updated_at or "",
    )  # fmt: skip


def _file_of(note: Note) -> SkillFile:
    extra = note.memory.extra or {}
    return SkillFile(str(extra.get(HEAD) or ""), note.memory.body.strip())
