"""One event and its hash: the rules that anybody can verify a log by."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix.errors import BadValue
from helix.vault.log.event import (
    EventDraft,
    LogEvent,
    NotAnEvent,
    check_draft,
    from_line,
    parse_citation,
    seal,
)
from helix.vault.log.log_paths import check_session

FIRST = LogEvent(
    1, "2024-01-01T00:00:00Z", "goal.created", "user", "agent-1", {"title": "Ship it é"}, None, None, ""
)
PUBLIC = {"sensitivity": "public", "redacted_paths": []}
SECOND_HASH = "95a91a2b682717895a09242342f7de36504188f89355cb575821a73e05f8782a"
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.é", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def test_the_hash_is_that_of_the_published_vectors() -> None:
    assert seal(FIRST.to_fields()) == "6c72993a313df14b675d169d74ce965f7f615baacc98749a15fffcbf44bade31"
    assert seal(dataclasses.replace(FIRST, security=PUBLIC).to_fields()) == SECOND_HASH
    second = LogEvent(
        2,
        "2024-01-01T00:00:01Z",
        "decision.made",
        "user",
        "agent-1",
        {"decision": "Use FTS5", "api_key": "[REDACTED]"},
        {"sensitivity": "restricted", "redacted_paths": ["api_key"]},
        SECOND_HASH,
        "",
    )
    assert seal(second.to_fields()) == "033b55f75e4e2fef4f4824f69b613a1d9485c1cc05727b350a64cd6d54edc9db"


def test_a_line_of_the_other_envelope_is_read_and_verified() -> None:
    line = {
        "id": "evt_zaxy_000000000001_304bd4c10da8339a",
        "type": "goal.created",
        "actorId": "user",
        "threadId": "agent-1",
        "parentEventId": None,
        "causedBy": None,
        "timestamp": "2024-01-01T00:00:00Z",
        "payload": {"title": "Ship it é", "__zaxy_security": PUBLIC},
    }
    sealed = seal({"event": line, "previousHash": None})
    whole = {**line, "integrity": {"hash": f"sha256:{sealed}", "previousHash": None}}
    event = from_line(json.dumps(whole).encode(), 7, "agent-1")
    assert event.is_intact
    # Its id says its number; of one that does not, it is that of the line.
    assert (event.seq, event.payload, event.security) == (1, {"title": "Ship it é"}, PUBLIC)
    assert from_line(json.dumps({**whole, "id": "e-1"}).encode(), 7, "agent-1").seq == 7
    whole["type"] = "goal.changed"
    assert not from_line(json.dumps(whole).encode(), 7, "agent-1").is_intact


@given(st.dictionaries(st.text("abcé", min_size=1), JSON, max_size=4))
def test_an_event_survives_its_line_and_any_change_of_it_shows(payload: dict[str, object]) -> None:
    event = dataclasses.replace(FIRST, payload=payload, security=PUBLIC)
    event = dataclasses.replace(event, hash=seal(event.to_fields()))
    again = from_line(event.to_line(), 1, "agent-1")
    assert again == event
    assert again.is_intact
    spelled = json.dumps(dict(reversed(event.to_json().items())), ensure_ascii=True).encode()
    assert from_line(spelled, 1, "agent-1").is_intact
    assert not dataclasses.replace(again, actor="somebody else").is_intact
    assert not dataclasses.replace(again, payload={**payload, "added": 1}).is_intact


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"7",
        b"[]",
        b"\xff\xfe",
        b"\x00\x00",
        b"[" * 100_000,
        b'{"seq": 1}',
        b'{"seq":"1","timestamp":"t","type":"a","actor":"b","payload":{},"hash":"c"}',
        b'{"seq":true,"timestamp":"t","type":"a","actor":"b","payload":{},"hash":"' + b"a" * 64 + b'"}',
        b'{"seq":1,"timestamp":"t","type":"a","actor":"b","payload":[],"hash":"' + b"a" * 64 + b'"}',
        b'{"seq":1,"timestamp":"t","type":"a","actor":"b","payload":{},"prev_hash":7,"hash":"'
        + b"a" * 64
        + b'"}',
        b'{"id":1,"type":"a","actorId":"b","threadId":"c","payload":{},"integrity":7}',
    ],
)
def test_what_is_no_event_is_said_to_be_none(line: bytes) -> None:
    with pytest.raises(NotAnEvent):
        from_line(line, 1, "s")


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "a b", "é", "x" * 129, "a\n"])
def test_a_session_is_named_so_that_it_can_only_be_a_folder(name: str) -> None:
    with pytest.raises(BadValue, match="Invalid session_id"):
        check_session(name)


def test_drafts_that_no_log_takes_are_refused_with_the_reason() -> None:
    with pytest.raises(BadValue, match="type"):
        check_draft(EventDraft(" ", "user", {}))
    with pytest.raises(BadValue, match="actor"):
        check_draft(EventDraft("a.b", "two\nlines", {}))
    with pytest.raises(BadValue, match="payload"):
        check_draft(EventDraft("a.b", "user", {"text": "x" * 1_048_577}))
    with pytest.raises(BadValue, match="payload"):
        check_draft(EventDraft("a.b", "user", {"value": float("nan")}))


def test_a_citation_names_a_session_a_number_and_a_hash() -> None:
    assert parse_citation("eventloom://s-1/events/12#0123456789ab") == ("s-1", 12, "0123456789ab")
    assert parse_citation("eventloom://s-1/events/12") == ("s-1", 12, None)
    for wrong in ("s-1/12", "eventloom://s-1/events/0#0123456789ab", "eventloom://../events/1#xyz"):
        with pytest.raises(BadValue, match="citation"):
            parse_citation(wrong)
