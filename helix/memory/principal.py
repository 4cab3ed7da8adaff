"""Who makes a request: what the guard read from the credential, never what a header says that a client may choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from helix.index.filters import HasFacets


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

    def may(self, permission: str) -> bool:
        return self.sees_everything or permission in self.permissions


LOCAL = Principal("local", sees_everything=True)
"""the owner of the vault, at their own machine"""

UNKNOWN = Principal("unknown")


Allows = Callable[[HasFacets], bool]
"""whether somebody sees a memory; the predicate of a filter is one (`where.to_predicate`)"""
Visibility = Callable[[Principal], Allows]
"""what each principal sees"""


def everything(_: HasFacets) -> bool:
    return True


def nothing(_: HasFacets) -> bool:
    return False


def visible_to(principal: Principal) -> Allows:
    """Everything to whom it is said of, and nothing to anybody else."""
    return everything if principal.sees_everything else nothing
