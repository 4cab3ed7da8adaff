"""Who links to whom: typed edges from the frontmatter, links from the text and from other properties."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from helix.index.catalog import Row
from helix.memory import answers


@dataclass(frozen=True)
class Edge:
    source: str
    rel: str
    target: str
    """an id, or what is written where nothing answers to it"""
    is_dangling: bool = False

    def to_dict(self) -> answers.Link:
        shown: answers.Link = {"from": self.source, "to": self.target, "rel": self.rel}
        if self.is_dangling:
            shown["dangling"] = True
        return shown


class Links:
    """Who links to whom. As in Obsidian a link may name an id, a file, an alias or a title."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = {row.id: row for row in rows}
        known = self.rows.values()
        self._paths = {row.path.removesuffix(".md").casefold(): row.id for row in known}
        self._names = {row.title.casefold(): row.id for row in known}  # what comes after it is surer
        self._names |= {name: row.id for row in known if row.extra for name in _aliases(row)}
        self._names |= {_stem(row.path): row.id for row in known}
        self._names |= self._paths
        self._names |= {row.id.casefold(): row.id for row in known}
        edges = (
            self._edge(row, rel, target)
            for row in known
            if row.edges
            for rel, targets in row.edges.items()
            for target in targets
        )
        # Once each: a text may name one note by its file and by an alias.
        self.edges = list(dict.fromkeys(edge for edge in edges if edge is not None))

    def resolve(self, target: str, folder: str = "") -> str | None:
        """The memory that a link means. Of files with one name the one in the linking note's folder is meant."""
        name = target.strip().removesuffix(".md").casefold()
        beside = f"{folder.casefold()}/{name}" if folder else name
        return self._paths.get(beside) or self._names.get(name)

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

    def _edge(self, source: Row, rel: str, target: str) -> Edge | None:
        found = self.resolve(target, source.path.rpartition("/")[0])
        if found == source.id:
            # A note that links to a heading of its own.
            return None
        return Edge(source.id, rel, found or target, is_dangling=found is None)


def _aliases(row: Row) -> list[str]:
    """Other names that a person gave a note, in Obsidian's property for them."""
    extra = row.extra
    given = extra.get("aliases") or extra.get("alias") or []
    return [
        name.strip().casefold()
        for name in (given if isinstance(given, list) else [given])
        if isinstance(name, str)
    ]


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return (name.rpartition(".")[0] or name).casefold()
