"""update, file, forget, restore, relate: changing what is there. Each answers what it did, and is safe to repeat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from helix.errors import BadValue, MemoryErased
from helix.memory import answers
from helix.memory.budget import Answer
from helix.memory.request import Request, verb
from helix.memory.size_limits import MOST_FILED
from helix.memory.writing.idempotency import check_key, digest_of, with_degraded
from helix.memory.writing.own_properties import check_extra
from helix.memory.writing.store import Edit, Stored
from helix.memory.writing.write import (
    check_importance,
    check_kind,
    check_secrets,
    check_tags,
    check_time,
    check_title,
    check_visibility,
    to_project,
)
from helix.vault.authors import doing
from helix.vault.edit import REMOVE, Remove
from helix.vault.links import EDGE_KINDS, to_link
from helix.vault.new_memory import filed_under
from helix.vault.note import Note
from helix.vault.yaml_load import Value

MODES = ("tombstone", "hard")


@dataclass(frozen=True)
class Amendment:
    """What to change in a memory; None leaves a thing as it is."""

    text: str | None = None
    title: str | None = None
    kind: str | None = None
    tags: Sequence[str] | None = None
    importance: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    visibility: str | None = None
    extra: Mapping[str, Value] | None = None
    """properties of one's own; None takes one away"""


@verb("update")
def update(
    request: Request,
    memory_id: str,
    wanted: Amendment,
    *,
    based_on: str | None = None,
    may_merge: bool = True,
    idempotency_key: str | None = None,
    allow_secrets: bool = False,
) -> answers.Updated:
    """Rewrite in place; id, edges and everything not named stay. `based_on` is the hash of what was read.

    Where the file changed since, the two changes are merged if they fit together and `may_merge`; otherwise who asked
    is told to read it again.
    """
    check_secrets(allow_secrets, vars(wanted))
    if wanted.text is not None and not wanted.text.strip():
        raise BadValue("the text is empty; to remove a memory, forget it")
    change = _changes(wanted)
    note = request.view().get(memory_id)
    if wanted.visibility is not None:
        change["visibility"] = check_visibility(wanted.visibility, note.memory.project)
    if note.memory.status in ("deleted", "erased"):
        raise MemoryErased(f"{note.id} was forgotten; restore it first", code="forgotten")

    def run() -> answers.Updated:
        body = None if wanted.text is None else _body(wanted.text, note)
        merges: list[bool] = []
        stored = request.store.edit(
            note.id,
            Edit(change, body),
            based_on=based_on or note.hash,
            may_merge=may_merge,
            on_merge=lambda: merges.append(True),
        )
        after = stored.note.hash
        status: Literal["noop", "updated"] = "noop" if after == note.hash else "updated"
        merged: answers.MergedMark = {"merged": True} if merges else {}
        return {"id": stored.note.id, "status": status, **_degraded(stored), "hash": after, **merged}

    later = ("visibility", "extra")  # digests are kept, also those from before there were such
    asked = {name: value for name, value in vars(wanted).items() if value is not None or name not in later}
    arguments = {"id": note.id, **asked, "based_on": based_on, "may_merge": may_merge}
    return _once(request, "update", note.id, idempotency_key, arguments, run)


@verb("file")
def file(
    request: Request, memory_ids: Sequence[str], *, project: str, idempotency_key: str | None = None
) -> answers.Filed:
    """Say of which project memories are. Their files stay where they lie."""
    name = to_project(project)
    if name is None:
        raise BadValue("the name of the project is empty; say of which project the memories are")
    check_secrets(False, {"project": name})
    if not memory_ids or len(memory_ids) > MOST_FILED:
        raise BadValue(f"{len(memory_ids)} ids are given; name 1 to {MOST_FILED} memories")
    view = request.view()
    rows = {row.id: row for row in map(view.row, memory_ids)}
    # All of them before any is changed.
    for row in rows.values():
        if row.status in ("deleted", "erased"):
            raise MemoryErased(f"{row.id} was forgotten; restore it first", code="forgotten")
        if row.scope == "global":
            raise BadValue(f"{row.id} holds everywhere (scope global), so it is of no project")
        # One that cannot be read any more says so here.
        view.get(row.id)

    def run() -> answers.Filed:
        filed, degraded = [], None
        for row in rows.values():
            with doing(detail=f"filed under {name}"):
                stored = request.store.change(row.id, lambda note: _filed(note, name))
            degraded = stored.degraded or degraded
            if stored.note.hash != row.hash:
                filed.append(row.id)
        answer: answers.Filed = {"status": "filed" if filed else "noop", "project": name, "filed": filed}
        return with_degraded(answer, degraded)

    first = next(iter(rows))
    return _once(request, "file", first, idempotency_key, {"ids": list(rows), "project": name}, run)


