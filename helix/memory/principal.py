"""Who makes a request: what the guard read from the credential, never what a header says that a client may choose."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple

from helix.index.filters import (
    EVERYTHING,
    NOTHING,
    Condition,
    Either,
    Every,
    HasFacets,
    Not,
    for_members,
    for_team,
    of_projects,
    only_private,
    owned_by,
)


@dataclass(frozen=True)
class Principal:
    """Somebody sees what they are said to see. Whoever is not said to see anything sees nothing."""

    id: str
    sees_everything: bool = False
    user: str | None = None
    """the name by which notes call them: as `owner`, and as a member of a project"""
    projects: frozenset[str] | None = None
    """the credential is good for these projects alone; None for all that the user is a member of"""
    permissions: frozenset[str] = frozenset()
    """what they may do, in the words of the verbs' permissions; who sees everything may do everything"""
    agent: str | None = None
    """the credential is good for this agent alone; None for any"""
    harness: str | None = None
    """the credential is good for this program alone; None for any"""
    key: str | None = None
    """the id of the key that was shown"""
    browser_session: str | None = None
    """the name of the session of the browser in which they signed in"""
    org: str | None = None
    """whose workspaces they may ask for; None for nobody's"""
    workspaces: frozenset[str] | None = None
    """the credential is good for these workspaces of the org alone; None for all of them"""

    def may(self, permission: str) -> bool:
        return self.sees_everything or permission in self.permissions


LOCAL = Principal("local", sees_everything=True)
"""the owner of the vault, at their own machine"""

UNKNOWN = Principal("unknown")


class Wall(NamedTuple):
    """What somebody sees, and what of that they may change."""

    sees: Condition
    changes: Condition
    owns: Condition
    """theirs, so that they say for whom it is"""
    member_of: Condition
    """of one of their projects"""

    @property
    def is_open(self) -> bool:
        return self.sees == EVERYTHING


OPEN_WALL = Wall(EVERYTHING, EVERYTHING, EVERYTHING, EVERYTHING)
CLOSED_WALL = Wall(NOTHING, NOTHING, NOTHING, NOTHING)

Visibility = Callable[[Principal], Wall]
"""the wall of each principal"""
Allows = Callable[[HasFacets], bool]
"""a condition, asked of one memory (`filters.predicate_of`)"""


def everything(_: HasFacets) -> bool:
    return True


def visible_to(principal: Principal, member_of: Collection[str] = ()) -> Wall:
    """`member_of` are the projects of the user. What is for the team is there to be read; who changes a memory owns it,
    or is a member of its project."""
    if principal.sees_everything:
        return OPEN_WALL
    if principal.user is None:
        return CLOSED_WALL
    own, members = owned_by(principal.user), frozenset(member_of)
    sees: Condition = Either((own, for_team(), for_members(members)))
    changes: Condition = Either((own, Every((of_projects(members), Not(only_private())))))
    if principal.projects is not None:
        within = of_projects(principal.projects)
        sees, changes = Every((within, sees)), Every((within, changes))
    return Wall(sees, changes, own, of_projects(members))
