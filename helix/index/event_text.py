"""What an event says, as a text that is searched and quoted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

BOOKKEEPING = frozenset(
    {
        "memory.bootstrap.shown",
        "memory.checkout.completed",
        "memory.reminder.suggested",
        "memory.reinforced",
        "memory.feedback",
        "memory.invalidated",
        "memory.proposed",
        "memory.ref.updated",
        "event.erased",
        "compaction.completed",
        "session.archived",
        "session.restored",
    }
)
"""what memory notes about itself: who asks for what happened does not mean that"""
_MEMORY_TOOLS = ("memory_", "context_assemble", "context_after_turn", "subagent_cleanup")


def is_bookkeeping(kind: str, payload: Mapping[str, Any]) -> bool:
    if kind in BOOKKEEPING or (kind.startswith("hook.") and kind != "hook.checkpoint"):
        return True
    tool = payload.get("tool_name")
    return kind == "tool.call.completed" and isinstance(tool, str) and tool.startswith(_MEMORY_TOOLS)


def event_text(payload: Mapping[str, Any]) -> str:
    """The content of a turn or a document as it is; of anything else its fields, one a line."""
    content = payload.get("content")
    if isinstance(content, str):
        role = payload.get("role")
        return f"{role}: {content}" if isinstance(role, str) else content
    return "\n".join(_fields(payload, ""))


def _fields(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _fields(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        plain = [str(one) for one in value if isinstance(one, str | int | float)]
        if plain:
            yield f"{name}: {'; '.join(plain)}"
        for inner in value:
            if isinstance(inner, Mapping | list):
                yield from _fields(inner, name)
    elif value is not None:
        yield f"{name}: {value}"
