"""Which memories a search may find: the filters that are pushed down into the vector search."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from datetime import date

from helix.vault.times import parse_time


@dataclass(frozen=True)
class Reach:
    """One scope that a reader sees, narrowed to some projects or to a session where they are named."""

    scope: str
    projects: tuple[str, ...] | None = None
    """it is of one of these; the empty name is that of memories without a project"""
    session: str | None = None

    @classmethod
    def to_place(cls, scope: str, project: str | None, session: str | None) -> Reach:
        """What lies in the very place of a memory, for who looks for others that say the same."""
        return cls(scope, None if scope == "global" and not project else (project or "",), session)


@dataclass(frozen=True)
class Where:
    """None means any. A memory must pass all that is said."""

    statuses: frozenset[str] | None = None
    kinds: frozenset[str] | None = None
    reaches: tuple[Reach, ...] | None = None
    """it is within one of these"""
    tags: frozenset[str] = frozenset()
    """it has all of these"""
    created_from: int | None = None
    created_until: int | None = None
    updated_from: int | None = None
    updated_until: int | None = None
    """days, as `to_day` gives them, both ends included; a memory without a date is in no such range"""
    ids: Set[str] | None = None
    """it is one of these: the answer of the catalog to whatever is not a column here"""


def to_day(moment: str | date | None) -> int:
    """A day as a number that can be compared; 0 for none."""
    if isinstance(moment, str):
        parsed = parse_time(moment)
        return parsed.date().toordinal() if parsed else 0
    return moment.toordinal() if moment else 0


def to_sql(where: Where) -> str:
    """The same filter for a table."""
    said: list[str] = []
    for column, allowed in (("status", where.statuses), ("kind", where.kinds), ("memory_id", where.ids)):
        if allowed is not None:
            said.append(f"{column} IN ({_list(allowed)})" if allowed else "false")
    if where.reaches is not None:
        said.append(f"({' OR '.join(map(_reach, where.reaches))})" if where.reaches else "false")
    said += [f"array_has(tags, {quote(tag)})" for tag in sorted(where.tags)]
    for column, first, last in (
        ("created", where.created_from, where.created_until),
        ("updated", where.updated_from, where.updated_until),
    ):
        if first is not None or last is not None:
            said.append(f"{column} >= {max(1, first or 1)}")
        if last is not None:
            said.append(f"{column} <= {last}")
    return " AND ".join(said)


def quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _list(texts: Set[str]) -> str:
    return ", ".join(quote(text) for text in sorted(texts))


def _reach(reach: Reach) -> str:
    said = [f"scope = {quote(reach.scope)}"]
    if reach.projects is not None:
        said.append(f"project IN ({_list(frozenset(reach.projects))})")
    if reach.session is not None:
        said.append(f"session = {quote(reach.session)}")
    return f"({' AND '.join(said)})"
