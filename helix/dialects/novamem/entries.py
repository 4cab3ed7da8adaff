"""A memory as an entry of this dialect, and which entries a call wants to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from helix.dialects.dialect import Arguments
from helix.dialects.novamem.arguments import SENSITIVITIES, units
from helix.dialects.novamem.scope import project_id
from helix.dialects.novamem.spelled import to_time
from helix.dialects.novamem.ulids import to_ulid
from helix.memory.membership import KIND as PROJECT_NOTE
from helix.memory.reading.view import Row
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.vault.note import Note
from helix.vault.times import parse_time

DEFAULT_NAMESPACE = "default"
DEFAULT_SOURCE = "manual"
# The properties of a note in which stands what this dialect knows of a memory and the record format does not.
NAMESPACE, ORIGIN, SENSITIVITY, METADATA = "namespace", "origin", "sensitivity", "metadata"
SOURCE_TYPE, CAPTURED_FROM, CONFIDENCE, SOURCE_REFS = (
    "source_type",
    "captured_from",
    "confidence",
    "source_refs",
)
PROPERTIES: Mapping[str, str] = {
    "namespace": NAMESPACE,
    "source": ORIGIN,
    "sourceType": SOURCE_TYPE,
    "capturedFrom": CAPTURED_FROM,
    "confidence": CONFIDENCE,
    "sensitivity": SENSITIVITY,
    "metadata": METADATA,
    "sourceRefs": SOURCE_REFS,
}
_USUAL_CEILING = "private"
_SNIPPET = 240


def to_properties(arguments: Arguments) -> dict[str, Any]:
    """Those that a call names. What is as it would be anyway is not written down."""
    usual = {"namespace": (DEFAULT_NAMESPACE, ""), "source": (DEFAULT_SOURCE, ""), "confidence": (1, 1.0)}
    return {
        known: arguments[name]
        for name, known in PROPERTIES.items()
        if name in arguments and arguments[name] not in usual.get(name, ("", [], {}))
    }


def namespace_of(row: Row) -> str:
    return _text(row.extra, NAMESPACE) or DEFAULT_NAMESPACE


def _text(extra: Mapping[str, Any], name: str) -> str | None:
    value = extra.get(name)
    return str(value).strip() or None if isinstance(value, str | int | float) else None


@dataclass(frozen=True)
class WantedEntries:
    """Which of the memories that are found a call is about, beside the project."""

    namespaces: frozenset[str] | None
    """None for all"""
    ceiling: int

    @classmethod
    def of(cls, arguments: Arguments) -> WantedEntries:
        several, single = arguments.get("includeNamespaces"), arguments.get("namespace")
        namespaces = frozenset(several) if several else frozenset({single}) if single else None
        return cls(namespaces, SENSITIVITIES.index(arguments.get("maxSensitivity", _USUAL_CEILING)))

    def filters(self) -> dict[str, str]:
        """What can be said to a verb, so that little is found in vain."""
        names = self.namespaces
        if not names or DEFAULT_NAMESPACE in names or any("," in name for name in names):
            return {}
        return {NAMESPACE: ",".join(sorted(names))}

    def has(self, row: Row, now: datetime) -> bool:
        if row.status != "active" or row.kind == PROJECT_NOTE:
            return False
        if self.namespaces is not None and namespace_of(row) not in self.namespaces:
            return False
        ends = parse_time(row.valid_until)
        if ends is not None and ends <= now:
            return False
        secrecy = _text(row.extra, SENSITIVITY)
        return secrecy not in SENSITIVITIES or SENSITIVITIES.index(secrecy) <= self.ceiling


def to_entry(
    request: Request,
    note: Note,
    score: float,
    signals: Mapping[str, float] | None = None,
    mode: str = "full",
) -> Payload:
    memory = note.memory
    extra, source = memory.extra or {}, memory.source or {}
    kept = extra.get(METADATA)
    secrecy = _text(extra, SENSITIVITY)
    entry: Payload = {"id": to_ulid(memory.id), "score": score}
    content = memory.body.strip()
    if mode == "snippet" and units(content) > _SNIPPET:
        entry |= {"content": content[:_SNIPPET].rstrip() + "…", "truncated": True}
    elif mode != "ids":
        entry["content"] = content
    entry |= {
        # Nothing is ever demoted here: a memory is as easily found in a year as today.
        "tier": "warm",
        "namespace": _text(extra, NAMESPACE) or DEFAULT_NAMESPACE,
        "project": project_id(request, memory.project),
        "source": _text(extra, ORIGIN) or DEFAULT_SOURCE,
        "metadata": {
            **(_plain(kept) if isinstance(kept, Mapping) else {}),
            **({"sensitivity": secrecy} if secrecy else {}),
        },
    }
    if signals is not None:
        entry["signals"] = dict(signals)
    more = {
        "memoryId": memory.id,
        "kind": memory.kind,
        "agentName": str(source["agent"]) if source.get("agent") else None,
        "createdAt": to_time(memory.created_at),
        "updatedAt": to_time(memory.updated_at or memory.created_at),
        "expiresAt": to_time(memory.valid_until),
        "sourceType": _text(extra, SOURCE_TYPE),
        "capturedFrom": _text(extra, CAPTURED_FROM),
        "confidence": extra.get(CONFIDENCE) if isinstance(extra.get(CONFIDENCE), int | float) else 1.0,
    }
    return {**entry, **{name: value for name, value in more.items() if value is not None}}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
