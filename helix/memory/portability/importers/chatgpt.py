"""The data export of ChatGPT: a tree of messages for each conversation, and what it was told to remember."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from helix.errors import BadValue
from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Brought, Item, Skipped, text_of, time_of
from helix.memory.portability.importers.conversation import Turn, to_memory
from helix.vault.new_memory import title_from

_CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")
_MEMORIES = re.compile(r"(?:.*/)?memor(?:y|ies)\.json")


def read(source: Source) -> Iterator[Item]:
    names = [name for name in source.names if _CONVERSATIONS.fullmatch(name)]
    if not (source.is_folder or source.is_zip):
        names = source.names
    memories = [name for name in source.names if _MEMORIES.fullmatch(name) and name not in names]
    if not names and not memories:
        raise BadValue(f"{source.path} is no export of ChatGPT: it has no conversations.json")
    for name in names:
        conversations = source.json(name)
        if not isinstance(conversations, list):
            raise BadValue(f"{name} is no export of ChatGPT: it is not a list of conversations")
        for place, conversation in enumerate(conversations, 1):
            yield _conversation(conversation, f"{name} {place}")
    for name in memories:
        yield from _memories(source.json(name), name)


def _conversation(conversation: Any, where: str) -> Item:
    if not isinstance(conversation, dict) or not isinstance(conversation.get("mapping"), dict):
        return Skipped(where, "is not a conversation")
    key = text_of(conversation.get("conversation_id")) or text_of(conversation.get("id"))
    if not key:
        return Skipped(where, "is a conversation without an id")
    return to_memory(
        key,
        text_of(conversation.get("title")),
        _turns(conversation["mapping"], conversation.get("current_node")),
        uri=f"https://chatgpt.com/c/{key}",
        created_at=time_of(conversation.get("create_time")),
        updated_at=time_of(conversation.get("update_time")),
    )


def _turns(mapping: dict[str, Any], last: object) -> list[Turn]:
    """The branch that the person last saw: from its last message up to the root."""
    node = last if isinstance(last, str) and last in mapping else _deepest_leaf(mapping)
    turns: list[Turn] = []
    seen: set[str] = set()
    while isinstance(node, str) and node in mapping and node not in seen:
        seen.add(node)
        entry = mapping[node]
        if not isinstance(entry, dict):
            break
        if (turn := _turn(entry.get("message"))) is not None:
            turns.append(turn)
        node = entry.get("parent")
    return turns[::-1]


def _deepest_leaf(mapping: dict[str, Any]) -> str | None:
    leaves = [key for key, entry in mapping.items() if isinstance(entry, dict) and not entry.get("children")]
    return leaves[-1] if leaves else None


def _turn(message: Any) -> Turn | None:
    if not isinstance(message, dict):
        return None
    author, content, hints = (message.get(key) for key in ("author", "content", "metadata"))
    role = author.get("role") if isinstance(author, dict) else None
    if role not in ("user", "assistant") or not isinstance(content, dict):
        return None
    if content.get("content_type") not in ("text", "multimodal_text"):
        return None  # what it thought, ran and fetched
    if isinstance(hints, dict) and hints.get("is_visually_hidden_from_conversation"):
        return None
    parts = content.get("parts")
    text = "\n\n".join(part for part in (parts if isinstance(parts, list) else []) if isinstance(part, str))
    return (role, text) if text.strip() else None


def _memories(data: Any, name: str) -> Iterator[Item]:
    listed = data.get("memories", data.get("results")) if isinstance(data, dict) else data
    for place, entry in enumerate(listed if isinstance(listed, list) else [], 1):
        memory = {"content": entry} if isinstance(entry, str) else entry
        fields = memory if isinstance(memory, dict) else {}
        text = next(filter(None, (text_of(fields.get(key)) for key in ("content", "memory", "text"))), "")
        key = text_of(fields.get("id")) or text
        if not text:
            yield Skipped(f"{name} {place}", "is a memory without text")
            continue
        yield Brought(
            key=f"memory:{key}",
            title=title_from(text),
            body=text,
            created_at=time_of(fields.get("created_at") or fields.get("create_time")),
            updated_at=time_of(fields.get("updated_at") or fields.get("update_time")),
            source={"uri": name},
        )
