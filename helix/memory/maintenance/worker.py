"""The consolidation worker: one thread per daemon that looks for doubles when nobody writes, and can be paused.

It applies what is certain and keeps the rest as proposals, which last as long as nothing changes in the vault.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from helix.config import ConsolidateConfig
from helix.errors import BadValue, HelixError
from helix.memory import answers
from helix.memory.maintenance.consolidate import Consolidator, Proposal, carry_out
from helix.memory.request import Request, verb

log = logging.getLogger(__name__)

States = Mapping[str, tuple[str, str, str]]
"""by id the path, the hash and the status"""

# What is over or stale is so by the clock, and not because a file changed.
_LASTS_SECONDS = 3600.0


class Upkeep:
    def __init__(
        self,
        request: Callable[[], Request],
        states: Callable[[], States],
        config: ConsolidateConfig,
        *,
        is_frozen: Callable[[], bool] = lambda: False,
    ) -> None:
        """`request` is one of who sees everything; `states` says of every memory what it was last seen as."""
        self._is_frozen = is_frozen
        self._request = request
        self._states = states
        self._config = config
        self._looking = threading.Lock()
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._paused = not config.enabled
        self._state: Literal["waiting", "looking"] = "waiting"
        self._found: tuple[str, float, list[Proposal]] | None = None
        self._settled = ""
        """the vault in which the last look found nothing certain to do"""
        self._runs = 0
        self._applied = 0
        self._error: str | None = None
        self._aside: threading.Thread | None = None
        self._aside_lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="helix-consolidate", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._wake.set()
        for thread in (self._thread, self._aside):
            if thread is not None and thread.is_alive():
                thread.join(timeout=30)

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        self._paused = False
        self._wake.set()

    def health(self) -> answers.Upkeep:
        return {
            "state": "paused" if self._paused else self._state,
            "runs": self._runs,
            "applied": self._applied,
            "proposals": None if self._found is None else len(self._found[2]),
            "error": self._error,
        }

    def apply(self, ids: Sequence[str] = ()) -> tuple[list[Proposal], list[Proposal]]:
        """Do what is named, or else what is certain; and what else could be done."""
        with self._looking:
            done, left = carry_out(self._request(), only=ids)
            self._found = None
            self._applied += len(done)
        return done, left

    def look(self) -> list[Proposal]:
        """One search per memory; for a vault that did not change since the last look the answer is known."""
        with self._looking:
            vault = self._vault()
            known = self._found
            if known is not None and known[0] == vault and time.monotonic() - known[1] < _LASTS_SECONDS:
                return known[2]
            found = Consolidator(self._request()).look(is_stopped=self._stopped.is_set)
            self._found = (vault, time.monotonic(), found)
            return found

    def last_found(self, patience: float) -> tuple[list[Proposal], bool]:
        """What a look finds, when it is done in this time, or else what the last one found; and which of the two."""
        look = self._look_aside()
        look.join(patience)
        known = self._found
        return ([] if known is None else known[2]), not look.is_alive()

    def _look_aside(self) -> threading.Thread:
        with self._aside_lock:
            if self._aside is None or not self._aside.is_alive():
                self._aside = threading.Thread(target=self._look_quietly, name="helix-look", daemon=True)
                self._aside.start()
            return self._aside

    def _look_quietly(self) -> None:
        try:
            self.look()
        except (HelixError, OSError, sqlite3.Error) as error:
            log.warning("looking for what could be tidied failed: %s", type(error).__name__)
            self._error = str(error)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wake.wait(self._config.interval_minutes * 60)
            self._wake.clear()
            if self._stopped.is_set() or self._paused or self._is_frozen():
                continue
            try:
                self._round()
                self._error = None
            except (HelixError, OSError, sqlite3.Error) as error:
                log.warning("consolidation failed; the next round tries again: %s", type(error).__name__)
                self._error = str(error)
            self._state = "waiting"

    def _round(self) -> None:
        before = self._vault()
        if before == self._settled or self._stopped.wait(self._config.quiet) or self._vault() != before:
            # Nothing new, or somebody is at work: the next round comes.
            return
        self._state = "looking"
        certain = [one for one in self.look() if one.is_certain]
        if certain and not (self._stopped.is_set() or self._paused or self._is_frozen()):
            with self._looking:
                self._applied += len(Consolidator(self._request()).apply(certain))
                self._found = None
        elif not certain:
            self._settled = before
        self._runs += 1

    def _vault(self) -> str:
        """A name for what is in the vault now."""
        states = "\n".join(f"{memory_id} {state[1]}" for memory_id, state in sorted(self._states().items()))
        return hashlib.sha256(states.encode("utf-8", "replace")).hexdigest()


@verb("pause")
def pause(request: Request) -> answers.Upkeep:
    """Let the worker rest until it is resumed, or the daemon starts again."""
    worker = _worker_of(request)
    worker.pause()
    return worker.health()


@verb("resume")
def resume(request: Request) -> answers.Upkeep:
    """Let the worker go on; it begins as soon as the vault is quiet."""
    worker = _worker_of(request)
    worker.resume()
    return worker.health()


def _worker_of(request: Request) -> Upkeep:
    if request.upkeep is None:
        raise BadValue("the worker looks after the whole vault; only who sees all of it may pause it")
    return request.upkeep
