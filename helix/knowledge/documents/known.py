"""The documents that the vault holds already: their notes say of which file they are, in which state of it.

Nothing of this is kept elsewhere, so that a vault that came from another machine knows its documents too.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from helix.memory.reading.view import Row, View

KIND = "document"
_GONE = frozenset({"deleted", "erased"})


@dataclass(frozen=True)
class KnownDocument:
    """One file, in one state of it: its notes in their order."""

    uri: str
    sha256: str
    of: int
    """how many parts it was cut into"""
    rows: Mapping[int, Row]
    """the notes that are there, by the number of their part"""

    @property
    def id(self) -> str:
        """That of its first note."""
        return self.rows[min(self.rows)].id

    @property
    def ids(self) -> list[str]:
        return [self.rows[number].id for number in sorted(self.rows)]

    @property
    def is_whole(self) -> bool:
        return len(self.rows) == self.of

    @property
    def created(self) -> str:
        return max(row.created_at or "" for row in self.rows.values())

    @property
    def title(self) -> str:
        title = self.rows[min(self.rows)].title
        return title.rpartition(" (")[0] or title if self.of > 1 else title


class Shelf:
    """Every document of a vault, by where it comes from and by what is in it."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._active: dict[str, list[Row]] = {}
        self._uris: dict[str, set[str]] = {}
        self._forgotten: dict[tuple[str, str], str] = {}
        for row in rows:
            if row.kind != KIND or not (uri := _text(row.source, "uri")):
                continue
            if row.status == "active":
                self._active.setdefault(uri, []).append(row)
                self._uris.setdefault(_text(row.source, "sha256"), set()).add(uri)
            elif row.status in _GONE:
                self._forgotten[uri, _text(row.source, "sha256")] = row.id

    @classmethod
    def of(cls, view: View) -> Shelf:
        return cls(view.everything())

    def find(self, uri: str, sha256: str) -> KnownDocument | None:
        """A file in one state of it; what a crash cut off perhaps without all its parts."""
        states = [state for state in _states(uri, self._active.get(uri, ())) if state.sha256 == sha256]
        return max(states, key=lambda state: (state.is_whole, len(state.rows)), default=None)

    def rows_of(self, uri: str) -> Sequence[Row]:
        """Every active note of a file, of whichever state."""
        return self._active.get(uri, ())

    def find_forgotten(self, uri: str, sha256: str) -> str | None:
        """The id of a note of it that somebody forgot."""
        return self._forgotten.get((uri, sha256))

    def find_twin(self, uri: str, sha256: str) -> KnownDocument | None:
        """Another file with the same content."""
        for other in sorted(self._uris.get(sha256, ())):
            found = self.find(other, sha256) if other != uri else None
            if found is not None and found.is_whole and len(self.rows_of(other)) == found.of:
                return found
        return None

    def documents(self) -> Iterator[KnownDocument]:
        """Each in its latest state, by its address."""
        for uri in sorted(self._active):
            yield max(_states(uri, self._active[uri]), key=lambda state: state.created)

    def put(self, uri: str, rows: Iterable[Row]) -> None:
        """What is there of a file from now on."""
        self._active[uri] = [*rows]
        for row in self._active[uri]:
            self._uris.setdefault(_text(row.source, "sha256"), set()).add(uri)

    def drop(self, uri: str) -> None:
        self._active.pop(uri, None)


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def to_path(uri: str) -> Path | None:
    """The file of this machine that it names."""
    split = urlsplit(uri)
    return (
        Path(os.fsdecode(unquote_to_bytes(split.path)))
        if split.scheme == "file" and split.netloc in ("", "localhost")
        else None
    )


def part_of(row: Row) -> tuple[int, int]:
    """`2/7` as numbers."""
    number, _, of = _text(row.source, "part").partition("/")
    return (int(number), int(of)) if number.isdecimal() and of.isdecimal() else (1, 1)


def _states(uri: str, rows: Iterable[Row]) -> list[KnownDocument]:
    found: dict[tuple[str, int], dict[int, Row]] = {}
    for row in rows:
        number, of = part_of(row)
        found.setdefault((_text(row.source, "sha256"), of), {})[number] = row
    return [KnownDocument(uri, sha256, of, parts) for (sha256, of), parts in found.items()]


def _text(source: Mapping[str, Any] | None, name: str) -> str:
    return str((source or {}).get(name) or "")
