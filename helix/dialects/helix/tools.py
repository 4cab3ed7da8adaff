"""The six tools of Helix: each is a verb, with a choice of its fields and with words for a model."""

from __future__ import annotations

from helix.dialects.ask import asks
from helix.dialects.dialect import Hints, Tool
from helix.dialects.helix import schemas

TOOLS = (
    Tool(
        "memory_search",
        "memory.search",
        "Recall what is known about one question, best match first. Call it before asking the user or guessing. "
        "An empty result means nothing relevant is stored. A result with `more` is an excerpt: memory_get has it all.",
        schemas.SEARCH,
        asks("search"),
        schemas.FOUND,
        uses_search=True,
    ),
    Tool(
        "memory_context",
        "memory.context",
        "Call first, before starting a task: packs the preferences, decisions, facts and open tasks that bear on it "
        "into one cited text within max_tokens.",
        schemas.CONTEXT,
        asks("context"),
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
        asks("write"),
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
        asks("get"),
        schemas.MEMORY,
    ),
    Tool(
        "memory_forget",
        "memory.forget",
        "Take a memory that is wrong or unwanted out of all answers. If it merely changed, write the new one with "
        "supersede_hint instead.",
        schemas.FORGET,
        asks("forget"),
        schemas.FORGOTTEN,
        Hints(read_only=False, destructive=True),
    ),
    Tool(
        "memory_relate",
        "memory.relate",
        "Link two memories by id, e.g. a decision that depends_on or contradicts another.",
        schemas.RELATE,
        asks("relate"),
        schemas.RELATED,
        Hints(read_only=False),
    ),
)
