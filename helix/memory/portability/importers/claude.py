"""The data export of Claude: conversations, projects with their documents, and what Claude remembers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helix.errors import BadValue
from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Brought, Item, Skipped, text_of, time_of
from helix.memory.portability.importers.conversation import Turn, to_memory

_WHO = {"human": "user", "user": "user", "assistant": "assistant"}
_PARTS = ("conversations.json", "projects.json", "memories.json")


def read(source: Source) -> Iterator[Item]:
    if source.is_folder or source.is_zip:
        found = {part: name for part in _PARTS if (name := source.find(part)) is not None}
    else:
        found = {_part(source.json(source.names[0])): source.names[0]}
    if not found:
        raise BadValue(f"{source.path} is no export of Claude: it has none of {', '.join(_PARTS)}")
    projects: dict[str, str] = {}
    if "projects.json" in found:
        for project in _list(source, found["projects.json"]):
            if isinstance(project, dict):
                projects[text_of(project.get("uuid"))] = text_of(project.get("name"))
                yield from _project(project)
    if "memories.json" in found:
        for memories in _list(source, found["memories.json"]):
            yield from _memories(memories, projects)
    if "conversations.json" in found:
        for place, conversation in enumerate(_list(source, found["conversations.json"]), 1):
            yield _conversation(conversation, f"conversation {place}", projects)


def _part(data: Any) -> str:
    first = next((one for one in data if isinstance(one, dict)), {}) if isinstance(data, list) else data
    fields = first if isinstance(first, dict) else {}
    if "conversations_memory" in fields or "project_memories" in fields:
        return "memories.json"
    return "projects.json" if "prompt_template" in fields or "docs" in fields else "conversations.json"


def _list(source: Source, name: str) -> list[Any]:
    data = source.json(name)
    if isinstance(data, dict):
        return [data]
    if not isinstance(data, list):
        raise BadValue(f"{name} is no export of Claude: it is not a list")
    return data


def _conversation(conversation: Any, where: str, projects: dict[str, str]) -> Item:
    if not isinstance(conversation, dict) or not isinstance(conversation.get("chat_messages"), list):
        return Skipped(where, "is not a conversation")
    key = text_of(conversation.get("uuid"))
    if not key:
        return Skipped(where, "is a conversation without a uuid")
    belongs = conversation.get("project")
    project = projects.get(text_of(belongs.get("uuid"))) if isinstance(belongs, dict) else None
    return to_memory(
        key,
        text_of(conversation.get("name")),
        [turn for message in conversation["chat_messages"] if (turn := _turn(message)) is not None],
        uri=f"https://claude.ai/chat/{key}",
        created_at=time_of(conversation.get("created_at")),
        updated_at=time_of(conversation.get("updated_at")),
        project=project or None,
    )


def _turn(message: Any) -> Turn | None:
    if not isinstance(message, dict) or (who := _WHO.get(text_of(message.get("sender")))) is None:
        return None
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [
        text_of(block.get("text"))
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "text"
    ]
    text = "\n\n".join(filter(None, texts)) or text_of(message.get("text"))
    return (who, text) if text else None


def _project(project: dict[str, Any]) -> Iterator[Item]:
    key, name = text_of(project.get("uuid")), text_of(project.get("name")) or "Claude project"
    if project.get("is_starter_project"):
        yield Skipped(name, "is the example project that everybody has")
        return
    created_at = time_of(project.get("created_at"))
    text = "\n\n".join(
        filter(None, (text_of(project.get("description")), text_of(project.get("prompt_template"))))
    )
    uri = f"https://claude.ai/project/{key}"
    if key and text:
        yield Brought(
            key=f"project:{key}",
            title=name,
            body=text,
            kind="document",
            project=name,
            created_at=created_at,
            updated_at=time_of(project.get("updated_at")),
            source={"uri": uri},
        )
    docs = project.get("docs")
    for place, doc in enumerate(docs if isinstance(docs, list) else [], 1):
        fields = doc if isinstance(doc, dict) else {}
        title, content = text_of(fields.get("filename")), text_of(fields.get("content"))
        if not content:
            yield Skipped(f"{name}: {title or place}", "is a document without text")
            continue
        yield Brought(
            key=f"doc:{text_of(fields.get('uuid')) or f'{key}/{title}'}",
            title=title or f"{name} {place}",
            body=content,
            kind="document",
            project=name,
            created_at=time_of(fields.get("created_at")) or created_at,
            source={"uri": uri},
        )


def _memories(memories: Any, projects: dict[str, str]) -> Iterator[Item]:
    fields = memories if isinstance(memories, dict) else {}
    account = text_of(fields.get("account_uuid")) or "account"
    if text := text_of(fields.get("conversations_memory")):
        yield Brought(f"memory:{account}", "What Claude remembers", text, source={"uri": "memories.json"})
    per_project = fields.get("project_memories")
    for key, value in (per_project if isinstance(per_project, dict) else {}).items():
        if text := text_of(value):
            name = projects.get(key) or None
            title = f"What Claude remembers of {name or 'a project'}"
            yield Brought(
                f"memory:{account}/{key}", title, text, project=name, source={"uri": "memories.json"}
            )
