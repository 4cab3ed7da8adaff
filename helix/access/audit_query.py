"""Reading the audit: the last lines that fit, and whether the chain holds."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from helix.access.audit import REFUSED, AuditLine, read_lines
from helix.errors import BadValue
from helix.vault.times import parse_time


class AuditEntry(TypedDict):
    seq: int
    at: str
    user: str
    what: str
    """a verb, or a route"""
    outcome: str
    ids: list[str]
    project: str | None
    client: str | None
    address: str | None
    key: str | None
    code: str | None


class AuditProblem(TypedDict):
    file: str
    line: int
    problem: str


class AuditAnswer(TypedDict):
    entries: list[AuditEntry]
    """the last ones that fit, the last one first"""
    lines: int
    problems: list[AuditProblem]


@dataclass(frozen=True)
class AuditQuery:
    user: str | None = None
    verb: str | None = None
    since: str | None = None
    only_refused: bool = False
    limit: int = 100


def query_audit(folder: Path, query: AuditQuery) -> AuditAnswer:
    since = None if query.since is None else parse_time(query.since)
    if query.since is not None and since is None:
        raise BadValue(
            f"since is {query.since[:40]!r}; give a time such as 2026-06-18 or 2026-06-18T09:12:44Z"
        )
    found: deque[AuditEntry] = deque(maxlen=query.limit)
    problems: list[AuditProblem] = []
    count = 0
    for line in read_lines(folder):
        count += 1
        if line.problem is not None:
            problems.append({"file": line.file, "line": line.number, "problem": line.problem})
        entry = _to_entry(line)
        if entry is None or not _fits(entry, query):
            continue
        at = parse_time(entry["at"])
        if since is None or (at is not None and at >= since):
            found.append(entry)
    return {"entries": list(reversed(found)), "lines": count, "problems": problems}


def _fits(entry: AuditEntry, query: AuditQuery) -> bool:
    return (
        (query.user is None or entry["user"] == query.user)
        and (query.verb is None or entry["what"] == query.verb)
        and (not query.only_refused or entry["outcome"] == REFUSED)
    )


def _to_entry(line: AuditLine) -> AuditEntry | None:
    if line.event is None:
        return None
    event = line.event
    payload: dict[str, Any] = dict(event.payload)
    return {
        "seq": event.seq,
        "at": event.timestamp,
        "user": event.actor,
        "what": str(payload.get("verb") or payload.get("route") or ""),
        "outcome": event.type.partition(".")[2],
        "ids": list(payload.get("ids") or ()),
        "project": payload.get("project"),
        "client": payload.get("client"),
        "address": payload.get("from"),
        "key": payload.get("key"),
        "code": payload.get("code"),
    }
