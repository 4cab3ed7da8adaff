"""The one door into the index: makes the catalog say what the disk says.

A write by Helix and an edit by a person both end here. The catalog's rows are committed last, so whatever is
interrupted is simply reconciled again.
"""

from __future__ import annotations

import stat
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from helix.config import FollowConfig
from helix.errors import HelixError, OutsideVault, StorageError, VaultUnavailable
from helix.follow.brake import Brake
from helix.follow.lane import Lane, Progress, Report
from helix.follow.stable_read import Looked, Looker
from helix.follow.vanished import Vanished
from helix.index.catalog import Catalog, Row
from helix.vault.diff import Change, Difference, Origin, diff
from helix.vault.ignore import IGNORE_FILE, MAX_RULES, Ignore
from helix.vault.links import from_link
from helix.vault.note import Note
from helix.vault.problem import Problem
from helix.vault.times import format_time
from helix.vault.tombstones import Tombstone
from helix.vault.vault import Standing, Vault
from helix.vault.walk import Signature, Walk, is_note, walk

# Files that are read, settled and committed together: bounds the memory that a large drop takes.
_BATCH = 500

Tail = Callable[[Sequence[Change]], None]
"""the index behind the catalog: takes the changed memories before their rows are committed"""


@dataclass(frozen=True)
class Committed:
    """What the catalog has just taken in."""

    paths: Mapping[str, Change | None]
    """every file that was looked at or dropped, with the memory that changed by it, if one did"""
    changes: Sequence[Change]
    """every memory that changed, also one that now stands in a file nobody looked at"""
    folded: Mapping[str, Sequence[str]]
    """by memory, the copies that became stubs: their text is in the memory now"""


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
    ) -> Report:
        """Take in what changed at these paths (files or folders), or anywhere.

        `settled` is for files that Helix has just written itself: they need no second look.
        """
        with self.lock:
            report = Report()
            if not self._is_there():
                return report
            # What happened while the vault was away was told by nobody.
            wanted = None if paths is None or self._was_away else list(paths)
            self._was_away = False
            if wanted is None:
                self._renew()
                for lane in self._lanes:
                    lane.renew()
            ignore = self.vault.ignore()
            disk = self._look_at(wanted, ignore)
            if disk is None:
                return report
            if wanted is None:
                self._report_names(disk, ignore)
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

    def rebuild(self, *, accept_missing: bool = False, progress: Progress | None = None) -> Report:
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
            disk = self._list(paths, ignore)
        except (FileNotFoundError, NotADirectoryError):
            if self._is_there():  # back already; the next round sees it whole
                raise
            return None
        return disk if self._is_there() else None

    def _list(self, paths: Sequence[str] | None, ignore: Ignore) -> Walk:
        if paths is None:
            return walk(self.vault.root.path, ignore, follows=self._follows)
        found = Walk()
        for path in paths:
            try:
                info = self.vault.root.stat(path)
            except (FileNotFoundError, OutsideVault):
                continue
            except StorageError:
                found.unreadable.append(path)
                continue
            if stat.S_ISREG(info.st_mode) and self._follows(path) and not ignore.hides(path):
                found.files[path] = Signature.of(info)
            elif stat.S_ISDIR(info.st_mode) and not ignore.skips_below(path):
                # The watcher tells of a folder that was moved in, not of the files in it.
                found.add(walk(self.vault.root.path, ignore, path, self._follows))
        return found

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

    def _report_names(self, disk: Walk, ignore: Ignore) -> None:
        with self.catalog.transaction():
            self.catalog.clear_problems("unreadable-folder")
            for folder in disk.unreadable:
                reason = "the folder cannot be listed; its memories stay as they were last seen"
                remedy = "check its permissions"
                self.catalog.put_problem(Problem(folder or ".", "unreadable-folder", reason, remedy))
            self.catalog.clear_problems("odd-file-name")
            for name in disk.odd_names:
                reason, remedy = "the file name is not UTF-8, so the file is not followed", "rename the file"
                self.catalog.put_problem(Problem(name, "odd-file-name", reason, remedy))
            self.catalog.clear_problems("bad-ignore-rule")
            self.catalog.clear_problems("ignore-file-unread")
            if ignore.why_unread:
                remedy = "put a regular file of at most 64 KiB in its place"
                self.catalog.put_problem(
                    Problem(
                        IGNORE_FILE,
                        "ignore-file-unread",
                        f"{ignore.why_unread}: its rules hide nothing",
                        remedy,
                    )
                )
            elif ignore.first_unread is not None:
                reason = "from this line on the rules hide nothing: there are too many"
                remedy = f"say the same with at most {MAX_RULES} rules"
                self.catalog.put_problem(
                    Problem(IGNORE_FILE, "ignore-file-unread", reason, remedy, ignore.first_unread)
                )
            for line in ignore.bad_lines[:1]:
                reason, remedy = "the line is no pattern and hides nothing", "correct the line, or delete it"
                self.catalog.put_problem(Problem(IGNORE_FILE, "bad-ignore-rule", reason, remedy, line))

    # What is gone

    def _drop_vanished(self, report: Report) -> None:
        """Drop the rows of files that moved elsewhere at once, of the others after their grace period."""
        for vanished in self._vanished:
            vanished.drop_moved(report)
        # Of every lane first: one that disappeared stops them all.
        for vanished in self._vanished:
            vanished.tell_brake()
        if self.brake.reason is None:
            for vanished in self._vanished:
                vanished.drop_believed(report)


