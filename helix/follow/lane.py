"""A lane is one kind of file that is followed. The reconciler finds what changed; the lane says what that means.

Every lane has the same road: watch, settle, list, compare, take in, and drop what is believed to be gone. A new kind
of file is a new lane beside the others, which never hear of it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from helix.vault.diff import Change
from helix.vault.walk import Signature

Progress = Callable[[int, int], None]


@dataclass
class FollowReport:
    changes: list[Change] = field(default_factory=list)
    """the memories that changed"""
    unsettled: list[str] = field(default_factory=list)
    """files in the middle of being written: look again soon"""
    temporary: list[str] = field(default_factory=list)
    """folders that hold temp files of ours"""


class Lane(Protocol):
    """Called under the writer lock, by one thread at a time, but for `owns`."""

    kind: str
    """what its files are called, in the plural: `notes`"""

    @abstractmethod
    def owns(self, path: str) -> bool:
        """Whether a file of this name is the lane's: by its name alone. No two lanes own one file."""

    @abstractmethod
    def known(self, below: str | None = None) -> Mapping[str, Signature]:
        """The files as they were last taken in: all, or one path and what lies below it."""

    @abstractmethod
    def count_known(self) -> int: ...

    @abstractmethod
    def take_in(
        self,
        files: Mapping[str, Signature],
        report: FollowReport,
        *,
        settled: bool,
        progress: Progress | None,
    ) -> None:
        """Read these files, which are new or changed, and keep what they say.

        One that is still being written is named in the report, and asked for again. With `settled` Helix itself has
        just written them. Called with nothing too: what an end in the middle left undone is done then.
        """

    @abstractmethod
    def drop(self, paths: Sequence[str], report: FollowReport) -> None:
        """These files are gone, or are not to be followed any more."""

    @abstractmethod
    def forget_signatures(self) -> None:
        """The next full look takes every file in again; until then what is known serves as it is."""

    def is_elsewhere(self, path: str, missing: Collection[str]) -> bool:
        """Whether what a missing file held is in one that is there: it was moved, and nothing waits for its return."""
        return False

    def renew(self) -> None:
        """Before a full look: what the state folder lost is told to it again."""
        return
