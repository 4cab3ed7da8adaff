"""The six tools of Helix: each call spelled as a verb of the service."""

from __future__ import annotations

from dataclasses import replace

from helix.dialects.dialect import Arguments, Hints, Tool
from helix.dialects.helix import schemas
from helix.memory.reader import NOW, When
from helix.memory.reading.view import Caller
from helix.memory.service import Service
from helix.memory.tokens import Payload
from helix.memory.writing.write import Wish


def _search(service: Service, caller: Caller, said: Arguments) -> Payload:
    return service.search(
        said["query"],
        caller=_where(caller, said),
        scope=said.get("scope", "project"),
        filters=said.get("filters"),
        limit=int(said.get("limit", 8)),
        max_tokens=int(said.get("max_tokens", 1500)),
        response_format=said.get("response_format", "concise"),
        include_deleted=said.get("include_deleted", False),
        cursor=said.get("cursor"),
        when=_when(said),
    )


def _context(service: Service, caller: Caller, said: Arguments) -> Payload:
    return service.context(
        said["task"],
        caller=_where(caller, said),
        scope=said.get("scope", "project"),
        max_tokens=int(said.get("max_tokens", 4000)),
        response_format=said.get("response_format", "concise"),
        when=_when(said),
    )


def _write(service: Service, caller: Caller, said: Arguments) -> Payload:
    wish = Wish(
        text=said["text"],
        title=said.get("title"),
        kind=said.get("kind", "fact"),
        scope=said.get("scope", "project"),
        project=said.get("project"),
        tags=tuple(said.get("tags", ())),
        importance=said.get("importance"),
        idempotency_key=said.get("idempotency_key"),
        supersede_hint=said.get("supersede_hint"),
        force=said.get("force", False),
        allow_secrets=said.get("allow_secrets", False),
    )
    return service.write(wish, _where(caller, said))


def _get(service: Service, caller: Caller, said: Arguments) -> Payload:
    return service.get(
        said["id"],
        response_format=said.get("response_format", "detailed"),
        include_deleted=said.get("include_deleted", False),
        max_tokens=int(said.get("max_tokens", 8000)),
        cursor=said.get("cursor"),
        when=_when(said),
    )


def _forget(service: Service, caller: Caller, said: Arguments) -> Payload:
    return service.forget(
        said["id"], mode=said.get("mode", "tombstone"), idempotency_key=said.get("idempotency_key")
    )


def _relate(service: Service, caller: Caller, said: Arguments) -> Payload:
    return service.relate(said["from"], said["to"], said["rel"], idempotency_key=said.get("idempotency_key"))


def _where(caller: Caller, said: Arguments) -> Caller:
    """What a call says of project and session goes before what its connection says."""
    return replace(
        caller,
        project=said.get("project") or caller.project,
        session=said.get("session") or caller.session,
    )


def _when(said: Arguments) -> When:
    if "as_of" not in said and "ref" not in said:
        return NOW
    return When(said.get("as_of"), said.get("ref"))


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
