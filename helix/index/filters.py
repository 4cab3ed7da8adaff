"""What may be found, as a value: the one filter language.

A `Where` says in a searcher's words what a memory must be: its kinds and tags, within whose reach it lies, when it was
made. It means a condition, a small tree of `Has`, `Among`, `Between`, `All`, `Any` and `Not`, and every store asks that
condition in its own way: of one row (`to_predicate`), of columns (`column_masks`), of a table (`to_sql`).
`tests/index/test_where.py` holds all of them against the predicate.

One more field to filter by is one line in `Values`. With `owners: Texts = _by("owner", lambda row: [row.owner])` it can
be typed (`owner:ines`), asked for and excluded, and every store files memories under it.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from helix.vault.note import SCOPES, STATUSES
from helix.vault.ownership import FOR_PROJECT, FOR_TEAM, PRIVATE, VISIBILITIES, Ownership

Texts = tuple[str, ...]

ACTIVE = "active"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class HasFacets(Protocol):
    """What a filter looks at: a row of the catalog, or what the index keeps of a memory."""

    @property
    def id(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def scope(self) -> str: ...
    @property
    def project(self) -> str | None: ...
    @property
    def session(self) -> str | None: ...
    @property
    def kind(self) -> str: ...
    @property
    def tags(self) -> Collection[str]: ...
    @property
    def created(self) -> datetime | None: ...
    @property
    def owner(self) -> str | None: ...
    @property
    def visibility(self) -> str: ...


@dataclass(frozen=True)
class FilterField:
    """Something that memories are filed under. Stores call their columns by its name."""

    name: str
    key: str
    """how it is typed"""
    filed_under: Callable[[HasFacets], Iterable[str]]
    """the values of a memory, as they are compared; one of them, or of a list several"""
    compared: Callable[[str], str]
    """the same of a value that somebody asks for"""
    is_list: bool = False
    """a memory may have several values, and must have all that are asked for"""
    is_id: bool = False
    """no two memories share a value"""
    choices: Texts = ()
    """all the values that there are, if they are few"""


def _by(
    key: str,
    read: Callable[[HasFacets], Iterable[str]],
    *,
    is_list: bool = False,
    is_id: bool = False,
    choices: Texts = (),
    compared: Callable[[str], str] = str.casefold,
) -> Any:
    """A field that people type: case does not matter unless it is compared otherwise, and of a list `auth` covers the
    nested `auth/jwt`."""

    def filed_under(row: HasFacets) -> Iterable[str]:
        folded = [compared(value) for value in read(row)]
        return [part for value in folded for part in _nested(value)] if is_list else folded

    about = {"key": key, "filed_under": filed_under, "compared": compared, "is_list": is_list}
    return field(default=(), metadata={**about, "is_id": is_id, "choices": choices})


def _nested(value: str) -> Iterator[str]:
    yield value
    for at, letter in enumerate(value):
        if letter == "/":
            yield value[:at]


@dataclass(frozen=True)
class Values:
    """What a memory is filed under. Of tags it must have all, of the others any; nothing said means any value."""

    tags: Texts = _by("tag", lambda row: row.tags, is_list=True)
    kinds: Texts = _by("kind", lambda row: [row.kind])
    projects: Texts = _by("project", lambda row: [row.project or ""])
    scopes: Texts = _by("scope", lambda row: [row.scope], choices=SCOPES)
    statuses: Texts = _by("status", lambda row: [row.status], choices=STATUSES)
    ids: Texts = _by("id", lambda row: [row.id], is_id=True)
    # Walls are made of these two: what one user sees another whose name is spelled alike does not.
    owners: Texts = _by("owner", lambda row: [row.owner or ""], compared=str)
    visibilities: Texts = _by("visibility", lambda row: [row.visibility], choices=VISIBILITIES)


FIELDS: Mapping[str, FilterField] = MappingProxyType(
    {one.name: FilterField(one.name, **one.metadata) for one in fields(Values)}
)
"""what can be typed"""

# To the letter: what one project may see another that is spelled alike may not.
_PROJECT = FilterField("project", "", lambda row: [row.project or ""], str)
_SESSION = FilterField("session", "", lambda row: [row.session or ""], str)
ALL_FIELDS: tuple[FilterField, ...] = (*FIELDS.values(), _PROJECT, _SESSION)


def filed(row: HasFacets) -> dict[str, str | list[str]]:
    """By the name of each field what a memory is filed under, for a store that has columns."""
    columns: dict[str, str | list[str]] = {}
    for each in ALL_FIELDS:
        values = list(dict.fromkeys(each.filed_under(row)))
        columns[each.name] = values if each.is_list else values[0]
    return columns


@dataclass(frozen=True)
class Reach:
    """One scope that a reader sees, narrowed to some projects or to a session where they are named."""

    scope: str
    projects: Texts | None = None
    """it is of one of these; the empty name is that of memories without a project"""
    session: str | None = None

    @classmethod
    def to_place(cls, scope: str, project: str | None, session: str | None) -> Reach:
        """What lies in the very place of a memory, for who looks for others that say the same."""
        return cls(scope, None if scope == "global" and not project else (project or "",), session)


@dataclass(frozen=True)
class ComparedPlace:
    """Where the memories are that may say the same as one: in its place, and for the same people. Of two that others
    see differently neither stands for the other."""

    reach: Reach
    visibility: str
    owner: str | None
    """of what is private"""

    @classmethod
    def of(cls, scope: str, project: str | None, session: str | None, ownership: Ownership) -> ComparedPlace:
        owner, visibility = ownership
        reach = Reach.to_place(scope, project, session)
        return cls(reach, visibility, owner if visibility == PRIVATE else None)

    def to_where(self) -> Where:
        owners = (self.owner or "",) if self.visibility == PRIVATE else ()
        return Where(reaches=(self.reach,), active_only=True, visibilities=(self.visibility,), owners=owners)


@dataclass(frozen=True)
class Where(Values):
    """A memory must pass all that is said."""

    unfiled: bool | None = None
    """of a project, and nobody has said of which"""
    after: datetime | None = None
    """created then or later; a memory without a date is in no period"""
    before: datetime | None = None
    but_not: Values = field(default_factory=Values)
    reaches: tuple[Reach, ...] | None = None
    """it is within one of these; None for everywhere"""
    among: frozenset[str] | None = None
    """it is one of these: the answer of somebody else to what is no field here"""
    active_only: bool = False
    """unless statuses are named"""
    wall: Condition | None = None
    """it is seen by who asks"""

    @property
    def names_fields(self) -> bool:
        """Whether somebody filters by a field, beside what they may see."""
        stands = Where(reaches=self.reaches, among=self.among, active_only=self.active_only, wall=self.wall)
        return self != stands


# Not tuples: two of different kinds would be equal, and what everybody sees and what nobody sees would be one.


@dataclass(frozen=True)
class Has:
    """One of these values stands under the field."""

    field: FilterField
    values: frozenset[str]


@dataclass(frozen=True)
class Among:
    ids: frozenset[str]


@dataclass(frozen=True)
class Between:
    """Created in this time, its start included and its end not."""

    after: datetime | None
    before: datetime | None


@dataclass(frozen=True)
class Every:
    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Either:
    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Not:
    part: Condition


Condition = Has | Among | Between | Every | Either | Not

_UNFILED = Every((Has(FIELDS["scopes"], frozenset({"project"})), Has(_PROJECT, frozenset({""}))))


def to_condition(where: Where) -> Condition:
    parts: list[Condition] = [*_wanted(where), *map(Not, _unwanted(where.but_not))]
    if where.active_only and not where.statuses:
        parts.append(Has(FIELDS["statuses"], frozenset({ACTIVE})))
    if where.unfiled is not None:
        parts.append(_UNFILED if where.unfiled else Not(_UNFILED))
    if where.after is not None or where.before is not None:
        parts.append(Between(where.after, where.before))
    if where.reaches is not None:
        parts.append(Either(tuple(map(_within, where.reaches))))
    if where.among is not None:
        parts.append(Among(where.among))
    if where.wall is not None:
        parts.append(where.wall)
    return Every(tuple(parts))


def _wanted(values: Values) -> Iterator[Has]:
    for asked_for in FIELDS.values():
        texts = [asked_for.compared(text) for text in getattr(values, asked_for.name)]
        if asked_for.is_list:
            yield from (Has(asked_for, frozenset({text})) for text in texts)
        elif texts:
            yield Has(asked_for, frozenset(texts))


def _unwanted(values: Values) -> Iterator[Has]:
    for unwanted in FIELDS.values():
        if texts := getattr(values, unwanted.name):
            yield Has(unwanted, frozenset(map(unwanted.compared, texts)))


def _within(reach: Reach) -> Condition:
    parts: list[Condition] = [Has(FIELDS["scopes"], frozenset({reach.scope}))]
    if reach.projects is not None:
        parts.append(Has(_PROJECT, frozenset(reach.projects)))
    if reach.session is not None:
        parts.append(Has(_SESSION, frozenset({reach.session})))
    return Every(tuple(parts))


# Walls

EVERYTHING: Condition = Every(())
NOTHING: Condition = Either(())


def for_team() -> Condition:
    return Has(FIELDS["visibilities"], frozenset({FOR_TEAM}))


def only_private() -> Condition:
    return Has(FIELDS["visibilities"], frozenset({PRIVATE}))


def for_members(projects: Collection[str]) -> Condition:
    """What is for the members of these projects."""
    return Every((Has(FIELDS["visibilities"], frozenset({FOR_PROJECT})), of_projects(projects)))


def of_projects(projects: Collection[str]) -> Condition:
    """To the letter; what has no project is of none."""
    return Has(_PROJECT, frozenset(projects) - {""})


def owned_by(user: str) -> Condition:
    """What nobody owns is nobody's, whatever they are called."""
    return Has(FIELDS["owners"], frozenset({user}) - {""})


