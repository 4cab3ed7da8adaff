"""The file of the MCP reference memory server: JSON lines of entities and relations, or its graph as one object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from helix.errors import BadValue
from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Brought, Item, Skipped, tags_of, text_of
from helix.memory.portability.importers.relations import edge_kind

_TYPES = ("entity", "relation")
_NOT_IN_A_LINK = frozenset("[]|#^\n")


def read(source: Source) -> Iterator[Item]:
    entities: dict[str, dict[str, Any]] = {}
    relations: list[tuple[str, str, str]] = []
    for where, entry in _objects(source):
        if isinstance(entry, Skipped):
            yield entry
        elif entry.get("type") == "entity" and (name := text_of(entry.get("name"))):
            entity = entities.setdefault(name, {"kind": text_of(entry.get("entityType")), "says": []})
            observations = entry.get("observations")
            entity["says"] += [
                text for text in map(text_of, observations if isinstance(observations, list) else []) if text
            ]
        elif entry.get("type") == "relation":
            relations.append(
                (text_of(entry.get("from")), text_of(entry.get("relationType")), text_of(entry.get("to")))
            )
        else:
            yield Skipped(where, "is neither an entity with a name nor a relation")
    for start, kind, end in relations:
        if start not in entities or end not in entities:
            yield Skipped(f"{start} {kind} {end}", "relates an entity that is not in the file")
    for name, entity in entities.items():
        own = [
            (kind, end) for start, kind, end in dict.fromkeys(relations) if start == name and end in entities
        ]
        if not entity["says"] and not own:
            yield Skipped(name, "is an entity of which nothing is said")
        else:
            yield _memory(name, entity, own)


def is_lines(source: Source, name: str) -> bool:
    """Whether the first line is an entity or a relation."""
    try:
        first = source.text(name, 256 * 1024 * 1024).lstrip().partition("\n")[0]
        entry = json.loads(first)
    except (BadValue, ValueError, RecursionError):
        return False
    return isinstance(entry, dict) and entry.get("type") in _TYPES


def _memory(name: str, entity: dict[str, Any], relations: list[tuple[str, str]]) -> Brought:
    says: list[str] = list(dict.fromkeys(entity["says"]))
    body = says[0] if len(says) == 1 else "\n".join(f"- {_indented(one)}" for one in says)
    edges: dict[str, list[str]] = {}
    lines = []
    for kind, end in relations:
        edges.setdefault(edge_kind(kind), []).append(end)
        lines.append(f"- {kind or 'relates to'} {end if _NOT_IN_A_LINK & set(end) else f'[[{end}]]'}")
    if lines:
        body = "\n\n".join(filter(None, (body, "## Relations", "\n".join(lines))))
    return Brought(
        key=name,
        title=name,
        body=body,
        tags=tags_of([entity["kind"]]) if entity["kind"] else (),
        edges=edges,
        links={end: end for _, end in relations},
        source={"entity": name, "entity_type": entity["kind"]},
    )


def _objects(source: Source) -> Iterator[tuple[str, Any]]:
    for name in source.names:
        if not name.lower().endswith((".json", ".jsonl")):
            continue
        text = source.text(name)
        if not is_lines(source, name):
            graph = source.json(name)
            if not isinstance(graph, dict):
                raise BadValue(f"{name} holds no entities and relations of the MCP memory server")
            for key, kind in (("entities", "entity"), ("relations", "relation")):
                for place, entry in enumerate(graph.get(key) or (), 1):
                    yield f"{name} {key} {place}", {**entry, "type": kind} if isinstance(entry, dict) else {}
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield f"{name}:{number}", _parsed(f"{name}:{number}", line)


def _parsed(where: str, line: str) -> dict[str, Any] | Skipped:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return Skipped(where, "is not JSON")
    return entry if isinstance(entry, dict) else Skipped(where, "is not an object")


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
