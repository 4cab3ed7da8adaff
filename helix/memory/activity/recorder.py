"""Turns what the follower takes in into what happened: which memory was learned, changed, forgotten, and by whom.

Every road ends in the follower, so every road is seen here: our own writes, a person's edits, what a sync client
brought, and, at the first full look after a start, what happened while no daemon ran.

Who it was, in this order:

1. Helix itself wrote it and knows for whom: an agent, a person on the dashboard, or Helix on its own account.
2. A conflict copy was folded into it: sync.
3. Git has just put files in place (a pull, a checkout, a merge): sync.
4. Its `rev` says that a Helix wrote it last. One on this machine: a person, with a command. Another one: sync.
5. Otherwise the file was edited: a person. One who edits on another machine, where no Helix runs, looks the same.
"""

from __future__ import annotations

import functools
import logging
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from helix.errors import StateUnwritable
from helix.follow.note_lane import Committed
from helix.index.catalog import Catalog, Row
from helix.memory.activity.event import Event
from helix.memory.activity.journal import Journal, Known
from helix.memory.verbs.fields import What
from helix.vault.authors import PERSON, Author, Authors, current
from helix.vault.checkouts import Checkouts
from helix.vault.diff import Change, Origin
from helix.vault.ids import derived_id
from helix.vault.note import Note
from helix.vault.times import format_time, parse_time

log = logging.getLogger(__name__)

_SYNC = Author("sync")
_ERASED = Known("", "", "erased")
"""of what is erased only that it is: even its file may be named after what it said"""
_MOST_REPLACED = 1_000
_BORN: Mapping[str, What] = {
    "active": "learned",
    "superseded": "superseded",
    "deleted": "forgotten",
    "erased": "erased",
}


@dataclass(frozen=True)
class Now:
    """A memory as it is."""

    id: str
    path: str
    known: Known
    agent: str | None
    supersedes: Sequence[str]

    @classmethod
    def of_note(cls, note: Note) -> Now:
        memory = note.memory
        known = _known(note.path, note.hash, memory.status, memory.title, memory.kind, memory.project)
        return cls(memory.id, note.path, known, _agent(memory.source), memory.edges.get("supersedes", ()))

    @classmethod
    def of_row(cls, row: Row) -> Now:
        known = _known(row.path, row.hash, row.status, row.title, row.kind, row.project)
        return cls(row.id, row.path, known, _agent(row.source), row.edges.get("supersedes", ()))


