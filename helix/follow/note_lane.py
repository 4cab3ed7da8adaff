"""The notes: what they say goes into the catalog, and from there into the index behind it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from helix.errors import HelixError
from helix.follow.lane import FollowReport, Lane, Progress
from helix.follow.stable_read import Looked, Looker
from helix.index.catalog import Catalog, Row
from helix.vault.diff import Change, Origin
from helix.vault.links import from_link
from helix.vault.note import Note
from helix.vault.times import format_time
from helix.vault.tombstones import Tombstone
from helix.vault.vault import Standing, Vault
from helix.vault.walk import Signature, is_note

# Files that are read, settled and committed together: bounds the memory that a large drop takes.
_BATCH = 500

Tail = Callable[[Sequence[Change]], None]
"""the index behind the catalog: takes the changed memories once their rows are committed"""


@dataclass(frozen=True)
class Committed:
    """What the catalog has just taken in."""

    paths: Mapping[str, Change | None]
    """every file that was looked at or dropped, with the memory that changed by it, if one did"""
    changes: Sequence[Change]
    """every memory that changed, also one that now stands in a file nobody looked at"""
    folded: Mapping[str, Sequence[str]]
    """by memory, the copies that became stubs: their text is in the memory now"""


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

    def renew_folder_rules(self) -> None:
        """Other rules than the catalog was made with: every note is looked at again, whatever its signature says."""
        rules = self.vault.read_folder_rules()
        if rules != self.catalog.folder_rules():
            with self.catalog.transaction():
                self.catalog.put_folder_rules(rules)
            self.catalog.forget_signatures()

    def take_in(
        self,
        files: Mapping[str, Signature],
        report: FollowReport,
        *,
        settled: bool,
        progress: Progress | None,
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

    def drop(self, paths: Sequence[str], report: FollowReport) -> None:
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
            at = row.deleted_at
            if row.status == "erased":
                at = at or format_time(self.vault.clock())
            if row.status == "superseded" or (at is not None and row.status in ("deleted", "erased")):
                try:
                    file = self.vault.read_file(row.path)
                except (FileNotFoundError, HelixError):
                    file = None
                record = file.document if file is not None and file.hash == row.hash else None
                known = Tombstone(row.status, at, row.restored_at, row.path, record)
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
        self, paths: Sequence[str], disk: Mapping[str, Signature], report: FollowReport, settled: bool
    ) -> None:
        looked = self._looker.look(disk, paths, settled=settled)
        report.unsettled += [path for path, seen in looked.items() if seen is None]
        self._commit({path: seen for path, seen in looked.items() if seen is not None}, (), report)

    def _commit(self, looked: Mapping[str, Looked], dropped: Sequence[str], report: FollowReport) -> None:
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
        # The index is told outside the transaction: it may be slow, or far away. Until it was, its memories are in
        # doubt; should the process end in between, they are told again, whatever has become of them by then.
        doubted = self.catalog.doubted()
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
            found = [
                self._change(memory_id, was, looked, memory_id in doubted)
                for memory_id, was in sorted(before.items())
            ]
            changes = [
                replace(change, origin=origins.get(change.path, Origin.EDITED))
                for change in found
                if change is not None
            ]
            self.catalog.doubt(change.memory_id for change in changes)
        if changes:
            self.tail(changes)
            with self.catalog.transaction():
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
            if was is not None and not doubted and _known_by(was) == _known_by(now):
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


def _known_by(row: Row) -> tuple[str | None, ...]:
    """What tells two states of a memory apart: a rule of its folder makes another owner of the same file."""
    return row.path, row.hash, row.owner, row.visibility


def _as_it_stands(seen: Looked, stands: Standing | None) -> Looked:
    if stands is None:
        return seen
    # What is wrong with a file may quote it, so nothing is said of the text of an old one that came back.
    problem = None if stands.needs in ("erase", "bury") else seen.problem
    return replace(seen, note=stands.note, problem=problem)
