"""The one atomic writer of the whole program.

A write is complete and on disk under a temp name before the note is touched; the note is compared with the
hash the write was based on; then the two names are swapped in one step and the folder is synced. Only
then is the write acknowledged. The file that was swapped out stays for a while (see `leftovers`), because
an editor that opened it a moment ago may still save into it.
"""

from __future__ import annotations

import contextlib
import errno
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from helix.errors import (
    AlreadyExists,
    HelixError,
    OutsideVault,
    StaleHash,
    StorageError,
    VaultUnavailable,
)
from helix.vault import leftovers as _leftovers
from helix.vault.authors import Authors
from helix.vault.draft import DraftFile
from helix.vault.folder import Folder, NotRegular
from helix.vault.hashes import content_hash
from helix.vault.leftovers import Leftover, LeftoverFinding, complete_name
from helix.vault.paths import MAX_NOTE_BYTES, Root, check, split
from helix.vault.syscalls import UNSUPPORTED
from helix.vault.syscalls import exchange as _exchange
from helix.vault.syscalls import rename_new as _rename_new

__all__ = ["Files", "Leftover", "LeftoverFinding", "Outcome", "Write", "Written"]

_HASH = re.compile(r"[0-9a-f]{64}")
# FAT and its kin answer a link with EPERM.
_NO_LINKS = UNSUPPORTED | {errno.EPERM}
# Temps stay open between writing and syncing; macOS allows 256 open files by default.
_OPEN_AT_ONCE = 64


@dataclass(frozen=True)
class Write:
    path: str
    data: bytes
    expect: str | None  # hash of the content this write was based on; None: there must be no file yet


@dataclass(frozen=True)
class Written:
    path: str
    hash: str
    late_save: bool = False  # the file that was swapped out is not what was expected: examine it soon
    leftover: Leftover | None = None  # where the old file lies now


Outcome = Written | StaleHash | AlreadyExists | StorageError | OutsideVault


class _Job:
    """One write on its way through a batch, and how it ended."""

    def __init__(self, write: Write) -> None:
        self.write = write
        self.rel_dir, self.name = split(write.path)
        self.draft: DraftFile | None = None
        self.outcome: Outcome | None = None

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """Run one step; a failure becomes the outcome and leaves no temp behind."""
        try:
            yield
        except (StaleHash, AlreadyExists, StorageError, OutsideVault) as error:
            self.outcome = error
        except NotRegular:
            self.outcome = StaleHash(f"{self.write.path} is no longer a regular file")
        except OSError as error:
            self.outcome = StorageError.from_os(error, f"write {self.write.path}")
            self.outcome.__cause__ = error
        if isinstance(self.outcome, HelixError):
            self.drop()

    def drop(self) -> None:
        if self.draft is not None:
            self.draft.drop()
            self.draft = None


