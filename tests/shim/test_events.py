"""Server-sent events: the standard's rules, wherever the bytes are cut."""

from __future__ import annotations

import pytest
from helix_mcp.events import EventParser, events

STREAM = (
    "\ufeffdata: one\n\n: a comment\ndata: two\r\ndata:  lines\r\n\r\n"
    'id: 5\nretry: 1500\ndata\n\ndata:\n\nevent: message\rdata: {"é": "\u2028\u2029"}\r\rother: x\ndata:three\n\n'
    "id: 6\n\ndata: never ended\n"
).encode()
EXPECTED = [b"one", b"two\n lines", '{"é": "\u2028\u2029"}'.encode(), b"three"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
def test_events_are_the_same_however_the_bytes_are_cut(size: int) -> None:
    pieces = [STREAM[start : start + size] for start in range(0, len(STREAM), size)]
    assert list(events(pieces, EventParser())) == EXPECTED


def test_every_cut_in_two_gives_the_same_events() -> None:
    for cut in range(len(STREAM)):
        assert list(events([STREAM[:cut], b"", STREAM[cut:]], EventParser())) == EXPECTED


def test_the_last_id_and_the_wish_to_wait_are_remembered() -> None:
    parser = EventParser()
    list(events([STREAM], parser))
    assert (parser.last_id, parser.retry) == ("6", 1.5)


def test_an_id_counts_once_its_event_has_ended() -> None:
    parser = EventParser()
    list(events([b"id: 1\ndata: x\n\nid: 2\ndata: half"], parser))
    assert parser.last_id == "1"
