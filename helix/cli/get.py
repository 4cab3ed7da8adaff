"""helix get: one memory, now or in the past."""

from __future__ import annotations

from typing import Any

import typer

from helix.cli.options import AsOf, IncludeDeleted, MemoryId, Ref
from helix.cli.output import Json, err, out, print_facts, print_json, reports_errors
from helix.cli.verbs import open_verbs

_FACTS = ("kind", "status", "scope", "project", "created", "updated", "deleted", "valid_from", "valid_until")


@reports_errors
def get(
    context: typer.Context,
    memory_id: MemoryId,
    include_deleted: IncludeDeleted = False,
    as_of: AsOf = None,
    ref: Ref = None,
    as_json: Json = False,
) -> None:
    """Print one memory, now or in the past."""
    with open_verbs(context) as verbs:
        memory = verbs.ask("get", memory_id=memory_id, include_deleted=include_deleted, as_of=as_of, ref=ref)
    if as_json:
        print_json(memory)
        return
    out.print(str(memory.get("title") or memory["id"]), style="bold")
    print_facts([("id", memory["id"]), *_facts(memory)])
    out.print()
    out.print(memory["text"])
    if memory["truncated"]:
        err.print(f"The text is longer than one answer; {memory['path']} has all of it.", style="yellow")


def _facts(memory: dict[str, Any]) -> list[tuple[str, object]]:
    facts: list[tuple[str, object]] = [
        (name.replace("_", " "), memory[name]) for name in _FACTS if memory.get(name)
    ]
    if memory.get("tags"):
        facts.append(("tags", ", ".join(memory["tags"])))
    facts += [(edge["rel"], edge["to"]) for edge in memory.get("edges", ())]
    facts += [(name, memory[name]) for name in ("importance", "source") if memory.get(name) is not None]
    facts += [(str(name), value) for name, value in memory.get("extra", {}).items()]
    if memory.get("properties_unread"):
        facts.append(("properties", "cannot be read; `helix doctor` names the line"))
    return [*facts, ("file", memory["path"])] if memory.get("path") else facts
