"""Long work aside of who asked for it: one job at a time, told of while it runs, and gone on with after a crash.

What a job does stands on a higher floor: the wiring says which function runs which kind. A runner keeps what it has
done in its report; after a crash it is called again with that report, and goes on.
"""

from __future__ import annotations

import json
import pkgutil
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from helix.errors import BadValue, HelixError, JobNotFound, StateUnwritable
from helix.memory.place import Place
from helix.state.database import StateDatabase
from helix.vault.times import format_time

if TYPE_CHECKING:
    from helix.memory.request import Request

State = Literal["queued", "running", "done", "failed", "cancelled"]
_VERSION = 1
_KEPT = 100
_UNSAVED = 0.5
"""seconds of progress that a crash may cost the report"""
_GOES_ON = ("queued", "running")


@dataclass(frozen=True)
class JobRecord:
    id: str
    kind: str
    subject: str
    """what it is about, for people"""
    arguments: Mapping[str, Any]
    place: Place
    """of whoever asked for it"""
    state: State
    report: dict[str, Any]
    created: str
    updated: str
    error: str | None = None

    @property
    def goes_on(self) -> bool:
        return self.state in _GOES_ON


@dataclass
class RunningJob:
    """What a runner sees of its job."""

    arguments: Mapping[str, Any]
    report: dict[str, Any]
    """what was done so far, also before a crash"""
    is_stopped: Callable[[], bool]
    """whether to leave off: it was cancelled, or the program ends"""
    save: Callable[[], None]
    _saved: float = 0.0

    def tell(self) -> None:
        """The report has grown."""
        if (now := time.monotonic()) - self._saved >= _UNSAVED:
            self.save()
            self._saved = now


@dataclass(frozen=True)
class _Runner:
    function: str
    request: Callable[[Place], Request]


