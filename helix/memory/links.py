"""Who links to whom: typed edges from the frontmatter, wikilinks from the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from helix.index.catalog import Row
from helix.memory.tokens import Payload


@dataclass(frozen=True)
class Edge:
    source: str
    rel: str
    target: str
    """an id, or what is written where nothing answers to it"""
    is_dangling: bool = False

    def to_dict(self) -> Payload:
        said: Payload = {"from": self.source, "to": self.target, "rel": self.rel}
        return {**said, "dangling": True} if self.is_dangling else said


class Links:
    """Who links to whom. As in Obsidian a link may name an id, a file or a title."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = {row.id: row for row in rows}
        self._names: dict[str, str] = {}
        for name_of in (_title, _stem, _path, _id):  # the later is the surer
            self._names.update((name_of(row), row.id) for row in self.rows.values())
        self.edges = [
            edge
            for row in self.rows.values()
            for rel, targets in (row.meta.get("edges") or {}).items()
            for target in targets
            if (edge := self._edge(row.id, rel, target)) is not None
        ]

    def resolve(self, target: str) -> str | None:
        return self._names.get(target.strip().removesuffix(".md").casefold())

    def superseded_by(self, memory_id: str) -> set[str]:
        """Those that a memory replaced, and those that these had replaced."""
        older: dict[str, list[str]] = {}
        for edge in self.edges:
            if edge.rel == "supersedes":
                older.setdefault(edge.source, []).append(edge.target)
        found: set[str] = set()
        pending = [memory_id]
        while pending:
            new = [one for one in older.get(pending.pop(), ()) if one not in found]
            found.update(new)
            pending += new
        return found

    def _edge(self, source: str, rel: str, target: str) -> Edge | None:
        found = self.resolve(target)
        if found == source:
            return None  # a note that links to a heading of its own
        return Edge(source, rel, found or target, is_dangling=found is None)


def _title(row: Row) -> str:
    return str(row.meta["title"]).casefold()


def _stem(row: Row) -> str:
    return PurePosixPath(row.path).stem.casefold()


def _path(row: Row) -> str:
    return row.path.removesuffix(".md").casefold()


def _id(row: Row) -> str:
    return row.id.casefold()
