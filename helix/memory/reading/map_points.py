"""map: the points of the similarity map, with clusters named by the words that tell them apart."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from helix.index.analyze import ASKING, JOINING, STOP_WORDS
from helix.memory import answers
from helix.memory.arguments import check_limit
from helix.memory.budget import fit_page
from helix.memory.pagination import Listing, position_in
from helix.memory.place import reaches
from helix.memory.reading.search import check_scope
from helix.memory.reading.view import Row
from helix.memory.request import Request, verb
from helix.memory.size_limits import MOST_POINTS

_TERMS = 3
_NAMELESS = STOP_WORDS | ASKING | JOINING
_WORD = re.compile(r"[^\W\d_][\w'-]{2,30}")


@dataclass(frozen=True)
class _Points(Listing):
    """The cursor names the map that it is of, and a point on it."""

    def cursor(self, position: int) -> str | None:
        return f"{self.entries[position][0]}.{self.key}" if position < len(self.entries) else None


@verb("map")
def draw_map(
    request: Request,
    *,
    scope: str = "all",
    project: str | None = None,
    limit: int = 500,
    max_tokens: int = 4000,
    cursor: str | None = None,
) -> answers.Map:
    """The points of the map, paged; the first page also says which clusters there are."""
    check_limit(limit, MOST_POINTS)
    budget = request.budget(max_tokens)
    within = reaches(check_scope(scope), request.place)
    drawn, waiting = request.similarity_map()
    rows = {row.id: row for row in request.view().rows(within) if project is None or row.project == project}
    start = position_in(cursor, drawn.digest, len(drawn.points))
    shown = [
        (number, *point) for number, point in enumerate(drawn.points) if number >= start and point[0] in rows
    ]
    head: answers.MapHead = {}
    if cursor is None:
        head = {"method": drawn.method, "waiting": waiting, "clusters": _clusters(shown, rows)}
    return fit_page(
        head,
        _Points(drawn.digest, shown),
        lambda entry: _point(entry, rows[entry[1]]),
        _map,
        limit,
        budget,
    )


def _map(head: answers.MapHead, items: Sequence[answers.Point], end: answers.Page) -> answers.Map:
    return {**head, "points": list(items), **end}


def _point(entry: tuple[int, str, float, float, int], row: Row) -> answers.Point:
    _, memory_id, x, y, cluster = entry
    return {
        "id": memory_id, "title": row.title[:120], "kind": row.kind,
        "project": row.project, "x": x, "y": y, "cluster": cluster,
    }  # fmt: skip


def _clusters(
    shown: Iterable[tuple[int, str, float, float, int]], rows: Mapping[str, Row]
) -> list[answers.Cluster]:
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
    clusters: list[answers.Cluster] = []
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
    text = f"{row.title} {' '.join(row.tags)}".casefold()
    return {word for word in _WORD.findall(text) if word not in _NAMELESS}
