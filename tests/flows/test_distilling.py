"""The daemon asks the program that its owner chose about a session that has ended, and only once."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.commands import helix, helix_json
from tests.flows.daemon import free_port, running_daemon
from tests.waiting import wait_for

MADE = {"kind": "decision", "text": "The queue is a table of Postgres.", "evidence": [2]}


def test_a_session_that_ended_is_proposed_from_by_the_program(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    script = f"import os; os.mkdir({str(place / 'asked')!r}); print({json.dumps({'memories': [MADE]})!r})"
    (place / "config").mkdir(exist_ok=True)
    (place / "config" / "config.toml").write_text(
        f"[distill]\ncommand = {json.dumps([sys.executable, '-c', script])}\nquiet_minutes = 0\n"
        "[follow]\nscan_interval = 0.5\n"
    )
    with running_daemon():
        for number in range(4):
            helix(
                "hook-event",
                "transcript-turn",
                "--role",
                "user",
                "--content",
                f"turn {number} about the queue",
            )
        wait_for(lambda: helix_json("inbox", "--what", "proposed")["items"] != [], 60)
        [item] = helix_json("inbox", "--what", "proposed")["items"]
        assert item["proposal"]["text"] == MADE["text"]
        helix("inbox", "accept", item["key"])
        assert helix_json("inbox", "--what", "proposed")["items"] == []
    # Asked twice, the program would have failed: the folder is there.
    assert helix_json("recent", "--all")["results"][0]["kind"] == "decision"
