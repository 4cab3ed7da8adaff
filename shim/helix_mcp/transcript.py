"""The end of a transcript: a file of JSON lines that may be as long as a day's work."""

from __future__ import annotations

import json
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HEAD = 64 * 1024
_TAIL = 512 * 1024


class Transcript:
    """What was asked first and last, and what was said last. Empty where that cannot be told."""

    def __init__(self, path: str) -> None:
        head, tail, whole = _ends(path)
        self.first_prompt = next(filter(None, map(_prompt, head)), "")
        prompts = [prompt for prompt in map(_prompt, tail) if prompt]
        self.last_prompt = prompts[-1] if prompts else ""
        self.last_answer = next(filter(None, map(_answer, reversed(tail))), "")
        self.prompts = len(prompts) if whole else None
        """None: the file is too long to count them"""


def _ends(path: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], bool]:
    """The first entries, the last ones, and whether these are all."""
    try:
        # A pipe would make us wait for whoever writes it.
        if not path or not stat.S_ISREG(os.stat(path).st_mode):
            return [], [], False
        with open(path, "rb") as file:
            head = file.read(_HEAD)
            size = os.fstat(file.fileno()).st_size
            file.seek(max(size - _TAIL, 0))
            tail = file.read(_TAIL)
    except (OSError, ValueError):
        return [], [], False
    return _entries(head), _entries(tail), size <= _TAIL


def _entries(data: bytes) -> list[dict[str, Any]]:
    """Lines that are whole; what was cut at either end is not JSON."""
    entries = []
    for line in data.split(b"\n"):
        if not line.startswith(b"{"):
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and not entry.get("isSidechain") and not entry.get("isMeta"):
            entries.append(entry)
    return entries


def _prompt(entry: dict[str, Any]) -> str:
    """What a person typed; results of tools come under the same type, and so do commands, in angle brackets."""
    text = _text(entry, "user")
    return "" if text.startswith("<") else text


def _answer(entry: dict[str, Any]) -> str:
    return _text(entry, "assistant")


def _text(entry: dict[str, Any], kind: str) -> str:
    message = entry.get("message")
    if entry.get("type") != kind or not isinstance(message, dict):
        return ""
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = [
        str(part.get("text", "")) for part in parts if isinstance(part, dict) and part.get("type") == "text"
    ]
    return "\n".join(texts).strip()
