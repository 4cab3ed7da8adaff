"""What the daemon answers about projects."""

from __future__ import annotations

from dataclasses import dataclass

from helix.client.answer_shape import Listing, Result, each


@dataclass(frozen=True, kw_only=True)
class ProjectSummary(Result):
    project: str
    memories: int
    updated: str | None = None
    """when one of them was last changed"""
    owner: str | None = None
    members: tuple[str, ...] = ()
    """all of them, the owner too"""
    is_active: bool = False
    """what names no project is asked and written there"""


@dataclass(frozen=True, kw_only=True)
class Projects(Listing[ProjectSummary]):
    projects: tuple[ProjectSummary, ...] = each(ProjectSummary)
    unfiled: int | None = None
    """memories of which nobody has said of which project they are; the first page says so"""

    @property
    def items(self) -> tuple[ProjectSummary, ...]:
        return self.projects


@dataclass(frozen=True, kw_only=True)
class ProjectChange(Result):
    project: str
    id: str
    """of the note that says who is a member"""
    status: str
    """`created`, `updated` or `noop`"""
    owner: str | None = None
    members: tuple[str, ...] = ()
    """all of them, the owner too"""


@dataclass(frozen=True, kw_only=True)
class DeletedProject(Result):
    project: str
    id: str
    status: str
    forgotten: int
    """how many memories were forgotten with it"""


@dataclass(frozen=True, kw_only=True)
class ActiveProject(Result):
    project: str | None = None
    """that is active now; None for none"""
    status: str
    """`activated` or `deactivated`"""
