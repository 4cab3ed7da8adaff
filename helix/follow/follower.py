"""Keeps the catalog up with the vault: watch → settle → reconcile → mend, on one thread."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from helix.follow.mend import Mender
from helix.follow.note_lane import Committed
from helix.follow.reconcile import Reconciler
from helix.follow.settle import Settle
from helix.follow.watch import Watcher
from helix.vault.autocommit import AutoCommit
from helix.vault.ignore import IGNORE_FILE
from helix.vault.paths import TEMP_PREFIX

log = logging.getLogger(__name__)

_LONGEST_WAIT = 5.0
_COMMIT_TICK = 1.0
# The clock on the wall ran on while the process did not: the machine was asleep, and events are lost.
_SLEPT = 10.0
_LOCK_LOST = "the state folder was deleted while helixd ran; the next scan makes it anew"


@dataclass(frozen=True)
class FollowerHealth:
    state: str
    """starting | following | degraded"""
    reason: str | None
    memories: dict[str, int]
    problems: int
    conflicts: int
    waiting: int
    """paths that are known to have changed and are not taken in yet"""
    watcher: str
    """starting | watching | restarting"""
    watcher_error: str | None
    """why it has to be started again"""
    watcher_restarts: int
    last_scan_seconds: float | None
    autocommit_error: str | None


class Follower:
    def __init__(
        self,
        reconciler: Reconciler,
        mender: Mender,
        autocommit: AutoCommit | None = None,
        *,
        holds: Callable[[], bool] = lambda: True,
        may_catch_up: Callable[[], bool] = lambda: False,
    ) -> None:
        """`holds` says whether this process is still the one follower of the vault.

        `may_catch_up` says whether the state folder could not be written and can be again: a full look makes up for it.
        """
        self.reconciler = reconciler
        self.mender = mender
        self._holds = holds
        self._may_catch_up = may_catch_up
        self._autocommit = autocommit
        self._settle = Settle()
        self._wake = threading.Condition()
        self._stopped = threading.Event()
        self._started = threading.Event()
        self._watcher = Watcher(reconciler.vault.root.path, self._on_paths)
        self._threads = [threading.Thread(target=self._run, name="helix-follow", daemon=True)]
        if autocommit is not None:
            reconciler.on_commit.append(partial(_note_commits, autocommit))
            commits = threading.Thread(
                target=self._run_commits, args=(autocommit,), name="helix-commit", daemon=True
            )
            self._threads.append(commits)
        self._last_scan: float | None = None
        self._failure: str | None = None

    def start(self) -> None:
        self._watcher.start()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        with self._wake:
            self._stopped.set()
            self._wake.notify()
        self._watcher.stop()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout=30)

    def wait_until_started(self, timeout: float) -> bool:
        """Whether the first full look at the vault is done."""
        return self._started.wait(timeout)

    def health(self) -> FollowerHealth:
        reason = self.reconciler.brake.reason or self._failure or (None if self._holds() else _LOCK_LOST)
        catalog, error = self.reconciler.catalog, self._watcher.last_error
        return FollowerHealth(
            state="degraded" if reason else "following" if self._started.is_set() else "starting",
            reason=reason,
            memories=catalog.count_by_status(),
            problems=len(catalog.problems()),
            conflicts=len(catalog.duplicates()),
            waiting=len(self._settle),
            watcher="restarting" if error else "watching" if self._watcher.stands.is_set() else "starting",
            watcher_error=error,
            watcher_restarts=self._watcher.restarts,
            last_scan_seconds=self._last_scan,
            autocommit_error=None if self._autocommit is None else self._autocommit.last_error,
        )

    # The thread

    def _on_paths(self, paths: set[str] | None) -> None:
        with self._wake:
            now = time.monotonic()
            if paths is None or "" in paths or IGNORE_FILE in paths:
                self._settle.add_everything(now)
            else:
                ours = {path for path in paths if path.rpartition("/")[2].startswith(TEMP_PREFIX)}
                self.mender.look_for_leftovers({path.rpartition("/")[0] for path in ours})
                self._settle.add(paths - ours, now)
            self._wake.notify()

    def _run(self) -> None:
        next_scan = time.monotonic()
        next_mend: float | None = None
        behind = time.time() - time.monotonic()
        while True:
            now = time.monotonic()
            if abs((time.time() - now) - behind) > _SLEPT:
                next_scan = now
            behind = time.time() - now
            # A state folder that was deleted takes the daemon's address along: commands would take it for gone.
            if self._may_catch_up() or not self._holds():
                next_scan = min(next_scan, now + _LONGEST_WAIT)
            with self._wake:
                if now >= next_scan:
                    self._settle.add_everything(now)
                due = [
                    next_scan,
                    next_mend,
                    self.reconciler.next_vanish(),
                    self._settle.next_due(),
                    now + _LONGEST_WAIT,
                ]
                wait = min(moment for moment in due if moment is not None) - now
                if wait > 0 and not self._stopped.is_set():
                    self._wake.wait(wait)
                if self._stopped.is_set():
                    return
                paths = self._settle.take(time.monotonic())
            if paths is None:
                next_scan = time.monotonic() + self.reconciler.config.scan_interval
            next_mend = self._step(paths)

    def _step(self, paths: set[str] | None) -> float | None:
        """One round. What goes wrong in it does not end the thread: the next scan sees everything again."""
        try:
            started = time.monotonic()
            report = self.reconciler.reconcile(paths)
            now = time.monotonic()
            if paths is None:
                self._last_scan = now - started
                self._started.set()
            with self._wake:
                self._settle.settled(None if paths is None else paths.difference(report.unsettled))
                self._settle.again(report.unsettled, now)
            self.mender.look_for_leftovers(report.temporary)
            self._failure = None
            # Without the lock another process may be mending the same files.
            return self.mender.mend() if self._holds() else None
        except Exception as error:
            log.exception("following failed; trying again")
            self._failure = str(error) or type(error).__name__
            with self._wake:
                self._settle.add_everything(time.monotonic() + _LONGEST_WAIT)
            return None

    def _run_commits(self, autocommit: AutoCommit) -> None:
        """Git may take its time or run hooks: on a thread of its own it delays nothing."""
        while not self._stopped.wait(_COMMIT_TICK):
            autocommit.tick(time.monotonic())
        autocommit.flush()


def _note_commits(autocommit: AutoCommit, committed: Committed) -> None:
    for path, change in committed.paths.items():
        if change is None:
            autocommit.note(path, path)  # a stub, a copy, a file that cannot be read: still part of the vault
        elif change.note is None:
            autocommit.note(path, change.memory_id, "remove")
        else:
            memory = change.note.memory
            # A commit message outlives an erased text, so it must not quote it.
            label = memory.id if memory.status == "erased" else memory.title
            verb = "forget" if memory.status in ("deleted", "erased") else "edit" if change.was else "add"
            autocommit.note(path, label, verb, change.was)
