"""The one door into the index: makes the catalog say what the disk says.

A write by Helix and an edit by a person both end here. Whatever is interrupted is simply done again: what is not
committed is reconciled again, and what the index was not told yet is noted in the catalog and told again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate

from helix.config import FollowConfig
from helix.errors import VaultUnavailable
from helix.follow.brake import Brake
from helix.follow.lane import FollowReport, Lane, Progress
from helix.follow.listing import list_files, report_names
from helix.follow.note_lane import Committed, NoteLane, Tail
from helix.follow.stable_read import Looker
from helix.follow.vanished import Vanished
from helix.index.catalog import Catalog
from helix.vault.diff import Difference, diff
from helix.vault.ignore import Ignore
from helix.vault.vault import Vault
from helix.vault.walk import Signature, Walk


class Reconciler:
    def __init__(
        self,
        vault: Vault,
        catalog: Catalog,
        config: FollowConfig,
        *,
        lanes: Sequence[Lane] = (),
        tail: Tail = lambda changes: None,
        renew: Callable[[], None] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """`lanes` are the kinds of file that are followed beside the notes."""
        self.vault = vault
        self.catalog = catalog
        self.config = config
        self.brake = Brake(config)
        self.lock = threading.RLock()
        """the one writer lock: reconciling, and whatever must not run beside it"""
        self.notes = NoteLane(vault, catalog, tail, Looker(vault, config.settle_ms / 1000, wall, pause))
        self.on_scan: list[Callable[[], None]] = []
        """each is told when the catalog says what the whole disk says"""
        self.has_scanned = False
        # Before a full look: whatever somebody deleted of the state folder is made anew.
        self._renew = renew
        self._lanes: Sequence[Lane] = (self.notes, *lanes)
        self._vanished = [Vanished(lane, vault.root, self.brake, config, monotonic) for lane in self._lanes]
        self._was_away = False

    @property
    def on_commit(self) -> list[Callable[[Committed], None]]:
        return self.notes.on_commit

    @property
    def tail(self) -> Tail:
        return self.notes.tail

    @tail.setter
    def tail(self, tail: Tail) -> None:
        self.notes.tail = tail

    def reconcile(
        self, paths: Iterable[str] | None = None, *, settled: bool = False, progress: Progress | None = None
    ) -> FollowReport:
        """Take in what changed at these paths (files or folders), or anywhere.

        `settled` is for files that Helix has just written itself: they need no second look.
        """
        with self.lock:
            report = FollowReport()
            if not self._is_there():
                return report
            # What happened while the vault was away was told by nobody.
            wanted = None if paths is None or self._was_away else list(paths)
            self._was_away = False
            if wanted is None:
                self._renew()
                for lane in self._lanes:
                    lane.renew()
                self.notes.renew_folder_rules()
            ignore = self.vault.ignore()
            disk = self._look_at(wanted, ignore)
            if disk is None:
                return report
            if wanted is None:
                report_names(self.catalog, disk, ignore)
            differences = [self._difference(lane, disk, wanted) for lane in self._lanes]
            counted = _counted(progress, differences)
            for lane, difference in zip(self._lanes, differences, strict=True):
                self.brake.returned(difference.new)
                files = {path: disk.files[path] for path in (*difference.changed, *difference.new)}
                lane.take_in(files, report, settled=settled, progress=next(counted))
            for lane, vanished, difference in zip(self._lanes, self._vanished, differences, strict=True):
                gone = [path for path in difference.gone if not _is_below(path, disk.unreadable)]
                hidden = {path for path in gone if ignore.hides(path) or not lane.owns(path)}
                if hidden:
                    lane.drop(sorted(hidden), report)
                vanished.miss(path for path in gone if path not in hidden)
                vanished.found(disk.files.keys())
            self._drop_vanished(report)
            report.temporary = disk.temporary
            if wanted is None:
                self.has_scanned = True
                for tell in self.on_scan:
                    tell()
            return report

    def rebuild(self, *, accept_missing: bool = False, progress: Progress | None = None) -> FollowReport:
        """Read every file again. With `accept_missing` a person says that what is missing is gone on purpose."""
        with self.lock:
            report = self.reconcile()
            if accept_missing and self._is_there():
                self.brake.release()
                for vanished in self._vanished:
                    vanished.drop(sorted(vanished.paths), report)
            if self.brake.reason is not None:
                raise VaultUnavailable(self.brake.reason)
            for lane in self._lanes:
                lane.forget_signatures()
            again = self.reconcile(progress=progress)
            return replace(again, changes=report.changes + again.changes)

    def next_vanish(self) -> float | None:
        """When the next missing file has been away long enough to be believed."""
        if self.brake.reason:
            return None
        times = (vanished.next_due() for vanished in self._vanished)
        return min((due for due in times if due is not None), default=None)

    @property
    def missing(self) -> list[str]:
        return sorted(path for vanished in self._vanished for path in vanished.paths)

    # What is there

    def _is_there(self) -> bool:
        if self.vault.is_there():
            return True
        self._was_away = True
        folder = self.vault.root.path
        self.brake.pull(
            f"the vault folder {folder} is not there (unmounted, moved or replaced); nothing was dropped"
        )
        return False

    def _look_at(self, paths: Sequence[str] | None, ignore: Ignore) -> Walk | None:
        """What is on disk, or None: what was listed while the vault went away says nothing."""
        try:
            disk = list_files(self.vault.root, paths, ignore, self._follows)
        except (FileNotFoundError, NotADirectoryError):
            if self._is_there():  # back already; the next round sees it whole
                raise
            return None
        return disk if self._is_there() else None

    def _follows(self, path: str) -> bool:
        return any(lane.owns(path) for lane in self._lanes)

    def _difference(self, lane: Lane, disk: Walk, paths: Sequence[str] | None) -> Difference:
        files = disk.files
        if len(self._lanes) > 1:
            files = {path: signature for path, signature in files.items() if lane.owns(path)}
        if paths is None:
            return diff(files, lane.known())
        known: dict[str, Signature] = {}
        for path in paths:
            known |= lane.known(path)
        return diff(files, known)

    # What is gone

    def _drop_vanished(self, report: FollowReport) -> None:
        """Drop the rows of files that moved elsewhere at once, of the others after their grace period."""
        for vanished in self._vanished:
            vanished.drop_moved(report)
        # Of every lane first: one that disappeared stops them all.
        for vanished in self._vanished:
            vanished.tell_brake()
        if self.brake.reason is None:
            for vanished in self._vanished:
                vanished.drop_believed(report)


def _counted(progress: Progress | None, differences: Sequence[Difference]) -> Iterator[Progress | None]:
    """For each lane what it tells of its progress to: one count over the files of all."""
    sizes = [len(difference.changed) + len(difference.new) for difference in differences]
    for done in accumulate(sizes[:-1], initial=0):
        yield None if progress is None else partial(_add_progress, progress, done, sum(sizes))


def _add_progress(progress: Progress, before: int, total: int, done: int, _: int) -> None:
    progress(before + done, total)


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return any(not folder or path == folder or path.startswith(f"{folder}/") for folder in folders)