class Files:
    def __init__(self, root: Root, largest: int = MAX_NOTE_BYTES) -> None:
        self._root = root
        self._largest = largest
        self.authors = Authors()
        # Between our own threads the check and the swap are one step, so one of two gets StaleHash.
        self._swapping = threading.Lock()
        self.has_exchange = True  # until a file system says that it cannot swap two names

    def write(self, write: Write) -> Written:
        [outcome] = self.commit([write])
        if isinstance(outcome, HelixError):
            raise outcome
        return outcome

    def commit(self, writes: Sequence[Write]) -> list[Outcome]:
        """Write a batch; the files of one folder share its sync. Each write fails or succeeds alone.

        A new note's folder is created when it is missing.
        """
        if not self._root.alive():
            raise VaultUnavailable(f"the folder at {self._root.path} is not the one that was opened")
        jobs = [_Job(write) for write in writes]
        with contextlib.ExitStack() as opened:
            folders: dict[str, Folder] = {}
            try:
                for start in range(0, len(jobs), _OPEN_AT_ONCE):
                    self._prepare(jobs[start : start + _OPEN_AT_ONCE], folders, opened)
                for job in jobs:
                    if job.draft is not None:
                        with job.step(), self._swapping:
                            job.outcome = self._place(job, job.draft)
            finally:
                _drop_unplaced(jobs)
            for rel_dir, folder in folders.items():
                _acknowledge([job for job in jobs if job.rel_dir == rel_dir], folder)
        return [job.outcome for job in jobs if job.outcome is not None]

    def leftovers(self, rel_dir: str) -> list[Leftover]:
        return _leftovers.leftovers(self._root, rel_dir)

    def examine(self, leftover: Leftover, now: float, linger: float = 2.0) -> LeftoverFinding:
        """Say what is in a temp. It is judged once it has been left alone for `linger` seconds."""
        return _leftovers.examine(self._root, leftover, now, linger, self._largest)

    def discard(self, finding: LeftoverFinding) -> bool:
        """Remove a temp that was examined; False when its content has changed since, or is changing."""
        return _leftovers.discard(self._root, finding, self._largest)

    def _prepare(self, jobs: list[_Job], folders: dict[str, Folder], opened: contextlib.ExitStack) -> None:
        """Bring the new contents to disk under temp names. All are written before the first is synced."""
        for job in jobs:
            with job.step():
                expect = job.write.expect
                check(job.write.path)
                if expect is not None and not _HASH.fullmatch(expect):
                    raise StaleHash(f"{expect!r} is not the hash of any content")
                if job.rel_dir not in folders:
                    folders[job.rel_dir] = opened.enter_context(self._open_folder(job))
                like = job.name if expect is not None else None
                job.draft = DraftFile(folders[job.rel_dir], job.write.data, like)
        for job in jobs:
            if job.draft is not None:
                with job.step():
                    job.draft.sync()

    def _open_folder(self, job: _Job) -> Folder:
        try:
            return self._root.folder(job.rel_dir)
        except (FileNotFoundError, NotADirectoryError) as error:
            if job.write.expect is not None:
                raise StaleHash(f"{job.write.path} is not there any more") from error
        self._root.make_dirs(job.rel_dir)
        return self._root.folder(job.rel_dir)

    def _place(self, job: _Job, draft: DraftFile) -> Written:
        # Of the very bytes that went into the draft, whatever the caller believes them to be.
        digest = content_hash(job.write.data)
        # First: the follower may see the file before this thread goes on.
        self.authors.sign(digest)
        if job.write.expect is None:
            self._create(job, draft)
            return Written(job.write.path, digest)
        draft.complete(digest, job.write.expect)
        return self._replace(job, draft, digest, job.write.expect)

    def _replace(self, job: _Job, draft: DraftFile, digest: str, expect: str) -> Written:
        folder, path = draft.folder, job.write.path
        try:
            if folder.digest(job.name) != expect:
                raise StaleHash(f"{path} changed since it was read")
            swapped = self._swap(folder, draft.name, job.name)
            old = (
                draft.name if swapped else _replace_by_rename(draft, job.name, complete_name(digest, expect))
            )
        except FileNotFoundError as error:
            # vim and emacs move a note away for a moment while they save it.
            raise StaleHash(f"{path} is not there any more") from error
        if old is None:
            return Written(path, digest)
        try:
            late = folder.digest(old) != expect
        except (NotRegular, OutsideVault) as error:
            # In the instant after the check the note became a folder or a link: put that back.
            if swapped:
                _exchange(folder.fd, old, job.name)
            else:
                folder.replace(old, job.name)
            raise StaleHash(f"{path} is no longer a regular file") from error
        except OSError:
            late = True  # the new content is in place; whoever examines the old file will see why
        return Written(path, digest, late, Leftover.find(job.rel_dir, old))

    def _swap(self, folder: Folder, temp: str, name: str) -> bool:
        """False when this file system cannot swap."""
        try:
            _exchange(folder.fd, temp, name)
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
            self.has_exchange = False
            return False
        return True

    def _create(self, job: _Job, draft: DraftFile) -> None:
        try:
            try:
                _rename_new(draft.folder.fd, draft.name, job.name)
            except OSError as error:
                if error.errno not in UNSUPPORTED:
                    raise
                self._create_by_link(job, draft)
        except FileExistsError as error:
            raise AlreadyExists(f"{job.write.path} exists already") from error

    def _create_by_link(self, job: _Job, draft: DraftFile) -> None:
        """A link never replaces. Drives without links get the smallest window there is."""
        try:
            draft.folder.link(draft.name, job.name)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self.has_exchange = False
            with contextlib.suppress(FileNotFoundError):
                draft.folder.stat(job.name)
                raise FileExistsError(errno.EEXIST, "exists", job.name) from error
            draft.folder.rename(draft.name, job.name)
        else:
            draft.drop()


def _replace_by_rename(draft: DraftFile, name: str, kept: str) -> str | None:
    """Replace where nothing can be swapped. The name under which the old file is kept, if it can be.

    A second link keeps the old file for an editor that has it open. What another program renames over the
    note between the check and our rename is lost: that instant is as short as it can be made.
    """
    try:
        draft.folder.link(name, kept)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        draft.folder.replace(draft.name, name)
        return None
    try:
        draft.folder.replace(draft.name, name)
    except OSError:
        with contextlib.suppress(OSError):
            draft.folder.unlink(kept)
        raise
    return kept


def _drop_unplaced(jobs: list[_Job]) -> None:
    """Only an interrupt (Ctrl-C) leaves jobs without an outcome."""
    for job in jobs:
        if job.outcome is None:
            job.drop()


def _acknowledge(jobs: list[_Job], folder: Folder) -> None:
    """Sync the folder that the jobs wrote to; until that is done none of them has happened."""
    written = [job for job in jobs if isinstance(job.outcome, Written)]
    if not written:
        return
    try:
        folder.sync()
    except OSError as error:
        for job in written:
            job.outcome = StorageError.from_os(error, f"sync the folder of {job.write.path}")
