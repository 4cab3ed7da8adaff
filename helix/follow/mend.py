"""What Helix writes into the vault on its own account, because of what it found there.

Conflict copies are folded together, flipped status lines get their register, late arrivals of an erased
memory are erased, saves that raced a write are merged back. Each waits for its files to be quiet first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from helix.errors import (
    AlreadyExists,
    EditRefused,
    HelixError,
    MemoryErased,
    NoteError,
    OutsideVault,
    StaleHash,
    StorageError,
)
from helix.follow.copies import Copies
from helix.follow.reconcile import Reconciler
from helix.index.catalog import Row
from helix.vault.authors import HELIX, Author, acting, doing
from helix.vault.checkouts import Checkouts
from helix.vault.folding import MergePlan, lacks_base, merge_copies, plan_merge
from helix.vault.late_saves import is_of_erased, recover
from helix.vault.leftovers import AT_ONCE, Leftover, State
from helix.vault.problem import Problem

# A sync client may carry out a rename as "create the new file, then delete the old one", seconds apart. Two
# files that say the same need no merge, so there is time to see whether one of them goes away.
_SAME_TEXT_GRACE = 600.0
# Without the text of the last common state a merge keeps every line, and lines that somebody deleted come back.
# The machine that has the text merges at once; its result should arrive within this time.
_UNKNOWN_BASE_GRACE = 180.0
_QUIET = 2.0
_REFUSED = 60.0
_CHECKED_OUT = 10.0
# Letters of the texts whose merges are kept in memory until the lock is free; the others come next.
_PLANNED_AT_ONCE = 8 * 1024 * 1024
# Somebody is writing there, moved the file, or put a link where its folder was: come again.
_BUSY = (AlreadyExists, StaleHash, FileNotFoundError, StorageError, OutsideVault)
OLD_FILE = "old-file"
REFUSALS = (EditRefused.code, MemoryErased.code, OLD_FILE)
"""problems that only the mender finds, and so withdraws"""


@dataclass(frozen=True)
class Job:
    """Something to write. It names what its files say: when one of them changes it is another job, and waits anew."""

    kind: str
    """merge, or what a row needs: stamp | erase | bury"""
    memory_id: str
    files: tuple[tuple[str, str], ...]
    """path and content hash of each"""
    rows: Sequence[Row] = field(compare=False, repr=False)

    @classmethod
    def of(cls, kind: str, rows: Sequence[Row]) -> Job:
        return cls(kind, rows[0].id, tuple((row.path, row.hash) for row in rows), rows)

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.files]

    @property
    def is_late(self) -> bool:
        """Whether its file is an old one of a memory that was erased or hidden since."""
        return self.kind in ("erase", "bury")


class _CheckedOut(Exception):
    """Git put the old file there; it goes when another commit is checked out."""


class Mender:
    def __init__(
        self,
        reconciler: Reconciler,
        *,
        checkouts: Checkouts | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._reconciler = reconciler
        self._vault = reconciler.vault
        self._catalog = reconciler.catalog
        self._copies = Copies(self._catalog)
        reconciler.on_commit.append(self._copies.committed)
        reconciler.on_scan.append(self._copies.scanned)
        self._checkouts = checkouts
        self._monotonic = monotonic
        self._wall = wall
        self._waiting: dict[Job, float] = {}
        self._temporary: dict[str, float] = {}
        self._reported: dict[Job, Problem] = {}
        self._plans: dict[Job, MergePlan | Exception] = {}
        with self._catalog.transaction():
            for code in REFUSALS:
                self._catalog.clear_problems(code)
        self.merged = 0
        self.recovered = 0

    def look_for_leftovers(self, folders: Iterable[str]) -> None:
        """These folders may hold files that were swapped out, or that a crash left behind."""
        for folder in folders:
            self._temporary.setdefault(folder, self._monotonic() + self._reconciler.config.linger)

    def sweep(self, folders: Iterable[str]) -> None:
        """Look at these folders now: what was swapped out long enough ago is cleared, by a command too."""
        with self._reconciler.lock:
            for folder in folders:
                self._sweep(folder)

    def mend(self) -> float | None:
        """Do what is due; returns when to come again, if something waits."""
        self._plan_merges()
        with self._reconciler.lock:
            if (reason := self._reconciler.brake.reason) is not None:
                self._report_late(reason)
                return None
            now = self._monotonic()
            self._waiting = {job: self._waiting.get(job) or now + self._grace(job) for job in self._jobs()}
            self._withdraw([job for job in self._reported if job not in self._waiting])
            for job, due in list(self._waiting.items()):
                if due <= now and (job.kind != "merge" or job in self._plans):
                    self._try(job)
            self._plans.clear()
            for folder, due in list(self._temporary.items()):
                if due <= now:
                    self._sweep(folder)
            return min([*self._waiting.values(), *self._temporary.values()], default=None)

    def _jobs(self) -> list[Job]:
        return [*self._merges(), *(Job.of(row.needs, [row]) for row in self._catalog.needing())]

    def _merges(self) -> list[Job]:
        return [Job.of("merge", rows) for rows in self._copies.find()]

    def _plan_merges(self) -> None:
        """Work out the merges that are due before the lock is taken: two long texts take a while, and writes go on."""
        now, size = self._monotonic(), 0
        if not any(job.kind == "merge" and due <= now for job, due in self._waiting.items()):
            return
        for job in self._merges():
            if self._waiting.get(job, now + 1) <= now and size < _PLANNED_AT_ONCE:
                try:
                    plan = plan_merge(self._vault, job.memory_id, job.paths)
                    size += sum(len(note.document.body) for note in plan.notes)
                    self._plans[job] = plan
                except (FileNotFoundError, HelixError) as error:
                    self._plans[job] = error

    def _grace(self, job: Job) -> float:
        """How long its files have to be quiet first."""
        if job.kind != "merge":
            return _QUIET
        if len({row.state for row in job.rows}) == 1:
            return _SAME_TEXT_GRACE
        return _UNKNOWN_BASE_GRACE if lacks_base(self._vault, job.memory_id, job.paths) else _QUIET

    def _try(self, job: Job) -> None:
        try:
            with acting(HELIX):
                paths = self._merge(job) if job.kind == "merge" else self._write_needed(job)
            self._reconciler.reconcile(paths, settled=True)
            self.look_for_leftovers({path.rpartition("/")[0] for path in paths})
            del self._waiting[job]
        except _BUSY as error:
            self._waiting[job] = self._monotonic() + _QUIET
            # A vault that cannot be written to, most likely.
            if job.is_late and isinstance(error, StorageError):
                self._report(job, _late(job, error.message))
        except _CheckedOut:
            self._waiting[job] = self._monotonic() + _CHECKED_OUT
        except NoteError:
            # Whoever read the file has listed what is wrong.
            self._waiting[job] = self._monotonic() + _REFUSED
        except (EditRefused, MemoryErased) as error:
            self._waiting[job] = self._monotonic() + _REFUSED
            self._report(job, Problem.of(self._path_of(job), error))

    def _merge(self, job: Job) -> Sequence[str]:
        plan, paths = self._plans[job], job.paths
        if all(self._vault.root.exists(path) for path in paths):
            if isinstance(plan, Exception):
                raise plan
            outcome = merge_copies(self._vault, job.memory_id, paths, plan)
            self.merged += len(outcome.absorbed)
            paths.append(outcome.survivor.path)
        return paths

    def _write_needed(self, job: Job) -> Sequence[str]:
        [path] = job.paths
        if job.is_late and self._is_checked_out(path):
            raise _CheckedOut
        if job.kind == "erase":
            self._vault.erase(path, job.memory_id)
        elif job.kind == "bury":
            with doing(detail="an old file came back over it"):
                self._vault.bury(path, job.memory_id)
        else:
            with doing(detail="stamped with the time at which its status was flipped"):
                self._vault.settle_status(path, job.memory_id)
        return [path]

    def _path_of(self, job: Job) -> str:
        """Where a person should look: of several copies, at the one that counts."""
        row = self._catalog.find(job.memory_id) if job.kind == "merge" else None
        return job.paths[0] if row is None else row.path

    def _is_checked_out(self, path: str) -> bool:
        """Whether the old file is what git checked out: written again it would be a change of ours that stands in
        the way of the next checkout."""
        if self._checkouts is None:
            return False
        data = self._vault.root.read(path, self._vault.max_note_bytes)
        return self._checkouts.laid_out(path, data, self._vault.root.stat(path).st_ctime)

    def _report_late(self, reason: str) -> None:
        needed = (Job.of(row.needs, [row]) for row in self._catalog.needing())
        late = dict.fromkeys(job for job in needed if job.is_late)
        self._withdraw([job for job in self._reported if job.is_late and job not in late])
        for job in late:
            if job not in self._reported:
                self._report(job, _late(job, reason))

    def _report(self, job: Job, problem: Problem) -> None:
        self._reported[job] = problem
        with self._catalog.transaction():
            self._catalog.put_problem(problem)

    def _withdraw(self, jobs: Sequence[Job]) -> None:
        if jobs:
            with self._catalog.transaction():
                for problem in map(self._reported.pop, jobs):
                    self._catalog.clear_problems(problem.code, problem.path)

    def _sweep(self, folder: str) -> None:
        self._temporary.pop(folder, None)
        try:
            done = [self._clear(leftover) for leftover in self._vault.files.leftovers(folder)]
        except _BUSY:
            done = [False]
        if not all(done):
            self.look_for_leftovers([folder])

    def _clear(self, leftover: Leftover) -> bool:
        finding = self._vault.files.examine(leftover, self._wall(), self._reconciler.config.linger)
        if finding.state is State.PENDING:
            return self._clear_erased(leftover)
        if finding.state is State.TOO_LARGE:
            return True  # not ours; the doctor tells of it
        if finding.state is State.GARBAGE:
            return self._vault.files.discard(finding)
        with acting(Author("person", detail="a save that raced a write was merged back")):
            path = recover(self._vault, finding, self._locate, self._catalog.erased_with)
        self.recovered += 1
        self._reconciler.reconcile([path])
        return True

    def _clear_erased(self, leftover: Leftover) -> bool:
        """What an erased memory said goes now, whoever may still have it open: a command has no second look."""
        finding = self._vault.files.examine(leftover, self._wall(), AT_ONCE)
        is_readable = finding.state not in (State.PENDING, State.TOO_LARGE)
        if is_readable and is_of_erased(self._vault, finding, self._catalog.erased_with):
            return self._vault.files.discard(finding)
        return False

    def _locate(self, memory_id: str) -> str | None:
        row = self._catalog.find(memory_id)
        return None if row is None else row.path


def _late(job: Job, reason: str) -> Problem:
    [path] = job.paths
    if job.kind == "erase":
        trouble = "the file holds a text of an erased memory. It is in no answer, but it cannot be erased now"
        remedy = "let Helix write to it, or delete the file"
        return Problem(path, MemoryErased.code, f"{trouble}: {reason}", remedy)
    trouble = "the file is an older one of a memory that was hidden since. It is in no answer"
    problem = f"{trouble}, but cannot be replaced now: {reason}"
    return Problem(path, OLD_FILE, problem, "let Helix write to it")
