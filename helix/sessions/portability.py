"""Logs on their way out of a vault and into one: as lines, each of which is sealed and stays as it is."""

from __future__ import annotations

from collections.abc import Sequence

from helix.errors import SessionNotFound
from helix.memory.arguments import check_limit
from helix.memory.request import Request, verb
from helix.sessions.answers import ExportedLog, ImportedLog
from helix.sessions.learn import learn_all
from helix.sessions.whole_log import log_of

_BYTES_AT_ONCE = 2 * 1024 * 1024
"""of one answer; a single line may be longer"""


@verb("session_export")
def export_log(
    request: Request, *, session_id: str, from_seq: int = 1, head: str | None = None, limit: int = 1000
) -> ExportedLog:
    """Programs read it and no model does: so it has no budget in tokens, and no line is ever cut."""
    check_limit(limit, 1000)
    log = log_of(request)
    index = log.get_index(session_id)
    end = next((place for place in index.heads(session_id) if head in (None, place.hash)), None)
    if end is None:
        raise SessionNotFound(f"no chain of session {session_id!r} ends with {head!r}; export it anew")
    chain = index.chain(end)
    places = [place for place in index.span(session_id, from_seq, end.seq, limit) if chain.holds(place)]
    lines: list[str] = []
    room, following = _BYTES_AT_ONCE, from_seq
    for place, event in index.read(places):
        if event is None:
            raise SessionNotFound(
                f"the file of session {session_id!r} is being changed; ask again in a moment"
            )
        line = event.to_line()
        if lines and len(line) > room:
            break
        lines.append(line.decode().rstrip("\n"))
        room, following = room - len(line), place.seq + 1
    next_seq = following if following <= end.seq else None
    return {"session_id": session_id, "head": end.hash, "lines": lines, "next_seq": next_seq}


@verb("session_import")
def import_log(
    request: Request,
    *,
    session_id: str,
    lines: Sequence[str],
    first_line: int = 1,
    allow_secrets: bool = False,
) -> ImportedLog:
    log = log_of(request)
    new, degraded = log.import_lines(session_id, lines, first_line, allow_secrets=allow_secrets)
    memories, why = learn_all(request, new)
    answer: ImportedLog = {
        "session_id": session_id,
        "imported": len(new),
        "known": len(lines) - len(new),
        "memories": memories,
    }
    if degraded or why:
        answer["degraded"] = degraded or why
    return answer
