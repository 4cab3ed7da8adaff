"""One change to one place of a host's file, proved before anybody writes it.

The text after a change is read back: it must say what was meant, and everything else it said before. The
other bytes cannot change, because only the place is touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from helix.errors import HostFileError
from helix.hosts.host import Language
from helix.hosts.splice_json import JsonText
from helix.hosts.splice_toml import TomlText
from helix.hosts.splice_yaml import YamlText


class Text(Protocol):
    """A language of configuration files."""

    def parse(self, text: str) -> dict[str, Any]: ...

    def put(self, text: str, keys: Sequence[str], value: Any) -> str: ...

    def take(self, text: str, keys: Sequence[str], made: Sequence[list[str]]) -> str: ...


TEXTS: Mapping[Language, Text] = {
    "json": JsonText(lenient=False),
    "jsonc": JsonText(lenient=True),
    "toml": TomlText(),
    "yaml": YamlText(),
}


def parse(language: Language, text: str) -> dict[str, Any]:
    return TEXTS[language].parse(text)


def find(value: Any, keys: Sequence[str]) -> Any:
    """What is under `keys`; None when there is nothing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def put(language: Language, text: str, keys: Sequence[str], value: Any) -> str:
    before = parse(language, text)
    after = TEXTS[language].put(text, keys, value)
    prove(language, after, [with_value(before, keys, value)])
    return after


def take(language: Language, text: str, keys: Sequence[str], made: Sequence[list[str]] = ()) -> str:
    """`made` are the containers that came with the entry, and go with it when nothing else is in them."""
    before = parse(language, text)
    after = TEXTS[language].take(text, keys, made)
    prove(language, after, without(before, keys))
    return after


def missing(value: Any, keys: Sequence[str]) -> list[list[str]]:
    """The containers on the way to `keys` that are not there yet."""
    ways = [list(keys[:count]) for count in range(1, len(keys))]
    return [way for way in ways if way[-1] not in (find(value, way[:-1]) or {})]


def with_value(document: Mapping[str, Any], keys: Sequence[str], value: Any) -> dict[str, Any]:
    if not keys[1:]:
        return {**document, keys[0]: value}
    inner = document.get(keys[0])
    return {**document, keys[0]: with_value(inner if isinstance(inner, dict) else {}, keys[1:], value)}


def without(document: Mapping[str, Any], keys: Sequence[str]) -> list[dict[str, Any]]:
    """The document without what is under `keys`: with the containers that are empty then, and without them."""
    rest = {key: value for key, value in document.items() if key != keys[0]}
    if not keys[1:]:
        return [rest]
    inners = without(document[keys[0]], keys[1:])
    return [{**document, keys[0]: inner} for inner in inners] + ([rest] if {} in inners else [])


def prove(language: Language, after: str, meant: Sequence[Mapping[str, Any]]) -> None:
    try:
        result = canonical(parse(language, after))
    except (HostFileError, RecursionError):  # the latter: YAML that refers to itself
        result = None
    if all(result != canonical(one) for one in meant):
        raise HostFileError(
            "this file is written in a way that cannot be changed safely; paste what `helix connect` prints yourself"
        )


def canonical(value: Any) -> Any:
    """Equal for equal values alone: 1, 1.0 and true differ, and one NaN is like the other."""
    if isinstance(value, dict):
        return sorted((repr(key), canonical(one)) for key, one in value.items())
    return [canonical(one) for one in value] if isinstance(value, list) else repr(value)
