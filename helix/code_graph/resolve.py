"""What a mention means: whether it is of this symbol and not of another of the same name. Told from imports and types.

There is no compiler here: a method on something of which nothing is known counts when its name is rare, and when its
class or its file is known where it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from helix.code_graph.graph_store import CodeGraph, KnownFile, KnownImport, KnownSymbol, Mention, tail_of

_CLASSES = frozenset({"class", "interface", "struct", "enum"})
_FEW = 3
"""methods of one name, of which any may be meant by a call on something that is not known"""
_HOPS = 5
# Every list, string and promise has them: a call says nothing of a class here that has one too.
_WORDS = """
add append apply begin bind call catch clear clone close concat contains copy count decode delete emit
encode end entries equals error exit extend filter find find_all first flush format forEach fromkeys get
has hash hashCode index indexOf info insert isEmpty items iter iterator join keys last len length lower
map match max merge min next open parse pop print push put read reduce remove render replace reset
reverse run search seek send set size slice sort split start stop strip sub sum test then toString trim
unwrap update upper value values wait warn write
"""
_EVERYWHERE = frozenset(_WORDS.split())


_kept: WeakKeyDictionary[CodeGraph, tuple[int, Resolver]] = WeakKeyDictionary()


def resolver_of(graph: CodeGraph) -> Resolver:
    """The same one until something changes: it keeps what it has found out."""
    version, known = graph.version(), _kept.get(graph)
    if known is None or known[0] != version:
        known = (version, Resolver(graph))
        _kept[graph] = known
    return known[1]


class Resolver:
    def __init__(self, graph: CodeGraph) -> None:
        self._graph = graph
        self._related: dict[str, set[str]] = {}
        self._by_module: dict[tuple[str, str], list[KnownFile]] = {}
        self._passed_on: dict[int, list[tuple[str, str]]] = {}
        self._imported: dict[int, set[int]] = {}
        self._of_file: dict[int, list[KnownImport]] = {}
        self._symbols: dict[int, KnownSymbol | None] = {}
        self._named: dict[str, tuple[list[Mention], int]] = {}
        up: dict[str, set[str]] = {}
        for name, base in graph.bases():
            up.setdefault(name, set()).add(base)
        down: dict[str, set[str]] = {}
        for name, bases in up.items():
            for base in bases:
                down.setdefault(base, set()).add(name)
        self._up, self._down = up, down

    def mentions(self, symbol: KnownSymbol) -> Iterator[tuple[Mention, bool]]:
        """Those that mean it, and whether that is sure."""
        mentions, rivals = self._mentions_of(symbol.name)
        for mention in mentions:
            if mention.within == symbol.id and mention.kind != "call":
                continue
            if (sure := self._means(mention, symbol, rivals)) is not None:
                yield mention, sure

    def symbol(self, symbol_id: int | None) -> KnownSymbol | None:
        if symbol_id is None:
            return None
        if symbol_id not in self._symbols:
            self._symbols[symbol_id] = self._graph.symbol(symbol_id)
        return self._symbols[symbol_id]

    def _imports(self, file: int) -> list[KnownImport]:
        if file not in self._of_file:
            self._of_file[file] = self._graph.imports(file)
        return self._of_file[file]

    def _mentions_of(self, name: str) -> tuple[list[Mention], int]:
        """And how many classes have a method of that name."""
        if name not in self._named:
            # Of overloads one is as good as all.
            named = self._graph.symbols("s.name = ?", name)
            rivals = {(known.file, known.container) for known in named if known.kind == "method"}
            mentions = list(self._graph.mentions_of(name))
            ids = {
                mention.within for mention in mentions if mention.within is not None
            } - self._symbols.keys()
            self._symbols |= {known.id: known for known in self._graph.symbols_with(ids)}
            self._named[name] = (mentions, len(rivals))
        return self._named[name]

    def means(self, mention: Mention, symbol: KnownSymbol) -> bool:
        """Only what is sure."""
        return bool(self._means(mention, symbol, _FEW + 1))

    def files_of(self, module: str, language: str, asking: str = "") -> list[KnownFile]:
        """The files that an import may mean."""
        key = (module, language)
        if key not in self._by_module:
            self._by_module[key] = list(self._files_of(module, language))
        found = self._by_module[key]
        if len(found) > 1 and asking:
            # Of several with the same end the one that shares most of its path is meant.
            best = max(_shared(known.path, asking) for known in found)
            if language not in ("go", "java"):
                found = [known for known in found if _shared(known.path, asking) == best]
        return found

    def imported_files(self, file: int, path: str, language: str) -> set[int]:
        if file not in self._imported:
            found: set[int] = set()
            for bound in self._imports(file):
                found |= {other.id for other in self.files_of(bound.module, language, path)}
                if bound.name and bound.name != "*":
                    inner = f"{bound.module}/{bound.name}" if bound.module else bound.name
                    found |= {other.id for other in self.files_of(inner, language, path)}
            self._imported[file] = found
        return self._imported[file]

    def _files_of(self, module: str, language: str) -> Iterator[KnownFile]:
        if not module:
            return
        for file in self._graph.files_with_tail(tail_of(module)):
            if not _same_family(file.language, language):
                continue
            is_end = file.module == module or file.module.endswith(f"/{module}")
            # Go imports by the address of a module, Rust by the name of a crate: more than the path has.
            if is_end or (language in ("go", "rust", "java") and module.endswith(f"/{file.module}")):
                yield file

    def _means(self, mention: Mention, symbol: KnownSymbol, rivals: int) -> bool | None:
        if not _same_family(mention.language, symbol.language):
            return None
        if mention.module and not mention.on:
            return True if not symbol.container and self._reaches(mention, mention.module, symbol) else None
        if mention.module:
            return self._through_module(mention, symbol)
        if mention.type and mention.on:
            return self._on_type(mention, symbol)
        if mention.on:
            return self._on_unknown(mention, symbol, rivals)
        return self._plain(mention, symbol)

    def _through_module(self, mention: Mention, symbol: KnownSymbol) -> bool | None:
        if symbol.container:
            owner = mention.via.rpartition(".")[2] or mention.type
            return True if self._is_related(owner, symbol.container) else None
        if not mention.via:
            return True if self._reaches(mention, mention.module, symbol) else None
        inner = f"{mention.module}/{mention.via.replace('.', '/')}".lstrip("/")
        return True if self._reaches(mention, inner, symbol) else None

    def _on_type(self, mention: Mention, symbol: KnownSymbol) -> bool | None:
        if symbol.container:
            return True if self._is_related(mention.type, symbol.container) else None
        return None

    def _on_unknown(self, mention: Mention, symbol: KnownSymbol, rivals: int) -> bool | None:
        on = mention.on.replace("::", ".").rpartition(".")[2]
        if not symbol.container:
            # A module or a namespace that is called as its file is.
            is_named = on in (tail_of(symbol.module), tail_of(symbol.path).partition(".")[0])
            return True if is_named and mention.language in ("rust", "cpp", "c") else None
        if on == symbol.container:
            return True
        if symbol.name in _EVERYWHERE or mention.kind != "call" or rivals > _FEW:
            return None
        is_near = (
            mention.file == symbol.file
            or rivals == 1
            or symbol.file in self.imported_files(mention.file, mention.path, mention.language)
            or (mention.language in ("go", "java") and mention.file_module == symbol.module)
        )
        return False if is_near else None

    def _plain(self, mention: Mention, symbol: KnownSymbol) -> bool | None:
        if mention.file == symbol.file:
            if symbol.container and symbol.kind == "method":
                return self._on_own(mention, symbol)
            if symbol.is_local and symbol.language not in ("c", "cpp"):
                return self._is_around(mention, symbol) or None
            return True
        if symbol.is_local:
            return None
        if symbol.container and symbol.kind == "method":
            return self._on_own(mention, symbol)
        if mention.language in ("go", "java") and mention.file_module == symbol.module:
            return True
        if mention.language in ("c", "cpp"):
            return True
        for bound in self._imports(mention.file):
            if bound.name == "*" and self._reaches(mention, bound.module, symbol):
                return True
        return None

    def _is_around(self, mention: Mention, symbol: KnownSymbol) -> bool:
        """A function within another is known in that alone."""
        inside = self.symbol(mention.within)
        return inside is not None and inside.first <= symbol.first <= inside.last

    def _on_own(self, mention: Mention, symbol: KnownSymbol) -> bool | None:
        """A method that is called with nothing before it, where a language lets that stand for the object itself."""
        if mention.language not in ("java", "cpp") or not mention.type:
            return None
        return True if self._is_related(mention.type, symbol.container) else None

    def _reaches(self, mention: Mention, module: str, symbol: KnownSymbol) -> bool:
        """Whether what is imported from there comes from the file of the symbol, perhaps by way of others."""
        if symbol.is_local:
            return False
        seen: set[int] = set()
        looked = self.files_of(module, mention.language, mention.path)
        for _ in range(_HOPS):
            if any(file.id == symbol.file for file in looked):
                return True
            further: list[KnownFile] = []
            for file in looked:
                if file.id in seen:
                    continue
                seen.add(file.id)
                for name, passed in self._passes_on(file):
                    if name in ("*", symbol.name):
                        further += self.files_of(passed, file.language, file.path)
            if not further:
                return False
            looked = further
        return False

    def _passes_on(self, file: KnownFile) -> list[tuple[str, str]]:
        if file.id not in self._passed_on:
            self._passed_on[file.id] = [
                (bound.name, bound.module)
                for bound in self._imports(file.id)
                if bound.is_passed_on or file.language == "python"
            ]
        return self._passed_on[file.id]

    def _is_related(self, one_class: str, other: str) -> bool:
        """The same class, or one that is made of the other, in whichever direction."""
        if one_class == other:
            return True
        if one_class not in self._related:
            self._related[one_class] = _closure(one_class, self._up) | _closure(one_class, self._down)
        return other in self._related[one_class]


def _closure(name: str, edges: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting and len(found) < 500:
        for other in edges.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _same_family(one_language: str, other: str) -> bool:
    return _FAMILY.get(one_language, one_language) == _FAMILY.get(other, other)


_FAMILY = {"javascript": "js", "typescript": "js", "tsx": "js", "c": "c", "cpp": "c"}


def _shared(path: str, other: str) -> int:
    parts, others = path.split("/")[:-1], other.split("/")[:-1]
    for at, (mine, theirs) in enumerate(zip(parts, others, strict=False)):
        if mine != theirs:
            return at
    return min(len(parts), len(others))
