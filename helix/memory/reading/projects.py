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

    def render(entry: ProjectSummary) -> ProjectSummary:
        return entry

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
