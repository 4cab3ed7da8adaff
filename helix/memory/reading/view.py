"""What is read from: the memories as they are, or as they were at a commit, as far as whoever asks may see them.

Every reading verb works on a view and knows nothing below it: there is no way from here to the catalog, the files or
the index. `vault_view` is the view of everything, `narrowed_view` the same for somebody who sees a part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from helix.errors import BadValue
from helix.index.catalog import Row as Row
from helix.index.filters import Reach, Where
from helix.memory.reading.link_graph import Links
from helix.vault.note import Note
from helix.vault.problem import Problem
from helix.vault.times import parse_time

if TYPE_CHECKING:
    from helix.index.search import Question, SearchAnswer


@dataclass(frozen=True)
class When:
    """Now, unless one of them is given."""

    as_of: str | None = None
    ref: str | None = None

    def moment(self) -> datetime | None:
        if self.as_of is None:
            return None
        moment = parse_time(self.as_of)
        if moment is None:
            raise BadValue(
                f"as_of is {self.as_of[:60]!r}; write a time like 2026-06-18 or 2026-06-18T09:12:44Z"
            )
        return moment


NOW = When()


class View(Protocol):
    @property
    def commit(self) -> str | None:
        """Of a view of the past, where it is from."""

    def now(self) -> datetime:
        """The present of this view; of the past the moment that was asked about."""

    # One memory

    def row(self, memory_id: str) -> Row:
        """By an id that somebody typed. Raises MemoryNotFound."""

    def find_row(self, memory_id: str) -> Row | None:
        """By its very id."""

    def find_rows(self, memory_ids: Sequence[str]) -> Mapping[str, Row]:
        """The same for a few; those that are there."""

    def find_typed(self, memory_id: str) -> Row | None:
        """By an id that somebody typed: exactly, or else without regard to case."""

    def find_by_key(self, idempotency_key: str) -> Row | None:
        """The memory that was created under this key."""

    def row_at(self, path: str) -> Row | None: ...

    def get(self, memory_id: str) -> Note:
        """Raises MemoryNotFound, also when its file has gone a moment ago, and NoteError when it cannot be read."""

    def find(self, memory_id: str, *, tries: int = 2) -> Note | None:
        """None also for one whose file is gone or broken: the follower is about to say so."""

    def hides(self, memory_id: str) -> bool:
        """Whether there is such a memory, and it is not for who asks: for listings that were kept."""

    def hides_file(self, path: str) -> bool: ...

    # Many

    def rows(self, within: tuple[Reach, ...] | None, *, include_hidden: bool = False) -> list[Row]:
        """The memories within these scopes."""

    def everything(self) -> Sequence[Row]:
        """One row per memory, hidden ones too. Not to be changed."""

    def latest(self, since: datetime | None = None) -> Iterator[Row]:
        """Every memory, hidden ones too, by its last change; the latest first."""

    def links(self) -> Links: ...

    def problems(self) -> Sequence[Problem]:
        """What is wrong with files."""

    def duplicates(self) -> Mapping[str, Sequence[Row]]:
        """Ids that stand in several files, with the files."""

    # Searching

    def search(self, query: Question) -> SearchAnswer:
        """Waits for the index when it is not ready yet. Raises IndexNotReady."""

    def alike(self, text: str, limit: int, where: Where) -> list[str]:
        """The memories that share the rarest words with a text."""


def changed_at(row: Row) -> float:
    """When a memory was last changed, as far as it says so itself."""
    moment = parse_time(row.updated_at) or parse_time(row.created_at)
    return moment.timestamp() if moment else 0.0