# Of one row

Predicate = Callable[[HasFacets], bool]


def to_predicate(where: Where) -> Predicate:
    """What the other compilers are held against."""
    return predicate_of(to_condition(where))


def predicate_of(condition: Condition) -> Predicate:
    match condition:
        case Has(asked_for, values):
            return lambda row: not values.isdisjoint(asked_for.filed_under(row))
        case Among(ids):
            return lambda row: row.id in ids
        case Between(after, before):
            return lambda row: (
                (created := row.created) is not None
                and (after is None or created >= after)
                and (before is None or created < before)
            )
        case Every(parts):
            return functools.reduce(_both, map(predicate_of, parts)) if parts else lambda row: True
        case Either(parts):
            tests = [predicate_of(part) for part in parts]
            return lambda row: any(test(row) for test in tests)
        case Not(part):
            test = predicate_of(part)
            return lambda row: not test(row)


def _both(first: Predicate, second: Predicate) -> Predicate:
    return lambda row: first(row) and second(row)


# Of a table


class Sql(NamedTuple):
    """Values never stand in the text: it has a mark for each of them."""

    text: str
    parameters: Sequence[str | int]


class SqlDialect(NamedTuple):
    """How a database says what SQL has no common words for."""

    mark: str
    """for a parameter"""
    list_holds: str
    """that the list in a {column} holds the value of a {mark}"""


