"""A daemon without a folder answers as the one that has it, and passes on what it cannot do."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

from tests.index.postgres.server import needs_server
from tests.replicas.daemons import VERSION, Keeping, ask, recall, remember
from tests.waiting import wait_for

pytestmark = needs_server


def test_what_was_written_at_the_keeper_is_found_at_the_reader_word_for_word(kept: Keeping) -> None:
    written = remember(kept.keeper, "The ferry to the island leaves at noon, from the second pier")
    mark = written.headers[VERSION]
    assert recall(kept.reader, "ferry island", headers={"Helix-Seen": mark}) == [
        "The ferry to the island leaves at noon, from the second pier"
    ]
    memory_id = written.body["id"]
    for path in (
        f"/memory/{memory_id}",
        "/recent?scope=all",
        "/stats",
        "/graph?scope=all",
        f"/memory/{memory_id}/neighbors",
        "/projects",
        "/recall?q=ferry&scope=all&response_format=detailed",
    ):
        here, there = (ask(one, path, headers={"Helix-Seen": mark}) for one in (kept.reader, kept.keeper))
        assert (here.status, _lasting(here.body)) == (200, _lasting(there.body)), path


def test_a_write_at_the_reader_is_a_file_at_the_keeper_and_is_found_at_once(kept: Keeping) -> None:
    written = remember(kept.reader, "The orchard is watered from the well behind the barn")
    assert written.body["status"] == "created"
    assert recall(kept.reader, "orchard well") == ["The orchard is watered from the well behind the barn"]
    vault = Path(kept.env["HELIX_VAULT"])
    assert any("orchard is watered" in file.read_text() for file in vault.rglob("*.md"))
    assert (
        not Path(kept.env["HELIX_STATE_DIR"]).parent.parent.joinpath("second/there-is-no-vault-here").exists()
    )


def test_the_same_key_at_either_daemon_writes_once(kept: Keeping) -> None:
    first = remember(kept.reader, "Backups run at three in the night", idempotency_key="backup-1")
    again = remember(kept.keeper, "Backups run at three in the night", idempotency_key="backup-1")
    third = remember(kept.reader, "Backups run at three in the night", idempotency_key="backup-1")
    assert [one.body["status"] for one in (first, again, third)] == ["created", "noop", "noop"]
    assert first.body["id"] == again.body["id"] == third.body["id"]
    other = remember(kept.reader, "Backups never run", idempotency_key="backup-1")
    assert (other.status, other.body["code"]) == (409, "idempotency-conflict")


def test_what_is_forgotten_and_what_is_erased_leave_the_reader(kept: Keeping) -> None:
    written = remember(
        kept.keeper,
        "Whoever works here at night and finds the archive locked "
        "says one word at the gate, and that word is quagmireparsnip",
    )
    mark = written.headers[VERSION]
    assert recall(kept.reader, "quagmireparsnip", headers={"Helix-Seen": mark})
    gone = ask(kept.reader, "/forget", {"id": written.body["id"], "mode": "hard"})
    assert gone.status == 200, gone.body
    assert recall(kept.reader, "quagmireparsnip") == []
    assert ask(kept.reader, f"/memory/{written.body['id']}").status in (404, 410)
    state = Path(kept.env["HELIX_STATE_DIR"]).parent.parent / "second" / "state"

    def held() -> list[str]:
        found = [path for path in state.rglob("*") if path.is_file()]
        return [path.name for path in found if b"quagmireparsnip" in path.read_bytes()]

    wait_for(lambda: not held(), 20)


def test_history_is_passed_on_to_who_has_the_folder(kept: Keeping) -> None:
    written = remember(kept.keeper, "The bridge is closed in winter because of the ice")
    path = f"/memory/{written.body['id']}/history"
    here, there = ask(kept.reader, path), ask(kept.keeper, path)
    assert (here.status, here.body) == (there.status, there.body)
    timeline = ask(kept.reader, "/timeline?limit=1")
    assert timeline.status == 200, timeline.body


def test_what_is_about_files_says_whom_to_ask(kept: Keeping) -> None:
    refused = ask(kept.reader, "/reindex", {})
    assert (refused.status, refused.body["code"]) == (409, "not-here")
    assert kept.keeper.url in refused.body["error"]


def test_each_says_what_it_is(kept: Keeping) -> None:
    roles = [ask(one, "/status").body["role"] for one in (kept.keeper, kept.reader)]
    assert roles == ["keeper", "reader"]


def test_an_edit_by_hand_reaches_the_reader(kept: Keeping) -> None:
    written = remember(kept.keeper, "The lamp on the stairs needs a new bulb")
    vault = Path(kept.env["HELIX_VAULT"])
    [file] = [one for one in vault.rglob("*.md") if "lamp on the stairs" in one.read_text()]
    file.write_text(file.read_text().replace("new bulb", "new cable and a switch"))
    wait_for(
        lambda: (
            recall(kept.reader, "lamp stairs") == ["The lamp on the stairs needs a new cable and a switch"]
        )
    )
    assert written.status == 200


def test_who_does_not_show_the_secret_of_the_keeper_passes_nothing_on(kept: Keeping) -> None:
    content: dict[str, Any] = {"verb": "stats", "values": {}, "place": {}, "author": None}
    tries: list[dict[str, str]] = [{}, {"Authorization": "Bearer guessed"}]
    for shown in tries:
        refused = ask(kept.keeper, "/passed-on", content, headers=shown)
        assert refused.status == 401, refused.body


def test_an_agent_over_mcp_at_the_reader(kept: Keeping) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "memory_write",
            "arguments": {"text": "The kiln is fired on Tuesdays", "scope": "global"},
        },
    }
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    hello = {
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    session = _mcp(kept, hello, headers)[1]
    answer, _ = _mcp(kept, call, {**headers, **session})
    assert "structuredContent" in answer["result"], answer
    assert answer["result"]["structuredContent"]["status"] == "created", answer
    assert recall(kept.reader, "kiln fired") == ["The kiln is fired on Tuesdays"]


def _mcp(kept: Keeping, message: dict[str, object], headers: dict[str, str]) -> tuple[Any, dict[str, str]]:
    request = urllib.request.Request(
        f"{kept.reader.url}/mcp",
        json.dumps(message).encode(),
        {"Content-Type": "application/json", **headers},
    )
    with urllib.request.urlopen(request, timeout=40) as answer:
        text = answer.read().decode()
        session = answer.headers.get("mcp-session-id")
    data = next(
        (line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()), text
    )
    return json.loads(data), {} if session is None else {"Mcp-Session-Id": session}


def _lasting(answer: dict[str, object]) -> dict[str, object]:
    """Without what belongs to a daemon: its cursors."""
    return {name: value for name, value in answer.items() if name not in ("next_cursor", "tokens_used")}
