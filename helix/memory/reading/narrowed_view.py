"""A view for somebody who sees a part: it answers as a vault would in which the other memories do not exist.

What it does not hide is in the figures of a search: how rare a word is, is counted over the whole vault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from helix.index.catalog import Row, best_typed
from helix.index.filters import Condition, Every, Reach, Where, predicate_of
from helix.memory.principal import Allows
from helix.memory.reading.link_graph import Links
from helix.memory.reading.vault_view import KnownPart, VaultView, not_found, rows_within
from helix.vault.note import Note
from helix.vault.problem import Problem

if TYPE_CHECKING:
    from helix.index.search import Question, SearchAnswer


class NarrowedView:
    """Made for one request, and not kept: what it worked out is of one moment."""

    def __init__(self, view: VaultView, seen: Condition, allows: Allows | None = None) -> None:
        """`allows` narrows it further, by what `seen` has no word for."""
        self._view = view
        self._seen = seen
        self._narrows_further = allows is not None
        self._allows = allows or predicate_of(seen)

    @property
    def commit(self) -> str | None:
        return self._view.commit

    def now(self) -> datetime:
        return self._view.now()

    # One memory

    def row(self, memory_id: str) -> Row:
        row = self.find_typed(memory_id)
        if row is None:
            raise not_found(memory_id, self.commit)
        return row

    def find_row(self, memory_id: str) -> Row | None:
        return self._allowed(self._view.find_row(memory_id))

    def find_rows(self, memory_ids: Sequence[str]) -> dict[str, Row]:
        found = self._view.find_rows(memory_ids)
        return {memory_id: row for memory_id, row in found.items() if self._allows(row)}

    def find_typed(self, memory_id: str) -> Row | None:
        rows = self._view.rows_typed(memory_id)
        return best_typed(memory_id, [row for row in rows if self._allows(row)])

    def find_by_key(self, idempotency_key: str) -> Row | None:
        return self._allowed(self._view.find_by_key(idempotency_key))

    def row_at(self, path: str) -> Row | None:
        return self._allowed(self._view.row_at(path))

    def get(self, memory_id: str) -> Note:
        note = self._view.get(self.row(memory_id).id)
        # The file may say something else by now than the catalog knows.
        if not self._allows(Row.of(note)):
            raise not_found(memory_id, self.commit)
        return note

    def find(self, memory_id: str, *, tries: int = 2) -> Note | None:
        if self.find_row(memory_id) is None:
            return None
        note = self._view.find(memory_id, tries=tries)
        return note if note is not None and self._allows(Row.of(note)) else None

    def hides(self, memory_id: str) -> bool:
        row = self._view.find_typed(memory_id)
        return row is not None and not self._allows(row)

    def hides_file(self, path: str) -> bool:
        row = self._view.row_at(path)
        return row is None or not self._allows(row)

    # Many

    def rows(self, within: tuple[Reach, ...] | None, *, include_hidden: bool = False) -> list[Row]:
        return rows_within(self.everything(), within, include_hidden)

    def everything(self) -> list[Row]:
        return self._part.rows

    def latest(self, since: datetime | None = None) -> Iterator[Row]:
        return (row for row in self._view.latest(since) if self._allows(row))

    def links(self) -> Links:
        """Made of what is seen: a link to anything else leads nowhere, and says what is written there."""
        return self._part.links

    def problems(self) -> list[Problem]:
        """Of files that are known as memories which are seen. Of what could never be read nobody knows whose it is."""
        return [one for one in self._view.problems() if not self.hides_file(one.path)]

    def duplicates(self) -> dict[str, list[Row]]:
        groups = {
            memory_id: [row for row in rows if self._allows(row)]
            for memory_id, rows in self._view.duplicates().items()
        }
        return {memory_id: rows for memory_id, rows in groups.items() if len(rows) > 1}

    # Searching

    def search(self, query: Question) -> SearchAnswer:
        answer = self._view.search(replace(query, where=self._behind(query.where)))
        # The index may know a memory otherwise than the catalog, for a moment.
        seen = self.find_rows([hit.memory_id for hit in (*answer.hits, *answer.below)])
        return replace(
            answer,
            hits=[hit for hit in answer.hits if hit.memory_id in seen],
            below=[hit for hit in answer.below if hit.memory_id in seen],
            notes={name: note for name, note in answer.notes.items() if self._allows(Row.of(note))},
        )

    def alike(self, text: str, limit: int, where: Where) -> list[str]:
        return self._view.alike(text, limit, self._behind(where))

    # Parts

    def _allowed(self, row: Row | None) -> Row | None:
        return row if row is not None and self._allows(row) else None

    def _behind(self, where: Where) -> Where:
        """A filter, behind the wall. What the wall has no word for goes by name."""
        wall = self._seen if where.wall is None else Every((self._seen, where.wall))
        if not self._narrows_further:
            return replace(where, wall=wall)
        ids = frozenset(row.id for row in self._part.rows)
        return replace(where, wall=wall, among=ids if where.among is None else where.among & ids)

    @cached_property
    def _part(self) -> KnownPart:
        part = self._view.part(self._seen)
        return KnownPart(list(filter(self._allows, part.rows))) if self._narrows_further else part
