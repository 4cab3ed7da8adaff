"""The switch of capture in the page: on for a folder, off, and everything erased after a question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.capture.transcripts import ClaudeCode, write_lines
from tests.dashboard.conftest import Open
from tests.surfaces.conftest import Served
from tests.waiting import wait_for


@pytest.fixture
def project(board: Served) -> Iterator[Path]:
    """A folder in which Claude Code was at work; capture is off before and after."""
    folder = board.place / "zoo"
    folder.mkdir(exist_ok=True)
    home = Path(board.env.get("CLAUDE_CONFIG_DIR") or Path(board.env["HOME"]) / ".claude")
    host = ClaudeCode(home, folder, session="0a0b0c0d-3b7a-4c52-9d7e-0f5b1f6f2a11")
    write_lines(host.file, host.whole())
    yield folder
    board.http.post("/capture/purge")


def _contents(board: Served) -> str:
    answer = board.http.get("/sessions/claude-code-0a0b0c0d-3b7a-4c52-9d7e-0f5b1f6f2a11/events")
    return str([event["payload"] for event in answer.json().get("events", [])])


def test_capture_is_turned_on_and_off_and_what_was_taken_in_is_erased(
    visit: Open, board: Served, project: Path
) -> None:
    page = visit().go("#/sessions")
    line = page.locator(".capture-line")
    expect(line).to_contain_text("Capture is off")
    line.get_by_role("button", name="Capture").click()
    dialog = page.get_by_role("dialog", name="Capture")
    dialog.get_by_role("button", name="Turn on for this folder").click()
    expect(dialog.locator(".problem")).to_contain_text("Give the folder")
    dialog.get_by_label("Whole path of a folder").fill(str(project))
    dialog.get_by_role("button", name="Turn on for this folder").click()
    expect(line).to_contain_text(f"Capture is on for {project}")
    row = page.locator(".session-list").get_by_text("claude-code-0a0b0c0d")
    expect(row).to_be_visible()
    wait_for(lambda: "Why does the gateway drop bursts?" in _contents(board), 30)

    line.get_by_role("button", name="Capture").click()
    page.get_by_role("dialog", name="Capture").get_by_role("button", name="Turn off").click()
    expect(line).to_contain_text("Capture is off")
    assert board.http.get("/capture").json()["on"] is False

    line.get_by_role("button", name="Capture").click()
    page.get_by_role("dialog", name="Capture").get_by_role("button", name=re.compile("Erase")).click()
    sure = page.get_by_role("dialog", name="Erase everything")
    sure.get_by_role("button", name="Erase for good").click()
    expect(page.locator(".toast").last).to_contain_text(re.compile(r"Erased \d+ events of 1 session"))
    assert "gateway" not in _contents(board)


def test_a_folder_that_is_not_there_is_refused_in_the_dialog(visit: Open, board: Served) -> None:
    opened = visit()
    opened.watched.expected.append("422")
    opened.watched.expected.append("400")
    page = opened.go("#/sessions")
    page.locator(".capture-line").get_by_role("button", name="Capture").click()
    dialog = page.get_by_role("dialog", name="Capture")
    dialog.get_by_label("Whole path of a folder").fill("/no/such/folder")
    dialog.get_by_role("button", name="Turn on for this folder").click()
    expect(dialog.locator(".problem")).to_contain_text("is not a folder")
    assert board.http.get("/capture").json()["on"] is False
