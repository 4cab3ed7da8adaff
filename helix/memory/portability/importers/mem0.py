"""An export of mem0: a list of memories, bare or under `results` or `memories`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from helix.errors import BadValue
from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Brought, Item, Skipped, plain, tags_of, text_of, time_of
from helix.vault.load import Value
from helix.vault.new_memory import title_from

_KINDS = frozenset({"fact", "preference", "decision", "snippet", "task", "event", "skill", "document"})


def read(source: Source) -> Iterator[Item]:
    for name in source.names:
        if name.lower().endswith(".json"):
            for place, said in enumerate(_list_in(source.json(name), name), 1):
                yield _memory(said, f"{name} {place}")


def is_memory(said: Mapping[str, Any]) -> bool:
    return bool(text_of(said.get("memory")) or text_of(said.get("text"))) and "id" in said


def _list_in(said: Any, name: str) -> list[Any]:
    for key in ("results", "memories"):
        if isinstance(said, dict) and isinstance(said.get(key), list):
            said = said[key]
    if not isinstance(said, list):
        raise BadValue(f"{name} is no export of mem0: it has no list of memories")
    return said


def _memory(said: Any, where: str) -> Brought | Skipped:
    if not isinstance(said, dict):
        return Skipped(where, "is not an object")
    text = text_of(said.get("memory")) or text_of(said.get("text")) or text_of(said.get("content"))
    key = str(said.get("id") or "").strip()
    if not key:
        return Skipped(where, "has no id")
    deleted = bool(said.get("deleted") or said.get("is_deleted") or said.get("deleted_at"))
    if not text and not deleted:
        return Skipped(key, "has no text")
    metadata = said.get("metadata") if isinstance(said.get("metadata"), dict) else {}
    categories = tags_of(said.get("categories"))
    more: dict[str, Value] = {"valid_until": time_of(said.get("expiration_date"))}
    if metadata:
        more["metadata"] = plain(metadata)
    return Brought(
        key=key,
        title=title_from(text),
        body=text,
        kind=_kind(categories, metadata),
        tags=categories,
        created_at=time_of(said.get("created_at")),
        updated_at=time_of(said.get("deleted_at")) or time_of(said.get("updated_at")),
        source={
            "id": key,
            "user": plain(said.get("user_id")),
            "agent": plain(said.get("agent_id")),
            "session": plain(said.get("run_id")),
        },
        more=more,
        deleted=deleted,
    )


def _kind(categories: list[str], metadata: Any) -> str:
    said = str(metadata.get("type", "")).lower()
    if said in _KINDS:
        return said
    return "preference" if any("preference" in one.lower() for one in categories) else "fact"
