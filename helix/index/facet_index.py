"""The facets of every memory, kept in memory: a query must not ask the disk.

A view of the catalog, filled from it at the start and kept up with every change. Threads may ask while one writes.
"""

from __future__ import annotations

import bisect
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np

from helix.index.column_masks import NO_TIME, to_mask
from helix.index.engine import CandidateColumns
from helix.index.facet_columns import NO_SESSION, FacetColumns
from helix.index.facets import Facets
from helix.index.filters import Where, to_condition
from helix.index.vector_matrix import VectorHit

_MASKS = 16  # of as many filters it is known what passes, until something changes


class Passing:
    """What passes a filter, as it was at one moment."""

    def __init__(self, columns: FacetColumns, where: Where) -> None:
        self._columns = columns
        self.mask = columns.owned(to_mask(to_condition(where), columns))
        self._bits = (
            self.mask.tobytes()
        )  # of single rows it is asked hundreds of times, which arrays are slow at
        self.count = int(self.mask.sum())

    def __contains__(self, memory_id: str) -> bool:
        row = self._columns.find_row(memory_id)
        return row is not None and row < len(self._bits) and self._bits[row] == 1

    def rows(self, memory_ids: Collection[str]) -> dict[str, int]:
        """Of those of them that pass."""
        bits, known = self._bits, zip(memory_ids, map(self._columns.find_row, memory_ids), strict=True)
        return {one: row for one, row in known if row is not None and row < len(bits) and bits[row]}

    @cached_property
    def ids(self) -> frozenset[str]:
        named = self._columns.id
        return frozenset([named(row) for row in np.flatnonzero(self.mask).tolist()])


