"""The four tools that clients of a plain memory vault know.

Such a client has one vault and no projects: what it appends belongs to the project its connection names, and to
all of them when it names none.
"""

from __future__ import annotations

from typing import Any

from helix.dialects.dialect import Arguments, Hints, Tool
from helix.memory.budget import cut
from helix.memory.reading.phase_recall import recall_phases
from helix.memory.reading.search import search
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.memory.writing.amend import forget
from helix.memory.writing.write import Wish, write
from helix.vault.note import Note

# These clients name no budget. A host cuts what is longer than about 25,000 tokens, so the bodies of one answer
# share fewer, counted as three characters each.
_ROOM_TOKENS = 20_000
_ROOM = 3 * _ROOM_TOKENS

_STRING = {"type": "string"}
_STRINGS = {"type": "array", "items": _STRING}
_KEY = {"type": "string", "description": "A retry with the same key changes nothing"}


def _takes(required: list[str], **properties: Any) -> Payload:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _gives(required: list[str], **properties: Any) -> Payload:
    return {"type": "object", "properties": properties, "required": required}


_ENTRY = _gives(
    ["id", "title", "body", "score", "tags", "status", "created_at", "updated_at"],
    id=_STRING,
    title=_STRING,
    body=_STRING,
    score={"type": "number"},
    tags=_STRINGS,
    status=_STRING,
    created_at=_STRING,
    updated_at=_STRING,
)


def _search(request: Request, arguments: Arguments) -> Payload:
    top_k = int(arguments.get("top_k", 5))
    found = search(
        request,
        arguments["query"],
        limit=top_k,
        max_tokens=_ROOM_TOKENS,
        include_deleted=arguments.get("include_deleted", False),
        cursor=arguments.get("cursor"),
    )
    view = request.view()
    pairs = [(hit, view.find(hit["id"])) for hit in found["results"]]
    results = [_entry(note, hit["score"], _ROOM // top_k) for hit, note in pairs if note is not None]
    answer: Payload = {"results": results, "next_cursor": found["next_cursor"]}
    return {key: value for key, value in answer.items() if value is not None}


def _entry(note: Note, score: float, room: int) -> Payload:
    memory = note.memory
    body = memory.body.strip()
    return {
        "id": memory.id,
        "title": memory.title,
        "body": body if len(body) <= room else f"{cut(body, room)} …",
        "score": score,
        "tags": list(memory.tags),
        "status": memory.status,
        "created_at": memory.created_at or "",
        "updated_at": memory.updated_at or memory.created_at or "",
    }


def _recall(request: Request, arguments: Arguments) -> str:
    bundle = recall_phases(
        request,
        arguments["phases"],
        budget_tokens=int(arguments.get("budget_tokens", 4096)),
        idempotency_key=arguments.get("idempotency_key"),
    )
    return str(bundle["context"]) or "No memories for these phases."


def _append(request: Request, arguments: Arguments) -> Payload:
    wish = Wish(
        text=arguments["body"],
        title=arguments["title"],
        scope="project" if request.place.project else "global",
        tags=tuple(arguments.get("tags", ())),
        idempotency_key=arguments.get("idempotency_key"),
        # The answer is an entry with this title, so nothing is merged into one that reads alike. Credentials are
        # refused all the same.
        force=True,
    )
    memory = request.view().get(write(request, wish)["id"]).memory
    return {
        "id": memory.id,
        "title": memory.title,
        "status": memory.status,
        "created_at": memory.created_at or "",
    }


def _forget(request: Request, arguments: Arguments) -> Payload:
    memory = request.view().get(forget(request, arguments["id"])["id"]).memory
    return {"id": memory.id, "status": "deleted", "deleted_at": memory.deleted_at or ""}


TOOLS = (
    Tool(
        "memory_search",
        "memory.search",
        "Search the vault by meaning and words, best match first. next_cursor leads to the rest, if there is one.",
        _takes(
            ["query"],
            query={"type": "string", "description": "Natural-language search query"},
            top_k={"type": "integer", "minimum": 1, "maximum": 50, "default": 5},
            include_deleted={"type": "boolean", "default": False},
            cursor={"type": "string", "description": "next_cursor of the answer before"},
        ),
        _search,
        _gives(["results"], results={"type": "array", "items": _ENTRY}, next_cursor=_STRING),
        uses_search=True,
    ),
    Tool(
        "memory_recall",
        "memory.recall",
        "A markdown bundle of the memories that matter in the named phases of work, within budget_tokens. Known "
        "phases: plan, work, review, debug, release; others are taken as a topic.",
        _takes(
            ["phases"],
            phases={
                "type": "array",
                "items": _STRING,
                "minItems": 1,
                "description": 'e.g. ["work", "review"]',
            },
            budget_tokens={"type": "integer", "minimum": 64, "maximum": 200_000, "default": 4096},
            idempotency_key={
                "type": "string",
                "description": "The same key gets the same bundle in a session",
            },
        ),
        _recall,
        uses_search=True,
    ),
    Tool(
        "memory_append",
        "memory.append",
        "Write a new entry that a later session will need: a decision, a preference, a fact. Not chatter.",
        _takes(
            ["title", "body"],
            title={"type": "string", "description": "Short summary, used for the file name"},
            body={"type": "string", "description": "Markdown"},
            tags=_STRINGS,
            idempotency_key=_KEY,
        ),
        _append,
        _gives(
            ["id", "title", "status", "created_at"],
            id=_STRING,
            title=_STRING,
            status=_STRING,
            created_at=_STRING,
        ),
        Hints(read_only=False, idempotent=False),
        uses_search=True,
    ),
    Tool(
        "memory_forget",
        "memory.forget",
        "Soft-delete an entry: its file stays, marked as deleted, and it is in no answer any more.",
        _takes(["id"], id={"type": "string", "description": "From memory_search or memory_append"}),
        _forget,
        _gives(
            ["id", "status", "deleted_at"],
            id=_STRING,
            status={"type": "string", "enum": ["deleted"]},
            deleted_at=_STRING,
        ),
        Hints(read_only=False, destructive=True),
    ),
)
