"""Programs that run with secrets, one row each: queued, run once, and told of with what they printed, redacted.

A run that the daemon's end cut off is not begun again: nobody knows what it had done. One that still waits is.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from helix.config import SecretsConfig
from helix.errors import BadValue, Forbidden, HelixError, JobNotFound, RateLimited
from helix.secrets import program
from helix.secrets.store import SecretStore
from helix.state.database import StateDatabase
from helix.vault.times import format_time, utc_now

State = Literal["queued", "running", "succeeded", "failed", "timed_out", "cancelled"]
STATES: tuple[str, ...] = get_args(State)
_GOES_ON = ("queued", "running")
_VERSION = 1
_KEPT = 100
_AT_ONCE = 4
_MOST_QUEUED = 64
_MOST_ARGUMENTS, _LONGEST_ARGUMENTS = 200, 64 * 1024
_CUT_OFF = "the daemon ended while it ran; what it had done by then is not known, and it is not run again"


@dataclass(frozen=True)
class Run:
    id: str
    by: str
    """whose key asked for it"""
    command: tuple[str, ...]
    environment: Mapping[str, str]
    """the names of its variables, each with the name of the secret in it"""
    timeout: float
    state: State
    created: str
    updated: str
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    error: str | None = None

    @property
    def goes_on(self) -> bool:
        return self.state in _GOES_ON


@dataclass
class _Workers:
    threads: list[threading.Thread] = field(default_factory=list)
    cancelled: set[str] = field(default_factory=set)
    is_leaving: threading.Event = field(default_factory=threading.Event)


class SecretRuns(StateDatabase):
    keeps = "what programs with secrets printed"

    def __init__(self, path: Path, secrets: SecretStore, config: SecretsConfig) -> None:
        self._secrets = secrets
        self._config = config
        self._workers = _Workers()
        super().__init__(path)
        self._settle_cut_off()
        self._begin()

    def submit(
        self, by: str, command: Sequence[str], environment: Mapping[str, str], timeout: float | None
    ) -> Run:
        self._check(command, timeout)
        self._secrets.check_known(environment.values())
        now = format_time(utc_now())
        run = Run(
            f"run_{uuid.uuid4().hex[:12]}", by, tuple(command), dict(environment),
            timeout or self._config.run_timeout, "queued", now, now,
        )  # fmt: skip
        with self.transaction():
            waiting = self._db.execute("SELECT count(*) FROM runs WHERE state = 'queued'").fetchone()[0]
            if waiting >= _MOST_QUEUED:
                raise RateLimited(f"{waiting} runs wait already; ask again when some have ended", 5)
            self._db.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, '', '', NULL)",
                (run.id, run.by, json.dumps(run.command), json.dumps(run.environment), run.timeout, run.state,
                 run.created, run.updated),
            )  # fmt: skip
            self._db.execute(
                "DELETE FROM runs WHERE state NOT IN ('queued', 'running') AND rowid NOT IN "
                "(SELECT rowid FROM runs ORDER BY rowid DESC LIMIT ?)",
                (_KEPT,),
            )
        self._begin()
        return run

    def runs(self) -> list[Run]:
        """The latest first."""
        with self._lock:
            return [_from_row(row) for row in self._db.execute("SELECT * FROM runs ORDER BY rowid DESC")]

    def get(self, run_id: str) -> Run:
        with self._lock:
            row = self._db.execute("SELECT * FROM runs WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise JobNotFound(f"there is no run {run_id[:60]!r}; `helix secret runs` shows those there are")
        return _from_row(row)

    def cancel(self, run_id: str) -> Run:
        with self.transaction():
            run = self.get(run_id)
            if not run.goes_on:
                raise BadValue(f"{run.id} has ended already: {run.state}")
            self._workers.cancelled.add(run.id)
            if run.state == "queued":
                self._end(run, "cancelled")
        return self.get(run_id)

    def wait(self, run_id: str, patience: float) -> Run:
        """For a command that runs without a daemon."""
        until = time.monotonic() + patience
        while (run := self.get(run_id)).goes_on and time.monotonic() < until:
            time.sleep(0.05)
        return run

    def stop(self) -> None:
        """What runs is ended; what waits runs at the next start."""
        self._workers.is_leaving.set()
        for thread in self._workers.threads:
            thread.join()

    def erase(self, memory_ids: Sequence[str]) -> bool:
        return True  # what a program printed is of no memory

    def _check(self, command: Sequence[str], timeout: float | None) -> None:
        if not command or not command[0]:
            raise BadValue("name the program and its arguments, each apart: there is no shell")
        if len(command) > _MOST_ARGUMENTS or sum(map(len, command)) > _LONGEST_ARGUMENTS:
            raise BadValue(
                f"a command has at most {_MOST_ARGUMENTS} arguments of {_LONGEST_ARGUMENTS} characters in all"
            )
        if any("\0" in argument for argument in command):
            raise BadValue("an argument holds no NUL")
        if command[0] not in self._config.programs:
            allowed = ", ".join(self._config.programs) or "none yet"
            raise Forbidden(
                f"{command[0][:200]!r} is no program that may be given secrets; `secrets.programs` in the settings of "
                f"the daemon names those that may ({allowed})"
            )
        if timeout is not None and not 0 < timeout <= self._config.longest_run:
            raise BadValue(f"timeout is {timeout:g}; give seconds up to {self._config.longest_run:g}")

    def _settle_cut_off(self) -> None:
        with self.transaction():
            for row in self._db.execute("SELECT * FROM runs WHERE state = 'running'").fetchall():
                self._end(_from_row(row), "failed", error=_CUT_OFF)

    def _begin(self) -> None:
        """Threads for what waits, up to so many; each ends when nothing waits any more."""
        with self._lock:
            waiting = self._db.execute("SELECT count(*) FROM runs WHERE state = 'queued'").fetchone()[0]
            alive = self._workers.threads = [one for one in self._workers.threads if one.is_alive()]
            for _ in range(min(waiting, _AT_ONCE - len(alive))):
                thread = threading.Thread(target=self._work, name="helix-secrets", daemon=True)
                alive.append(thread)
                thread.start()

    def _work(self) -> None:
        while not self._workers.is_leaving.is_set() and (run := self._take_next()) is not None:
            try:
                ended = program.run(
                    run.command,
                    self._environment(run),
                    timeout=run.timeout,
                    most_output=self._config.most_output,
                    is_stopped=lambda run=run: self._is_stopped(run),  # type: ignore[misc]
                )
            except HelixError as error:
                self._end(run, "failed", error=error.message)
                continue
            # Nobody else hears of what goes wrong on this thread, and a run must not stay under way for ever.
            except Exception as error:  # noqa: BLE001
                self._end(
                    run, "failed", error=f"something went wrong in Helix itself: {type(error).__name__}"
                )
                continue
            if ended.timed_out:
                self._end(run, "timed_out", ended, f"it did not end within {run.timeout:g} s")
            elif run.id in self._workers.cancelled:
                self._end(run, "cancelled", ended)
            elif ended.was_stopped:
                self._end(run, "failed", ended, _CUT_OFF)
            else:
                self._end(run, "failed" if ended.exit_code else "succeeded", ended)

    def _take_next(self) -> Run | None:
        with self.transaction():
            row = self._db.execute(
                "SELECT * FROM runs WHERE state = 'queued' ORDER BY rowid LIMIT 1"
            ).fetchone()
            if row is not None:
                self._db.execute("UPDATE runs SET state = 'running' WHERE id = ?", (row[0],))
        return None if row is None else _from_row(row)

    def _environment(self, run: Run) -> dict[str, str]:
        values = self._secrets.values(run.environment.values())
        return {variable: values[name] for variable, name in run.environment.items()}

    def _is_stopped(self, run: Run) -> bool:
        return self._workers.is_leaving.is_set() or run.id in self._workers.cancelled

    def _end(
        self, run: Run, state: State, ended: program.Ended | None = None, error: str | None = None
    ) -> None:
        code, stdout, stderr = (
            (None, "", "") if ended is None else (ended.exit_code, ended.stdout, ended.stderr)
        )
        with self.transaction():
            self._db.execute(
                "UPDATE runs SET state = ?, exit_code = ?, stdout = ?, stderr = ?, error = ?, updated = ? "
                "WHERE id = ?",
                (state, code, stdout, stderr, error, format_time(utc_now()), run.id),
            )

    def _prepare(self) -> None:
        # A run that began must be known to have begun also after a power cut, or it would be run twice.
        self._db.execute("PRAGMA synchronous=FULL")
        if self._db.execute("PRAGMA user_version").fetchone()[0] == _VERSION:
            return
        with self.transaction():
            self._db.execute("DROP TABLE IF EXISTS runs")
            self._db.execute(
                "CREATE TABLE runs (id TEXT PRIMARY KEY, by TEXT, command TEXT, environment TEXT, timeout REAL, "
                "state TEXT, created TEXT, updated TEXT, exit_code INTEGER, stdout TEXT, stderr TEXT, error TEXT)"
            )
            self._db.execute(f"PRAGMA user_version = {_VERSION}")


def _from_row(row: tuple[Any, ...]) -> Run:
    run_id, by, command, environment, *rest = row
    return Run(run_id, by, tuple(json.loads(command)), json.loads(environment), *rest)
