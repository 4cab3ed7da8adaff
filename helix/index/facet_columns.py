"""What is known of every memory, in columns: an object for each would take ten times the memory.

Rows keep their numbers; that of a memory that is gone is given to another. What many memories have in common (status,
scope, project, kind, session) is one profile, and every word is kept once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import NamedTuple

import numpy as np

from helix.index.column_masks import NO_TIME, among_codes
from helix.index.facets import Facets
from helix.index.where import ALL_FIELDS, to_micros

_TEXT_FIELDS = tuple(field for field in ALL_FIELDS if not field.is_list and not field.is_id)
_LIST_FIELDS = tuple(field for field in ALL_FIELDS if field.is_list)
_TIMES = ("created", "changed", "valid_from", "valid_until")
_LISTS = ("tags", "title_words", "links")
_KINDS: Mapping[str, type] = {
    "profile": np.int32,
    "importance": np.float64,
    "start": np.int64,
    **dict.fromkeys(_TIMES, np.int64),
    **dict.fromkeys(_LISTS, np.int32),  # how many, from the start on
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_ROWS = 64
_FACETS_AT_HAND = 2_048  # that were asked for of late, as objects


class Profile(NamedTuple):
    status: str
    scope: str
    project: str | None
    kind: str
    session: str | None


class FacetColumns:
    """Not for several threads at once: its owner has the lock."""

    def __init__(self) -> None:
        self.count = 0
        """rows, also those of nobody"""
        self._rows: dict[str, int] = {}
        self._ids: list[str] = []
        self._free: list[int] = []
        self._columns: dict[str, np.ndarray] = {
            name: np.zeros(_FIRST_ROWS, kind) for name, kind in _KINDS.items()
        }
        self._profiles: dict[Profile, int] = {}
        self._profile_list: list[Profile] = []
        self._filed: dict[str, list[int]] = {field.name: [] for field in _TEXT_FIELDS}
        """by field, of each profile the number of its value"""
        self._codes: dict[str, dict[str, int]] = {field.name: {} for field in _TEXT_FIELDS}
        self._words: dict[str, int] = {}
        self._word_list: list[str] = []
        self._known_tags: set[int] = set()
        self._broader: dict[tuple[str, str], set[int]] = {}
        """by list field and value the other words that count for it: `auth` covers `auth/jwt`"""
        self._listed = np.zeros(_FIRST_ROWS, np.int32)
        """the words of all rows"""
        self._listed_end = 0
        self._unused = 0
        self._at_hand: dict[int, Facets] = {}
        self._tags: tuple[np.ndarray, np.ndarray] | None = None
        """of every tag of every row its word and the row, until something changes"""

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, memory_id: str) -> bool:
        return memory_id in self._rows

    def ids(self) -> Iterable[str]:
        return self._rows

    def find_row(self, memory_id: str) -> int | None:
        return self._rows.get(memory_id)

    def id(self, row: int) -> str:
        return self._ids[row]

    def ids_of(self, mask: np.ndarray) -> set[str]:
        """Of the rows that pass and are somebody's."""
        mask[self._free] = False
        ids = self._ids
        return {ids[row] for row in np.flatnonzero(mask).tolist()}

    def created_at(self, row: int) -> int:
        """In microseconds; a memory without a date counts as one of the epoch."""
        moment = int(self._columns["created"][row])
        return 0 if moment == NO_TIME else moment

    def put(self, facets: Facets) -> int:
        """A memory that has no row yet. Returns its row."""
        if self._free:
            row = self._free.pop()
            self._ids[row] = facets.id
        else:
            row = self.count
            self._ids.append(facets.id)
            self.count += 1
            self._make_room()
        self._rows[facets.id] = row
        columns = self._columns
        profile = Profile(facets.status, facets.scope, facets.project, facets.kind, facets.session)
        number = self._profiles.get(profile)
        columns["profile"][row] = self._add_profile(profile, facets) if number is None else number
        columns["importance"][row] = np.nan if facets.importance is None else facets.importance
        for name, moment in zip(
            _TIMES, (facets.created, facets.changed, facets.valid_from, facets.valid_until), strict=True
        ):
            columns[name][row] = NO_TIME if moment is None else to_micros(moment)
        columns["start"][row] = self._listed_end
        words = []
        for name, texts in zip(_LISTS, (facets.tags, facets.title_words, facets.links), strict=True):
            columns[name][row] = len(texts)
            words += [self._word(text) for text in texts]
        for text in facets.tags:
            self._file_tag(text)
        self._append(words)
        self._tags = None
        return row

    def drop(self, memory_id: str) -> None:
        row = self._rows.pop(memory_id)
        self._ids[row] = ""
        self._free.append(row)
        self._at_hand.pop(row, None)
        self._unused += sum(int(self._columns[name][row]) for name in _LISTS)
        for name in _LISTS:
            self._columns[name][row] = 0
        self._tags = None
        if self._unused > len(self._listed) // 2:
            self._gather()

    def get(self, row: int) -> Facets:
        found = self._at_hand.get(row)
        if found is None:
            if len(self._at_hand) >= _FACETS_AT_HAND:
                self._at_hand.clear()
            found = self._at_hand[row] = self._facets(row)
        return found

    def _facets(self, row: int) -> Facets:
        columns = self._columns
        status, scope, project, kind, session = self._profile_list[columns["profile"][row]]
        importance = float(columns["importance"][row])
        created, changed, valid_from, valid_until = (_moment(int(columns[name][row])) for name in _TIMES)
        at, words = int(columns["start"][row]), self._word_list
        lists = []
        for name in _LISTS:
            size = int(columns[name][row])
            lists.append(frozenset([words[code] for code in self._listed[at : at + size].tolist()]))
            at += size
        tags, title_words, links = lists
        return Facets(
            *(self._ids[row], status, scope, project, kind, tags, title_words, session, created, changed),
            *(None if importance != importance else importance, valid_from, valid_until, links),
        )

    # Columns of `column_masks`

    def created(self) -> np.ndarray:
        return self._columns["created"][: self.count]

    def is_any(self, column: str, values: Collection[str]) -> np.ndarray:
        filed = np.array(self._filed[column], np.int32)
        passing = among_codes(filed, map(self._codes[column].get, values))
        mask: np.ndarray = passing[self._columns["profile"][: self.count]]
        return mask

    def lists_any(self, column: str, values: Collection[str]) -> np.ndarray:
        if self._tags is None:
            self._tags = self._all_tags()
        words, rows = self._tags
        wanted = {self._words.get(value) for value in values}
        wanted.update(chain.from_iterable(self._broader.get((column, value), ()) for value in values))
        mask = np.zeros(self.count, bool)
        mask[rows[among_codes(words, wanted)]] = True
        return mask

    def owned_by(self, memory_ids: Collection[str]) -> np.ndarray:
        mask = np.zeros(self.count, bool)
        mask[[row for one in memory_ids if (row := self._rows.get(one)) is not None]] = True
        return mask

    # Keeping

    def _add_profile(self, profile: Profile, facets: Facets) -> int:
        number = self._profiles[profile] = len(self._profile_list)
        self._profile_list.append(profile)
        for field in _TEXT_FIELDS:
            [value] = field.filed_under(facets)
            codes = self._codes[field.name]
            self._filed[field.name].append(codes.setdefault(value, len(codes)))
        return number

    def _word(self, text: str) -> int:
        code = self._words.get(text)
        if code is None:
            code = self._words[text] = len(self._word_list)
            self._word_list.append(text)
        return code

    def _file_tag(self, tag: str) -> None:
        code = self._words[tag]
        if code in self._known_tags:
            return
        self._known_tags.add(code)
        for field in _LIST_FIELDS:
            for value in field.filed_under(Facets("", tags=frozenset({tag}))):
                if value != tag:
                    self._broader.setdefault((field.name, value), set()).add(code)

    def _append(self, words: Sequence[int]) -> None:
        last = self._listed_end + len(words)
        if last > len(self._listed):
            self._listed = _grown(self._listed, last)
        self._listed[self._listed_end : last] = words
        self._listed_end = last

    def _all_tags(self) -> tuple[np.ndarray, np.ndarray]:
        sizes, starts = self._columns["tags"][: self.count], self._columns["start"][: self.count]
        return self._listed[_places(starts, sizes)], np.repeat(np.arange(self.count, dtype=np.int32), sizes)

    def _gather(self) -> None:
        """Leave out the words of those that are gone."""
        sizes = sum(self._columns[name][: self.count] for name in _LISTS)
        starts = self._columns["start"][: self.count]
        self._listed = self._listed[_places(starts, np.asarray(sizes))]
        starts[:] = np.cumsum(sizes) - sizes
        self._listed_end = len(self._listed)
        self._unused = 0

    def _make_room(self) -> None:
        if self.count > len(self._columns["profile"]):
            self._columns = {name: _grown(column, self.count) for name, column in self._columns.items()}


def _places(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Where the words of each row stand, one row after the other."""
    shift: np.ndarray = starts - (np.cumsum(sizes) - sizes)
    places: np.ndarray = np.arange(sizes.sum()) + np.repeat(shift, sizes)
    return places


def _grown(array: np.ndarray, least: int) -> np.ndarray:
    return np.concatenate((array, np.zeros(max(least - len(array), len(array) // 4), array.dtype)))


def _moment(micros: int) -> datetime | None:
    return None if micros == NO_TIME else _EPOCH + timedelta(microseconds=micros)