@verb("forget")
def forget(
    request: Request, memory_id: str, *, mode: str = "tombstone", idempotency_key: str | None = None
) -> answers.Forgotten:
    """Take a memory out of all answers; `hard` also erases its text."""
    if mode not in MODES:
        raise BadValue(f"mode is {mode[:60]!r}; give one of {', '.join(MODES)}")
    view = request.view()
    row = view.row(memory_id)

    def run() -> answers.Forgotten:
        # The status may be typed by a person: then the text is still there.
        if row.status in ("erased", "deleted") and (mode == "tombstone" or view.get(row.id).is_erased):
            return {"id": view.get(row.id).id, "status": "noop"}
        stored = request.store.erase(row.id) if mode == "hard" else request.store.forget(row.id)
        deleted_at = stored.note.memory.deleted_at
        return {"id": stored.note.id, "status": "forgotten", **_degraded(stored), "deleted_at": deleted_at}

    return _once(request, "forget", row.id, idempotency_key, {"id": row.id, "mode": mode}, run)


@verb("restore")
def restore(
    request: Request, memory_id: str, *, at: str | None = None, idempotency_key: str | None = None
) -> answers.Restored:
    """Undo a forget; with `at` also turn the text back to a git revision."""

    def run() -> answers.Restored:
        before = request.view().find_typed(memory_id)
        stored = request.store.restore(memory_id, at=at)
        same = before is not None and before.hash == stored.note.hash
        return {
            "id": stored.note.id,
            "status": "noop" if same else "restored",
            **_degraded(stored),
            "memory_status": stored.note.memory.status,
        }

    return _once(request, "restore", memory_id, idempotency_key, {"id": memory_id, "at": at}, run)


@verb("relate")
def relate(
    request: Request, source: str, target: str, rel: str, *, idempotency_key: str | None = None
) -> answers.Related:
    """A typed edge. `supersedes` also takes the other one out of the answers."""
    if rel not in EDGE_KINDS:
        raise BadValue(f"rel is {rel[:60]!r}; give one of {', '.join(EDGE_KINDS)}")
    view = request.view()
    start, end = view.row(source), view.row(target)
    if start.id == end.id:
        raise BadValue("a memory cannot be related to itself")
    for row in (start, end):
        if row.status in ("deleted", "erased"):
            raise MemoryErased(f"{row.id} was forgotten; restore it first", code="forgotten")
    if rel == "supersedes" and start.id in view.links().superseded_by(end.id):
        raise BadValue(
            f"{end.id} replaced {start.id} already; of two that replace each other neither is found"
        )

    def run() -> answers.Related:
        is_there = end.id in start.edges.get(rel, ())
        degraded = None
        if not is_there:
            with doing(detail=f"{rel} {end.id}"):
                degraded = request.store.change(start.id, lambda note: _with_edge(note, rel, end.id)).degraded
        if rel == "supersedes" and end.status == "active":
            degraded = request.store.supersede(end.id).degraded
        edge: answers.Related = {
            "edge_id": f"{start.id}--{rel}--{end.id}",
            "status": "noop" if is_there else "created",
        }
        return with_degraded(edge, degraded)

    arguments = {"from": start.id, "to": end.id, "rel": rel}
    return _once(request, "relate", start.id, idempotency_key, arguments, run)


def _once(
    request: Request,
    verb_name: str,
    memory_id: str,
    key: str | None,
    arguments: Mapping[str, Any],
    run: Callable[[], Answer],
) -> Answer:
    if (key := check_key(key)) is None:
        return run()
    digest = digest_of(verb_name, arguments)
    with request.keys.held(key):
        before = request.keys.find(key, digest)
        if before is not None:
            return cast(Answer, {**before, "status": "noop"})
        answer = run()
        kept = {name: value for name, value in answer.items() if name != "degraded"}
        return with_degraded(answer, request.keys.keep(key, memory_id, digest, kept))


def _degraded(stored: Stored) -> answers.Degraded:
    return {"degraded": stored.degraded} if stored.degraded else {}


def _changes(wanted: Amendment) -> dict[str, Value | Remove]:
    changes: dict[str, Value | Remove] = {}
    if wanted.title is not None:
        changes["title"] = check_title(wanted.title) or REMOVE
    if wanted.kind is not None:
        changes["kind"] = check_kind(wanted.kind)
    if wanted.tags is not None:
        changes["tags"] = list(check_tags(wanted.tags))
    if wanted.importance is not None:
        changes["importance"] = check_importance(wanted.importance)
    for name in ("valid_from", "valid_until"):
        if (moment := getattr(wanted, name)) is not None:
            changes[name] = check_time(name, moment) if moment else REMOVE
    own = check_extra(wanted.extra or {})
    changes |= {name: REMOVE if value is None else value for name, value in own.items()}
    return changes


def _filed(note: Note, project: str) -> Edit | None:
    if note.memory.project == project:
        return None
    changes: dict[str, Value | Remove] = {"filed": REMOVE} if "filed" in note.meta else {}
    return Edit(changes | filed_under(project))


def _body(text: str, note: Note) -> str:
    """The new text, ending as the old one did."""
    ends_open = not note.document.body.endswith("\n")
    return text.rstrip("\n") if ends_open else text.rstrip("\n") + "\n"


def _with_edge(note: Note, rel: str, target: str) -> Edit | None:
    if target in note.memory.edges.get(rel, ()) and rel != "relates_to":
        return None
    there = note.meta.get(rel)
    listed = there if isinstance(there, list) else [there] if there else []
    return Edit({rel: [*listed, to_link(target)]})
