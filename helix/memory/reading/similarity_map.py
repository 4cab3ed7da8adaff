"""The memories on a plane, near ones near each other.

Drawn on a thread of its own whenever the vectors have changed and somebody looks; a question is answered with the map
that there is. Of a map its file keeps ids and places, never a word.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from helix.errors import HelixError, IndexNotReady
from helix.memory.reading.view import View

if TYPE_CHECKING:
    from helix.index.engine import Engine

log = logging.getLogger(__name__)

_MOST_MEMORIES = 20_000
"""the latest; more points than a screen can tell apart, and every point is compared with every other"""
_PATIENCE = 2.0
_REST = 5.0
"""how much longer than a drawing took the next one waits: a busy vault must not keep a core at it"""
_LONGEST_REST = 60.0
FILE = "map.json"
_BESIDE = ".new"


@dataclass(frozen=True)
class Drawn:
    version: object
    points: list[tuple[str, float, float, int]]
    """id, x, y, cluster"""
    digest: str
    method: str

    def narrowed(self, is_seen: Callable[[str], bool]) -> Drawn:
        """With the points of some memories only, each where it is."""
        points = [point for point in self.points if is_seen(point[0])]
        return replace(self, points=points, digest=_digest(points))


class Cartographer:
    def __init__(self, view: View, index: Callable[[], Engine], folder: Path) -> None:
        """`index` waits for search to be ready."""
        self._view = view
        self._open = index
        self._file = folder / FILE
        self._index: Engine | None = None
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
        return None if self._index is None else self._index.vectors_version()

    def _draw(self) -> Drawn:
        from helix.index.map_layout import METHOD, lay_out

        version = self._version()
        means = None if self._index is None else self._index.means()
        if means is None:
            return Drawn(version, [], "", "none: search has no model, and so no vectors")
        ids, vectors = means
        latest = [row.id for row in self._view.latest() if row.status == "active"][:_MOST_MEMORIES]
        place = {memory_id: number for number, memory_id in enumerate(ids)}
        shown = sorted(memory_id for memory_id in latest if memory_id in place)
        layout = lay_out(shown, vectors[[place[one] for one in shown]], self._before())
        points = [
            (memory_id, round(float(x), 4), round(float(y), 4), int(group))
            for memory_id, (x, y), group in zip(layout.ids, layout.points, layout.groups, strict=True)
        ]
        self._keep(points)
        return Drawn(version, points, _digest(points), METHOD)

    def _before(self) -> dict[str, tuple[float, float]]:
        if self._drawn is not None:
            return {one: (x, y) for one, x, y, _ in self._drawn.points}
        try:
            points = json.loads(self._file.read_text("utf-8"))
            return {str(memory_id): (float(x), float(y)) for memory_id, x, y in points}
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


def _digest(points: Sequence[Sequence[object]]) -> str:
    return hashlib.sha256(json.dumps(points).encode()).hexdigest()[:8]
