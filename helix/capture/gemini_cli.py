"""Transcripts of Gemini CLI: `tmp/<project>/chats/session-*.jsonl` in its own folder, and `.json` of older versions.

A message is written again, under the same id, whenever something is added to it. So its words and each of its calls
are named by their ids, and taken once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from helix.capture.draft import CapturedEvent, Drafts, SoFar, entries, shown_command, text_of

NAME = "gemini-cli"
HOME, MOVED_BY = ".gemini", ""

_ENDED = {"success": "succeeded", "error": "failed", "cancelled": "cancelled"}
_EDITS = {"write_file": "created", "replace": "modified"}
_SHELL = "run_shell_command"
# What stands behind it in a prompt is the contents of files that the person named in it.
_FILES = "--- Content from referenced files ---"
_STATUS = re.compile(r"^Exit Code: (-?\d+)", re.MULTILINE)
_PRINTED = re.compile(r"\A.*?^(?:Output|Stdout): ", re.DOTALL | re.MULTILINE)


def files(root: Path) -> Iterator[Path]:
    for end in ("jsonl", "json"):
        yield from (root / "tmp").glob(f"*/chats/session-*.{end}")


def find_folder(file: Path, head: Iterable[str]) -> str | None:
    """What the program noted beside its chats; before it did so, only a digest of the folder is known."""
    try:
        noted = (file.parent.parent / ".project_root").read_text("utf-8").strip()
    except (OSError, ValueError):
        noted = ""
    digests = (text_of(entry.get("projectHash")) for _, entry in entries(head))
    return noted or next((f"sha256:{known}" for known in digests if known), None)


def lines_of_json(text: str) -> list[str]:
    """The one object of an older version, as the lines of a newer one."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(whole, dict):
        return []
    messages = whole.pop("messages", None)
    return [json.dumps(one) for one in (whole, *(messages if isinstance(messages, list) else []))]


def read(lines: Iterable[str], stem: str, so_far: SoFar) -> list[CapturedEvent]:
    drafts = Drafts(NAME, stem, so_far)
    for _, entry in entries(lines):
        if text_of(entry.get("projectHash")) and text_of(entry.get("sessionId")):
            drafts.started(
                text_of(entry.get("startTime")), None, host_session=text_of(entry.get("sessionId"))
            )
        replaced = entry.get("$set")
        messages = replaced.get("messages") if isinstance(replaced, dict) else entry.get("messages", [entry])
        for message in messages if isinstance(messages, list) else []:
            if isinstance(message, dict) and (name := text_of(message.get("id"))):
                _message(drafts, message, name)
    return drafts.made


def _message(drafts: Drafts, message: dict[str, Any], name: str) -> None:
    at, is_new = text_of(message.get("timestamp")), name != drafts.so_far.last_name
    if message.get("type") == "user" and is_new:
        shown = message.get("displayContent") or message.get("content")
        drafts.turn("user", _text(shown).partition(_FILES)[0], name, at)
    elif message.get("type") == "gemini":
        if is_new:
            drafts.turn("assistant", _text(message.get("content")), name, at)
        calls = message.get("toolCalls")
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, dict):
                _call(drafts, call)


def _call(drafts: Drafts, call: dict[str, Any]) -> None:
    tool, name, status = text_of(call.get("name")), text_of(call.get("id")), call.get("status")
    if tool is None or name is None or not isinstance(status, str) or status not in _ENDED:
        return
    at, args = text_of(call.get("timestamp")), call.get("args")
    args = args if isinstance(args, dict) else {}
    path = text_of(args.get("file_path"))
    if tool == _SHELL and status != "cancelled":
        printed = _text(call.get("result"))
        found = _STATUS.search(printed)
        code = int(found[1]) if found else int(status == "error")
        text = _PRINTED.sub("", printed[: found.start() if found else None], count=1)
        drafts.command(shown_command(str(args.get("command") or "")), code, name, at, stdout=text)
    elif tool in _EDITS and path and status == "success":
        drafts.edit([(_EDITS[tool], path)], name, at)
    else:
        drafts.tool_call(tool, _ENDED[status], args, name, at)


def _text(parts: object) -> str:
    """The words of a part, or of several: of a text, or of what a tool gave back."""
    if isinstance(parts, str):
        return parts
    if isinstance(parts, list):
        return "\n".join(filter(None, map(_text, parts)))
    if not isinstance(parts, Mapping):
        return ""
    if isinstance(answered := parts.get("functionResponse"), Mapping):
        response = answered.get("response")
        return (
            str(response.get("output") or response.get("error") or "")
            if isinstance(response, Mapping)
            else ""
        )
    return str(parts.get("text") or "")