def to_sql(where: Where, dialect: SqlDialect, *, id_column: str) -> Sql:
    """For a table that has a column for each of `ALL_FIELDS`, under its name, with what a memory is filed under (a
    list where the field is one); and `created`, which may be null, in microseconds (`to_micros`)."""
    parameters: list[str | int] = []

    def mark(value: str | int) -> str:
        parameters.append(value)
        return dialect.mark

    def isin(column: str, values: Collection[str]) -> str:
        return f"{column} IN ({', '.join(map(mark, sorted(values)))})" if values else "1 = 0"

    def to_text(condition: Condition) -> str:
        match condition:
            case Has(asked_for, values) if asked_for.is_list:
                holds = dialect.list_holds
                texts = [holds.format(column=asked_for.name, mark=mark(value)) for value in sorted(values)]
                return f"({' OR '.join(texts)})"
            case Has(asked_for, values):
                return isin(asked_for.name, values)
            case Among(ids):
                return isin(id_column, ids)
            case Between(after, before):
                texts = ["created IS NOT NULL"]
                texts += [] if after is None else [f"created >= {mark(to_micros(after))}"]
                texts += [] if before is None else [f"created < {mark(to_micros(before))}"]
                return f"({' AND '.join(texts)})"
            case Every(parts):
                return f"({' AND '.join(map(to_text, parts))})" if parts else "1 = 1"
            case Either(parts):
                return f"({' OR '.join(map(to_text, parts))})" if parts else "1 = 0"
            case Not(part):
                return (
                    f"NOT {to_text(part)}" if isinstance(part, Every | Either) else f"NOT ({to_text(part)})"
                )

    text = to_text(to_condition(where))
    return Sql(text, parameters)


def digest_of(condition: Condition) -> str:
    """The same for conditions that say the same, also in another process."""
    spelled = to_sql(Where(wall=condition), SqlDialect("?", "{column} has {mark}"), id_column="id")
    return hashlib.sha256(repr(spelled).encode()).hexdigest()[:16]


def to_micros(moment: datetime) -> int:
    """A moment as a number that a column can hold."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)
