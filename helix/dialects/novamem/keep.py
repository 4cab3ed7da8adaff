"""Tools that keep, change and forget memories, and the one that counts them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments
from helix.dialects.novamem.arguments import (
    CONTENT,
    EXPIRES,
    FLAG,
    ID,
    METADATA,
    ORIGIN,
    PROJECT,
    SCOPE,
    SENSITIVITY,
    SOURCE,
    SOURCE_REF,
    SOURCE_REFS,
    ArgumentRule,
    checked,
    units,
)
from helix.dialects.novamem.entries import (
    DEFAULT_NAMESPACE,
    NAMESPACE,
    PROPERTIES,
    namespace_of,
    to_properties,
)
from helix.dialects.novamem.entries import (
    SOURCE_REFS as REFS,
)
from helix.dialects.novamem.scope import may_be_changed, own_projects, place_to_write, project_id
from helix.dialects.novamem.spelled import bad
from helix.dialects.novamem.ulids import find_id, to_ulid
from helix.errors import Forbidden, IndexNotReady, SecretRefused
from helix.index.filters import ComparedPlace
from helix.memory.judgement.worth import why_not_worth
from helix.memory.membership import KIND as PROJECT_NOTE
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.vault.new_memory import title_from
from helix.vault.note import Note
from helix.vault.ownership import ownership_of

REMEMBER: Mapping[str, ArgumentRule] = {
    "content": CONTENT,
    "namespace": ArgumentRule("string", 0, 128, default=DEFAULT_NAMESPACE),
    "source": SOURCE,
    **ORIGIN,
    "force": FLAG,
    "project": PROJECT,
    "expiresAt": EXPIRES,
    "sourceRefs": SOURCE_REFS,
    "sensitivity": SENSITIVITY,
    "metadata": METADATA,
    "agentName": ArgumentRule("string", 0, 128),
}
UPDATE: Mapping[str, ArgumentRule] = {
    "id": ID,
    "content": CONTENT,
    "namespace": SCOPE["namespace"],
    "metadata": METADATA,
    **ORIGIN,
    "project": PROJECT,
    "sensitivity": SENSITIVITY,
    "expiresAt": EXPIRES,
}
FORGET: Mapping[str, ArgumentRule] = {"id": ID, "project": PROJECT, "sourceRef": SOURCE_REF}
_SHORTEST, _LONGEST = 12, 4_000
_TOO_SHORT = "too short — not durable knowledge"
_FILLER_SAID = "conversational filler — not durable knowledge"
_FILLER = re.compile(
    r"(?:thanks?|ok(?:ay)?|sure|got it|great|cool|yes|no|nope|yep|alright|noted|done)\.?", re.IGNORECASE
)
_COMPARED = 24


def remember(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, REMEMBER, ["content"])
    content, is_forced = asked["content"].strip(), asked.get("force", False)
    project = place_to_write(request, asked)
    if (why := None if is_forced else _why_not(content)) is not None:
        _may(request, "remember")
        return {"id": None, "rejected": why}
    key = "novamem:" + hashlib.sha256(f"{project}\n{content}".encode()).hexdigest()
    with request.keys.held(key):
        if (kept := _same(request, content, project)) is not None:
            ask(request, "get", memory_id=kept.id, response_format="concise")
            return {**_kept(request, kept), "deduplicated": True}
        agent = asked.get("agentName")
        try:
            written = ask(
                request,
                "write",
                text=content,
                scope="project" if project else "global",
                project=project,
                extra=to_properties(asked),
                valid_until=asked.get("expiresAt"),
                source={"agent": agent} if agent else None,
                # Clients of this dialect know of no merging of what is merely alike; what is the same was looked for.
                force=True,
            )
        except SecretRefused as refused:
            return {"id": None, "rejected": refused.message.partition(", or say")[0]}
    note = request.view().get(written["id"])
    late = {"embedded": False} if "degraded" in written else {}
    return {**_kept(request, note), **late}


def _why_not(content: str) -> str | None:
    """Clients know these texts, up to the last; what Helix itself does not keep is said in its own words."""
    if _FILLER.fullmatch(content):
        return _TOO_SHORT if units(content) < _SHORTEST else _FILLER_SAID
    if (length := units(content)) < _SHORTEST:
        return _TOO_SHORT
    if length > _LONGEST:
        return f"too long ({length} chars, max {_LONGEST}) — split into one fact per entry"
    return why_not_worth(content, "fact")


def _kept(request: Request, note: Note) -> Payload:
    """With the place, so that a client sees where its words went."""
    memory = note.memory
    namespace = (memory.extra or {}).get(NAMESPACE) or DEFAULT_NAMESPACE
    return {
        "id": to_ulid(memory.id),
        "memoryId": memory.id,
        "namespace": str(namespace),
        "project": project_id(request, memory.project),
    }


def _same(request: Request, content: str, project: str | None) -> Note | None:
    """The memory with this very text in the same place, if there is one."""
    view, scope = request.view(), "project" if project else "global"
    owner = {} if request.principal.user is None else {"owner": request.principal.user}
    place = ComparedPlace.of(scope, project, None, ownership_of(owner, scope, project))
    try:
        near = view.alike(content, _COMPARED, place.to_where())
    except IndexNotReady:
        near = []
    found = _with_text(request, near, content, project)
    if found is None and units(content) < _SHORTEST:
        # So short a text may have no word that is looked up.
        title = title_from(content)
        found = _with_text(request, [row.id for row in view.latest() if row.title == title], content, project)
    return found


def _with_text(request: Request, memory_ids: list[str], content: str, project: str | None) -> Note | None:
    view, owner = request.view(), request.principal.user
    for memory_id in memory_ids:
        note = view.find(memory_id)
        if note is None or not note.memory.visible or note.memory.body.strip() != content:
            continue
        memory = note.memory
        is_there = memory.project == project and memory.scope != "session"
        if is_there and (project is not None or memory.owner == owner):
            return note
    return None


def update(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, UPDATE, ["id"])
    note = _find(request, asked)
    if note is None:
        _may(request, "modify")
        return {"id": asked["id"], "updated": False, "embeddingChanged": False}
    content = asked.get("content")
    extra = {
        PROPERTIES[name]: asked[name] or None for name in PROPERTIES if name in asked and name != "confidence"
    }
    if "confidence" in asked:
        extra[PROPERTIES["confidence"]] = asked["confidence"]
    ask(
        request,
        "update",
        memory_id=note.id,
        **({} if content is None else {"text": content.strip()}),
        **({"extra": extra} if extra else {}),
        **({"valid_until": asked["expiresAt"]} if "expiresAt" in asked else {}),
    )
    is_new = content is not None and content.strip() != note.memory.body.strip()
    return {"id": to_ulid(note.id), "memoryId": note.id, "updated": True, "embeddingChanged": is_new}


def forget(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, FORGET)
    if ("id" in asked) == ("sourceRef" in asked):
        if not asked.keys() & {"id", "sourceRef"}:
            checked(arguments, FORGET, ["id"])
        raise bad("give exactly one of 'id' and 'sourceRef'")
    if "sourceRef" in asked:
        return _forget_of(request, asked)
    note = _find(request, asked)
    if note is None:
        _may(request, "forget")
        return {"deleted": False, "coldDeleteOk": True}
    done = ask(request, "forget", memory_id=note.id)
    return {"deleted": done["status"] == "forgotten", "coldDeleteOk": True, "id": to_ulid(note.id)}


def _forget_of(request: Request, asked: Mapping[str, Any]) -> Payload:
    ref, view, ids = asked["sourceRef"], request.view(), []
    for row in list(view.everything()):
        refs = row.extra.get(REFS)
        if row.status != "active" or not isinstance(refs, list) or ref not in refs:
            continue
        note = view.find(row.id)
        if note is not None and may_be_changed(request, asked, note):
            ask(request, "forget", memory_id=row.id)
            ids.append(to_ulid(row.id))
    if not ids:
        _may(request, "forget")
    return {"sourceRef": ref, "ids": ids, "count": len(ids), "coldDeleteOk": True}


def _find(request: Request, asked: Mapping[str, Any]) -> Note | None:
    """One that is there, is seen, and lies where the call may change something."""
    view = request.view()
    memory_id = find_id(view, asked["id"])
    note = None if memory_id is None else view.find(memory_id)
    if note is None or not note.memory.visible or note.memory.kind == PROJECT_NOTE:
        note = None
    # A project that there is not is said of an unknown memory, too.
    if note is None:
        place_to_write(request, asked)
        return None
    return note if may_be_changed(request, asked, note) else None


def _may(request: Request, permission: str) -> None:
    """Where there is nothing to change: who may not change anything hears that, and the call is counted."""
    ask(request, "projects", limit=1)
    if not request.principal.may(permission):
        raise Forbidden.of(permission)


def stats(request: Request, arguments: Arguments) -> Payload:
    checked(arguments, {}, is_closed=True)
    ask(request, "projects", limit=1)
    mine = {project.name for project in own_projects(request)}
    namespaces: Counter[str] = Counter()
    projects: Counter[str | None] = Counter()
    for row in request.view().everything():
        if row.status != "active" or row.kind == PROJECT_NOTE or row.scope == "session":
            continue
        if row.project is None or row.project in mine:
            namespaces[namespace_of(row)] += 1
            projects[row.project] += 1
    return {
        "byNamespace": {name: {"warm": count, "cold": 0} for name, count in sorted(namespaces.items())},
        "totalWarm": namespaces.total(),
        # There is no second store and no decay: none is colder than another, and none was ever demoted.
        "totalCold": 0,
        "lastDecayAt": None,
        "uptimeMs": round(request.uptime() * 1000),
        "byProject": dict(_by_project(request, projects)),
    }


def _by_project(request: Request, counts: Mapping[str | None, int]) -> Iterator[tuple[str, int]]:
    for name, count in counts.items():
        if (ulid := project_id(request, name)) is not None:
            yield ulid, count
