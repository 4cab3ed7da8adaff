"""archive and restore: sessions that nobody needs to find any more; and which those are, by the limits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from helix.config import SessionsConfig
from helix.errors import BadValue
from helix.index.event_index import EventIndex
from helix.memory.event_log import EventLog
from helix.memory.request import Request, verb
from helix.sessions.answers import ArchivedSession
from helix.sessions.whole_log import log_of
from helix.vault.log.log_paths import REFS, check_session
from helix.vault.times import parse_time

_AT_LEAST = timedelta(days=1)
"""a session in which something happened lately stays, however large the logs are"""
_MEGABYTE = 1024 * 1024
_REFS_READ = 10_000


@verb("session_archive")
def archive(request: Request, *, session_id: str) -> ArchivedSession:
    if session_id == REFS:
        raise BadValue(f"{REFS} is no session but the log of the refs, and stays")
    log_of(request).archive(check_session(session_id), "asked")
    return {"session_id": session_id, "status": "archived"}


@verb("session_restore")
def restore(request: Request, *, session_id: str) -> ArchivedSession:
    log_of(request).restore(check_session(session_id))
    return {"session_id": session_id, "status": "restored"}


def over_limits(log: EventLog, limits: SessionsConfig, now: datetime) -> Iterator[tuple[str, str, str]]:
    """Which sessions are to be archived, the oldest first: its name, `age` or `size`, and the limit in words."""
    index = log.find_index()
    if index is None or not log.is_kept or not (limits.archive_after_days > 0 or limits.archive_over_mb > 0):
        return
    oldest = [
        (found.session, now - moment) for found in index.sessions() if (moment := parse_time(found.last))
    ]
    oldest.reverse()
    sizes = index.sizes()
    left = sum(sizes.values())
    kept = _cited_by_refs(index)
    for session, quiet in oldest:
        is_old = 0 < limits.archive_after_days <= quiet / timedelta(days=1)
        is_over = 0 < limits.archive_over_mb * _MEGABYTE < left and quiet >= _AT_LEAST
        if not (is_old or is_over) or session in kept or _teaches(index, session):
            continue
        left -= sizes.get(session, 0)
        if is_old:
            yield session, "age", f"{limits.archive_after_days:g} days"
        else:
            yield session, "size", f"{limits.archive_over_mb:g} MB"


def _teaches(index: EventIndex, session: str) -> bool:
    """How skills stand is told from the events of all sessions together."""
    return any(kind.startswith("skill.") for kind in index.types(session))


def _cited_by_refs(index: EventIndex) -> frozenset[str]:
    """A ref is a promise that its point can be read."""
    places = index.latest(REFS, 1, None, _REFS_READ)
    named = (event.payload.get("session_id") for _, event in index.read(places) if event is not None)
    return frozenset(name for name in named if isinstance(name, str))
