"""The six tools of Helix: each call spelled as a verb."""

from __future__ import annotations

from helix.dialects.dialect import Arguments, Hints, Tool
from helix.dialects.helix import schemas
from helix.memory.reading.browse import get
from helix.memory.reading.context import context
from helix.memory.reading.search import search
from helix.memory.reading.view import NOW, When
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.memory.writing.amend import forget, relate
from helix.memory.writing.write import Wish, write


def _search(request: Request, arguments: Arguments) -> Payload:
    return search(
        _placed(request, arguments),
        arguments["query"],
        scope=arguments.get("scope", "project"),
        filters=arguments.get("filters"),
        limit=int(arguments.get("limit", 8)),
        max_tokens=int(arguments.get("max_tokens", 1500)),
        response_format=arguments.get("response_format", "concise"),
        include_deleted=arguments.get("include_deleted", False),
        cursor=arguments.get("cursor"),
        when=_when(arguments),
    )


def _context(request: Request, arguments: Arguments) -> Payload:
    return context(
        _placed(request, arguments),
        arguments["task"],
        scope=arguments.get("scope", "project"),
        max_tokens=int(arguments.get("max_tokens", 4000)),
        response_format=arguments.get("response_format", "concise"),
        when=_when(arguments),
    )


def _write(request: Request, arguments: Arguments) -> Payload:
    wish = Wish(
        text=arguments["text"],
        title=arguments.get("title"),
        kind=arguments.get("kind", "fact"),
        scope=arguments.get("scope", "project"),
        project=arguments.get("project"),
        tags=tuple(arguments.get("tags", ())),
        importance=arguments.get("importance"),
        idempotency_key=arguments.get("idempotency_key"),
        supersede_hint=arguments.get("supersede_hint"),
        force=arguments.get("force", False),
        allow_secrets=arguments.get("allow_secrets", False),
    )
    return write(_placed(request, arguments), wish)


def _get(request: Request, arguments: Arguments) -> Payload:
    return get(
        request,
        arguments["id"],
        response_format=arguments.get("response_format", "detailed"),
        include_deleted=arguments.get("include_deleted", False),
        max_tokens=int(arguments.get("max_tokens", 8000)),
        cursor=arguments.get("cursor"),
        when=_when(arguments),
    )


def _forget(request: Request, arguments: Arguments) -> Payload:
    return forget(
        request,
        arguments["id"],
        mode=arguments.get("mode", "tombstone"),
        idempotency_key=arguments.get("idempotency_key"),
    )


def _relate(request: Request, arguments: Arguments) -> Payload:
    return relate(
        request,
        arguments["from"],
        arguments["to"],
        arguments["rel"],
        idempotency_key=arguments.get("idempotency_key"),
    )


def _placed(request: Request, arguments: Arguments) -> Request:
    """What a call says of project and session goes before what its connection says."""
    return request.at(project=arguments.get("project"), session=arguments.get("session"))


def _when(arguments: Arguments) -> When:
    if "as_of" not in arguments and "ref" not in arguments:
        return NOW
    return When(arguments.get("as_of"), arguments.get("ref"))


TOOLS = (
    Tool(
        "memory_search",
        "memory.search",
        "Recall what is known about one question, best match first. Call it before asking the user or guessing. "
        "An empty result means nothing relevant is stored.",
        schemas.SEARCH,
        _search,
        schemas.FOUND,
        uses_search=True,
    ),
    Tool(
        "memory_context",
        "memory.context",
        "Call first, before starting a task: packs the preferences, decisions, facts and open tasks that bear on it "
        "into one cited text within max_tokens.",
        schemas.CONTEXT,
        _context,
        schemas.PACK,
        uses_search=True,
    ),
    Tool(
        "memory_write",
        "memory.write",
        "Keep one decision, preference, fact, snippet or task that a later session will need, with its reason, in "
        "words that stand alone. Not chatter, progress notes or secrets. Duplicates merge; a changed value "
        "supersedes the old one.",
        schemas.WRITE,
        _write,
        schemas.WRITTEN,
        Hints(read_only=False, idempotent=False),
        aliases=("memory.add", "memory_add"),
        uses_search=True,
    ),
    Tool(
        "memory_get",
        "memory.get",
        "Read one memory in full by id: a search result that was cut, its edges, or where it came from.",
        schemas.GET,
        _get,
        schemas.MEMORY,
    ),
    Tool(
        "memory_forget",
        "memory.forget",
        "Take a memory that is wrong or unwanted out of all answers. If it merely changed, write the new one with "
        "supersede_hint instead.",
        schemas.FORGET,
        _forget,
        schemas.FORGOTTEN,
        Hints(read_only=False, destructive=True),
    ),
    Tool(
        "memory_relate",
        "memory.relate",
        "Link two memories by id, e.g. a decision that depends_on or contradicts another.",
        schemas.RELATE,
        _relate,
        schemas.RELATED,
        Hints(read_only=False),
    ),
)
