"""Transcripts of Codex: `sessions/<year>/<month>/<day>/rollout-*.jsonl` in its own folder."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from helix.capture.draft import (
    CapturedEvent,
    Drafts,
    SoFar,
    digest,
    entries,
    patched_files,
    said,
    shown_command,
    text_of,
)

NAME = "codex"
HOME, MOVED_BY = ".codex", "CODEX_HOME"

# What the program tells the model in the name of the user.
_ADDED = (
    "<environment_context>", "<user_instructions>", "<permissions", "<turn_aborted>", "<skill>", "<INSTRUCTIONS>",
    "<collaboration_mode>", "<user_shell_command>", "<subagent_notification>", "# AGENTS.md instructions",
)  # fmt: skip
_SHELLS = frozenset({"shell", "shell_command", "exec_command", "local_shell", "container.exec"})
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_STATUS = re.compile(r"(?:Process exited with code|Exit code:) (-?\d+)")
_PRINTED = re.compile(r"\A.*?^Output:\n", re.DOTALL | re.MULTILINE)
_HEADER = 2_000


def files(root: Path) -> Iterator[Path]:
    return (root / "sessions").rglob("*.jsonl")


def find_folder(_file: Path, head: Iterable[str]) -> str | None:
    for _, entry in entries(head):
        payload = entry.get("payload")
        if entry.get("type") == "session_meta" and isinstance(payload, dict):
            return text_of(payload.get("cwd"))
    return None


def read(lines: Iterable[str], stem: str, so_far: SoFar) -> list[CapturedEvent]:
    drafts = Drafts(NAME, stem, so_far)
    for line, entry in entries(lines):
        payload, at = entry.get("payload"), text_of(entry.get("timestamp"))
        if not isinstance(payload, dict):
            continue
        kind = (entry.get("type"), payload.get("type"))
        if kind[0] == "session_meta":
            drafts.started(
                at,
                text_of(payload.get("cwd")),
                host_session=text_of(payload.get("id")),
                host_version=text_of(payload.get("cli_version")),
            )
        elif kind == ("event_msg", "user_message"):
            # The same words come as a message to the model too, in most versions.
            text = str(payload.get("message") or "")
            if said("user", text) != so_far.last_said:
                drafts.turn("user", text, digest(line), at)
        elif kind[0] == "response_item":
            _item(drafts, payload, digest(line), at)
    return drafts.made


def _item(drafts: Drafts, payload: dict[str, Any], name: str, at: str | None) -> None:
    kind, role = payload.get("type"), payload.get("role")
    if kind == "message" and role in ("user", "assistant"):
        content = payload.get("content")
        parts = content if isinstance(content, list) else []
        texts = [str(part.get("text") or "") for part in parts if isinstance(part, dict)]
        text = "\n".join(text for text in texts if not text.lstrip().startswith(_ADDED))
        # Records have no ids; their lines have times, so the digest of one is a name that outlives a rotation.
        if said(str(role), text) != drafts.so_far.last_said:
            drafts.turn(str(role), text, name, at)
    elif kind in _CALLS:
        _call(drafts.so_far, payload)
    elif kind in _OUTPUTS:
        _output(drafts, payload, at)


def _call(so_far: SoFar, payload: dict[str, Any]) -> None:
    call_id, tool = text_of(payload.get("call_id")), text_of(payload.get("name")) or "local_shell"
    if call_id is None:
        return
    given = _arguments(payload)
    command = _command(given) if tool in _SHELLS else ""
    patch = str(given.get("input") or given.get("patch") or "") if tool == "apply_patch" else command
    known: dict[str, Any] = {"tool": tool, "keys": list(given)}
    if files_ := patched_files(patch):
        known["files"] = files_  # also of a patch that a shell applies: its text is that of files
    elif command:
        known["command"] = shown_command(command)
    so_far.open_call(call_id, **known)


def _arguments(payload: dict[str, Any]) -> dict[str, Any]:
    if isinstance(action := payload.get("action"), dict):
        return action
    text = payload.get("arguments", payload.get("input"))
    try:
        given = json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        given = None
    return given if isinstance(given, dict) else {"input": text}


def _command(given: dict[str, Any]) -> str:
    command = given.get("command", given.get("cmd"))
    if isinstance(command, list):
        words = [str(word) for word in command]
        # What a person would have typed is inside.
        is_wrapped = len(words) == 3 and words[0].endswith("sh") and words[1] in ("-c", "-lc")
        return words[2] if is_wrapped else shlex.join(words)
    return command if isinstance(command, str) else ""


def _output(drafts: Drafts, payload: dict[str, Any], at: str | None) -> None:
    call_id = str(payload.get("call_id"))
    call = drafts.so_far.calls.pop(call_id, None)
    if call is None:
        return
    text, code = _printed(payload.get("output"))
    if call.get("files") and not code:
        drafts.edit([(operation, path) for operation, path in call["files"]], call_id, at)
    elif call.get("command") and code is not None:
        drafts.command(call["command"], code, call_id, at, stdout=text)
    else:
        status = "called" if code is None else "failed" if code else "succeeded"
        drafts.tool_call(call["tool"], status, call["keys"], call_id, at)


def _printed(output: object) -> tuple[str, int | None]:
    """What a tool printed, and its exit status where that is said; in the three shapes of the versions."""
    if isinstance(output, str) and output.startswith("{"):
        with suppress(ValueError, RecursionError):
            output = json.loads(output)
    if isinstance(output, list):
        output = "\n".join(str(part.get("text") or "") for part in output if isinstance(part, dict))
    if isinstance(output, dict):
        metadata = output.get("metadata")
        code = metadata.get("exit_code") if isinstance(metadata, dict) else None
        text = str(output.get("output", output.get("content", "")))
        return text, code if isinstance(code, int) else int(output.get("success") is False) or None
    text = str(output or "")
    status = _STATUS.search(text[:_HEADER])
    return _PRINTED.sub("", text, count=1), int(status[1]) if status else None
