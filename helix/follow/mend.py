"""What Helix writes into the vault on its own account, because of what it found there.

Conflict copies are folded together, flipped status lines get their register, late arrivals of an erased
memory are erased, saves that raced a write are merged back. Each waits for its files to be quiet first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

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
_LATE = ("erase", "bury")
"""what a row needs whose file is an old one of a memory that was erased or hidden since"""
OLD_FILE = "old-file"
REFUSALS = (EditRefused.code, MemoryErased.code, OLD_FILE)
"""problems that only the mender finds, and so withdraws"""


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
        self._checkouts = checkouts
        self._monotonic = monotonic
        self._wall = wall
        self._waiting: dict[tuple[str, ...], float] = {}
        self._temporary: dict[str, float] = {}
        self._reported: dict[tuple[str, ...], Problem] = {}
        self._plans: dict[tuple[str, ...], MergePlan | Exception] = {}
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
            jobs = list(self._jobs())
            # A job's key holds what its files say: when they change it is a new job, and waits anew.
            self._waiting = {key: self._waiting.get(key) or now + grace() for key, grace, _ in jobs}
            self._withdraw([key for key in self._reported if key not in self._waiting])
            for key, _, run in jobs:
                if self._waiting[key] <= now and (key[0] != "merge" or key in self._plans):
                    self._try(key, run)
            self._plans.clear()
            for folder, due in list(self._temporary.items()):
                if due <= now:
                    self._sweep(folder)
            return min([*self._waiting.values(), *self._temporary.values()], default=None)

    def _jobs(self) -> Iterable[tuple[tuple[str, ...], Callable[[], float], Callable[[], Sequence[str]]]]:
        """What there is to do: a key, how long to wait for quiet first, and the deed."""
        for memory_id, rows in self._catalog.duplicates().items():
            key = _merge_key(memory_id, rows)
            yield key, partial(self._merge_grace, memory_id, rows), partial(self._merge, key, rows)
        for row in self._catalog.needing():
            yield _key_of(row), lambda: _QUIET, partial(self._write_needed, row)

    def _plan_merges(self) -> None:
        """Work out the merges that are due before the lock is taken: two long texts take a while, and writes go on."""
        now, size = self._monotonic(), 0
        if not any(key[0] == "merge" and due <= now for key, due in self._waiting.items()):
            return
        for memory_id, rows in self._catalog.duplicates().items():
            key = _merge_key(memory_id, rows)
            if self._waiting.get(key, now + 1) <= now and size < _PLANNED_AT_ONCE:
                try:
                    plan = plan_merge(self._vault, memory_id, [row.path for row in rows])
                    size += sum(len(note.document.body) for note in plan.notes)
                    self._plans[key] = plan
                except (FileNotFoundError, HelixError) as error:
                    self._plans[key] = error

    def _merge_grace(self, memory_id: str, rows: Sequence[Row]) -> float:
        if len({row.state for row in rows}) == 1:
            return _SAME_TEXT_GRACE
        if lacks_base(self._vault, memory_id, [row.path for row in rows]):
            return _UNKNOWN_BASE_GRACE
        return _QUIET

    def _try(self, key: tuple[str, ...], run: Callable[[], Sequence[str]]) -> None:
        try:
            with acting(HELIX):
                paths = run()
            self._reconciler.reconcile(paths, settled=True)
            self.look_for_leftovers({path.rpartition("/")[0] for path in paths})
            del self._waiting[key]
        except _BUSY as error:
            self._waiting[key] = self._monotonic() + _QUIET
            if key[0] in _LATE and isinstance(
                error, StorageError
            ):  # a vault that cannot be written to, most likely
                self._report(key, _late(key, error.message))
        except _CheckedOut:
            self._waiting[key] = self._monotonic() + _CHECKED_OUT
        except NoteError:
            self._waiting[key] = (
                self._monotonic() + _REFUSED
            )  # whoever read the file has listed what is wrong
        except (EditRefused, MemoryErased) as error:
            self._waiting[key] = self._monotonic() + _REFUSED
            row = self._catalog.find(key[1])
            self._report(key, Problem.of(row.path if row else key[1], error))

    def _merge(self, key: tuple[str, ...], rows: Sequence[Row]) -> Sequence[str]:
        memory_id, paths = rows[0].id, [row.path for row in rows]
        plan = self._plans[key]
        if all(self._vault.root.exists(path) for path in paths):
            if isinstance(plan, Exception):
                raise plan
            outcome = merge_copies(self._vault, memory_id, paths, plan)
            self.merged += len(outcome.absorbed)
            paths.append(outcome.survivor.path)
        return paths

    def _write_needed(self, row: Row) -> Sequence[str]:
        if row.needs in _LATE and self._is_checked_out(row.path):
            raise _CheckedOut
        if row.needs == "erase":
            self._vault.erase(row.path, row.id)
        elif row.needs == "bury":
            with doing(detail="an old file came back over it"):
                self._vault.bury(row.path, row.id)
        else:
            with doing(detail="stamped with the time at which its status was flipped"):
                self._vault.settle_status(row.path, row.id)
        return [row.path]

    def _is_checked_out(self, path: str) -> bool:
        """Whether the old file is what git checked out: written again it would be a change of ours that stands in
        the way of the next checkout."""
        if self._checkouts is None:
            return False
        data = self._vault.root.read(path, self._vault.max_note_bytes)
        return self._checkouts.laid_out(path, data, self._vault.root.stat(path).st_ctime)

    def _report_late(self, reason: str) -> None:
        late = {_key_of(row) for row in self._catalog.needing() if row.needs in _LATE}
        self._withdraw([key for key in self._reported if key[0] in _LATE and key not in late])
        for key in late - self._reported.keys():
            self._report(key, _late(key, reason))

    def _report(self, key: tuple[str, ...], problem: Problem) -> None:
        self._reported[key] = problem
        with self._catalog.transaction():
            self._catalog.put_problem(self._reported[key])

    def _withdraw(self, keys: Sequence[tuple[str, ...]]) -> None:
        if keys:
            with self._catalog.transaction():
                for problem in map(self._reported.pop, keys):
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


def _key_of(row: Row) -> tuple[str, ...]:
    return row.needs, row.path, row.hash


def _late(key: tuple[str, ...], reason: str) -> Problem:
    needs, path, *_ = key
    if needs == "erase":
        said = "the file holds a text of an erased memory. It is in no answer, but it cannot be erased now"
        return Problem(
            path, MemoryErased.code, f"{said}: {reason}", "let Helix write to it, or delete the file"
        )
    said = "the file is an older one of a memory that was hidden since. It is in no answer, but cannot be replaced now"
    return Problem(path, OLD_FILE, f"{said}: {reason}", "let Helix write to it")


def _merge_key(memory_id: str, rows: Sequence[Row]) -> tuple[str, ...]:
    return ("merge", memory_id, *(f"{row.path}={row.hash}" for row in rows))