class FacetIndex:
    def __init__(self) -> None:
        self._lock = threading.RLock()  # held for microseconds
        self._columns = FacetColumns()
        self._sessions: dict[int, list[int]] = {}
        """rows, in order of time"""
        self._named_by: dict[str, list[int]] = {}
        self._passing: dict[Where, Passing] = {}

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, memory_id: str) -> bool:
        return memory_id in self._columns

    def fill(self, memory_ids: Iterable[str], portions: Iterable[Sequence[Sequence[Any]]]) -> None:
        """All at once, in the place of what was there. The values are in the order of `FacetValues`, some thousand in
        a portion."""
        fresh, names = FacetIndex(), iter(memory_ids)
        for values in portions:
            fresh._columns.put_all(list(islice(names, len(values))), values)
        fresh._find_sessions()
        for row in np.flatnonzero(fresh._columns.column("links")).tolist():
            fresh._add_links(row)
        with self._lock:
            self._columns, self._passing = fresh._columns, {}
            self._sessions, self._named_by = fresh._sessions, fresh._named_by

    def _find_sessions(self) -> None:
        """Of all rows, which must all be somebody's."""
        sessions = self._columns.sessions(np.arange(self._columns.count))
        rows = np.flatnonzero(sessions != NO_SESSION)
        created = self._columns.column("created")
        moments = np.where(created == NO_TIME, 0, created)
        rows = rows[np.lexsort((moments[rows], sessions[rows]))]
        of_rows, at = sessions[rows], moments[rows]
        alike = of_rows[np.flatnonzero((np.diff(of_rows) == 0) & (np.diff(at) == 0))]
        firsts = np.flatnonzero(np.diff(of_rows, prepend=NO_SESSION))
        lasts = np.append(firsts[1:], len(rows))
        self._columns.column("position")[rows] = np.arange(len(rows)) - np.repeat(firsts, lasts - firsts)
        ordered = rows.tolist()
        for session, first, last in zip(
            of_rows[firsts].tolist(), firsts.tolist(), lasts.tolist(), strict=bool(len(rows))
        ):
            self._sessions[session] = ordered[first:last]
        for session in set(alike.tolist()):  # of the same time: in the order of their ids
            self._sessions[session].sort(key=self._key)
            self._number(self._sessions[session], 0)

    def find(self, memory_id: str) -> Facets | None:
        with self._lock:
            row = self._columns.find_row(memory_id)
            return None if row is None else self._columns.get(row)

    def put(self, facets: Facets) -> None:
        with self._lock:
            self.drop(facets.id)
            row = self._columns.put(facets)
            self._passing = {}
            self._add_links(row)
            if (session := self._session(row)) != NO_SESSION:
                members = self._sessions.setdefault(session, [])
                at = bisect.bisect_left(members, self._key(row), key=self._key)
                members.insert(at, row)
                self._number(members, at)

    def drop(self, memory_id: str) -> None:
        with self._lock:
            row = self._columns.find_row(memory_id)
            if row is None:
                return
            for target in self._columns.words_of(row, "links"):
                self._named_by[target].remove(row)
                if not self._named_by[target]:
                    del self._named_by[target]
            if (session := self._session(row)) != NO_SESSION:
                self._leave(session, int(self._columns.column("position")[row]))
            self._columns.drop(memory_id)
            self._passing = {}

    def _leave(self, session: int, at: int) -> None:
        members = self._sessions[session]
        del members[at]
        if members:
            self._number(members, at)
        else:
            del self._sessions[session]

    def _number(self, members: list[int], first: int) -> None:
        """Most come last, and change nobody's number."""
        self._columns.column("position")[members[first:]] = range(first, len(members))

    def _add_links(self, row: int) -> None:
        for target in self._columns.words_of(row, "links"):
            self._named_by.setdefault(target, []).append(row)

    def passing(self, where: Where) -> Passing:
        """The memories that pass. What was asked of late is known: an agent filters all its questions alike."""
        with self._lock:
            known = self._passing.get(where)
            if known is None:
                if len(self._passing) >= _MASKS:
                    self._passing = {}
                known = self._passing[where] = Passing(self._columns, where)
            return known

    def within(self, where: Where) -> AbstractSet[str]:
        with self._lock:
            return self.passing(where).ids

    def rows(self, memory_ids: Iterable[str]) -> list[Facets]:
        """What is known of them. Who is gone is left out."""
        with self._lock:
            find, get = self._columns.find_row, self._columns.get
            return [get(row) for memory_id in memory_ids if (row := find(memory_id)) is not None]

    def candidates(
        self,
        memory_ids: Collection[str],
        where: Where,
        words: Mapping[str, float],
        nearest: Mapping[str, VectorHit],
        question: Collection[str],
    ) -> CandidateColumns:
        """Those of them that pass: what ranking needs to know, with their scores. Something may have changed since
        they were found, so that it is asked here whether they pass, whoever else has asked."""
        with self._lock:
            columns, passing = self._columns, self.passing(where).rows(memory_ids)
            ids = sorted(passing)
            rows = np.fromiter(map(passing.__getitem__, ids), np.intp, len(ids))
            hits = list(map(nearest.get, ids))
            named = ("created", "changed", "valid_from", "valid_until", "importance", "telling", "day")
            created, changed, valid_from, valid_until, importance, telling, days = (
                columns.column(name)[rows] for name in named
            )
            return CandidateColumns(
                ids,
                np.array([words.get(one, 0.0) for one in ids], np.float64),
                np.array([np.nan if hit is None else hit.score for hit in hits], np.float64),
                np.array([-1 if hit is None else hit.ordinal for hit in hits], np.int64),
                columns.sessions(rows),
                columns.column("position")[rows],
                columns.share_named(rows, question),
                *(created, changed, valid_from, valid_until, importance, telling, days),
                linked=self.linked,
            )

    def around(self, memory_ids: Iterable[str], reach: int) -> Iterator[str]:
        """The memories just before and after them in their sessions, those that they name, and those that name them."""
        with self._lock:
            known = {one: row for one in memory_ids if (row := self._columns.find_row(one)) is not None}
            yield from chain.from_iterable(map(self._linked, known.values()))
            rows = np.array(list(known.values()), np.intp)
            positions = self._columns.column("position")[rows].tolist()
            for session, at in zip(self._columns.sessions(rows).tolist(), positions, strict=True):
                if session != NO_SESSION:
                    near = self._sessions[session][max(0, at - reach) : at + reach + 1]
                    yield from map(self._columns.id, near)

    def linked(self, memory_id: str) -> AbstractSet[str]:
        """What it names, and what names it."""
        with self._lock:
            row = self._columns.find_row(memory_id)
            return frozenset() if row is None else self._linked(row)

    def _linked(self, row: int) -> AbstractSet[str]:
        memory_id = self._columns.id(row)
        namers = map(self._columns.id, self._named_by.get(memory_id, ()))
        return {*self._columns.words_of(row, "links"), *namers} - {memory_id}

    def _session(self, row: int) -> int:
        return int(self._columns.sessions(np.array([row]))[0])

    def _key(self, row: int) -> tuple[int, str]:
        moment = int(self._columns.column("created")[row])
        return 0 if moment == NO_TIME else moment, self._columns.id(row)
