"""From where somebody asks, and which scopes are in sight from there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from helix.index.filters import Reach


@dataclass(frozen=True)
class Place:
    """Where a client says that it stands. It narrows a question to what matters there and opens nothing: what somebody
    may see is a matter of the principal. What is not known is not guessed, and narrows nothing."""

    project: str | None = None
    session: str | None = None
    client: str | None = None
    """the name of the program"""
    session_is: Literal["made up", "named", "held"] = "made up"
    """who gave the session its name: nobody, the client, or a connection that may speak of no other"""
    address: str | None = None
    """of the machine, where the guard knows it: not what a client says"""


def reaches(scope: str | None, place: Place) -> tuple[Reach, ...] | None:
    """What a question at a scope is about: that scope and the wider ones; None, for all, is about everything.

    Somebody who does not say in which project they are means all projects. What has no project is of each.
    """
    if scope is None:
        return None
    found = [Reach("global")]
    projects = None if place.project is None else (place.project, "")
    if scope in ("project", "session"):
        found.append(Reach("project", projects))
    if scope == "session":
        found.append(Reach("session", projects, place.session))
    return tuple(found)
