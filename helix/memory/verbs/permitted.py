"""Whether somebody may ask a verb for that: the one place, since every road to a verb leads through `call`.

What a key is bound to is a matter of what is asked for, too: a project may stand in a field, among the filters, in the
words of a query, or be the one that somebody says they work in. A cursor needs no look: it is kept for who it was
given to, and to a key that is bound to something else it is none (`access.key_ring`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from helix.errors import Forbidden
from helix.index.filters import Where
from helix.index.query import narrow, parse
from helix.memory.place import Place
from helix.memory.principal import Principal
from helix.memory.verbs.verb import Verb

_QUESTIONS = ("query", "task")


def check_permitted(principal: Principal, place: Place, verb: Verb, values: Mapping[str, Any]) -> None:
    """Raises Forbidden."""
    if principal.sees_everything:
        return
    if not principal.may(verb.permission):
        raise Forbidden.of(verb.permission)
    if principal.projects is not None:
        for project in _projects(values):
            check_project(principal, project)
        check_place(principal, place)
        if verb.changes and "scope" in values:
            _check_written(principal, place, values)
    if principal.agent is not None:
        for agent in _agents(values):
            if agent != principal.agent:
                raise Forbidden(f"this key is good for the agent {principal.agent!r} and no other")


def check_place(principal: Principal, place: Place) -> None:
    """Whether somebody may say that they work there."""
    if place.project is not None:
        check_project(principal, place.project)


def check_project(principal: Principal, project: str) -> None:
    if principal.projects is not None and project not in principal.projects:
        raise Forbidden(f"this key is good for {_spoken(principal.projects)}, and not for {project[:80]!r}")


def bound_place(principal: Principal, place: Place) -> Place:
    """Where somebody stands whose key says it: in its one project, and as its agent."""
    if principal.agent is not None:
        place = replace(place, client=principal.agent)
    if place.project is None and principal.projects is not None and len(principal.projects) == 1:
        place = replace(place, project=next(iter(principal.projects)))
    return place


def _projects(values: Mapping[str, Any]) -> Iterator[str]:
    if values.get("project"):
        yield values["project"]
    for key, value in (values.get("filters") or {}).items():
        yield from (narrow(Where(), key, str(value)) or Where()).projects
    for name in _QUESTIONS:
        if isinstance(values.get(name), str):
            yield from parse(values[name]).where.projects


def _agents(values: Mapping[str, Any]) -> Iterator[str]:
    for held in (values.get("source"), values.get("filters")):
        if isinstance(held, Mapping) and held.get("agent"):
            yield held["agent"]


def _check_written(principal: Principal, place: Place, values: Mapping[str, Any]) -> None:
    """What is written lies in a project of the key: not everywhere, and not where nobody has said."""
    projects = principal.projects or frozenset()
    if values["scope"] == "global":
        raise Forbidden(f"this key is good for {_spoken(projects)}, and not for what holds everywhere")
    if not (values.get("project") or place.project):
        raise Forbidden(f"this key is good for {_spoken(projects)}; say which in `project`")


def _spoken(projects: frozenset[str]) -> str:
    return f"the project{'s' if len(projects) > 1 else ''} {', '.join(sorted(projects)) or 'none'}"
