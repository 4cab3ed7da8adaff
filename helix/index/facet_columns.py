"""What is known of every memory, in columns: an object for each would take ten times the memory.

Rows keep their numbers; that of a memory that is gone is given to another. What many memories have in common (status,
scope, project, kind, owner, visibility) is one profile, and every word is kept once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from helix.index.column_masks import NO_TIME, among_codes
from helix.index.facets import Facets, FacetValues, to_values
from helix.index.filters import ALL_FIELDS

_SESSION = "session"
_PROJECT = "project"
_TEXT_FIELDS = tuple(
    field for field in ALL_FIELDS if not field.is_list and not field.is_id and field.name != _SESSION
)
_LIST_FIELDS = tuple(field for field in ALL_FIELDS if field.is_list)
_TIMES = ("created", "changed", "valid_from", "valid_until")
_LISTS = ("tags", "title_words", "links")
_KINDS: Mapping[str, type] = {
    "profile": np.int32,
    "session": np.int32,
    "position": np.int32,  # in its session; kept by the owner
    "importance": np.float64,
    "start": np.int64,
    **dict.fromkeys(_TIMES, np.int64),
    **dict.fromkeys(_LISTS, np.int32),  # how many, from the start on
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_ROWS = 64
NO_SESSION = -1


class Profile(NamedTuple):
    status: str
    scope: str
    project: str | None
    kind: str
    owner: str | None
    visibility: str


class Codes(dict[str, int]):
    """A number for every word; one that is new gets the next."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def __missing__(self, word: str) -> int:
        code = self[word] = len(self.words)
        self.words.append(word)
        return code


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
        self._filed_arrays: dict[str, np.ndarray] = {}
        """the same, until there is another profile"""
        self._codes: dict[str, Codes] = {field.name: Codes() for field in _TEXT_FIELDS}
        self._sessions = Codes()
        self._words = Codes()
        self._known_tags: set[str] = set()
        self._unfiled: set[str] = set()
        """tags that came since somebody filtered by one"""
        self._broader: dict[tuple[str, str], set[int]] = {}
        """by list field and value the other words that count for it: `auth` covers `auth/jwt`"""
        self._listed = np.zeros(_FIRST_ROWS, np.int32)
        """the words of all rows"""
        self._listed_end = 0
        self._unused = 0
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

    def owned(self, mask: np.ndarray) -> np.ndarray:
        """Without the rows of nobody."""
        mask[self._free] = False
        return mask

    def column(self, name: str) -> np.ndarray:
        """A view, to be written to as well."""
        return self._columns[name][: self.count]

    def sessions(self, rows: np.ndarray) -> np.ndarray:
        """Which session each is of, or NO_SESSION. Agents number their sessions per project, so the name alone could
        mean two."""
        projects = self._filed_as(_PROJECT)[self._columns["profile"][rows]].astype(np.int64)
        session = self._columns["session"][rows]
        return np.where(session == NO_SESSION, NO_SESSION, (projects << 32) + session)

    def words_of(self, row: int, name: str) -> list[str]:
        """Of one of the lists."""
        at, words = int(self._columns["start"][row]), self._words.words
        for before in _LISTS[: _LISTS.index(name)]:
            at += int(self._columns[before][row])
        codes = self._listed[at : at + int(self._columns[name][row])]
        return [words[code] for code in codes.tolist()]

    def share_named(self, rows: np.ndarray, words: Collection[str]) -> np.ndarray:
        """Which share of the words of each title is among these."""
        sizes = self._columns["title_words"][rows]
        places = _places(self._columns["start"][rows] + self._columns["tags"][rows], sizes)
        wanted = [code for word in words if (code := self._words.get(word)) is not None]
        held = np.isin(self._listed[places], wanted)
        counts = np.bincount(np.repeat(np.arange(len(rows)), sizes)[held], minlength=len(rows))
        shares: np.ndarray = counts / np.maximum(sizes, 1)
        return shares

    def put(self, facets: Facets) -> int:
        """A memory that has no row yet. Returns its row."""
        if not self._free:
            [row] = self._append_rows([facets.id])
        else:
            row = self._free.pop()
            self._ids[row] = facets.id
            self._rows[facets.id] = row
        self._write(np.array([row]), [to_values(facets)])
        return row

    def put_all(self, memory_ids: Sequence[str], values: Sequence[Sequence[Any]]) -> range:
        """Memories that have no rows yet, with values in the order of `FacetValues`. Returns their rows."""
        rows = self._append_rows(memory_ids)
        self._write(np.arange(rows.start, rows.stop), values)
        return rows

    def _append_rows(self, memory_ids: Sequence[str]) -> range:
        rows = range(self.count, self.count + len(memory_ids))
        self._ids += memory_ids
        self._rows.update(zip(memory_ids, rows, strict=True))
        self.count = rows.stop
        if self.count > len(self._columns["profile"]):
            self._columns = {name: _grown(column, self.count) for name, column in self._columns.items()}
        return rows

    def _write(self, rows: np.ndarray, values: Sequence[Sequence[Any]]) -> None:
        by_name = dict(zip(FacetValues._fields, zip(*values, strict=True), strict=True))
        columns = self._columns
        profiles = zip(*(by_name[name] for name in Profile._fields), strict=True)
        columns["profile"][rows] = list(map(self._profile, profiles))
        sessions = self._sessions
        columns["session"][rows] = [
            NO_SESSION if session is None else sessions[session] for session in by_name["session"]
        ]
        columns["importance"][rows] = np.array(by_name["importance"], np.float64)  # None is NaN
        for name in _TIMES:
            columns[name][rows] = _micros(by_name[name])
        for name in _LISTS:
            columns[name][rows] = list(map(len, by_name[name]))
        sizes = sum(columns[name][rows] for name in _LISTS)
        columns["start"][rows] = self._listed_end + np.cumsum(sizes) - sizes
        each = chain.from_iterable(zip(*(by_name[name] for name in _LISTS), strict=True))
        self._append(list(map(self._words.__getitem__, chain.from_iterable(each))))
        self._unfiled.update(chain.from_iterable(by_name["tags"]))
        self._tags = None

    def drop(self, memory_id: str) -> None:
        row = self._rows.pop(memory_id)
        self._ids[row] = ""
        self._free.append(row)
        self._unused += sum(int(self._columns[name][row]) for name in _LISTS)
        for name in _LISTS:
            self._columns[name][row] = 0
        self._tags = None
        if self._unused > len(self._listed) // 2:
            self._gather()

    def get(self, row: int) -> Facets:
        columns = self._columns
        status, scope, project, kind, owner, visibility = self._profile_list[columns["profile"][row]]
        session, importance = int(columns["session"][row]), float(columns["importance"][row])
        created, changed, valid_from, valid_until = (_moment(int(columns[name][row])) for name in _TIMES)
        tags, title_words, links = (frozenset(self.words_of(row, name)) for name in _LISTS)
        return Facets(
            *(self._ids[row], status, scope, project, kind, tags, title_words),
            session=None if session == NO_SESSION else self._sessions.words[session],
            created=created,
            changed=changed,
            importance=None if importance != importance else importance,
            valid_from=valid_from,
            valid_until=valid_until,
            links=links,
            owner=owner,
            visibility=visibility,
        )

    # Columns of `column_masks`

    def created(self) -> np.ndarray:
        return self._columns["created"][: self.count]

    def is_any(self, column: str, values: Collection[str]) -> np.ndarray:
        if column == _SESSION:
            return self._of_sessions(values)
        passing = among_codes(self._filed_as(column), map(self._codes[column].get, values))
        if not passing.any() or passing.all():  # as in a vault of one person, who owns everything alike
            return np.full(self.count, bool(passing.any()))
        mask: np.ndarray = passing[self._columns["profile"][: self.count]]
        return mask

    def _of_sessions(self, values: Collection[str]) -> np.ndarray:
        mask = among_codes(self.column("session"), map(self._sessions.get, values))
        return mask | (self.column("session") == NO_SESSION) if "" in values else mask

    def lists_any(self, column: str, values: Collection[str]) -> np.ndarray:
        if self._tags is None:
            self._tags = self._all_tags()
            self._file_tags()
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

    def _profile(self, values: tuple[Any, ...]) -> int:
        number = self._profiles.get(values)  # type: ignore[call-overload]  # equal to the profile, and quicker to make
        return self._add_profile(Profile(*values)) if number is None else int(number)

    def _filed_as(self, field: str) -> np.ndarray:
        if field not in self._filed_arrays:
            self._filed_arrays[field] = np.array(self._filed[field], np.int32)
        return self._filed_arrays[field]

    def _add_profile(self, profile: Profile) -> int:
        self._filed_arrays = {}
        number = self._profiles[profile] = len(self._profile_list)
        self._profile_list.append(profile)
        facets = Facets("", **profile._asdict())
        for field in _TEXT_FIELDS:
            [value] = field.filed_under(facets)
            self._filed[field.name].append(self._codes[field.name][value])
        return number

    def _file_tags(self) -> None:
        for tag in self._unfiled - self._known_tags:
            for field in _LIST_FIELDS:
                for value in field.filed_under(Facets("", tags=frozenset({tag}))):
                    if value != tag:
                        self._broader.setdefault((field.name, value), set()).add(self._words[tag])
        self._known_tags |= self._unfiled
        self._unfiled = set()

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


def _places(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Where the words of each row stand, one row after the other."""
    shift: np.ndarray = starts - (np.cumsum(sizes) - sizes)
    places: np.ndarray = np.arange(sizes.sum()) + np.repeat(shift, sizes)
    return places


def _grown(array: np.ndarray, least: int) -> np.ndarray:
    return np.concatenate((array, np.zeros(max(least - len(array), len(array) // 4), array.dtype)))


def _moment(micros: int) -> datetime | None:
    return None if micros == NO_TIME else _EPOCH + timedelta(microseconds=micros)


def _micros(moments: Sequence[int | None]) -> Sequence[int] | int:
    if moments.count(None) == len(moments):  # most notes say nothing of when they are valid
        return NO_TIME
    return [NO_TIME if moment is None else moment for moment in moments]
