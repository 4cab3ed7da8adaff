"""Looking after the store: duplicates, contradictions, what is over and what was left lying, found by rule.

Deterministic and free: no model decides. What is certain and reversible is done (an exact double is superseded by
the older one); everything else is a proposal for a person or an agent. Each action is an edit of files that says
why it was made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from helix.errors import BadValue, HelixError, MemoryNotFound
from helix.index.filters import ComparedPlace
from helix.memory import answers
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.judgement.resemble import Verdict, resemble
from helix.memory.reading.link_graph import Links
from helix.memory.reading.view import Row, View
from helix.memory.request import Request, verb
from helix.memory.writing.store import Edit
from helix.memory.writing.write import to_compared
from helix.vault.authors import HELIX, acting
from helix.vault.links import to_link
from helix.vault.note import Memory, Note
from helix.vault.ownership import Ownership
from helix.vault.times import format_time, parse_time
from helix.vault.yaml_load import Value

_COMPARED = 6
_STALE_AFTER = timedelta(days=60)
_BY = "helix-consolidation"

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Proposal:
    what: answers.Tidying
    memory_id: str
    """the one that would be changed"""
    other_id: str | None
    """the one that would stand in its place, if any; of a dangling link what it names"""
    reason: str
    action: str
    """what applying it does: supersede, forget, or nothing that Helix could do by itself"""
    is_certain: bool = False

    @property
    def id(self) -> str:
        identity = f"{self.what}\n{self.memory_id}\n{self.other_id}"
        return f"{self.what}-{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()[:8]}"

    def to_dict(self) -> answers.Proposal:
        return {
            "id": self.id,
            "what": self.what,
            "memory": self.memory_id,
            "other": self.other_id,
            "reason": self.reason,
            "action": self.action,
            "certain": self.is_certain,
        }


class Consolidator:
    """Looks at what a request sees, and changes that."""

    def __init__(self, request: Request) -> None:
        self._view = request.view()
        self._store = request.store

    def look(
        self, progress: Progress | None = None, is_stopped: Callable[[], bool] = lambda: False
    ) -> list[Proposal]:
        """Everything that could be done now, in a fixed order."""
        rows, links = self._view.rows(None), self._view.links()
        joined = {frozenset((edge.source, edge.target)) for edge in links.edges}
        found = [*self._over(rows), *_dangling(links, rows)]
        for done, row in enumerate(rows, start=1):
            if is_stopped():
                break
            found += self._doubles(row, joined)
            if progress is not None and (done % 50 == 0 or done == len(rows)):
                progress(done, len(rows))
        return sorted(
            dict.fromkeys(found),
            key=lambda proposal: (proposal.what, proposal.memory_id, proposal.other_id or ""),
        )

    def apply(self, proposals: Iterable[Proposal]) -> list[Proposal]:
        """Do these; one whose memories changed meanwhile is left out. Returns what was done."""
        done = []
        for proposal in proposals:
            try:
                with acting(replace(HELIX, detail=f"{proposal.what} {proposal.other_id or ''}".strip())):
                    if self._apply(proposal):
                        done.append(proposal)
            except HelixError:
                # Gone, broken or erased since: the next look sees what is left to do.
                continue
        return done

    def chosen(self, ids: Sequence[str]) -> list[Proposal]:
        known = {one.id: one for one in self.look()}
        unknown = [one for one in ids if one not in known]
        if unknown:
            raise BadValue(f"there is no proposal {unknown[0]!r} (any more); look at the list again")
        return [known[one] for one in ids]

    # What is found

    def _doubles(self, row: Row, joined: set[frozenset[str]]) -> Iterator[Proposal]:
        note = self._view.find(row.id)
        if note is None:
            return
        memory = note.memory
        session = (memory.source or {}).get("session") if memory.scope == "session" else None
        ownership = Ownership(memory.owner, memory.visibility)
        where = ComparedPlace.of(memory.scope, memory.project, session, ownership).to_where()
        for other_id in self._view.alike(f"{memory.title}\n{memory.body}", _COMPARED, where):
            other = self._view.find(other_id) if other_id != row.id else None
            # What is joined by an edge was judged already, by a person or by an earlier look.
            if other is None or not other.memory.visible or frozenset((row.id, other_id)) in joined:
                continue
            if (found := _compare(note, other)) is not None:
                yield found

    def _over(self, rows: Sequence[Row]) -> Iterator[Proposal]:
        now = self._view.now()
        for row in rows:
            until = parse_time(row.valid_until)
            if until is not None and until < now:
                yield Proposal("expired", row.id, None, f"it was valid until {format_time(until)}", "forget")
            changed = parse_time(row.updated_at) or parse_time(row.created_at)
            if row.kind == "task" and changed is not None and now - changed > _STALE_AFTER:
                days = (now - changed).days
                yield Proposal(
                    "stale-task", row.id, None, f"a task that nobody touched for {days} days", "forget"
                )

    # What is done

    def _apply(self, proposal: Proposal) -> bool:
        if proposal.action == "forget":
            row = self._view.row(proposal.memory_id)
            if row.status != "active" or proposal.id not in {still.id for still in self._over([row])}:
                return False
            self._store.forget(row.id)
            return True
        if proposal.action != "supersede" or proposal.other_id is None:
            return False
        gone, stays = self._view.find(proposal.memory_id), self._view.find(proposal.other_id)
        if gone is None or stays is None or not gone.memory.visible or not stays.memory.visible:
            raise MemoryNotFound(f"{proposal.memory_id} or {proposal.other_id} is not there any more")
        if _compare(gone, stays) != proposal:
            return False
        # First the edge, then the flip: between the two there is one memory too many, never one too few.
        self._store.change(stays.id, lambda now: _taking_over(now, gone))
        at = format_time(self._view.now())
        after = self._store.change(
            gone.id, lambda now: _replaced(proposal, now, at) if now.memory.body == gone.memory.body else None
        )
        return after.note.memory.status == "superseded"


@verb("consolidate")
def consolidate(
    request: Request, *, dry_run: bool = False, only: Sequence[str] = (), progress: Progress | None = None
) -> answers.Tidied:
    """Do what is certain, or what is named; say what else could be done."""
    done, left = carry_out(request, dry_run=dry_run, only=only, progress=progress)
    return {"applied": [one.to_dict() for one in done], "proposals": [one.to_dict() for one in left]}


@verb("proposals")
def proposals(
    request: Request, *, limit: int = 20, max_tokens: int = 4000, cursor: str | None = None
) -> answers.Proposals:
    """What could be done with the memories as they are now, within a budget."""
    check_limit(limit)
    view, listing = request.listed(
        "consolidate", request.view(), cursor, lambda _: [one.to_dict() for one in look(request)]
    )

    def render(entry: answers.Proposal) -> answers.Proposal | None:
        hidden = is_hidden(view, entry["what"], entry["memory"], entry["other"])
        return None if hidden else entry

    return request.page(
        "consolidate", listing, render, lambda _, items, end: answers.Proposals({"proposals": list(items), **end}),
        head=NO_HEAD, limit=limit, max_tokens=max_tokens,
    )  # fmt: skip


@verb("consolidate")
def apply_proposals(request: Request, ids: Sequence[str] = ()) -> answers.Consolidated:
    """Do what is named, or else what is certain."""
    done, left = carry_out(request, only=ids) if request.upkeep is None else request.upkeep.apply(ids)
    return {"applied": [one.to_dict() for one in done], "remaining": len(left)}


def carry_out(
    request: Request, *, dry_run: bool = False, only: Sequence[str] = (), progress: Progress | None = None
) -> tuple[list[Proposal], list[Proposal]]:
    """What was done, and what else could be."""
    consolidator = Consolidator(request)
    found = consolidator.chosen(only) if only else consolidator.look(progress)
    due = found if only else [one for one in found if one.is_certain]
    done = [] if dry_run else consolidator.apply(due)
    return done, [one for one in found if one not in done]


def is_hidden(view: View, what: str, memory_id: str | None, other: str | None) -> bool:
    """Whether an item about two memories is about one that is not seen. A dangling link quotes the one that is."""
    named = (memory_id,) if what == "dangling-link" else (memory_id, other)
    return any(one is not None and view.hides(one) for one in named)


def look(request: Request) -> list[Proposal]:
    """What the worker found in the vault as it is; who sees a part of it looks for themselves."""
    return Consolidator(request).look() if request.upkeep is None else request.upkeep.look()


def _compare(note: Note, other: Note) -> Proposal | None:
    older, newer = sorted((note, other), key=lambda dated: (dated.memory.created_at or "", dated.id))
    how = resemble(to_compared(newer.memory), to_compared(older.memory))
    if how.verdict is Verdict.SAME:
        exact = _normal(newer.memory) == _normal(older.memory)
        return Proposal("duplicate", newer.id, older.id, how.reason, "supersede", is_certain=exact)
    if how.verdict is Verdict.CHANGED and note.memory.kind != "event":
        return Proposal("contradiction", older.id, newer.id, how.reason, "supersede")
    return None


def _taking_over(note: Note, gone: Note) -> Edit:
    known = {tag.casefold() for tag in note.memory.tags}
    tags = [tag for tag in gone.memory.tags if tag.casefold() not in known]
    supersedes = [to_link(one) for one in (*note.memory.edges.get("supersedes", ()), gone.id)]
    changes: dict[str, Value] = {"supersedes": list(dict.fromkeys(supersedes))}
    if tags:
        there = note.meta.get("tags")
        changes["tags"] = [*(there if isinstance(there, list) else note.memory.tags), *tags]
    return Edit(dict(changes))


def _replaced(proposal: Proposal, note: Note, now: str) -> Edit | None:
    if note.memory.status != "active":
        return None
    why: Value = {"by": _BY, "what": proposal.what, "reason": proposal.reason, "at": now}
    return Edit({"status": "superseded", "consolidated": why})


def _dangling(links: Links, rows: Sequence[Row]) -> Iterator[Proposal]:
    active = {row.id for row in rows}
    for edge in links.edges:
        if edge.is_dangling and edge.source in active:
            reason = f"its {edge.rel} names {edge.target!r}, which is not in the vault"
            yield Proposal("dangling-link", edge.source, edge.target, reason, "none")


def _normal(memory: Memory) -> str:
    return " ".join(memory.body.split()).casefold()
