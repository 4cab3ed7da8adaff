"""Who is a member of which project: what the notes of kind `project` say, also when one was edited by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from helix.index.catalog import Row

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

    def projects(self) -> dict[str, Project]:
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


def is_project_note(kind: str, name: object) -> bool:
    """A memory that is merely called a project by somebody has no name of one."""
    return kind == KIND and isinstance(name, str) and bool(name.strip())


def to_project(row: Row) -> Project | None:
    name = row.extra.get("name")
    if not is_project_note(row.kind, name):
        return None
    members = _names(row.extra.get("members"))
    owner = {row.owner} if row.owner else set()
    return Project(row.id, str(name).strip(), row.owner, frozenset({*members, *owner}))


def _names(value: Any) -> list[str]:
    """A list, or one name, as a person may write it."""
    items = value if isinstance(value, list) else [value]
    return [text for item in items if isinstance(item, str | int) and (text := str(item).strip())]
