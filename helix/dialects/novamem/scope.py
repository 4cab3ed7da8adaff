"""Projects as clients of this dialect name them, and what a call is about.

A call that names no project is about what is of none, and with an active project about that too. Where a host runs in a
project and none is active, the project of the connection stands in its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from helix.dialects.dialect import Arguments
from helix.dialects.novamem.spelled import no_such_project
from helix.dialects.novamem.ulids import to_ulid, ulid_of_project
from helix.memory.membership import Project
from helix.memory.request import Request
from helix.vault.note import Note

NOWHERE = ""
"""the place of somebody who works in no project: what is of none is seen from there, and nothing else"""


@dataclass(frozen=True)
class KnownProject:
    name: str
    ulid: str
    owner: str | None
    members: frozenset[str] = frozenset()
    note: str | None = None
    """the id of the note that says who is a member; None for a project that is but a name in memories"""


@dataclass(frozen=True)
class Sight:
    """One question of those that a call is made of."""

    project: str
    is_alone: bool = False
    """of the project only, and not of what is of no project"""

    def seen_from(self, request: Request) -> Request:
        """The same request, from the project."""
        project: str | None = self.project
        if project == NOWHERE and request.principal.projects is not None:
            project = None  # a key of some projects sees these, and nothing besides
        return replace(request, place=replace(request.place, project=project))

    def filters(self) -> dict[str, str]:
        """What can be said of it to a verb; a filter has commas between values, and `#` before one means a tag."""
        name = self.project
        is_plain = name == name.strip() and "," not in name and not name.startswith("#")
        return {"project": name} if self.is_alone and is_plain else {}

    def has(self, project: str | None) -> bool:
        return project == self.project if self.is_alone else project in (None, self.project)


def own_projects(request: Request) -> Iterator[KnownProject]:
    """Of which whoever asks is a member, the oldest first."""
    view = request.view()
    noted = [one for one in request.projects.known().values() if request.projects.has_member(one.name)]
    created = {row.id: row.created_at or "" for row in view.find_rows([one.id for one in noted]).values()}
    for project in sorted(noted, key=lambda known: (created.get(known.id, ""), known.id)):
        yield _known(project)
    if request.principal.sees_everything:
        taken = {project.name for project in noted}
        for name in sorted(
            {row.project for row in view.everything() if row.project and row.status == "active"} - taken
        ):
            yield KnownProject(name, ulid_of_project(name), None)


def find_project(request: Request, ref: str) -> KnownProject:
    """By its id, else by its name. Raises MemoryNotFound, whether there is no such project or it is others'."""
    projects = list(own_projects(request))
    wanted = ref.strip()
    for project in projects:
        if wanted.upper() == project.ulid or wanted == project.note:
            return project
    for project in projects:
        if wanted == project.name:
            return project
    raise no_such_project(ref)


def _known(project: Project) -> KnownProject:
    return KnownProject(project.name, to_ulid(project.id), project.owner, project.members, project.id)


def project_id(request: Request, name: str | None) -> str | None:
    """As it is shown."""
    if name is None:
        return None
    project = request.projects.known().get(name)
    return ulid_of_project(name) if project is None else to_ulid(project.id)


def active_project(request: Request) -> str | None:
    """The one that was activated, for as long as who asks is a member: not that of the connection."""
    projects = request.projects
    active = projects.active.find(projects.principal.id, request.place.session)
    return active if active is not None and projects.has_member(active) else None


def sights(request: Request, arguments: Arguments) -> list[Sight]:
    """What a call that reads is about."""
    named = [find_project(request, ref).name for ref in arguments.get("includeProjects") or ()]
    only = arguments.get("project")
    if only is not None:
        first = Sight(find_project(request, only).name, is_alone=True)
        return [first, *(Sight(name) for name in dict.fromkeys(named))]
    if named:
        return [Sight(name) for name in dict.fromkeys(named)]
    return [Sight(active_project(request) or request.place.project or NOWHERE)]


def place_to_write(request: Request, arguments: Arguments) -> str | None:
    """The project that something new is of; None for what is of none."""
    if (ref := arguments.get("project")) is not None:
        return find_project(request, ref).name
    return active_project(request) or request.place.project


def may_be_changed(request: Request, arguments: Arguments, note: Note) -> bool:
    """Whether a memory lies where a call may change it: in the project that is named or active, else in none."""
    project = note.memory.project
    if (ref := arguments.get("project")) is not None:
        return project == find_project(request, ref).name
    if (active := active_project(request)) is not None:
        return project == active
    return project in (None, request.place.project)
