"""Telling of long work, and ending it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from helix.errors import JobNotFound
from helix.knowledge.answers import JobDetails, JobList, JobSummary
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.jobs import JobRecord
from helix.memory.reading.view import View
from helix.memory.request import Request, verb


@verb("jobs")
def jobs(request: Request, *, limit: int = 20, max_tokens: int = 2000, cursor: str | None = None) -> JobList:
    check_limit(limit, 200)

    def entries(_: View) -> list[JobSummary]:
        return [_summary(record) for record in (request.jobs.records() if request.jobs is not None else [])]

    def render(entry: JobSummary) -> JobSummary:
        return entry

    def build(_: Any, items: Sequence[JobSummary], end: Page) -> JobList:
        return {"jobs": list(items), **end}

    _, listing = request.listed("jobs", request.view(), cursor, entries)
    return request.page("jobs", listing, render, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens)


@verb("job")
def job(request: Request, *, job_id: str) -> JobDetails:
    if request.jobs is None:
        raise JobNotFound(f"there is no job {job_id[:60]!r}")
    return _details(request.jobs.get(job_id))


@verb("job_cancel")
def job_cancel(request: Request, *, job_id: str) -> JobDetails:
    if request.jobs is None:
        raise JobNotFound(f"there is no job {job_id[:60]!r}")
    return _details(request.jobs.cancel(job_id))


def _summary(record: JobRecord) -> JobSummary:
    return {
        "job_id": record.id,
        "kind": cast(Any, record.kind),
        "subject": record.subject,
        "state": record.state,
        "done": record.report.get("done", 0),
        "total": record.report.get("total", 0),
        "created": record.created,
        "updated": record.updated,
    }


def _details(record: JobRecord) -> JobDetails:
    return {
        **_summary(record),
        "counts": record.report.get("counts", {}),
        "problems": record.report.get("problems", []),
        "vanished": record.report.get("vanished", []),
        "ignored": record.report.get("ignored", {}),
        "error": record.error,
    }
