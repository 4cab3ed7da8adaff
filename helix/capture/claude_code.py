"""Transcripts of Claude Code: `projects/<folder>/<session>.jsonl` in its own folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from helix.capture.draft import CapturedEvent, Drafts, SoFar, entries, shown_command, text_of

NAME = "claude-code"
HOME, MOVED_BY = ".claude", "CLAUDE_CONFIG_DIR"

# Not what a person typed: what the program adds for the model, and the commands that it runs by itself.
_ADDED = ("<command-", "<local-command-", "<system-reminder>", "<bash-", "<user-memory-input>", "Caveat: ")
_NOISE = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
_EDITS = {
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "Write": "file_path",
    "NotebookEdit": "notebook_path",
}
_STATUS = re.compile(r"\s*(?:Error: )?Exit code (\d+)\n?")


def files(root: Path) -> Iterator[Path]:
    return (root / "projects").glob("*/*.jsonl")


def find_folder(_file: Path, head: Iterable[str]) -> str | None:
    """The folder that the session was started in: the first that a record names."""
    return next((cwd for _, entry in entries(head) if (cwd := text_of(entry.get("cwd")))), None)


def read(lines: Iterable[str], stem: str, so_far: SoFar) -> list[CapturedEvent]:
    drafts = Drafts(NAME, stem, so_far)
    for _, entry in entries(lines):
        message = entry.get("message")
        role, name = entry.get("type"), text_of(entry.get("uuid"))
        is_noise = any(entry.get(mark) for mark in _NOISE)
        if is_noise or role not in ("user", "assistant") or not isinstance(message, dict) or name is None:
            continue
        at = text_of(entry.get("timestamp"))
        drafts.started(
            at, text_of(entry.get("cwd")), host_session=stem, host_version=text_of(entry.get("version"))
        )
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        parts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        texts = [str(part.get("text") or "") for part in parts if part.get("type") == "text"]
        drafts.turn(str(role), "\n".join(text for text in texts if not text.startswith(_ADDED)), name, at)
        for part in parts:
            if part.get("type") == "tool_use":
                _call(so_far, part)
            elif part.get("type") == "tool_result":
                _result(drafts, part, entry.get("toolUseResult"), at)
    return drafts.made


def _call(so_far: SoFar, part: dict[str, Any]) -> None:
    call_id, tool, given = text_of(part.get("id")), text_of(part.get("name")), part.get("input")
    given = given if isinstance(given, dict) else {}
    if call_id is None or tool is None:
        return
    known: dict[str, Any] = {"tool": tool, "keys": list(given)}
    if tool == "Bash":
        known["command"] = shown_command(str(given.get("command") or ""))
    elif tool in _EDITS:
        known["path"] = str(given.get(_EDITS[tool]) or "")
    so_far.open_call(call_id, **known)


def _result(drafts: Drafts, part: dict[str, Any], details: object, at: str | None) -> None:
    """Only what has ended is details of: a call that was refused changed no file."""
    call_id = str(part.get("tool_use_id"))
    call = drafts.so_far.calls.pop(call_id, None)
    if call is None:
        return
    failed, details = bool(part.get("is_error")), details if isinstance(details, dict) else {}
    if call.get("command"):
        text = _text(part.get("content"))
        status = _STATUS.match(text)
        code = int(status[1]) if status else int(failed)
        stdout = str(details.get("stdout") or "") or (text if not failed else "")
        stderr = str(details.get("stderr") or "") or (text[status.end() if status else 0 :] if failed else "")
        drafts.command(call["command"], code, call_id, at, stdout=stdout, stderr=stderr)
    elif call.get("path") and not failed:
        drafts.edit(
            [("created" if details.get("type") == "create" else "modified", call["path"])], call_id, at
        )
    else:
        drafts.tool_call(call["tool"], "failed" if failed else "succeeded", call["keys"], call_id, at)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))