class NoteLane(Lane):
    """The notes: what they say goes into the catalog, and by `tail` into the index behind it."""

    kind = "notes"

    def __init__(self, vault: Vault, catalog: Catalog, tail: Tail, looker: Looker) -> None:
        self.vault = vault
        self.catalog = catalog
        self.tail = tail
        self.on_commit: list[Callable[[Committed], None]] = []
        self._looker = looker
        self._news: set[str] = set()
        """memories whose files in the catalog may count for something else than when they were read"""
        self._tell_ancestry()

    def owns(self, path: str) -> bool:
        return is_note(path)

    def known(self, below: str | None = None) -> Mapping[str, Signature]:
        return self.catalog.signatures(below)

    def count_known(self) -> int:
        return self.catalog.count_seen()

    def forget_signatures(self) -> None:
        self.catalog.forget_signatures()

    def renew(self) -> None:
        self._tell_ancestry()

    def take_in(
        self, files: Mapping[str, Signature], report: Report, *, settled: bool, progress: Progress | None
    ) -> None:
        paths = list(files)
        if len(paths) > _BATCH:
            self._look_ahead(paths)
        for start in range(0, len(paths), _BATCH):
            self._take_in(paths[start : start + _BATCH], files, report, settled)
            if progress is not None:
                progress(min(start + _BATCH, len(paths)), len(paths))
        if self.catalog.doubted():
            self._commit({}, (), report)

    def drop(self, paths: Sequence[str], report: Report) -> None:
        self._commit({}, paths, report)

    def is_elsewhere(self, path: str, missing: Collection[str]) -> bool:
        """Whether the memory, or for a file without an id at least its text, is in a file that is there."""
        row = self.catalog.at(path)
        if row is None:
            return False
        others = self.catalog.rows_of(row.id) if row.has_id else self.catalog.rows_with(row.hash)
        return any(other.path not in missing and not other.is_stub and not other.is_stale for other in others)

    def _tell_ancestry(self) -> None:
        """Its file was lost or is of an earlier version: the catalog still knows what was forgotten and erased."""
        ancestry = self.vault.ancestry
        if not ancestry.is_new:
            return
        for row in self.catalog.memories(include_hidden=True):
            at = row.meta.get("deleted_at")
            if row.status == "erased":
                at = at or format_time(self.vault.clock())
            if row.status == "superseded" or (at is not None and row.status in ("deleted", "erased")):
                try:
                    file = self.vault.read_file(row.path)
                except (FileNotFoundError, HelixError):
                    file = None
                record = file.document if file is not None and file.hash == row.hash else None
                known = Tombstone(row.status, at, row.meta.get("restored_at"), row.path, record)
                ancestry.put_tombstone(row.id, known)
        ancestry.is_new = False

    def _look_ahead(self, paths: Sequence[str]) -> None:
        """Files are taken in by parts, and what a later part says was erased must not be told from an earlier one."""
        for start in range(0, len(paths), _BATCH):
            notes = []
            for path in paths[start : start + _BATCH]:
                try:
                    data = self.vault.root.read(path, self.vault.max_note_bytes)
                    if b"deleted_at" in data:
                        notes.append(Note.parse(path, data))
                except (FileNotFoundError, HelixError):
                    continue  # whoever takes it in says what is wrong
            self._news |= self.vault.learn(notes)

    def _take_in(
        self, paths: Sequence[str], disk: Mapping[str, Signature], report: Report, settled: bool
    ) -> None:
        looked = self._looker.look(disk, paths, settled=settled)
        report.unsettled += [path for path, seen in looked.items() if seen is None]
        self._commit({path: seen for path, seen in looked.items() if seen is not None}, (), report)

    def _commit(self, looked: Mapping[str, Looked], dropped: Sequence[str], report: Report) -> None:
        looked = {path: self._or_last_good(path, seen) for path, seen in looked.items()}
        files = [seen.note for seen in looked.values() if seen.note is not None]
        ancestry = self.vault.ancestry
        ancestry.catch_up()
        for file in files:
            row = self.catalog.at(file.path) if file.has_id else None
            if row is not None and not row.has_id:
                ancestry.was_known_as(file.id, row.id)
        known_erased = {file.id for file in files if ancestry.erased_at(file.id) is not None}
        news, self._news = self._news | self.vault.learn(files), set()
        # From here on a file counts for what its memory is, by all that is known: nobody is told an old text first.
        standing = {file.path: self.vault.stand(file) for file in files}
        looked = {path: _as_it_stands(seen, standing.get(path)) for path, seen in looked.items()}
        notes = [stands.note for stands in standing.values()]
        # Any state may be the base of a merge to come, a person's too: another machine may build on it.
        unknown = ancestry.remember_all(
            (file.id, file.document)
            for file in files
            if file.ancestors and not file.is_stub and standing[file.path].needs != "erase"
        )
        origins = {note.path: self._origin(note, unknown, known_erased) for note in notes}
        touched = {note.id for note in notes} | news
        touched |= {row.id for path in (*looked, *dropped) if (row := self.catalog.at(path)) is not None}
        # The index is told before the catalog is committed. Should the process end in between, these are told
        # again, whatever has become of them by then.
        doubted = self.catalog.doubted()
        if touched:
            with self.catalog.transaction():
                self.catalog.doubt(touched)
        with self.catalog.transaction():
            before = {memory_id: self.catalog.find(memory_id) for memory_id in touched | doubted}
            for path, seen in looked.items():
                self.catalog.see(path, seen.signature)
                if path in standing:
                    self.catalog.put(standing[path].note, standing[path].needs)
                if seen.problem is not None:
                    self.catalog.put_problem(seen.problem)
            for path in dropped:
                self.catalog.drop(path)
            for memory_id in news:
                self._look_again(memory_id, looked)
            told = [
                self._change(memory_id, was, looked, memory_id in doubted)
                for memory_id, was in sorted(before.items())
            ]
            changes = [
                replace(change, origin=origins.get(change.path, Origin.EDITED))
                for change in told
                if change is not None
            ]
            if changes:
                self.tail(changes)
            if before:
                self.catalog.end_doubts()
        report.changes += changes
        by_path = {change.path: change for change in changes}
        taken = {path: by_path.get(path) for path in (*looked, *dropped)}
        folded: dict[str, list[str]] = {}
        for note in notes:
            if note.is_stub and (into := from_link(note.meta.get("merged_into"))) is not None:
                folded.setdefault(into, []).append(note.path)
        for tell in self.on_commit:
            tell(Committed(taken, changes, folded))

    def _or_last_good(self, path: str, seen: Looked) -> Looked:
        """What a file said while its properties could be read is worth more than its text alone."""
        if seen.note is None or seen.note.unread is None:
            return seen
        row = self.catalog.at(path)
        return seen if row is None or row.is_unread else replace(seen, note=None)

    def _look_again(self, memory_id: str, looked: Mapping[str, Looked]) -> None:
        """Something became known of a memory: its other files may count for something else now."""
        for row in self.catalog.rows_of(memory_id):
            if row.path not in looked and not row.is_stub and not row.is_stale:
                self._note_in(row, looked)

    def _origin(self, note: Note, unknown: Set[str], known_erased: Set[str]) -> Origin:
        if note.is_erased:
            return Origin.HERE if note.id in known_erased else Origin.ELSEWHERE
        if note.ancestors[:1] != [note.state]:
            return Origin.EDITED
        return Origin.ELSEWHERE if note.id in unknown else Origin.HERE

    def _change(
        self, memory_id: str, was: Row | None, looked: Mapping[str, Looked], doubted: bool
    ) -> Change | None:
        """What the index has to be told about a memory, if anything."""
        was_at = None if was is None else was.path
        while (now := self.catalog.find(memory_id)) is not None:
            if was is not None and not doubted and (was.path, was.hash) == (now.path, now.hash):
                return None
            note = self._note_in(now, looked)
            if note is not None:
                return Change(memory_id, now.path, note, was_at)
            # What the index cannot be told the catalog must not say. The next scan looks at the file anew.
            if now.path in looked:
                self.catalog.drop_note(now.path)
            else:
                self.catalog.drop(now.path)
        return None if was is None and not doubted else Change(memory_id, was_at or "", None, was_at)

    def _note_in(self, row: Row, looked: Mapping[str, Looked]) -> Note | None:
        if row.path in looked:
            return looked[row.path].note
        try:
            read = self.vault.read_leniently if row.is_unread else self.vault.read_file
            stands = self.vault.stand(read(row.path))
        except (FileNotFoundError, HelixError):
            return None
        if stands.note.id != row.id:
            return None
        self.catalog.put(stands.note, stands.needs)
        return stands.note


def _as_it_stands(seen: Looked, stands: Standing | None) -> Looked:
    if stands is None:
        return seen
    # What is wrong with a file may quote it, so nothing is said of the text of an old one that came back.
    problem = None if stands.needs in ("erase", "bury") else seen.problem
    return replace(seen, note=stands.note, problem=problem)


def _counted(progress: Progress | None, differences: Sequence[Difference]) -> Iterator[Progress | None]:
    """For each lane what it tells of its progress to: one count over the files of all."""
    sizes = [len(difference.changed) + len(difference.new) for difference in differences]
    for done in accumulate(sizes[:-1], initial=0):
        yield None if progress is None else partial(_add_progress, progress, done, sum(sizes))


def _add_progress(progress: Progress, before: int, total: int, done: int, _: int) -> None:
    progress(before + done, total)


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return any(not folder or path == folder or path.startswith(f"{folder}/") for folder in folders)
