"""One event: what a line of a log holds, and the hash that chains it to the line before.

Two envelopes are read, one is written. The hash is of the event and never of the line: a line may order its fields as
it likes and spell letters as it likes, and still be the same event.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helix.errors import BadValue

MAX_PAYLOAD = 1024 * 1024
MAX_NAME = 200
CITATION = re.compile(
    r"eventloom://(?P<session>[A-Za-z0-9_.-]{1,128})/events/(?P<seq>[1-9][0-9]{0,17})(?:#(?P<hash>[0-9a-f]{12,64}))?"
)

_NEEDED = frozenset({"seq", "timestamp", "type", "actor", "payload", "hash"})
_V1_NEEDED = frozenset({"id", "type", "actorId", "threadId", "payload", "integrity"})
_HASH = re.compile(r"[0-9a-f]{64}")
_V1_ID = re.compile(r"evt_zaxy_(\d{12})_")
_PREFIX = "sha256:"
_V1_SECURITY = "__zaxy_security"


class NotAnEvent(ValueError):
    """A line that is none, and why; nothing of the line is quoted."""


@dataclass(frozen=True)
class EventDraft:
    """An event that is to be appended."""

    type: str
    actor: str
    payload: Mapping[str, Any]
    timestamp: str | None = None
    """when it happened; now, when it is not said"""


@dataclass(frozen=True)
class LogEvent:
    seq: int
    timestamp: str
    type: str
    actor: str
    thread: str
    """the session"""
    payload: Mapping[str, Any]
    security: Mapping[str, Any] | None
    prev_hash: str | None
    hash: str
    erased_at: str | None = None
    """when its payload was taken away; the hash is that of what was there"""
    v1: Mapping[str, Any] | None = field(default=None, compare=False)
    """the line as it stands, of the other envelope: what is hashed there is not what the fields say"""

    @property
    def holds_seq(self) -> bool:
        """Whether it has its number wherever its line stands."""
        return self.v1 is None or _number_in(self.v1["id"]) is not None

    @property
    def is_intact(self) -> bool:
        """Whether the hash is that of the content. Of an erased event nobody can say, and it counts as intact; one that
        says so and has content is held against its hash all the same."""
        if self.erased_at is not None and not self.payload:
            return True
        return self.hash == (self._hash_v1() if self.v1 is not None else seal(self.to_fields()))

    def citation(self, digits: int = 64) -> str:
        return f"eventloom://{self.thread}/events/{self.seq}#{self.hash[:digits]}"

    def to_fields(self) -> dict[str, Any]:
        """What is hashed."""
        fields: dict[str, Any] = {
            "seq": self.seq,
            "timestamp": self.timestamp,
            "type": self.type,
            "actor": self.actor,
            "thread": self.thread,
            "payload": self.payload,
            "prev_hash": self.prev_hash,
        }
        if self.security is not None:
            fields["security"] = self.security
        return fields

    def to_json(self) -> dict[str, Any]:
        """As it is shown."""
        shown = {**self.to_fields(), "security": self.security, "hash": self.hash}
        return shown if self.erased_at is None else {**shown, "erased_at": self.erased_at}

    def to_line(self) -> bytes:
        if self.v1 is not None:
            return json.dumps(self.v1, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        shown = self.to_json()
        if self.security is None:
            del shown["security"]
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def _hash_v1(self) -> str:
        line = dict(self.v1 or {})
        integrity = line.pop("integrity")
        return _digest({"event": line, "previousHash": integrity.get("previousHash")})


def seal(fields: Mapping[str, Any]) -> str:
    return _digest(fields)


def from_line(line: bytes, number: int, session: str) -> LogEvent:
    """The event of a line; `number` is that of the line in its file: the seq in the other envelope, whose ids may
    hold it too."""
    try:
        read = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NotAnEvent("it is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise NotAnEvent("it is not JSON") from error
    if not isinstance(read, dict):
        raise NotAnEvent("it is not a JSON object")
    if read.keys() >= _NEEDED:
        return _from_fields(read, session)
    if read.keys() >= _V1_NEEDED:
        return _from_v1(read, number)
    raise NotAnEvent("fields that every event has are missing")


def _from_fields(read: dict[str, Any], session: str) -> LogEvent:
    event = LogEvent(
        read["seq"],
        read["timestamp"],
        read["type"],
        read["actor"],
        read.get("thread", session),
        read["payload"],
        read.get("security"),
        read.get("prev_hash"),
        read["hash"],
        read.get("erased_at"),
    )
    return _checked(event)


def _from_v1(read: dict[str, Any], number: int) -> LogEvent:
    integrity, payload = read["integrity"], read["payload"]
    if not isinstance(integrity, dict) or not isinstance(payload, dict):
        raise NotAnEvent("its fields are not of the right types")
    payload = dict(payload)
    security = payload.pop(_V1_SECURITY, None)
    hashes = [
        value.removeprefix(_PREFIX) if isinstance(value, str) else value
        for value in (integrity.get("previousHash"), integrity.get("hash"))
    ]
    event = LogEvent(
        _number_in(read["id"]) or number,
        read.get("timestamp", ""),
        read["type"],
        read["actorId"],
        read["threadId"],
        payload,
        security,
        hashes[0],
        str(hashes[1]),
        read.get("erased_at"),
        read,
    )
    return _checked(event)


def _number_in(v1_id: object) -> int | None:
    found = _V1_ID.match(v1_id) if isinstance(v1_id, str) else None
    return None if found is None else int(found[1])


def _checked(event: LogEvent) -> LogEvent:
    """The fields have the types that everybody who reads them relies on."""
    texts = (event.timestamp, event.type, event.actor, event.thread, event.hash)
    is_number = isinstance(event.seq, int) and not isinstance(event.seq, bool)
    if (
        not all(isinstance(text, str) and text for text in texts)
        or not is_number
        or not 1 <= event.seq < 1 << 60
        or not isinstance(event.payload, dict)
        or not isinstance(event.security, dict | None)
        or not isinstance(event.erased_at, str | None)
        or not isinstance(event.prev_hash, str | None)
    ):
        raise NotAnEvent("its fields are not of the right types")
    if not _HASH.fullmatch(event.hash) or (event.prev_hash and not _HASH.fullmatch(event.prev_hash)):
        raise NotAnEvent("its hash is none")
    return event


def check_draft(draft: EventDraft) -> EventDraft:
    for name, text in (("type", draft.type), ("actor", draft.actor)):
        if not text.strip() or len(text) > MAX_NAME or not text.isprintable():
            raise BadValue(f"the {name} of an event is one line of 1 to {MAX_NAME} characters")
    try:
        size = len(canonical(draft.payload))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadValue("the payload of an event is a JSON object") from error
    if size > MAX_PAYLOAD:
        raise BadValue(
            f"the payload has {size} bytes, and {MAX_PAYLOAD} are allowed; keep long texts in files and name them"
        )
    return draft


def parse_citation(text: str) -> tuple[str, int, str | None]:
    """Session, seq and, where it names one, the beginning of the hash."""
    found = CITATION.fullmatch(text.strip())
    if found is None:
        raise BadValue(
            f"{text[:200]!r} is not a citation; one is written eventloom://SESSION/events/SEQ#HASH"
        )
    return found["session"], int(found["seq"]), found["hash"]


def canonical(value: object) -> bytes:
    """The one serialisation that is hashed: keys sorted at every level, no spaces, ASCII only."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def _digest(value: object) -> str:
    try:
        return hashlib.sha256(canonical(value)).hexdigest()
    except (TypeError, ValueError, RecursionError):
        return ""  # of what cannot be spelled no hash is right
