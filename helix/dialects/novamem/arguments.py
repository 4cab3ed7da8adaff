"""Arguments of this dialect: one rule for each, from which both the schema is made and the refusal, in the words that
clients look for. What no tool knows is ignored, since each generation of clients sends something more."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helix.dialects.schema import Schema
from helix.errors import BadValue
from helix.vault.times import parse_time

_NAMESPACE = re.compile(r"[a-z0-9][a-z0-9._:-]*", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ZONED = re.compile(r".+(?:[zZ]|[+-]\d{2}:?\d{2})")
_MOST_METADATA, _LONGEST_KEY = 8192, 64
LONGEST_QUERY, LONGEST_CONTENT = 8192, 262_144
SENSITIVITIES = ("public", "internal", "private", "sensitive")
CONTENT_MODES = ("full", "snippet", "ids")
Say = Callable[[Any], "tuple[str, str] | None"]
"""what is wrong with a value: a code, and a reason"""


@dataclass(frozen=True)
class ArgumentProblem:
    path: str
    message: str
    code: str


class BadArguments(BadValue):
    """What is wrong, as both planes of the dialect say it."""

    def __init__(self, message: str, problems: Sequence[ArgumentProblem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


@dataclass(frozen=True)
class ArgumentRule:
    kind: str
    """of JSON"""
    least: float | None = None
    most: float | None = None
    """of a number, of the length of a text or of a list"""
    choices: tuple[str, ...] = ()
    default: Any = None
    each: ArgumentRule | None = None
    """of the entries of a list"""
    check: Say | None = None
    about: str = ""

    def schema(self) -> Schema:
        """Bounds are said in words, and checked here: in the sentences that clients know."""
        found: Schema = {"type": self.kind}
        if self.each is not None:
            found["items"] = {"type": self.each.kind}
        if self.default is not None:
            found["default"] = self.default
        if self.about:
            found["description"] = self.about
        return found


_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "integer": (int, float),
    "number": (int, float),
}


def checked(
    given: Mapping[str, Any],
    rules: Mapping[str, ArgumentRule],
    needed: Sequence[str] = (),
    *,
    is_closed: bool = False,
) -> dict[str, Any]:
    """Those that are known and there; null counts as not given. Raises BadArguments."""
    present = {name: value for name, value in given.items() if value is not None}
    problems = [
        ArgumentProblem(name, "is required", "invalid_type") for name in needed if present.get(name) is None
    ]
    if is_closed:
        unknown = [name for name in present if name not in rules]
        problems += [
            ArgumentProblem("", f"unrecognized key '{name[:60]}'", "unrecognized_keys") for name in unknown
        ]
    for name, rule in rules.items():
        if name in present:
            problems += _problems(name, rule, present[name])
    if problems:
        first = problems[0]
        named = f"invalid argument '{first.path}': {first.message}" if first.path else first.message
        raise BadArguments(named, problems)
    known = {name: present[name] for name in rules if name in present}
    return {name: int(value) if rules[name].kind == "integer" else value for name, value in known.items()}


def _problems(path: str, rule: ArgumentRule, value: Any) -> Iterator[ArgumentProblem]:
    if not _is_a(value, rule.kind):
        yield ArgumentProblem(path, f"expected {rule.kind}", "invalid_type")
        return
    size = _units(value) if isinstance(value, str) else len(value) if isinstance(value, list) else value
    counted = {"string": " characters", "array": " items"}.get(rule.kind, "")
    if rule.least is not None and size < rule.least:
        yield ArgumentProblem(path, f"must be at least {rule.least:g}{counted}", "too_small")
    elif rule.most is not None and size > rule.most:
        yield ArgumentProblem(path, f"must be at most {rule.most:g}{counted}", "too_big")
    elif rule.choices and value not in rule.choices:
        yield ArgumentProblem(path, f"must be one of {', '.join(rule.choices)}", "invalid_value")
    elif rule.check is not None and (wrong := rule.check(value)) is not None:
        yield ArgumentProblem(path, wrong[1], wrong[0])
    elif rule.each is not None:
        for place, item in enumerate(value):
            yield from _problems(f"{path}.{place}", rule.each, item)


def _is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS[kind])


def _units(text: str) -> int:
    """As JavaScript counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


