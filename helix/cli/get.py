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
        said = verbs.get(memory_id, include_deleted=include_deleted, as_of=as_of, ref=ref)
    if as_json:
        print_json(said)
        return
    out.print(str(said.get("title") or said["id"]), style="bold")
    print_facts([("id", said["id"]), *_facts(said)])
    out.print()
    out.print(said["text"])
    if said["truncated"]:
        err.print(f"The text is longer than one answer; {said['path']} has all of it.", style="yellow")


def _facts(said: dict[str, Any]) -> list[tuple[str, object]]:
    facts: list[tuple[str, object]] = [
        (name.replace("_", " "), said[name]) for name in _FACTS if said.get(name)
    ]
    if said.get("tags"):
        facts.append(("tags", ", ".join(said["tags"])))
    facts += [(edge["rel"], edge["to"]) for edge in said.get("edges", ())]
    facts += [(name, said[name]) for name in ("importance", "source") if said.get(name) is not None]
    facts += [(str(name), value) for name, value in said.get("extra", {}).items()]
    if said.get("properties_unread"):
        facts.append(("properties", "cannot be read; `helix doctor` names the line"))
    return [*facts, ("file", said["path"])] if said.get("path") else facts
