"""The files that are not there any more, until that is believed.

A sync client that replaces a file removes it for a moment, and an unmounted folder looks like an empty one: so a file
is missed for a while before what it said is dropped, and when many are missing nothing is (`brake`).
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Collection, Iterable, Sequence

from helix.config import FollowConfig
from helix.errors import HelixError, OutsideVault
from helix.follow.brake import Brake
from helix.follow.lane import FollowReport, Lane
from helix.vault.paths import Root


class Vanished:
    """Those of one lane."""

    def __init__(
        self, lane: Lane, root: Root, brake: Brake, config: FollowConfig, monotonic: Callable[[], float]
    ) -> None:
        self._lane = lane
        self._root = root
        self._brake = brake
        self._grace = config.vanish_grace
        self._monotonic = monotonic
        self._missing: dict[str, float] = {}

    @property
    def paths(self) -> list[str]:
        return list(self._missing)

    def next_due(self) -> float | None:
        """When the next of them has been away long enough to be believed."""
        return min(self._missing.values()) + self._grace if self._missing else None

    def miss(self, paths: Iterable[str]) -> None:
        now = self._monotonic()
        for path in paths:
            if not self._is_evicted(path):
                self._missing.setdefault(path, now)

    def found(self, paths: Collection[str]) -> None:
        for path in self._missing.keys() & paths:
            del self._missing[path]

    def drop_moved(self, report: FollowReport) -> None:
        """What moved elsewhere is believed at once."""
        self.drop([path for path in self._missing if self._lane.is_elsewhere(path, self._missing)], report)

    def tell_brake(self) -> None:
        missing = len(self._missing)
        self._brake.look(
            missing, self._lane.count_known() if missing else 0, self._monotonic(), self._lane.kind
        )

    def drop_believed(self, report: FollowReport) -> None:
        """Those whose grace period is over."""
        now = self._monotonic()
        gone = self.drop(
            [path for path, since in self._missing.items() if since <= now - self._grace], report
        )
        self._brake.dropped(gone, now, self._lane.kind)

    def drop(self, paths: Sequence[str], report: FollowReport) -> Sequence[str]:
        """Drop those of these files that are really gone, and name them."""
        gone = [path for path in paths if not self._may_be_there(path)]
        if gone:
            self._lane.drop(gone, report)
        for path in paths:
            del self._missing[path]
        return gone

    def _may_be_there(self, path: str) -> bool:
        try:
            return stat.S_ISREG(self._root.stat(path).st_mode)
        except (FileNotFoundError, OutsideVault):
            return False
        except HelixError:
            return True  # it cannot be looked at, which does not mean that it is gone

    def _is_evicted(self, path: str) -> bool:
        """iCloud replaces a file that it took off this machine by `.name.icloud`; the memory still exists."""
        folder, _, name = path.rpartition("/")
        return self._may_be_there(f"{folder}/.{name}.icloud" if folder else f".{name}.icloud")
