"""The tools of this dialect, in the order in which its clients list them."""

from __future__ import annotations

from helix.dialects.dialect import READS, Hints, Run, Tool
from helix.dialects.novamem import keep, projects, recall, schemas
from helix.dialects.novamem.schemas import takes
from helix.dialects.schema import Schema

_CHANGES = Hints(read_only=False)
_ADDS = Hints(read_only=False, idempotent=False)
_DESTROYS = Hints(read_only=False, destructive=True)
_SEEN = ("maxSensitivity", "contentMode", "rerank")
_LATER = ("sensitivity", "metadata", "agentName", "expiresAt", "sourceRefs", "sourceRef")


def _tool(
    name: str,
    about: str,
    takes: Schema,
    gives: Schema,
    run: Run,
    hints: Hints = READS,
    *,
    searches: bool = False,
) -> Tool:
    return Tool(
        name,
        name.replace("_", "."),
        about,
        takes,
        run,
        gives,
        hints,
        checks_itself=True,
        uses_search=searches,
    )


TOOLS = (
    _tool("memory_search", "Call before a design decision, and when the user refers to the past. Best match first.",
          takes(recall.SEARCH, ["query"], hidden=_SEEN), schemas.FOUND, recall.search, searches=True),
    _tool("memory_remember", "Keep one lasting fact, decision or preference, in words that stand alone.",
          takes(keep.REMEMBER, ["content"], hidden=_LATER), schemas.REMEMBERED, keep.remember, _CHANGES, searches=True),
    _tool("memory_today", "What was kept or changed in the last 24 hours.",
          takes(recall.TODAY, hidden=_SEEN), schemas.FEED, recall.today),
    _tool("memory_recent", "What was kept or changed last, newest first.",
          takes(recall.RECENT, hidden=_SEEN), schemas.FEED, recall.recent),
    _tool("memory_neighbors", "What is linked with a memory, or says something near.",
          takes(recall.NEIGHBORS, ["id"], hidden=_SEEN), schemas.FOUND, recall.neighbors, searches=True),
    _tool("memory_forget", "Take a memory out of all answers. Only when the user asks for it.",
          takes(keep.FORGET, ["id"], hidden=_LATER), schemas.FORGOTTEN, keep.forget, _DESTROYS),
    _tool("memory_update", "Change a memory in place when a fact has changed.",
          takes(keep.UPDATE, ["id"], hidden=("sensitivity", "expiresAt")), schemas.UPDATED, keep.update, _CHANGES),
    _tool("memory_stats", "How many memories there are. For diagnosis.",
          schemas.NOTHING, schemas.STATS, keep.stats),
    _tool("project_list", "The projects you are a member of.",
          schemas.NOTHING, schemas.PROJECTS, projects.list_projects),
    _tool("project_create", "Make a project. Ask first.",
          takes(projects.CREATE, ["name"]), schemas.PROJECT, projects.create, _ADDS),
    _tool("project_delete", "Forget a project with its memories, for all members. Ask first.",
          takes(projects.ONE, ["project"]), schemas.DELETED, projects.delete, _DESTROYS),
    _tool("project_activate", "Work in a project: what names none is asked and kept there.",
          takes(projects.ONE, ["project"]), schemas.ACTIVE, projects.activate, _CHANGES),
    _tool("project_deactivate", "Work in no project any more.",
          schemas.NOTHING, schemas.ACTIVE, projects.deactivate, _CHANGES),
    _tool("project_share", "Make somebody a member of a project. Confirm the name first.",
          takes(projects.MEMBER, ["project", "username"]), schemas.SHARED, projects.share, _CHANGES),
    _tool("project_unshare", "Take somebody out of a project.",
          takes(projects.MEMBER, ["project", "username"]), schemas.UNSHARED, projects.unshare, _DESTROYS),
)  # fmt: skip
