"""What every answer has in common: frozen, and open to keys that a later daemon may add."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from helix.client.errors import BadAnswer

Item = TypeVar("Item", covariant=True)
R = TypeVar("R", bound="Result")

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Result:
    more: Mapping[str, Any] = field(default_factory=lambda: _NOTHING, repr=False)
    """what the daemon said beyond what this version knows"""

    @classmethod
    def from_json(cls: type[R], answer: object) -> R:
        if not isinstance(answer, dict):
            raise BadAnswer(f"an answer that is no {cls.__name__}: {answer!r:.200}")
        left = dict(answer)
        values = {}
        for item in fields(cls):
            if item.name == "more":
                continue
            key = item.metadata.get("key", item.name)
            value = left.pop(key, None)
            if value is not None:
                values[item.name] = _read(value, item.metadata.get("of"))
            elif item.default is MISSING and item.default_factory is MISSING:
                raise BadAnswer(f"the {cls.__name__} in the answer has no {key!r}; is it a Helix daemon?")
        return cls(**{**values, "more": _frozen(left)})

    def to_dict(self) -> dict[str, Any]:
        """As plain dicts and lists, in the daemon's own names."""
        values = {
            item.metadata.get("key", item.name): _plain(getattr(self, item.name))
            for item in fields(self)
            if item.name != "more"
        }
        return {**values, **_plain(self.more)}


@dataclass(frozen=True, kw_only=True)
class Page(Result):
    truncated: bool = False
    """whether there is more than is said here"""
    tokens_used: int = 0
    next_cursor: str | None = None
    """leads to the rest"""


@dataclass(frozen=True, kw_only=True)
class Listing(Page, Generic[Item]):
    """A page that is a list of things: it can be iterated, counted and indexed."""

    @property
    def items(self) -> tuple[Item, ...]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Item:
        return self.items[index]


def each(kind: type[R]) -> Any:
    """A field with a list of these."""
    return field(default=(), metadata={"of": kind})


def mapping() -> Any:
    """A field with a mapping, which is empty when the answer has none."""
    return field(default_factory=lambda: _NOTHING)


def named(key: str) -> Any:
    """A field that the daemon calls by a name that Python keeps for itself."""
    return field(metadata={"key": key})


def _read(value: Any, kind: type[Result] | None) -> Any:
    if kind is None:
        return _frozen(value)
    if isinstance(value, list):
        return tuple(kind.from_json(item) for item in value)
    return kind.from_json(value)


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_frozen(inner) for inner in value)
    if isinstance(value, dict):
        return MappingProxyType({key: _frozen(inner) for key, inner in value.items()})
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return value
