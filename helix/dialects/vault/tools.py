"""The four tools that clients of a plain memory vault know.

Such a client has one vault and no projects: what it appends belongs to the project its connection names, and to
all of them when it names none.
"""

from __future__ import annotations

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments, Hints, Tool
from helix.dialects.schema import STRING, closed, schema_of, shape
from helix.memory.budget import cut
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.vault.note import Note

# These clients name no budget. A host cuts what is longer than about 25,000 tokens, so the bodies of one answer
# share fewer, counted as three characters each.
_ROOM_TOKENS = 20_000
_ROOM = 3 * _ROOM_TOKENS
_TOP_K = 5

_ENTRY = shape(
    ["id", "title", "body", "score", "tags", "status", "created_at", "updated_at"],
    id=STRING,
    title=STRING,
    body=STRING,
    score={"type": "number"},
    tags=schema_of("write", "tags"),
    status=STRING,
    created_at=STRING,
    updated_at=STRING,
)


def _search(request: Request, arguments: Arguments) -> Payload:
    top_k = int(arguments.get("top_k", _TOP_K))
    paging = {name: arguments[name] for name in ("include_deleted", "cursor") if name in arguments}
    found = ask(
        request,
        "search",
        query=arguments["query"],
        limit=top_k,
        max_tokens=_ROOM_TOKENS,
        **paging,
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
    bundle = ask(request, "phases", **arguments)
    return str(bundle["context"]) or "No memories for these phases."


def _append(request: Request, arguments: Arguments) -> Payload:
    written = ask(
        request,
        "write",
        text=arguments["body"],
        title=arguments["title"],
        scope="project" if request.place.project else "global",
        tags=arguments.get("tags", ()),
        idempotency_key=arguments.get("idempotency_key"),
        # The answer is an entry with this title, so nothing is merged into one that reads alike. Credentials are
        # refused all the same.
        force=True,
    )
    memory = request.view().get(written["id"]).memory
    return {
        "id": memory.id,
        "title": memory.title,
        "status": memory.status,
        "created_at": memory.created_at or "",
    }


def _forget(request: Request, arguments: Arguments) -> Payload:
    memory = request.view().get(ask(request, "forget", **arguments)["id"]).memory
    return {"id": memory.id, "status": "deleted", "deleted_at": memory.deleted_at or ""}


TOOLS = (
    Tool(
        "memory_search",
        "memory.search",
        "Search the vault by meaning and words, best match first. next_cursor leads to the rest, if there is one.",
        closed(
            ["query"],
            query=schema_of("search", "query", description="Natural-language search query"),
            top_k=schema_of("search", "limit", default=_TOP_K),
            include_deleted=schema_of("search", "include_deleted"),
            cursor=schema_of("search", "cursor", description="next_cursor of the answer before"),
        ),
        _search,
        shape(["results"], results={"type": "array", "items": _ENTRY}, next_cursor=STRING),
        uses_search=True,
    ),
    Tool(
        "memory_recall",
        "memory.recall",
        "A markdown bundle of the memories that matter in the named phases of work, within budget_tokens. Known "
        "phases: plan, work, review, debug, release; others are taken as a topic.",
        closed(
            ["phases"],
            phases=schema_of("phases", "phases", description='e.g. ["work", "review"]'),
            budget_tokens=schema_of("phases", "budget_tokens"),
            idempotency_key=schema_of(
                "phases", "idempotency_key", description="The same key gets the same bundle in a session"
            ),
        ),
        _recall,
        uses_search=True,
    ),
    Tool(
        "memory_append",
        "memory.append",
        "Write a new entry that a later session will need: a decision, a preference, a fact. Not chatter.",
        closed(
            ["title", "body"],
            title=schema_of("write", "title", description="Short summary, used for the file name"),
            body=schema_of("write", "text", description="Markdown"),
            tags=schema_of("write", "tags"),
            idempotency_key=schema_of(
                "write", "idempotency_key", description="A retry with the same key changes nothing"
            ),
        ),
        _append,
        shape(
            ["id", "title", "status", "created_at"],
            id=STRING,
            title=STRING,
            status=STRING,
            created_at=STRING,
        ),
        Hints(read_only=False, idempotent=False),
        uses_search=True,
    ),
    Tool(
        "memory_forget",
        "memory.forget",
        "Soft-delete an entry: its file stays, marked as deleted, and it is in no answer any more.",
        closed(["id"], id=schema_of("forget", "id", description="From memory_search or memory_append")),
        _forget,
        shape(
            ["id", "status", "deleted_at"],
            id=STRING,
            status={"type": "string", "enum": ["deleted"]},
            deleted_at=STRING,
        ),
        Hints(read_only=False, destructive=True),
    ),
)
