"""One file of code into what it defines, mentions and imports. Only this module knows tree-sitter."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
import threading
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from helix.code_graph.languages import Language, find_language
from helix.code_graph.modules import imports_of, is_test_file, key_of
from helix.code_graph.parsed import Import, ParsedFile, Reference, Symbol
from helix.errors import ExtraMissing

_CLASSES = frozenset({"class", "interface", "struct", "enum"})
_SELVES = frozenset({"self", "cls", "this", "Self", "super", "super()", "*this", "@self"})
_MADE = re.compile(r"^(?:await |&|\(?new )?([A-Z]\w*)(?:\(|\{|::|$)", re.DOTALL)
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "generator_function"})
# Of these whole packages, or whole programs, see each other's names without importing them.
_SHARED = frozenset({"go", "java", "c", "cpp"})
_LONGEST = 120
_MINIFIED = 250
"""characters of a line, in the mean, from which on nobody wrote it"""
_MOST_REFERENCES = 20_000
_RANKS = {"extends": 0, "call": 1, "use": 2}


class _Span(NamedTuple):
    start: int
    end: int
    name: str
    kind: str
    container: str
    first: int
    last: int
    is_static: bool


@functools.cache
def _prepared(language: Language) -> tuple[Any, Any]:
    try:
        tree_sitter = importlib.import_module("tree_sitter")
        package = importlib.import_module(language.package)
    except ImportError as error:
        raise ExtraMissing(
            "code is parsed with the extra `code`: pip install 'helix-memory[code]'"
        ) from error
    grammar = tree_sitter.Language(getattr(package, language.function)())
    return tree_sitter.Parser(grammar), tree_sitter.Query(grammar, language.patterns())


_parsing = threading.Lock()


def is_installed() -> bool:
    return importlib.util.find_spec("tree_sitter") is not None


def parse(path: str, text: str) -> ParsedFile | None:
    """None for what is in no language that is known. Raises ExtraMissing."""
    language = find_language(path)
    if language is None:
        return None
    if len(text) > _MINIFIED * (text.count("\n") + 1):
        module = key_of(path, language.name)
        return ParsedFile(language.name, module, text.count("\n") + 1, is_test_file(path))
    with _parsing:
        parser, query = _prepared(language)
        cursor = importlib.import_module("tree_sitter").QueryCursor(query)
        tree = parser.parse(text.encode())
        matches = cursor.matches(tree.root_node)
        return _Reader(path, text, language.name).read(matches, tree.root_node.has_error)


class _Reader:
    def __init__(self, path: str, text: str, language: str) -> None:
        self._path = path
        self._lines = text.count("\n") + 1
        self._language = language
        self._definitions: dict[int, _Span] = {}
        self._scopes: list[_Span] = []
        self._mentions: dict[int, tuple[str, str, str, int]] = {}
        self._variables: list[tuple[int, str, str]] = []
        self._fields: list[tuple[int, str, str]] = []
        self._imports: list[Import] = []
        self._import_spans: list[tuple[int, int]] = []
        self._package = ""
        self._names: set[int] = set()
        marked = text.find("#[cfg(test)]") if language == "rust" else -1
        self._tests_from = len(text[:marked].encode()) if marked >= 0 else -1

    def read(self, matches: Sequence[tuple[int, Mapping[str, Any]]], has_errors: bool) -> ParsedFile:
        for _, captures in matches:
            self._take(captures)
        spans = sorted(self._import_spans)
        starts = [start for start, _ in spans]
        for at in list(self._mentions):
            index = bisect_right(starts, at) - 1
            if index >= 0 and at < spans[index][1]:
                del self._mentions[at]
        # What `require` gives is imported, and not defined here.
        for at in [at for at, span in self._definitions.items() if self._is_import(span)]:
            del self._definitions[at]
        symbols, within, classes = self._symbols()
        bindings = {found.local: found for found in self._imports if found.local}
        references = self._references(symbols, within, classes, bindings)
        module = key_of(self._path, self._language, self._package)
        return ParsedFile(
            self._language, module, self._lines, is_test_file(self._path), symbols, references, self._imports,
            has_errors,
        )  # fmt: skip

    def _is_import(self, span: _Span) -> bool:
        return span.kind == "constant" and any(start <= span.start < end for start, end in self._import_spans)

    def _take(self, captures: Mapping[str, Any]) -> None:
        nodes = {name: found[0] for name, found in captures.items()}
        if "name" in nodes and (kind := next((key for key in nodes if key.startswith("def.")), None)):
            self._define(nodes, kind.removeprefix("def."))
        elif "scope" in nodes:
            scope = nodes["scope"]
            self._scopes.append(
                _Span(scope.start_byte, scope.end_byte, _text(nodes["name"]), "class", "", 0, 0, False)
            )
        elif "type" in nodes and "var" in nodes:
            for variable in captures["var"]:
                self._variables.append((variable.start_byte, _text(variable), _text(nodes["type"])))
        elif "type" in nodes and "field" in nodes:
            self._fields.append((nodes["field"].start_byte, _text(nodes["field"]), _text(nodes["type"])))
        elif "import" in nodes:
            node = nodes["import"]
            self._import_spans.append((node.start_byte, node.end_byte))
            self._imports += imports_of(
                _text(node, 20_000), node.start_point[0] + 1, self._path, self._language
            )
        elif "package" in nodes:
            self._package = _text(nodes["package"])
        else:
            self._mention(nodes)

    def _define(self, nodes: Mapping[str, Any], kind: str) -> None:
        node, name = nodes[f"def.{kind}"], nodes["name"]
        container = re.sub(r"<.*", "", _text(nodes["container"])) if "container" in nodes else ""
        self._names.add(name.start_byte)
        if kind == "constant":
            value = node.child_by_field_name("value")
            kind = "function" if value is not None and value.type in _FUNCTIONS else kind
        if kind == "assigned":
            kind, container = "function", re.sub(r"^(?:module\.)?exports$|\.prototype$|^this$", "", container)
        known = self._definitions.get(name.start_byte)
        if known is None or known.kind == "type":
            first = node.start_point[0] + 1
            is_static = self._language == "c" and _text(node).startswith("static")
            self._definitions[name.start_byte] = _Span(
                node.start_byte, node.end_byte, _text(name), kind, container.rpartition("::")[2], first,
                node.end_point[0] + 1, is_static,
            )  # fmt: skip

    def _mention(self, nodes: Mapping[str, Any]) -> None:
        kind = next((found for found in _RANKS if found in nodes), None)
        if kind is None:
            return
        node = nodes[kind]
        on = _text(nodes["on"]) if "on" in nodes else ""
        known = self._mentions.get(node.start_byte)
        rank = (_RANKS[kind], not on)
        if known is None or rank < (_RANKS[known[1]], not known[2]):
            self._mentions[node.start_byte] = (_text(node), kind, on, node.start_point[0] + 1)

    def _symbols(self) -> tuple[list[Symbol], list[tuple[int, int, int]], list[_Span]]:
        spans = sorted(self._definitions.values(), key=lambda span: (span.start, -span.end))
        classes = [span for span in spans if span.kind in _CLASSES] + self._scopes
        symbols: list[Symbol] = []
        stack: list[tuple[int, str, str]] = []
        within: list[tuple[int, int, int]] = []
        for number, span in enumerate(spans):
            while stack and stack[-1][0] <= span.start:
                stack.pop()
            around = stack[-1] if stack else None
            container = span.container
            if not container and (scope := self._innermost(self._scopes, span.start)) is not None:
                container = scope.name
            is_local = span.is_static
            if around is not None and not container:
                if around[1] in _CLASSES or around[1] == "constant":
                    container = around[2]
                else:
                    is_local = True
            kind = "method" if span.kind == "function" and container else span.kind
            is_test = self._tests_from >= 0 and span.start > self._tests_from
            symbols.append(
                Symbol(
                    span.name, kind, container, span.first, span.last, span.start, span.end, is_test, is_local
                )
            )
            stack.append((span.end, span.kind, span.name))
            within.append((span.start, span.end, number))
        return symbols, within, classes

    @staticmethod
    def _innermost(spans: Sequence[_Span], at: int) -> _Span | None:
        around = [span for span in spans if span.start <= at < span.end]
        return min(around, key=lambda span: span.end - span.start, default=None)

    def _references(
        self,
        symbols: Sequence[Symbol],
        within: Sequence[tuple[int, int, int]],
        classes: Sequence[_Span],
        bindings: Mapping[str, Import],
    ) -> list[Reference]:
        own = {symbol.name for symbol in symbols}
        types = _Types(self._variables, self._fields, within, classes)
        found: dict[tuple[object, ...], Reference] = {}
        for at in sorted(self._mentions):
            name, kind, on, line = self._mentions[at]
            if at in self._names or len(found) >= _MOST_REFERENCES:
                continue
            inside = types.within(at)
            reference = Reference(name, kind, line, inside, on[:_LONGEST])
            if on:
                _place(reference, at, types, bindings)
                if kind == "use" and not (reference.type or reference.module):
                    continue
            elif (bound := bindings.get(name)) is not None:
                reference.name, reference.module = bound.name or name, bound.module
            elif kind == "use" and name not in own and not (self._language in _SHARED and len(name) > 3):
                if not (name[:1].isupper() and self._language == "rust"):
                    continue
            elif not on and (holder := types.class_at(at)) is not None:
                reference.type = holder
            key = (inside, reference.name, reference.on, reference.kind, reference.type)
            found.setdefault(key, reference)
        for bound in self._imports:
            if bound.name and bound.name != "*":
                key = (-1, bound.name, "", "import", bound.module)
                found.setdefault(key, Reference(bound.name, "import", bound.line, -1, module=bound.module))
        return list(found.values())


class _Types:
    """What variables hold, as far as the file says it."""

    def __init__(
        self,
        variables: Sequence[tuple[int, str, str]],
        fields: Sequence[tuple[int, str, str]],
        within: Sequence[tuple[int, int, int]],
        classes: Sequence[_Span],
    ) -> None:
        self._spans = within
        self._starts = [start for start, _, _ in within]
        self._classes = sorted(classes, key=lambda span: span.end - span.start)
        self._known: dict[tuple[object, str], str] = {}
        for at, name, kind in variables:
            scope: object = self.class_at(at) if "." in name else self.within(at)
            self._known.setdefault((scope, name), kind)
        for at, name, kind in fields:
            for spelled in (name, f"this.{name}"):
                self._known.setdefault((self.class_at(at), spelled), kind)

    def within(self, at: int) -> int:
        index = bisect_right(self._starts, at) - 1
        # Spans are nested: the first one backwards that reaches so far is the innermost.
        for look in range(index, max(-1, index - 400), -1):
            start, end, number = self._spans[look]
            if start <= at < end:
                return number
        return -1

    def class_at(self, at: int) -> str | None:
        return next((span.name for span in self._classes if span.start <= at < span.end), None)

    def of(self, at: int, on: str) -> str:
        if on in _SELVES:
            return self.class_at(at) or ""
        for scope in (self.within(at), self.class_at(at), -1):
            if (known := self._known.get((scope, on))) is not None:
                return known
        made = _MADE.match(on)
        return made[1] if made else ""


def _place(reference: Reference, at: int, types: _Types, bindings: Mapping[str, Import]) -> None:
    """Where the name after the dot may be found."""
    on = reference.on.replace("::", ".").replace("->", ".")
    reference.type = types.of(at, on)
    first, _, rest = on.partition(".")
    if (bound := bindings.get(on)) is not None:
        reference.module, reference.via = bound.module, bound.name
    elif (bound := bindings.get(first)) is not None and "(" not in on:
        reference.module = bound.module
        reference.via = ".".join(part for part in (bound.name, rest) if part)
    elif reference.type and (bound := bindings.get(reference.type)) is not None and bound.name:
        reference.type = bound.name


def _text(node: Any, most: int = 400) -> str:
    text: bytes = node.text or b""
    return text[:most].decode("utf-8", "replace")
