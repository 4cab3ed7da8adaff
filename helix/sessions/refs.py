"""Refs: names for points of sessions. A point is an event, and a ref leads to what was known when it was the last.

They are events in a log of their own, so that they are synced, chained and verified as everything else is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from helix.errors import BadValue, SessionNotFound
from helix.index.event_chain import Chain
from helix.index.event_subject import REF, REF_UPDATED
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.event_log import EventLog
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.sessions.answers import KnownRef, Refs, RefSet
from helix.sessions.whole_log import log_of
from helix.vault.log.event import EventDraft, LogEvent
from helix.vault.log.log_paths import check_session

if TYPE_CHECKING:
    from helix.index.event_index import EventPlace

HEAD = "HEAD"
_NAME = re.compile(r"refs/[A-Za-z0-9._/-]{1,240}")
_TYPE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_HASH = re.compile(r"[0-9a-f]{12,64}")
_UPDATES = 1_000
"""of one ref, the last ones"""
_MOST = 10_000


@dataclass(frozen=True)
class ResolvedRef:
    shown: KnownRef
    place: EventPlace

    def chain(self, log: EventLog) -> Chain:
        return log.index().chain(self.place)


@verb("session_ref_set")
def set_ref(
    request: Request,
    *,
    session_id: str,
    name: str,
    seq: int | None = None,
    event_hash: str | None = None,
    ref_type: str = REF,
    actor: str = "agent",
) -> RefSet:
    log = log_of(request)
    if not _TYPE.fullmatch(ref_type):
        raise BadValue(f"ref_type is {ref_type[:80]!r}; 1 to 64 letters, digits, `_`, `.` and `-`")
    check_name(name)
    if name == HEAD:
        raise BadValue("HEAD is the last event of a session by itself; name a ref refs/…")
    if event_hash is not None and not _HASH.fullmatch(event_hash):
        raise BadValue("a hash is given by its first 12 to 64 digits")
    place = log.get_index(session_id).heads(session_id)[0]
    if seq is not None or event_hash is not None:
        place = log.get_place(session_id, seq or place.seq, event_hash)
    target = {
        "name": name, "session_id": session_id, "target_seq": place.seq, "target_hash": place.hash,
        "ref_type": ref_type,
    }  # fmt: skip
    known = _latest(log, name)
    if known is not None and {key: known.payload.get(key) for key in target} == target:
        return {"status": "noop", "ref": _shown(known)}
    event, degraded = log.set_ref(EventDraft(REF_UPDATED, actor, target))
    answer: RefSet = {"status": "set", "ref": _shown(event)}
    if degraded:
        answer["degraded"] = degraded
    return answer


@verb("session_refs")
def refs(
    request: Request,
    *,
    session_id: str | None = None,
    limit: int = 50,
    max_tokens: int = 2000,
    cursor: str | None = None,
) -> Refs:
    check_limit(limit, 200)
    session = None if session_id is None else check_session(session_id)
    log = log_of(request)

    def entries(_: View) -> list[str]:
        index = log.find_index()
        return [] if index is None else index.subjects(REF, _MOST)

    def render(name: str) -> KnownRef | None:
        event = _latest(log, name)
        shown = None if event is None else _shown(event)
        return shown if shown is not None and session in (None, shown["session_id"]) else None

    def build(_: Any, items: Sequence[KnownRef], end: Page) -> Refs:
        return {"refs": list(items), **end}

    _, listing = request.listed("session_refs", request.view(), cursor, entries)
    return request.page(
        "session_refs", listing, render, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens
    )


@verb("session_ref")
def ref(request: Request, *, name: str, session_id: str | None = None) -> KnownRef:
    return resolve(log_of(request), name, session_id).shown


def resolve(log: EventLog, name: str, session_id: str | None) -> ResolvedRef:
    """The point that a name leads to. A ref names its own session; HEAD is that of the session which is asked about."""
    check_name(name)
    if name == HEAD:
        if session_id is None:
            raise BadValue("HEAD is the last event of a session; say of which")
        place = log.get_index(session_id).heads(session_id)[0]
        return ResolvedRef(
            {
                "name": HEAD,
                "session_id": session_id,
                "target_seq": place.seq,
                "target_hash": place.hash,
                "ref_type": "head",
                "updated_at": place.time,
            },
            place,
        )
    event = _latest(log, name)
    if event is None:
        raise SessionNotFound(f"Unknown memory ref {name!r}; `helix session ref list` shows those there are")
    shown = _shown(event)
    found = log.index().find(shown["session_id"], shown["target_seq"], shown["target_hash"])
    if len(found) != 1:
        raise SessionNotFound(
            f"{name} leads to event {shown['target_seq']} of session {shown['session_id']!r}, which is not here"
        )
    return ResolvedRef(shown, found[0])


def find_chain(
    log: EventLog, ref: str | None, session_id: str | None
) -> tuple[KnownRef, Chain] | tuple[None, None]:
    """What a ref leads to; nothing when there is no ref."""
    if ref is None:
        return None, None
    resolved = resolve(log, ref, session_id)
    return resolved.shown, resolved.chain(log)


def check_name(name: str) -> str:
    if name != HEAD and (not _NAME.fullmatch(name) or set(name.split("/")) & {"", ".", ".."}):
        raise BadValue(
            f"{name[:250]!r} is no name of a ref: HEAD, or refs/ and up to 240 letters, digits, `.`, `_`, `-`, `/`"
        )
    return name


def _latest(log: EventLog, name: str) -> LogEvent | None:
    """Of two machines that set a ref at once, the one that did it last: on each of them the same."""
    index = log.find_index()
    if index is None:
        return None
    read = [event for _, event in index.read(index.about(REF, name, _UPDATES)) if event is not None]
    return max(
        filter(_is_update, read), key=lambda event: (event.timestamp, event.seq, event.hash), default=None
    )


def _is_update(event: LogEvent) -> bool:
    """Whether it says all that a ref needs: a log may come from anywhere."""
    payload = event.payload
    seq = payload.get("target_seq")
    return (
        all(isinstance(payload.get(key), str) for key in ("name", "session_id", "target_hash"))
        and isinstance(seq, int)
        and not isinstance(seq, bool)
        and seq >= 1
    )


def _shown(event: LogEvent) -> KnownRef:
    payload = event.payload
    kind = payload.get("ref_type")
    return {
        "name": payload["name"],
        "session_id": payload["session_id"],
        "target_seq": payload["target_seq"],
        "target_hash": payload["target_hash"],
        "ref_type": kind if isinstance(kind, str) else REF,
        "updated_at": event.timestamp,
    }
