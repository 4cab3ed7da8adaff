"""find, impact, neighborhood and tour: what is asked of the graph of one source."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from helix.code_graph.graph_store import CodeGraph, KnownFile, KnownSymbol, Mention
from helix.code_graph.resolve import resolver_of

DEEPEST = 5
_MOST_NODES = 500
_SEEDS = 5
_RELATIONS = {"call": "calls", "use": "uses", "extends": "extends", "import": "imports"}


@dataclass
class Affected:
    """One that may have to change with a symbol."""

    path: str
    symbol: KnownSymbol | None
    """None for what stands in no symbol: the file itself"""
    line: int
    distance: int
    relation: str
    via: str
    """through what it is reached, of the distance before"""
    is_test: bool
    is_sure: bool
    lines: list[int] = field(default_factory=list)


class Neighbour(NamedTuple):
    symbol: KnownSymbol
    other: KnownSymbol | None
    path: str
    line: int
    relation: str
    is_outgoing: bool


class Stop(NamedTuple):
    """One file of a tour."""

    file: KnownFile
    imported_by: int
    symbols: list[KnownSymbol]


def find(graph: CodeGraph, pattern: str, limit: int) -> list[KnownSymbol]:
    """The exact name first, then those that begin with it, then those that hold it."""
    path, _, named = pattern.rpartition("::")
    container, _, name = named.replace("#", ".").rpartition(".")
    where, values = "s.folded = ?", [name.casefold()]
    if path:
        where, values = (
            f"{where} AND (f.path = ? OR f.path LIKE ? ESCAPE '!')",
            [*values, path, f"%/{_escaped(path)}"],
        )
    if container:
        where, values = f"{where} AND s.container = ?", [*values, container.rpartition(".")[2]]
    order = " ORDER BY f.path != ?, s.name != ?, f.is_test, s.is_local, f.path, s.first LIMIT ?"
    found = graph.symbols(where + order, *values, path, name, limit)
    if found or path or container:
        return found
    folded = _escaped(name.casefold())
    for like in (f"{folded}%", f"%{folded}%"):
        seen = {symbol.id for symbol in found}
        more = graph.symbols(
            "s.folded LIKE ? ESCAPE '!' ORDER BY length(s.name), f.is_test, f.path, s.first LIMIT ?",
            like,
            limit,
        )
        found += [symbol for symbol in more if symbol.id not in seen]
    return found[:limit]


def seeds(graph: CodeGraph, pattern: str) -> list[KnownSymbol]:
    """The symbols that are meant by a name: those that have it exactly."""
    found = find(graph, pattern, 50)
    return [symbol for symbol in found if not symbol.is_test][:_SEEDS] or found[:_SEEDS]


def impact(graph: CodeGraph, start: list[KnownSymbol], depth: int) -> list[Affected]:
    """Who calls, uses, extends or imports these, and who does that of those, by distance."""
    resolver = resolver_of(graph)
    found: dict[tuple[str, int], Affected] = {}
    seen = {symbol.id for symbol in start}
    waiting = deque((symbol, 0, True) for symbol in start)
    while waiting and len(found) < _MOST_NODES:
        symbol, distance, was_sure = waiting.popleft()
        if distance >= depth:
            continue
        for mention, sure in resolver.mentions(symbol):
            inside = resolver.symbol(mention.within)
            if inside is not None and inside.id in seen and (inside.path, inside.id) not in found:
                continue
            key = (mention.path, 0 if inside is None else inside.id)
            if (known := found.get(key)) is not None:
                if known.distance == distance + 1:
                    known.lines.append(mention.line)
                    if _weight(mention.kind) < _weight(known.relation):
                        known.relation = _RELATIONS[mention.kind]
                continue
            found[key] = _affected(mention, inside, symbol, distance + 1, sure and was_sure)
            if inside is not None and inside.id not in seen:
                seen.add(inside.id)
                waiting.append((inside, distance + 1, sure and was_sure))
    return sorted(_without_bare_files(found), key=_order)


def _order(node: Affected) -> tuple[int, bool, str, int]:
    return node.distance, node.is_test, node.path, node.line


def _weight(relation: str) -> int:
    order = ("call", "calls", "extends", "use", "uses", "import", "imports")
    return order.index(relation)


def _affected(
    mention: Mention, inside: KnownSymbol | None, symbol: KnownSymbol, distance: int, sure: bool
) -> Affected:
    is_test = bool(mention.in_test or (inside is not None and inside.is_test))
    return Affected(
        mention.path, inside, mention.line, distance, _RELATIONS[mention.kind], symbol.qualified, is_test, sure,
        [mention.line],
    )  # fmt: skip


def _without_bare_files(found: dict[tuple[str, int], Affected]) -> Iterator[Affected]:
    """A file that merely imports what a symbol of it uses is with_symbols by that symbol."""
    with_symbols = {node.path for node in found.values() if node.symbol is not None}
    for node in found.values():
        if node.symbol is None and node.relation == "imports" and node.path in with_symbols:
            continue
        yield node


def neighborhood(graph: CodeGraph, symbols: list[KnownSymbol], limit: int) -> list[Neighbour]:
    """What stands beside them: who mentions them, and what they mention, in one step."""
    resolver = resolver_of(graph)
    found: list[Neighbour] = []
    own = {symbol.id: symbol for symbol in symbols}
    for symbol in symbols:
        for mention, _ in resolver.mentions(symbol):
            inside = resolver.symbol(mention.within)
            if inside is None or inside.id not in own:
                relation = _RELATIONS[mention.kind]
                found.append(
                    Neighbour(symbol, inside, mention.path, mention.line, relation, is_outgoing=False)
                )
    for mention in graph.mentions_in(symbols):
        holder = own.get(mention.within or -1)
        if holder is None:
            continue
        for target in graph.symbols("s.name = ? LIMIT 40", mention.name):
            if target.id not in own and resolver.means(mention, target):
                relation = _RELATIONS[mention.kind]
                found.append(Neighbour(holder, target, target.path, target.first, relation, is_outgoing=True))
    unique: dict[tuple[object, ...], Neighbour] = {}
    for item in found:
        unique.setdefault((item.symbol.id, item.other and item.other.id, item.path, item.is_outgoing), item)
    return list(unique.values())[:limit]


def tour(graph: CodeGraph) -> list[Stop]:
    """The order in which to read: what most others stand on first, then what stands on that; tests are left out."""
    resolver, files = resolver_of(graph), {file.id: file for file in graph.files() if not file.is_test}
    needs = {
        file.id: (resolver.imported_files(file.id, file.path, file.language) & files.keys()) - {file.id}
        for file in files.values()
    }
    imported_by = Counter(other for others in needs.values() for other in others)
    order: list[int] = []
    placed: set[int] = set()
    # What most import first, each after what it needs itself.
    for file_id in sorted(files, key=lambda found: (-imported_by[found], files[found].path)):
        _place(file_id, needs, placed, order)
    tops: dict[int, list[KnownSymbol]] = {}
    for symbol in graph.symbols("s.container = '' AND NOT s.is_local ORDER BY s.first"):
        tops.setdefault(symbol.file, []).append(symbol)
    return [Stop(files[file_id], imported_by[file_id], tops.get(file_id, [])) for file_id in order]


def _place(start: int, needs: dict[int, set[int]], placed: set[int], order: list[int]) -> None:
    stack = [(start, iter(sorted(needs[start])))]
    entered = {start}
    while stack:
        file_id, rest = stack[-1]
        if file_id in placed:
            stack.pop()
            continue
        following = next((other for other in rest if other not in placed and other not in entered), None)
        if following is None:
            placed.add(file_id)
            order.append(file_id)
            stack.pop()
        else:
            entered.add(following)
            stack.append((following, iter(sorted(needs[following]))))


def _escaped(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
