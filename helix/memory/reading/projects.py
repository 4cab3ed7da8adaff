"""projects: which projects the memories are of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NotRequired, TypedDict

from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.memory.verbs.verb import About


class ProjectSummary(TypedDict):
    project: str
    memories: int
    updated: Annotated[str | None, About("When one of them was last changed.")]
    owner: NotRequired[Annotated[str | None, About("Whose it is, where that was said.")]]
    members: NotRequired[Annotated[list[str], About("All of them, the owner too.", absent=[])]]
    is_active: NotRequired[
        Annotated[bool, About("What names no project is asked and written there.", absent=False)]
    ]


class Projects(Page):
    """The first page also counts what no project is said of."""

    projects: list[ProjectSummary]
    unfiled: NotRequired[
        Annotated[int | None, About("Memories of which nobody has said of which project they are.")]
    ]


class _Unfiled(TypedDict, total=False):
    unfiled: int


@verb("projects")
def projects(
    request: Request, *, limit: int = 20, max_tokens: int = 4000, cursor: str | None = None
) -> Projects:
    """The projects of active memories, the one that changed last first."""
    check_limit(limit)
    head: _Unfiled = {}

    def entries(view: View) -> list[ProjectSummary]:
        found: dict[str, ProjectSummary] = {}
        unfiled = 0
        for row in view.latest():
            if row.status != "active":
                continue
            if name := row.project:
                updated = row.updated_at or row.created_at
                found.setdefault(name, {"project": name, "memories": 0, "updated": updated})["memories"] += 1
            elif row.scope == "project":
                unfiled += 1
        head["unfiled"] = unfiled
        return list(found.values())

    known, active = request.projects.known(), request.place.project

    def render(entry: ProjectSummary) -> ProjectSummary:
        project = known.get(entry["project"])
        if project is None:
            return entry
        shown: ProjectSummary = {**entry, "owner": project.owner, "members": sorted(project.members)}
        if project.name == active:
            shown["is_active"] = True
        return shown

    _, listing = request.listed("projects", request.view(), cursor, entries)
    return request.page(
        "projects",
        listing,
        render,
        _page,
        head=head,
        limit=limit,
        max_tokens=max_tokens,
    )


def _page(head: _Unfiled, items: Sequence[ProjectSummary], end: Page) -> Projects:
    return {**head, "projects": list(items), **end}
