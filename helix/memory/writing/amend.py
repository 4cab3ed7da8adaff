"""update, file, forget, restore, relate: changing what is there. Each answers what it did, and is safe to repeat."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helix.errors import BadValue, MemoryErased
from helix.memory.bounds import MOST_FILED
from helix.memory.reading.view import View
from helix.memory.tokens import Payload
from helix.memory.writing.idempotency import Requests, check_key, digest_of, with_degraded
from helix.memory.writing.store import Memories
from helix.memory.writing.write import (
    check_importance,
    check_kind,
    check_secrets,
    check_tags,
    check_time,
    check_title,
    to_project,
)
from helix.vault.authors import doing
from helix.vault.edit import REMOVE, Remove
from helix.vault.links import EDGE_KINDS, to_link
from helix.vault.load import Value
from helix.vault.new_memory import filed_under
from helix.vault.note import Note
from helix.vault.vault import Edit

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


class Amender:
    def __init__(self, memories: Memories, view: View, requests: Requests) -> None:
        self._memories = memories
        self._view = view
        self._requests = requests
        self._lock = threading.Lock()

    def update(
        self,
        memory_id: str,
        wanted: Amendment,
        *,
        based_on: str | None = None,
        may_merge: bool = True,
        idempotency_key: str | None = None,
        allow_secrets: bool = False,
    ) -> Payload:
        """Rewrite in place; id, edges and everything not named stay. `based_on` is the hash of what was read.

        Where the file changed since, the two changes are merged if they fit together and `may_merge`; otherwise the
        caller is asked to read it again.
        """
        check_secrets(allow_secrets, vars(wanted))
        if wanted.text is not None and not wanted.text.strip():
            raise BadValue("the text is empty; to remove a memory, forget it")
        change = _changes(wanted)
        note = self._view.get(memory_id)
        if note.memory.status in ("deleted", "erased"):
            raise MemoryErased(f"{note.id} was forgotten; restore it first", code="forgotten")

        def run() -> Payload:
            body = None if wanted.text is None else _body(wanted.text, note)
            merges: list[bool] = []
            after = self._memories.edit(
                note.id,
                Edit(change, body),
                based_on=based_on or note.hash,
                may_merge=may_merge,
                on_merge=lambda: merges.append(True),
            )
            said = self._done(after, "noop" if after.hash == note.hash else "updated") | {"hash": after.hash}
            return {**said, "merged": True} if merges else said

        said = {"id": note.id, **vars(wanted), "based_on": based_on, "may_merge": may_merge}
        return self._once("update", note.id, idempotency_key, said, run)

    def file(self, memory_ids: Sequence[str], *, project: str, idempotency_key: str | None = None) -> Payload:
        """Say of which project memories are. Their files stay where they lie."""
        name = to_project(project)
        if name is None:
            raise BadValue("the name of the project is empty; say of which project the memories are")
        check_secrets(False, {"project": name})
        if not memory_ids or len(memory_ids) > MOST_FILED:
            raise BadValue(f"{len(memory_ids)} ids are given; name 1 to {MOST_FILED} memories")
        rows = {row.id: row for row in map(self._view.row, memory_ids)}
        for row in rows.values():  # all of them before any is changed
            if row.status in ("deleted", "erased"):
                raise MemoryErased(f"{row.id} was forgotten; restore it first", code="forgotten")
            if row.meta["scope"] == "global":
                raise BadValue(f"{row.id} holds everywhere (scope global), so it is of no project")
            self._view.get(row.id)  # one that cannot be read any more says so here

        def run() -> Payload:
            filed = [row.id for row in rows.values() if self._file(row.id, name, row.hash)]
            said: Payload = {"status": "filed" if filed else "noop", "project": name, "filed": filed}
            return {**said, "degraded": self._memories.degraded} if self._memories.degraded else said

        first = next(iter(rows))
        return self._once("file", first, idempotency_key, {"ids": list(rows), "project": name}, run)

    def _file(self, memory_id: str, project: str, before: str) -> bool:
        with doing(detail=f"filed under {project}"):
            return self._memories.change(memory_id, lambda note: _filed(note, project)).hash != before

    def forget(
        self, memory_id: str, *, mode: str = "tombstone", idempotency_key: str | None = None
    ) -> Payload:
        if mode not in MODES:
            raise BadValue(f"mode is {mode[:60]!r}; give one of {', '.join(MODES)}")
        row = self._view.row(memory_id)

        def run() -> Payload:
            if row.status in ("erased", "deleted") and (
                mode == "tombstone"
                or self._view.get(row.id).is_erased  # typed by a person, its text is still there
            ):
                return self._done(self._view.get(row.id), "noop")
            note = self._memories.erase(row.id) if mode == "hard" else self._memories.forget(row.id)
            return self._done(note, "forgotten") | {"deleted_at": note.memory.deleted_at}

        return self._once("forget", row.id, idempotency_key, {"id": row.id, "mode": mode}, run)

    def restore(
        self, memory_id: str, *, at: str | None = None, idempotency_key: str | None = None
    ) -> Payload:
        def run() -> Payload:
            before = self._view.catalog.find_folded(memory_id)
            note = self._memories.restore(memory_id, at=at)
            same = before is not None and before.hash == note.hash
            return self._done(note, "noop" if same else "restored") | {"memory_status": note.memory.status}

        return self._once("restore", memory_id, idempotency_key, {"id": memory_id, "at": at}, run)

    def relate(self, source: str, target: str, rel: str, *, idempotency_key: str | None = None) -> Payload:
        """A typed edge. `supersedes` also takes the other one out of the answers."""
        if rel not in EDGE_KINDS:
            raise BadValue(f"rel is {rel[:60]!r}; give one of {', '.join(EDGE_KINDS)}")
        start, end = self._view.row(source), self._view.row(target)
        if start.id == end.id:
            raise BadValue("a memory cannot be related to itself")
        for row in (start, end):
            if row.status in ("deleted", "erased"):
                raise MemoryErased(f"{row.id} was forgotten; restore it first", code="forgotten")
        if rel == "supersedes" and start.id in self._view.links().superseded_by(end.id):
            raise BadValue(
                f"{end.id} replaced {start.id} already; of two that replace each other neither is found"
            )

        def run() -> Payload:
            there = end.id in (start.meta.get("edges") or {}).get(rel, ())
            if not there:
                with doing(detail=f"{rel} {end.id}"):
                    self._memories.change(start.id, lambda note: _with_edge(note, rel, end.id))
            if rel == "supersedes" and end.status == "active":
                self._memories.supersede(end.id)
            edge: Payload = {
                "edge_id": f"{start.id}--{rel}--{end.id}",
                "status": "noop" if there else "created",
            }
            return {**edge, "degraded": self._memories.degraded} if self._memories.degraded else edge

        return self._once(
            "relate", start.id, idempotency_key, {"from": start.id, "to": end.id, "rel": rel}, run
        )

    def _once(
        self, verb: str, memory_id: str, key: str | None, said: Mapping[str, Any], run: Callable[[], Payload]
    ) -> Payload:
        if (key := check_key(key)) is None:
            return run()
        digest = digest_of(verb, said)
        with self._lock:
            before = self._requests.find(key, digest)
            if before is not None:
                return {**before, "status": "noop"}
            answer = run()
            kept = {name: value for name, value in answer.items() if name != "degraded"}
            return with_degraded(answer, self._requests.keep(key, memory_id, digest, kept))

    def _done(self, note: Note, status: str) -> Payload:
        said: Payload = {"id": note.id, "status": status}
        return {**said, "degraded": self._memories.degraded} if self._memories.degraded else said


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
