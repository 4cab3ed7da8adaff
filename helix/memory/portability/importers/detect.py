"""Which format a source has, told by what is in it."""

from __future__ import annotations

from typing import Any

from helix.errors import BadValue
from helix.memory.portability.export_archive import SUFFIX
from helix.memory.portability.export_manifest import EDGES_NAME, MANIFEST_NAME
from helix.memory.portability.import_format_names import FORMATS, STRAND
from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Read
from helix.memory.portability.importers import (
    basic_memory,
    chatgpt,
    claude,
    instructions,
    markdown,
    mcp_memory,
    mem0,
)

READERS: dict[str, Read] = {
    "markdown": markdown.read,
    "basic-memory": basic_memory.read,
    "mcp-memory": mcp_memory.read,
    "mem0": mem0.read,
    "chatgpt": chatgpt.read,
    "claude": claude.read,
    "instructions": instructions.read,
}


def detect(source: Source) -> str:
    form = _of_folder(source) if source.is_folder or source.is_zip else _of_file(source)
    if form is None:
        raise BadValue(
            f"{source.path} has no format that is known here; --format names one of {', '.join(FORMATS)}"
        )
    return form


def _of_folder(source: Source) -> str | None:
    if source.is_zip and (
        source.name.endswith(SUFFIX) or (MANIFEST_NAME in source.names and EDGES_NAME in source.names)
    ):
        return STRAND
    for name in ("conversations.json", "conversations-000.json"):
        if (found := source.find(name)) is not None:
            return _of_json(source.json(found)) or ("claude" if source.find("projects.json") else None)
    if source.find("projects.json") is not None and source.find("users.json") is not None:
        return "claude"
    if any(name.rpartition("/")[2] == ".obsidian" for name in source.hidden):
        return "markdown"
    if any(instructions.is_rules(name) for name in source.names if name.count("/") < 3):
        return "instructions"
    notes = [name for name in source.names if name.lower().endswith(".md")]
    if notes:
        return (
            "basic-memory" if any(basic_memory.is_note(source, name) for name in notes[:50]) else "markdown"
        )
    return None


def _of_file(source: Source) -> str | None:
    [name] = source.names
    lower = name.lower()
    if lower.endswith(SUFFIX):
        return STRAND
    if instructions.is_rules(name):
        return "instructions"
    if lower.endswith((".md", ".markdown")):
        return "basic-memory" if basic_memory.is_note(source, name) else "markdown"
    if lower.endswith(".jsonl") or mcp_memory.is_lines(source, name):
        return "mcp-memory" if mcp_memory.is_lines(source, name) else None
    return _of_json(source.json(name)) if lower.endswith(".json") else None


def _of_json(data: Any) -> str | None:
    if isinstance(data, dict):
        if isinstance(data.get("entities"), list):
            return "mcp-memory"
        if any(isinstance(data.get(key), list) for key in ("results", "memories")):
            return "mem0"
    first = next((one for one in data if isinstance(one, dict)), {}) if isinstance(data, list) else {}
    if "mapping" in first:
        return "chatgpt"
    if "chat_messages" in first or "conversations_memory" in first or "prompt_template" in first:
        return "claude"
    if mem0.is_memory(first):
        return "mem0"
    return None
