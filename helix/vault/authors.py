"""Who is behind a write: said where it is asked for, signed as it is made, read when the follower sees the file.

By the hash of what is written and not by the thread that wrote it: the follower may see a file before the writer does.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Literal

_KEPT = 2_000


@dataclass(frozen=True)
class Author:
    who: Literal["agent", "person", "sync", "helix"]
    name: str | None = None
    what: Literal["merged"] | None = None
    """what is done, where the file alone does not tell"""
    detail: str = ""


HELIX = Author("helix")
PERSON = Author("person")

_acting: ContextVar[Author | None] = ContextVar("helix_author", default=None)


def current() -> Author | None:
    return _acting.get()


@contextmanager
def acting(author: Author | None) -> Iterator[None]:
    """Whatever is written meanwhile, on this thread, is by them."""
    before = _acting.set(author)
    try:
        yield
    finally:
        _acting.reset(before)


@contextmanager
def doing(what: Literal["merged"] | None = None, detail: str = "") -> Iterator[None]:
    """Whoever acts, this is what they do. Of other memories it may name the ids, never quote the text."""
    author = current()
    with acting(author and replace(author, what=what, detail=detail)):
        yield


class Authors:
    """Who wrote what, until it is asked once. Bounded: what nobody asks for falls out."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._signed: OrderedDict[str, Author] = OrderedDict()

    def sign(self, content_hash: str) -> None:
        author = current()
        if author is not None:
            with self._lock:
                self._signed[content_hash] = author
                if len(self._signed) > _KEPT:
                    self._signed.popitem(last=False)

    def take(self, content_hash: str) -> Author | None:
        with self._lock:
            return self._signed.pop(content_hash, None)
