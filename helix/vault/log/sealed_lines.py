"""Lines of a log that somebody else sealed: held against their hashes before any of them is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from helix.errors import BadValue, SecretRefused
from helix.vault.log.event import MAX_NAME, MAX_PAYLOAD, LogEvent, NotAnEvent, canonical, from_line
from helix.vault.log.redact import redact


def read_sealed(
    lines: Sequence[str],
    session: str,
    *,
    first_line: int = 1,
    find_seq: Callable[[str], int | None] = lambda _: None,
    allow_secrets: bool = False,
) -> list[LogEvent]:
    """The events of consecutive lines. Raises BadValue with the number of the line that cannot be taken, and why.

    `find_seq` gives the number of an event that is there already, by its hash: the first line may follow one of those.
    """
    events: list[LogEvent] = []
    for line, text in enumerate(lines, first_line):
        event = _event(text, line, session)
        before = events[-1] if events else None
        if event.prev_hash is None:
            if event.seq != 1 or before is not None:
                raise _refused(line, "it is not the first line, and names no event before it")
        elif before is not None and event.prev_hash != before.hash:
            raise _refused(line, f"Event {event.seq} prev_hash does not link to previous")
        else:
            number = find_seq(event.prev_hash) if before is None else before.seq
            if number is None:
                raise _refused(line, "the event before it is not there; import the log from its first line")
            if number + 1 != event.seq:
                raise _refused(line, f"Sequence gap: {event.seq} after {number}")
        if not allow_secrets and redact(event.payload)[0] != event.payload:
            raise SecretRefused(
                f"line {line}: it holds what looks like a credential, and a sealed line cannot be redacted",
                kind="credential",
            )
        events.append(event)
    return events


def _event(text: str, line: int, session: str) -> LogEvent:
    try:
        event = from_line(text.strip("\r\n").encode("utf-8", "surrogatepass"), line, session)
    except NotAnEvent as error:
        raise _refused(line, str(error)) from error
    if event.thread != session:
        raise _refused(line, f"it belongs to session {event.thread[:140]!r}, not to {session!r}")
    if not event.holds_seq:
        raise _refused(line, "its id holds no number, as evt_zaxy_000000000001_… does")
    if not event.is_intact:
        raise _refused(line, f"Event {event.seq} hash mismatch")
    if len(event.type) > MAX_NAME or len(event.actor) > MAX_NAME:
        raise _refused(line, f"its type or actor is longer than {MAX_NAME} characters")
    if len(canonical(event.payload)) > MAX_PAYLOAD:
        raise _refused(line, f"its payload is longer than {MAX_PAYLOAD} bytes")
    return event


def _refused(line: int, why: str) -> BadValue:
    return BadValue(f"line {line}: {why}")