units = _units


def _time(name: str) -> Say:
    def check(value: str) -> tuple[str, str] | None:
        if _ZONED.fullmatch(value.strip()) and parse_time(value) is not None:
            return None
        return "invalid_format", f"{name} must be ISO-8601 (e.g. 2026-05-02T17:00:00Z)"

    return check


def _shelf(value: str) -> tuple[str, str] | None:
    return None if _NAMESPACE.fullmatch(value) else ("invalid_format", "is not the name of a namespace")


def _printable(value: str) -> tuple[str, str] | None:
    return ("invalid_format", "has control characters") if _CONTROL.search(value) else None


def _bag(value: Mapping[str, Any]) -> tuple[str, str] | None:
    if any(len(key) > _LONGEST_KEY for key in value):
        return "too_big", f"keys have at most {_LONGEST_KEY} characters"
    if len(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) > _MOST_METADATA:
        return "custom", "metadata too large (8KB max)"
    return None


def _weighing(value: Mapping[str, Any]) -> tuple[str, str] | None:
    wrong = [name for name, one in value.items() if not _is_a(one, "number") or one < 0]
    return ("invalid_type", f"'{wrong[0][:40]}' must be a number, 0 or more") if wrong else None


def k(default: int, most: int = 200) -> ArgumentRule:
    return ArgumentRule("integer", 1, most, default=default, about=f"At most {most}")


_TEXT = ArgumentRule("string", 1, LONGEST_QUERY)
_PROJECT = ArgumentRule("string", 1, 128, check=_printable, about="Id or name")
ID = ArgumentRule("string", 1, 128)
QUERY = ArgumentRule("string", 1, LONGEST_QUERY)
CONTENT = ArgumentRule("string", 1, LONGEST_CONTENT)
NAME = ArgumentRule("string", 1, 128, check=_printable)
PROJECT = _PROJECT
SCOPE: Mapping[str, ArgumentRule] = {
    "namespace": ArgumentRule("string", 0, 128),
    "includeNamespaces": ArgumentRule("array", 0, 16, each=ArgumentRule("string", 1, 128, check=_shelf)),
    "project": _PROJECT,
    "includeProjects": ArgumentRule("array", 0, 16, each=_PROJECT),
}
SHOWN: Mapping[str, ArgumentRule] = {
    "maxSensitivity": ArgumentRule("string", choices=SENSITIVITIES),
    "contentMode": ArgumentRule("string", choices=CONTENT_MODES),
}
WEIGHTS = ArgumentRule("object", check=_weighing, about="keyword, vector, graph: 0.3, 0.6, 0.1")
SINCE = ArgumentRule("string", check=_time("since"), about="ISO 8601")
ORIGIN: Mapping[str, ArgumentRule] = {
    "sourceType": ArgumentRule("string", 0, 64),
    "capturedFrom": ArgumentRule("string", 0, 256),
    "confidence": ArgumentRule("number", 0, 1),
}
SENSITIVITY = ArgumentRule("string", choices=SENSITIVITIES)
METADATA = ArgumentRule("object", check=_bag)
SOURCE = ArgumentRule("string", 0, 128, default="manual")
EXPIRES = ArgumentRule("string", check=_time("expiresAt"))
SOURCE_REFS = ArgumentRule("array", 0, 32, each=ArgumentRule("string", 1, 512))
SOURCE_REF = ArgumentRule("string", 1, 512)
FLAG = ArgumentRule("boolean")
DEPTH = ArgumentRule("integer", 1, 3, default=1)
