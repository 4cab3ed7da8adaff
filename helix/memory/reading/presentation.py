"""How a memory is shown: `concise` is the least to act on, `detailed` all there is to know about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from helix.errors import BadValue
from helix.index.chunk import MAX_PASSAGE, chunks
from helix.memory import answers
from helix.memory.reading.pack_text import opens_with
from helix.memory.reading.passages import size_of
from helix.vault.note import Memory, Note

FORMATS = ("concise", "detailed")


def check_format(response_format: str) -> bool:
    """Whether it is the detailed one."""
    if response_format not in FORMATS:
        raise BadValue(f"response_format is {response_format!r}; give one of {', '.join(FORMATS)}")
    return response_format == "detailed"


def brief(note: Note, text: str) -> answers.Memory:
    memory = note.memory
    shown: answers.Memory = {"id": memory.id, "title": memory.title, "text": text}
    if opens_with(text, memory.title):
        del shown["title"]
    if memory.status != "active":
        shown["status"] = memory.status
    return {**shown, **_mark(note)}


def full(note: Note, text: str) -> answers.Memory:
    memory = note.memory
    whole: answers.Memory = {
        "id": memory.id,
        "title": memory.title,
        "text": text,
        "kind": memory.kind,
        "scope": memory.scope,
        "project": memory.project,
        "status": memory.status,
        "tags": list(memory.tags),
        "edges": edges_of(memory),
        "source": source_of(memory),
        "created": memory.created_at,
        "updated": memory.updated_at,
        "deleted": memory.deleted_at,
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "importance": memory.importance,
        "owner": memory.owner,
        "visibility": None if memory.owner is None else memory.visibility,
        "path": note.path,
        "hash": note.hash,
    }
    kept = ("title", "text", "tags", "edges", "project")
    shown = {key: value for key, value in whole.items() if value is not None or key in kept}
    answer: answers.Memory = {**cast(answers.Memory, shown), **_mark(note)}
    if memory.extra:
        answer["extra"] = _plain(memory.extra)
    return answer


def _mark(note: Note) -> answers.UnreadMark:
    """Of a note that is known by its text alone: what its properties say is not in the answer."""
    return {} if note.unread is None else {"properties_unread": True}


def about_tokens(note: Note) -> int:
    """Of the whole text, by its length."""
    return size_of(note.memory.body) // 4


def source_of(memory: Memory) -> str | None:
    """Where it comes from, in one line: `agent=claude-code session=s-81`."""
    return " ".join(f"{name}={value}" for name, value in (memory.source or {}).items()) or None


def edges_of(memory: Memory) -> list[answers.Edge]:
    return [{"rel": rel, "to": target} for rel, targets in memory.edges.items() for target in targets]


def passage(note: Note, ordinal: int | None) -> str:
    """The part of the text that fits best; all of it when it is short."""
    if len(note.memory.body) <= MAX_PASSAGE:
        return note.memory.body.strip()
    pieces = chunks(note.memory)
    piece = pieces[ordinal] if ordinal is not None and ordinal < len(pieces) else pieces[0]
    return note.memory.body[piece.start : piece.end].strip()


def _plain(value: Any) -> Any:
    """Values of a person's own keys as JSON has them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
