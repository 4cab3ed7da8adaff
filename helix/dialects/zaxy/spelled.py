"""How answers and refusals of this dialect are written: one text, a JSON document."""

from __future__ import annotations

import json
from typing import Any

from helix.errors import (
    HelixError,
    IndexBroken,
    IndexNotReady,
    ModelError,
    StateUnwritable,
    StorageError,
    VaultError,
)
from helix.memory.tokens import serialize

_INSIDE = (StorageError, StateUnwritable, VaultError, IndexBroken, IndexNotReady, ModelError)
"""what is no fault of the arguments"""
_LATER = (
    ("coordination_", "memory_append and memory_replay keep what several agents do in one session"),
    ("memory_causal", "memory_checkout cites what a fact stands on"),
    ("memory_consolidation", "Helix looks for doubles by itself; its owner decides in the inbox"),
    ("memory_ingest", "memory_append adds one event; POST /sessions/{session_id}/ingest adds many"),
    ("memory_export", "`helix session export` writes the log of a session"),
    ("memory_outcome", "memory_skill with the action outcome_recorded, or memory_feedback"),
    ("memory_feeling_of_knowing", "memory_checkout says in quality.answerability whether it is known"),
    ("memory_confidence", "memory_checkout says in quality.confidence how sure it is"),
    ("memory_claim_confidence", "memory_checkout says in quality.confidence how sure it is"),
    ("memory_similar_procedures", "memory_checkout tells of skills that apply"),
    ("memory_plan_from_procedures", "memory_checkout tells of skills that apply"),
)


def on_one_line(answer: Any) -> str:
    return serialize(answer)


def indented(answer: Any) -> str:
    return json.dumps(answer, ensure_ascii=False, indent=2)


def say_error(error: HelixError) -> str:
    is_inside = error.code == "internal" or isinstance(error, _INSIDE)
    _, _, remedy = error.message.partition("; ")
    usual = (
        "Call again; the log of the daemon says what happened."
        if is_inside
        else "Change the arguments and call again."
    )
    return _refusal("internal_error" if is_inside else "invalid_request", error.message, remedy or usual)


def say_unknown(name: str) -> str:
    instead = next((hint for start, hint in _LATER if name.startswith(start)), None)
    remedy = "tools/list shows the tools there are" if instead is None else f"it is not here: {instead}"
    return _refusal("unknown_tool", f"Unknown tool: {name}", remedy)


def _refusal(code: str, message: str, remediation: str) -> str:
    error = {"code": code, "message": message, "remediation": remediation}
    return json.dumps({"error": error}, ensure_ascii=False, indent=2, sort_keys=True)
