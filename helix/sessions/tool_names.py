"""What the verbs are called by whoever is answered: what to call next is said in the names of the tools there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_NAMES: ContextVar[Mapping[str, str] | None] = ContextVar("tool_names", default=None)


@contextmanager
def called(names: Mapping[str, str]) -> Iterator[None]:
    """While it lasts, answers speak of these names instead of the usual ones."""
    token = _NAMES.set(names)
    try:
        yield
    finally:
        _NAMES.reset(token)


def tool(name: str) -> str:
    return (_NAMES.get() or {}).get(name, name)
