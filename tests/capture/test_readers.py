"""Each host's transcript becomes the same kinds of events, and nothing of a file's contents is among them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helix.capture import claude_code, codex, gemini_cli
from helix.capture.draft import EXCERPT, CapturedEvent, SoFar, shown_command
from helix.capture.registry import HOSTS
from tests.capture.transcripts import CONTENTS, ClaudeCode, Codex, GeminiCli

FOLDER = Path("/work/gateway")


def _lines(entries: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(entry) for entry in entries]


def _brief(draft: CapturedEvent) -> tuple[Any, ...]:
    payload = draft.payload
    match draft.type:
        case "transcript.turn":
            return ("turn", payload["role"], payload["content"], payload["turn_index"])
        case "command.completed":
            return ("command", payload["command"], payload["exit_code"], payload["outcome"])
        case "file.edit.applied":
            files = payload.get("files", [payload])
            return ("edit", *((one["operation"], one["path"]) for one in files))
        case "tool.call.completed":
            return ("tool", payload["tool_name"], payload["status"], payload["argument_keys"])
        case _:
            return (draft.type, payload.get("workspace"))


def test_claude_code(tmp_path: Path) -> None:
    host = ClaudeCode(tmp_path, FOLDER)
    drafts = claude_code.read(_lines(host.whole()), host.stem, SoFar())
    assert [_brief(draft) for draft in drafts] == [
        ("hook.session_started", "/work/gateway"),
        ("turn", "user", "Why does the gateway drop bursts?", 0),
        ("turn", "assistant", "I look at the limiter first.", 1),
        ("command", "make test --token [REDACTED]", 0, "passed"),
        ("command", "cat > total.py <<'EOF' …", 2, "failed"),
        ("edit", ("created", "/work/gateway/total.py")),
        ("tool", "Edit", "failed", ["file_path", "new_string", "old_string"]),
        ("tool", "Read", "succeeded", ["file_path"]),
        ("turn", "user", drafts[-1].payload["content"], 2),
    ]
    assert drafts[4].payload["stderr_excerpt"] == "No space"
    assert drafts[1].ref == f"claude-code:{host.stem}:{host.stem[:8]}-0003"
    assert drafts[1].timestamp == "2026-06-18T09:00:03.120Z"
    assert {draft.payload["source"] for draft in drafts} == {"claude-code"}


def test_codex(tmp_path: Path) -> None:
    host = Codex(tmp_path, FOLDER)
    drafts = codex.read(_lines(host.whole()), host.stem, SoFar())
    files = (("created", "total.py"), ("modified", "a.py"))
    assert [_brief(draft) for draft in drafts] == [
        ("hook.session_started", "/work/gateway"),
        ("turn", "user", "Why does the gateway drop bursts?", 0),
        ("command", "make test --password [REDACTED]", 1, "failed"),
        ("command", "ls", 0, "passed"),
        ("edit", *files),
        ("edit", *files),
        ("tool", "view_image", "called", ["path"]),
        ("turn", "assistant", "The limiter has no jitter.", 1),
    ]
    assert drafts[0].payload["host_version"] == "0.63.0"
    assert drafts[2].payload["stdout_excerpt"].startswith("line of output")


def test_gemini_cli_takes_a_message_once_though_it_is_written_again(tmp_path: Path) -> None:
    host = GeminiCli(tmp_path, FOLDER)
    so_far = SoFar()
    drafts = list(
        {draft.ref: draft for draft in gemini_cli.read(_lines(host.whole()), host.stem, so_far)}.values()
    )
    assert [_brief(draft) for draft in drafts] == [
        ("hook.session_started", None),
        ("turn", "user", "Why is @total.py slow?", 0),
        ("turn", "assistant", "I run the tests.", 1),
        ("command", "npm test --api-key [REDACTED]", 2, "failed"),
        ("edit", ("created", "total.py")),
        ("tool", "replace", "failed", ["file_path", "old_string"]),
        ("tool", "read_file", "succeeded", ["file_path"]),
        ("turn", "assistant", "The limiter has no jitter.", 2),
    ]


def test_what_older_versions_of_gemini_cli_wrote_says_the_same(tmp_path: Path) -> None:
    host = GeminiCli(tmp_path, FOLDER)
    new = gemini_cli.read(_lines(host.whole()), host.stem, SoFar())
    old = gemini_cli.read(gemini_cli.lines_of_json(host.whole_json()), host.stem, SoFar())
    assert {draft.ref for draft in old} == {draft.ref for draft in new}


@pytest.mark.parametrize("host", [ClaudeCode, Codex, GeminiCli])
def test_no_contents_of_files_and_no_long_output(host: Any, tmp_path: Path) -> None:
    transcript = host(tmp_path, FOLDER)
    drafts = HOSTS[transcript.host].read(_lines(transcript.whole()), transcript.stem, SoFar())
    kept = json.dumps([draft.to_given() for draft in drafts])
    assert CONTENTS.splitlines()[0] not in kept
    assert "CONTENTS-OF-A-FILE" not in kept
    assert "hunter2" not in kept
    excerpts = [value for draft in drafts for key, value in draft.payload.items() if key.endswith("_excerpt")]
    assert excerpts
    assert max(map(len, excerpts)) <= EXCERPT


@pytest.mark.parametrize("host", [ClaudeCode, Codex, GeminiCli])
def test_stretches_of_any_length_make_the_same_events(host: Any, tmp_path: Path) -> None:
    transcript = host(tmp_path, FOLDER)
    read = HOSTS[transcript.host].read
    lines = _lines(transcript.whole())
    whole = read(lines, transcript.stem, SoFar())
    so_far, parts = SoFar(), []
    for line in lines:
        parts += read([line], transcript.stem, so_far)
        so_far = SoFar.from_json(so_far.to_json())
    assert parts == whole


@pytest.mark.parametrize("read", [host.read for host in HOSTS.values()])
def test_lines_that_are_none_are_passed_over(read: Any) -> None:
    odd = [
        "",
        "{",
        "7",
        "[]",
        "null",
        '{"type": "user"}',
        '{"type": "user", "uuid": "u", "message": {"content": 7}}',
    ]
    odd += [
        '{"type": "response_item", "payload": {"type": "message", "role": "user", "content": [7]}}',
        "[" * 100_000,
    ]
    odd += [
        '{"id": "m", "type": "gemini", "content": {"text": 7}, "toolCalls": [7, {}]}',
        '{"$set": {"messages": 7}}',
    ]
    odd += ['{"type": "response_item", "payload": {"type": "function_call", "call_id": "c", "arguments": 7}}']
    odd += [
        '{"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": 7}}'
    ]
    made = read(odd, "odd", SoFar())
    assert {draft.type for draft in made} <= {
        "hook.session_started",
        "tool.call.completed",
        "transcript.turn",
    }


def test_half_of_a_pair_that_no_file_can_hold_is_replaced() -> None:
    line = '{"type": "user", "uuid": "u1", "message": {"content": "broken \\ud83d here"}}'
    [_, draft] = claude_code.read([line], "s", SoFar())
    assert draft.payload["content"] == "broken ? here"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("curl --token=abc https://x", "curl --token=[REDACTED] https://x"),
        ("API_KEY='a b' make", "API_KEY=[REDACTED] make"),
        ("mysql --password 'a b' -u me", "mysql --password [REDACTED] -u me"),
        ("echo a\necho b", "echo a\necho b"),
    ],
)
def test_a_command_is_kept_without_what_it_hides(typed: str, kept: str) -> None:
    assert shown_command(typed) == kept