class Recorder:
    def __init__(
        self,
        journal: Journal,
        catalog: Catalog,
        authors: Authors,
        checkouts: Checkouts,
        clock: Callable[[], datetime],
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.journal = journal
        self._catalog = catalog
        self._authors = authors
        self._checkouts = checkouts
        self._clock = clock
        self._wall = wall
        self._replaced_by: OrderedDict[str, str] = OrderedDict()

    def committed(self, committed: Committed) -> None:
        """On the follower's lock, after every commit of the catalog: one small transaction."""
        if not committed.changes or not self.journal.has_begun:
            return
        notes = {change.memory_id: change.note for change in committed.changes if change.note is not None}
        gone = [change.memory_id for change in committed.changes if change.note is None]
        # It looks at files: once.
        by_git = functools.cache(lambda: self._checkouts.just_happened(self._wall()))
        authors = {change.memory_id: self._author(change, committed, by_git) for change in committed.changes}
        with self._at_rest():
            self._tell([Now.of_note(note) for note in notes.values()], gone, authors.__getitem__)

    def scanned(self) -> None:
        """The catalog says what the disk says. The first time, tell what the journal has not seen happen."""
        if self.journal.is_current:
            return
        with self._at_rest():
            if self.journal.has_begun:
                self._catch_up()
            else:
                rows = self._catalog.memories(include_hidden=True)
                remembered = sorted(
                    (event for row in rows for event in _remembered(row)), key=lambda event: event.time
                )
                self.journal.begin(remembered, {row.id: Now.of_row(row).known for row in rows}, self._now())
            self.journal.is_current = True

    def refused(self, kind: str) -> None:
        """A text with a credential was not written: what it looks like, never what it says."""
        author = current() or PERSON
        event = Event(self._now(), "refused", "", who=author.who, name=author.name, detail=kind)
        with self._at_rest():
            self.journal.record([event], {})

    @contextmanager
    def _at_rest(self) -> Iterator[None]:
        """The file of the memory is safe: a journal that cannot be written (a full disk) is no reason to fail it."""
        try:
            yield
        except (sqlite3.Error, StateUnwritable) as error:
            log.warning("the journal cannot be written; the next full look catches up: %s", error)
            self.journal.is_current = False

    def _catch_up(self) -> None:
        known = self.journal.everything_known()
        there = {
            memory_id: _ERASED[:3] if state[2] == "erased" else state
            for memory_id, state in self._catalog.states().items()
        }
        differing = (memory_id for memory_id, state in there.items() if known.get(memory_id) != state)
        rows = (self._catalog.find(memory_id) for memory_id in differing)
        gone = [memory_id for memory_id in known if memory_id not in there]
        self._tell([Now.of_row(row) for row in rows if row is not None], gone, lambda _: PERSON)

    def _tell(self, here: Sequence[Now], gone: Sequence[str], author_of: Callable[[str], Author]) -> None:
        before = self.journal.known([*(state.id for state in here), *gone])
        for state in here:
            for replaced in state.supersedes:
                self._replaced_by[replaced] = state.id
                if len(self._replaced_by) > _MOST_REPLACED:
                    self._replaced_by.popitem(last=False)
        # A note without an id was known by its path. Once it has one, the memory at that path goes on.
        renamed = {
            before[memory_id].path: memory_id
            for memory_id in gone
            if memory_id in before and derived_id(before[memory_id].path) == memory_id
        }
        erased = [state.id for state in here if state.known.status == "erased"]
        events: list[Event] = []
        for state in here:
            was, detail = before.get(state.id), ""
            if was is None and state.path in renamed:
                earlier = renamed[state.path]
                was, detail = before.pop(earlier), f"was known as {earlier}"
                erased += [earlier] if state.known.status == "erased" else []
            event = self._event(state, was, author_of(state.id), detail)
            events += [] if event is None else [event]
        for memory_id in gone:
            if (was := before.get(memory_id)) is not None:
                by = author_of(memory_id)
                events.append(
                    Event(
                        self._now(), "gone", memory_id, was.title, was.kind, was.project, by.who, by.name, was.path,
                        by.detail,
                    )
                )  # fmt: skip
        # What replaces comes before what it replaced.
        events.sort(key=lambda event: event.what != "learned")
        if erased:
            self.journal.erase(erased)
        known: dict[str, Known | None] = {state.id: state.known for state in here}
        known.update((memory_id, None) for memory_id in gone)
        self.journal.record(events, known)

    def _event(self, now: Now, was: Known | None, author: Author, detail: str) -> Event | None:
        what = _what(was, now.known)
        if what is None:
            return None
        if what == "changed" and author.what is not None:
            what = author.what
        details = [detail, author.detail]
        if what == "superseded" and (newer := self._replaced_by.get(now.id)) is not None:
            details = [f"replaced by {newer}"]
        if was is not None and was.path != now.known.path:
            details.append(f"moved from {was.path}")
        known = now.known
        return Event(
            self._now(),
            what,
            now.id,
            known.title,
            known.kind,
            known.project,
            author.who,
            (now.agent if what == "learned" else None) or author.name,
            known.path,
            "" if what == "erased" else "; ".join(part for part in details if part),
        )

    def _author(self, change: Change, committed: Committed, by_git: Callable[[], bool]) -> Author:
        signed = None if change.note is None else self._authors.take(change.note.hash)
        if folded := committed.folded.get(change.memory_id):
            return Author("sync", what="merged", detail=f"folded in {', '.join(folded)}")
        if signed is not None:
            return signed
        return _SYNC if change.origin is Origin.ELSEWHERE or by_git() else PERSON

    def _now(self) -> str:
        return format_time(self._clock())


def _what(was: Known | None, now: Known) -> What | None:
    if was is None:
        return _BORN[now.status]
    if now == _ERASED:
        return None if was == now else "erased"
    if now.status != was.status:
        if now.status == "deleted":
            return "forgotten"
        return "superseded" if was.status == "active" else "restored"
    if now.hash != was.hash:
        return "changed"
    return "moved" if now.path != was.path else None


def _remembered(row: Row) -> Iterator[Event]:
    """What a note itself tells of the time before there was a journal."""
    now = Now.of_row(row)
    known = now.known
    moments: dict[What, str | None] = {"learned": row.created_at}
    if row.status == "active" and row.updated_at != row.created_at:
        moments["changed"] = row.updated_at
    elif row.status == "superseded":
        moments["superseded"] = row.updated_at
    elif row.status in ("deleted", "erased"):
        moments[_BORN[row.status]] = row.deleted_at
    for what, written in moments.items():
        moment = parse_time(written)
        if moment is not None:
            agent = now.agent if what == "learned" else None
            yield Event(
                format_time(moment), what, row.id, known.title, known.kind, known.project,
                "agent" if agent else None, agent, known.path,
            )  # fmt: skip


def _known(path: str, content_hash: str, status: str, title: str, kind: str, project: str | None) -> Known:
    if status == "erased":
        return _ERASED
    return Known(path, content_hash, status, title, kind, project)


def _agent(source: Mapping[str, object] | None) -> str | None:
    agent = (source or {}).get("agent")
    return str(agent) if agent else None