class Jobs(StateDatabase):
    keeps = "what jobs have done so far"

    def __init__(self, path: Path, now: Callable[[], datetime], is_ready: Callable[[], bool]) -> None:
        """`is_ready` says whether it is known what is in the vault; `start` is to be called again when it is."""
        super().__init__(path)
        self._now = now
        self._is_ready = is_ready
        self._runners: dict[str, _Runner] = {}
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._is_leaving = threading.Event()
        self._cancelled: set[str] = set()
        self._under_way = ""

    def runs(self, kind: str, function: str, request: Callable[[Place], Request]) -> None:
        """`function` is `module:name` below `helix`; it gets the job, and a request from where it was asked for."""
        self._runners[kind] = _Runner(function, request)

    def submit(self, kind: str, subject: str, arguments: Mapping[str, Any], place: Place) -> JobRecord:
        """A job that is waiting or running already is not begun twice."""
        with self._lock:
            for job in self.records():
                same = (job.kind, dict(job.arguments), job.place) == (kind, dict(arguments), place)
                if same and job.goes_on and job.id not in self._cancelled:
                    return job
            now = format_time(self._now())
            job = JobRecord(
                f"job_{uuid.uuid4().hex[:12]}", kind, subject, arguments, place, "queued", {}, now, now
            )
            with self.transaction():
                self._put(job)
                self._db.execute(
                    "DELETE FROM jobs WHERE state NOT IN ('queued', 'running') AND rowid NOT IN "
                    "(SELECT rowid FROM jobs ORDER BY rowid DESC LIMIT ?)",
                    (_KEPT,),
                )
        self.start()
        return job

    def records(self) -> list[JobRecord]:
        """The latest first."""
        with self._lock:
            rows = self._db.execute("SELECT * FROM jobs ORDER BY rowid DESC").fetchall()
        return [_from_row(row) for row in rows]

    def get(self, job_id: str) -> JobRecord:
        with self._lock:
            row = self._db.execute("SELECT * FROM jobs WHERE id = ?", (job_id,)).fetchone()
        if row is None:
            raise JobNotFound(f"there is no job {job_id[:60]!r}; `helix jobs list` shows those there are")
        return _from_row(row)

    def cancel(self, job_id: str) -> JobRecord:
        """What it has done stays done."""
        with self._lock:
            job = self.get(job_id)
            if not job.goes_on:
                raise BadValue(f"{job.id} is {job.state} already")
            self._cancelled.add(job.id)
            if job.id != self._under_way:
                self._end(job, "cancelled")
        return self.get(job_id)

    def start(self) -> None:
        """Begin what waits, and go on with what a crash cut off; nothing when there is nothing."""
        with self._starting:
            if (
                self._is_leaving.is_set()
                or not self._is_ready()
                or (self._thread is not None and self._thread.is_alive())
            ):
                return
            if self._next() is not None:
                self._thread = threading.Thread(target=self._work, name="helix-jobs", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """A job that is under way goes on when the daemon is there again."""
        self._is_leaving.set()
        with self._starting:
            thread = self._thread
        if thread is not None:
            thread.join()

    def erase(self, memory_ids: Sequence[str]) -> bool:
        return True  # a report names files, and never what a memory says

    def _work(self) -> None:
        while not self._is_leaving.is_set():
            with self._starting:
                if (job := self._next()) is None:
                    self._thread = None
                    return
            try:
                self._run(job)
            except StateUnwritable:
                return  # its disk is full: the job goes on at the next start

    def _run(self, job: JobRecord) -> None:
        report = dict(job.report)

        def save() -> None:
            self._end(job, "running", report)

        def is_stopped() -> bool:
            return self._is_leaving.is_set() or job.id in self._cancelled

        with self._lock:
            if self._is_leaving.is_set() or not self.get(job.id).goes_on:
                return
            self._under_way = job.id
        save()
        try:
            runner = self._runners[job.kind]
            run = pkgutil.resolve_name(f"helix.{runner.function}")
            run(runner.request(job.place), RunningJob(job.arguments, report, is_stopped, save))
        except HelixError as error:
            self._end(job, "failed", report, error.message)
            return
        # Nobody else hears of what goes wrong on this thread, and the jobs behind this one wait for it.
        except Exception as error:  # noqa: BLE001
            self._end(job, "failed", report, f"something went wrong in Helix itself: {error!r:.300}")
            return
        if job.id in self._cancelled:
            self._end(job, "cancelled", report)
        elif self._is_leaving.is_set():
            save()
        else:
            self._end(job, "done", report)

    def _next(self) -> JobRecord | None:
        """Only of a kind that this program runs."""
        waiting = [job for job in self.records() if job.goes_on and job.kind in self._runners]
        return waiting[-1] if waiting else None

    def _end(
        self, job: JobRecord, state: State, report: dict[str, Any] | None = None, error: str | None = None
    ) -> None:
        with self.transaction():
            self._db.execute(
                "UPDATE jobs SET state = ?, report = ?, error = ?, updated = ? WHERE id = ?",
                (
                    state,
                    json.dumps(job.report if report is None else report),
                    error,
                    format_time(self._now()),
                    job.id,
                ),
            )

    def _put(self, job: JobRecord) -> None:
        place = [job.place.project, job.place.session, job.place.client]
        self._db.execute(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                job.id, job.kind, job.subject, json.dumps(job.arguments), json.dumps(place), job.state,
                json.dumps(job.report), job.created, job.updated, job.error,
            ),
        )  # fmt: skip

    def _prepare(self) -> None:
        if self._db.execute("PRAGMA user_version").fetchone()[0] == _VERSION:
            return
        with self.transaction():
            self._db.execute("DROP TABLE IF EXISTS jobs")
            self._db.execute(
                "CREATE TABLE jobs (id TEXT PRIMARY KEY, kind TEXT, subject TEXT, arguments TEXT, place TEXT, "
                "state TEXT, report TEXT, created TEXT, updated TEXT, error TEXT)"
            )
            self._db.execute(f"PRAGMA user_version = {_VERSION}")


def _from_row(row: tuple[Any, ...]) -> JobRecord:
    job_id, kind, subject, arguments, place, state, report, created, updated, error = row
    return JobRecord(
        job_id, kind, subject, json.loads(arguments), Place(*json.loads(place)), state, json.loads(report),
        created, updated, error,
    )  # fmt: skip
