"""An export of mem0: a list of memories, bare or under `results` or `memories`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from helix.errors import BadValue
from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Brought, Item, Skipped, plain, tags_of, text_of, time_of
from helix.vault.new_memory import title_from
from helix.vault.yaml_load import Value

_KINDS = frozenset({"fact", "preference", "decision", "snippet", "task", "event", "skill", "document"})


def read(source: Source) -> Iterator[Item]:
    for name in source.names:
        if name.lower().endswith(".json"):
            for place, entry in enumerate(_list_in(source.json(name), name), 1):
                yield _memory(entry, f"{name} {place}")


def is_memory(entry: Mapping[str, Any]) -> bool:
    return bool(text_of(entry.get("memory")) or text_of(entry.get("text"))) and "id" in entry


def _list_in(data: Any, name: str) -> list[Any]:
    for key in ("results", "memories"):
        if isinstance(data, dict) and isinstance(data.get(key), list):
            data = data[key]
    if not isinstance(data, list):
        raise BadValue(f"{name} is no export of mem0: it has no list of memories")
    return data


def _memory(entry: Any, where: str) -> Brought | Skipped:
    if not isinstance(entry, dict):
        return Skipped(where, "is not an object")
    text = text_of(entry.get("memory")) or text_of(entry.get("text")) or text_of(entry.get("content"))
    key = str(entry.get("id") or "").strip()
    if not key:
        return Skipped(where, "has no id")
    deleted = bool(entry.get("deleted") or entry.get("is_deleted") or entry.get("deleted_at"))
    if not text and not deleted:
        return Skipped(key, "has no text")
    metadata = entry.get("metadata") if isinstance(entry.get("metadata"), dict) else {}
    categories = tags_of(entry.get("categories"))
    more: dict[str, Value] = {"valid_until": time_of(entry.get("expiration_date"))}
    if metadata:
        more["metadata"] = plain(metadata)
    return Brought(
        key=key,
        title=title_from(text),
        body=text,
        kind=_kind(categories, metadata),
        tags=categories,
        created_at=time_of(entry.get("created_at")),
        updated_at=time_of(entry.get("deleted_at")) or time_of(entry.get("updated_at")),
        source={
            "id": key,
            "user": plain(entry.get("user_id")),
            "agent": plain(entry.get("agent_id")),
            "session": plain(entry.get("run_id")),
        },
        more=more,
        deleted=deleted,
    )


def _kind(categories: list[str], metadata: Any) -> str:
    kind = str(metadata.get("type", "")).lower()
    if kind in _KINDS:
        return kind
    return "preference" if any("preference" in one.lower() for one in categories) else "fact"
