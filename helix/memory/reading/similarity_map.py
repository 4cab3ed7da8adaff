"""map: the memories on a plane, near ones near each other, with clusters named by the words that tell them apart.

Drawn on a thread of its own whenever the vectors have changed and somebody looks; a question is answered with the map
that there is. Of a map its file keeps ids and places, never a word.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix.errors import HelixError, IndexNotReady
from helix.index.analyze import ASKING, JOINING, STOP_WORDS
from helix.index.catalog import Row
from helix.memory.bounds import MOST_POINTS
from helix.memory.budget import Budget, fit_page
from helix.memory.pagination import Listing, place_in
from helix.memory.reader import Reader, check_limit
from helix.memory.reading.search import check_scope
from helix.memory.reading.view import Caller, View, reaches
from helix.memory.tokens import Payload

if TYPE_CHECKING:
    from helix.index.index import Index

log = logging.getLogger(__name__)

_MOST_MEMORIES = 20_000
"""the latest; more points than a screen can tell apart, and every point is compared with every other"""
_PATIENCE = 2.0
_REST = 5.0
"""how much longer than a drawing took the next one waits: a busy vault must not keep a core at it"""
_LONGEST_REST = 60.0
FILE = "map.json"
_BESIDE = ".new"
_TERMS = 3
_NAMELESS = STOP_WORDS | ASKING | JOINING
_WORD = re.compile(r"[^\W\d_][\w'-]{2,30}")


@dataclass(frozen=True)
class Drawn:
    version: object
    points: list[tuple[str, float, float, int]]
    """id, x, y, cluster"""
    digest: str
    method: str


class Cartographer:
    def __init__(self, view: View, index: Callable[[], Index], folder: Path) -> None:
        """`index` waits for search to be ready."""
        self._view = view
        self._open = index
        self._file = folder / FILE
        self._index: Index | None = None
        self._drawn: Drawn | None = None
        self._failure = ""
        self._erased: set[str] = set()
        self._writing = threading.Lock()
        self._wanted = threading.Event()
        self._settled = threading.Event()
        self._stopped = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def stop(self) -> None:
        self._stopped.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join(timeout=30)

    def map(self) -> tuple[Drawn, int]:
        """The map as it was last drawn, and how many memories wait for their place on it."""
        if self._drawn is None or self._drawn.version != self._version():
            self._ask()
        if self._drawn is None:
            self._settled.wait(_PATIENCE)
        if self._drawn is None:
            raise IndexNotReady(self._failure or "the map is being drawn; try again in a moment")
        index = self._index
        return self._drawn, 0 if index is None else index.health().index_lag

    def _ask(self) -> None:
        with self._starting:
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._run, name="helix-map", daemon=True)
                self._thread.start()
        self._wanted.set()

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wanted.wait()
            self._wanted.clear()
            if self._stopped.is_set():
                return
            started = time.monotonic()
            try:
                self._index = self._open()
                self._drawn = self._draw()
                self._failure = ""
            except (HelixError, OSError) as error:
                log.warning("the map cannot be drawn; the next who asks lets it be tried again: %s", error)
                self._failure = f"the map cannot be drawn: {error}"
            self._settled.set()
            self._stopped.wait(min(_LONGEST_REST, _REST * (time.monotonic() - started)))

    def _version(self) -> object:
        meaning = None if self._index is None else self._index.meaning
        return None if meaning is None else (id(meaning.vectors), meaning.vectors.version)

    def _draw(self) -> Drawn:
        from helix.index.layout import METHOD, lay_out

        version = self._version()
        meaning = None if self._index is None else self._index.meaning
        if meaning is None:
            return Drawn(version, [], "", "none: search has no model, and so no vectors")
        ids, vectors = meaning.vectors.means()
        latest = [row.id for row in self._view.latest() if row.status == "active"][:_MOST_MEMORIES]
        place = {memory_id: number for number, memory_id in enumerate(ids)}
        shown = sorted(memory_id for memory_id in latest if memory_id in place)
        layout = lay_out(shown, vectors[[place[one] for one in shown]], self._before())
        points = [
            (one, round(float(x), 4), round(float(y), 4), int(group))
            for one, (x, y), group in zip(layout.ids, layout.points, layout.groups, strict=True)
        ]
        self._keep(points)
        digest = hashlib.sha256(json.dumps(points).encode()).hexdigest()[:8]
        return Drawn(version, points, digest, METHOD)

    def _before(self) -> dict[str, tuple[float, float]]:
        if self._drawn is not None:
            return {one: (x, y) for one, x, y, _ in self._drawn.points}
        try:
            said = json.loads(self._file.read_text("utf-8"))
            return {str(one): (float(x), float(y)) for one, x, y in said}
        except (OSError, ValueError, TypeError):
            return {}

    def _keep(self, points: list[tuple[str, float, float, int]]) -> None:
        """So that points are where they were, after a restart too."""
        with self._writing:
            # One that was erased while this map was drawn must not come back.
            _write(self._file, [point[:3] for point in points if point[0] not in self._erased])

    def erase(self, memory_ids: Sequence[str]) -> bool:
        with self._writing:
            self._erased.update(memory_ids)
            return erase_from_map(self._file, memory_ids)


def erase_from_map(file: Path, memory_ids: Sequence[str]) -> bool:
    gone = set(memory_ids)
    file.with_suffix(_BESIDE).unlink(missing_ok=True)  # of a process that was killed
    if file.exists():
        try:
            _write(file, [point for point in json.loads(file.read_text("utf-8")) if point[0] not in gone])
        except (ValueError, TypeError, LookupError):
            file.unlink()  # damaged: it is drawn again
    return True


def _write(file: Path, points: Sequence[Sequence[object]]) -> None:
    beside = file.with_suffix(_BESIDE)
    beside.write_text(json.dumps(points, ensure_ascii=False), "utf-8")
    os.replace(beside, file)


@dataclass(frozen=True)
class _Points(Listing):
    """The cursor names the map that it is of, and a place on it."""

    def cursor(self, place: int) -> str | None:
        return f"{self.entries[place][0]}.{self.key}" if place < len(self.entries) else None


def draw_map(
    reader: Reader,
    cartographer: Cartographer,
    *,
    caller: Caller,
    scope: str = "all",
    project: str | None = None,
    limit: int = 500,
    max_tokens: int = 4000,
    cursor: str | None = None,
) -> Payload:
    """The points of the map, paged; the first page also says which clusters there are."""
    check_limit(limit, MOST_POINTS)
    budget = Budget(max_tokens, reader.count)
    seen = reaches(check_scope(scope), caller)
    drawn, waiting = cartographer.map()
    rows = {row.id: row for row in reader.view().rows(seen) if project is None or row.project == project}
    start = place_in(cursor, drawn.digest, len(drawn.points))
    shown = [
        (place, *point) for place, point in enumerate(drawn.points) if place >= start and point[0] in rows
    ]
    head: Payload = {}
    if cursor is None:
        head = {"method": drawn.method, "waiting": waiting, "clusters": _clusters(shown, rows)}
    return fit_page(
        head,
        _Points(drawn.digest, shown),
        lambda entry: _point(entry, rows[entry[1]]),
        lambda items: {"points": list(items)},
        limit,
        budget,
    )


def _point(entry: tuple[int, str, float, float, int], row: Row) -> Payload:
    _, memory_id, x, y, cluster = entry
    return {
        "id": memory_id, "title": row.meta["title"][:120], "kind": row.meta["kind"],
        "project": row.meta.get("project"), "x": x, "y": y, "cluster": cluster,
    }  # fmt: skip


def _clusters(shown: Iterable[tuple[int, str, float, float, int]], rows: Mapping[str, Row]) -> list[Payload]:
    members: dict[int, list[tuple[int, str, float, float, int]]] = {}
    for point in shown:
        members.setdefault(point[4], []).append(point)
    words = {
        cluster: Counter(word for point in points for word in _words(rows[point[1]]))
        for cluster, points in members.items()
    }
    everywhere: Counter[str] = Counter()
    for counts in words.values():
        everywhere.update(counts)
    clusters = []
    for cluster, points in sorted(members.items()):
        x = round(sum(point[2] for point in points) / len(points), 4)
        y = round(sum(point[3] for point in points) / len(points), 4)
        terms = _telling(words[cluster], everywhere, len(points), len(members))
        clusters.append({"cluster": cluster, "terms": terms, "x": x, "y": y, "count": len(points)})
    return clusters


def _telling(here: Counter[str], everywhere: Counter[str], size: int, clusters: int) -> list[str]:
    """Words that many memories of a cluster have and few others do; one chance word makes no name."""
    total = sum(everywhere.values()) / max(1, clusters)
    least = 2 if size > 3 else 1
    scored: dict[str, float] = {
        word: count / size * math.log(1 + total / everywhere[word])
        for word, count in here.items()
        if count >= least
    }
    return sorted(scored, key=lambda word: (-scored[word], word))[:_TERMS]


def _words(row: Row) -> set[str]:
    meta: Mapping[str, Any] = row.meta
    said = f"{meta['title']} {' '.join(meta.get('tags', ()))}".casefold()
    return {word for word in _WORD.findall(said) if word not in _NAMELESS}
