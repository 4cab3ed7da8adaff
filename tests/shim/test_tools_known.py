"""A client that calls tools without listing them: what may be repeated is found out for it."""

from __future__ import annotations

import pytest

from tests.shim.driver import ENVELOPE, MODERN, shim
from tests.shim.peer import Asked, http, polite, running_peer
from tests.waiting import wait_for


def answer(asked: Asked) -> bytes:
    if asked.what == "tools/list":
        tools = [
            {"name": "look", "annotations": {"readOnlyHint": True}},
            {"name": "change", "annotations": {}},
        ]
        return http(200, asked.result({"tools": tools}))
    return polite(asked)


@pytest.mark.parametrize("era", ["handshake", MODERN])
def test_the_list_is_asked_for_once_and_calls_that_only_read_share_a_connection(era: str) -> None:
    meta: dict[str, object] = {"_meta": ENVELOPE} if era == MODERN else {}
    with running_peer(answer) as peer, shim(peer.url) as client:
        if era != MODERN:
            client.open()
        client.ask(0, "tools/call", {"name": "look", **meta})
        wait_for(lambda: len(peer.seen("tools/list")) == 1)
        wait_for(
            lambda: (
                client.ask("probe", "tools/call", {"name": "look", **meta})
                and _shared(peer.seen("tools/call"))
            )
        )
        for number in range(1, 6):
            client.ask(number, "tools/call", {"name": "change", **meta})
        changes = [one for one in peer.seen("tools/call") if one.body["params"]["name"] == "change"]
        assert len({one.connection_number for one in changes}) == 5  # never one that may be closing
        assert len(peer.seen("tools/list")) == 1
        assert client.is_silent
        assert client.end() == 0


def _shared(calls: list[Asked]) -> bool:
    return len({one.connection_number for one in calls[-2:]}) == 1 and len(calls) > 1
