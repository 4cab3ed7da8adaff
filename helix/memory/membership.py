"""Who is a member of which project: what the notes of kind `project` say, also when one was edited by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from helix.errors import MemoryNotFound, NotYours
from helix.index.catalog import Row
from helix.memory.active_projects import ActiveProjects
from helix.memory.principal import Principal

KIND = "project"


@dataclass(frozen=True)
class Project:
    id: str
    """of its note"""
    name: str
    owner: str | None
    members: frozenset[str]
    """the owner too"""


class Membership:
    def __init__(self, read: Callable[[], Iterable[Row]], version: Callable[[], object]) -> None:
        """`read` gives the notes of projects; they are read again when there is another version."""
        self._read = read
        self._version = version
        self._known: tuple[object, dict[str, Project]] = (None, {})
        self._lock = threading.Lock()

    def projects(self) -> Mapping[str, Project]:
        """By name. Of two notes with one name the older counts, so that nobody takes a project over."""
        version = self._version()
        with self._lock:
            if self._known[0] != version:
                found: dict[str, Project] = {}
                for row in sorted(self._read(), key=lambda row: (row.created_at or "", row.id)):
                    if (project := to_project(row)) is not None:
                        found.setdefault(project.name, project)
                self._known = (version, found)
            return self._known[1]

    def of(self, user: str | None) -> frozenset[str]:
        if user is None:
            return frozenset()
        return frozenset(name for name, project in self.projects().items() if user in project.members)


@dataclass(frozen=True)
class OwnProjects:
    """The projects that somebody sees, and what they are to them."""

    principal: Principal
    is_seen: Callable[[str], bool] = field(repr=False)
    """whether a memory is"""
    membership: Membership = field(repr=False)
    active: ActiveProjects = field(repr=False)
    is_used: Callable[[str], bool] = field(repr=False)
    """whether memories that others would share lie under this name, out of sight"""

    def known(self) -> dict[str, Project]:
        projects = self.membership.projects()
        return {name: project for name, project in projects.items() if self.is_seen(project.id)}

    def get(self, name: str) -> Project:
        project = self.known().get(name)
        if project is None:
            raise MemoryNotFound(f"there is no project {name[:60]!r}; `helix projects` lists them")
        return project

    def is_taken(self, name: str) -> bool:
        """Whether it is the name of any project, also of one that is not seen; or of memories that whoever made it
        would see from then on."""
        return name in self.membership.projects() or self.is_used(name)

    def has_member(self, name: str) -> bool:
        """Whether who asks is a member; who owns the vault is one of every project."""
        if self.principal.sees_everything:
            return True
        project, only = self.membership.projects().get(name), self.principal.projects
        if project is None or (only is not None and name not in only):
            return False
        return self.principal.user in project.members

    def owned(self, name: str) -> Project:
        project = self.get(name)
        if not self.principal.sees_everything and project.owner != self.principal.user:
            raise NotYours(f"only the owner of the project {name[:60]!r} may do that")
        return project


def is_project_note(kind: str, name: object) -> bool:
    """A memory that is merely called a project by somebody has no name of one."""
    return kind == KIND and isinstance(name, str) and bool(name.strip())


def to_project(row: Row) -> Project | None:
    name = row.extra.get("name")
    if not is_project_note(row.kind, name):
        return None
    owner = {row.owner} if row.owner else set()
    return Project(row.id, str(name).strip(), row.owner, frozenset({*members_of(row.extra), *owner}))


def members_of(meta: Mapping[str, Any]) -> list[str]:
    """A list, or one name, as a person may write it."""
    value = meta.get("members")
    items = value if isinstance(value, list) else [value]
    return [text for item in items if isinstance(item, str | int) and (text := str(item).strip())]
