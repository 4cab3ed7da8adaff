"""The script of the page on the log format verifies what Helix exports, and finds what somebody changed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from helix.vault.log.event import EventDraft
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root

PAGE = Path(__file__).resolve().parents[2] / "docs" / "log-format.md"


def verify_by_page(log: Path) -> tuple[int, str]:
    [script] = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(script.splitlines()) <= 20
    done = subprocess.run(
        [sys.executable, "-c", script, str(log)], capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stdout + done.stderr


def test_the_script_of_the_page_verifies_a_log_and_finds_a_changed_line(tmp_path: Path) -> None:
    logs = SessionLogs(Root(tmp_path), lambda: "m1")
    events = [
        event
        for text in ("one é", "two", "three")
        for event in logs.append("s", [EventDraft("a.b", "user", {"content": text, "password": "x"})])
    ]
    logs.erase("s", [events[1].hash], "2026-01-01T00:00:00Z")
    log = tmp_path / "sessions/s/m1.jsonl"
    assert verify_by_page(log) == (0, f"verified: 3 events, last {events[2].hash}\n")
    log.write_bytes(log.read_bytes().replace(b'"three"', b'"four"'))
    code, words = verify_by_page(log)
    assert code == 1
    assert "line 3: the hash is not that of the event" in words
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(lines[0] + lines[2])
    assert verify_by_page(log)[0] == 1
