"""Tools for projects and who is a member of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments
from helix.dialects.novamem.arguments import NAME, PROJECT, ArgumentRule, checked
from helix.dialects.novamem.scope import KnownProject, active_project, find_project, own_projects
from helix.dialects.novamem.spelled import only_owner, to_time
from helix.errors import BadValue, MemoryNotFound
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.vault.times import format_time

LOCAL_USER = "local"
"""the owner of a vault that is one person's"""
CREATE: Mapping[str, ArgumentRule] = {"name": NAME}
ONE: Mapping[str, ArgumentRule] = {"project": PROJECT}
MEMBER: Mapping[str, ArgumentRule] = {"project": PROJECT, "username": NAME}
_THEMSELVES = "the owner cannot unshare themselves — delete the project instead"


def list_projects(request: Request, arguments: Arguments) -> Payload:
    checked(arguments, {}, is_closed=True)
    ask(request, "projects", limit=1)
    active = active_project(request)
    return {
        "projects": [
            {**_shown(request, project), "role": _role(request, project), "isActive": project.name == active}
            for project in own_projects(request)
        ]
    }


def _shown(request: Request, project: KnownProject) -> Payload:
    """What a project is that is but a name in memories: as old as the first of them."""
    view = request.view()
    if project.note is not None:
        row = view.find_row(project.note)
        created = None if row is None else row.created_at
    else:
        times = (row.created_at for row in view.everything() if row.project == project.name)
        created = min((time for time in times if time), default=None)
    return {
        "id": project.ulid,
        "name": project.name,
        "ownerUserId": project.owner or LOCAL_USER,
        "createdAt": to_time(created) or to_time(format_time(view.now())),
    }


def is_owner(request: Request, project: KnownProject) -> bool:
    return request.principal.sees_everything or project.owner == request.principal.user


def _role(request: Request, project: KnownProject) -> str:
    return "owner" if is_owner(request, project) else "member"


def create(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, CREATE, ["name"])
    made = ask(request, "create_project", project=asked["name"])
    return _shown(request, find_project(request, made["project"]))


def delete(request: Request, arguments: Arguments) -> Payload:
    project = _noted(request, checked(arguments, ONE, ["project"]), "delete")
    done = ask(request, "delete_project", project=project.name)
    return {
        "deleted": True,
        "entriesRemoved": done["forgotten"],
        "coldCollectionsDropped": [],
        "graphCleared": True,
        "id": project.ulid,
    }


def activate(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, ONE, ["project"])
    project = find_project(request, asked["project"])
    ask(request, "activate_project", project=project.name)
    return {"active": {"id": project.ulid, "name": project.name}}


def deactivate(request: Request, arguments: Arguments) -> Payload:
    """In this session, and where no session says otherwise: what clients expect is that afterwards none is active."""
    checked(arguments, {}, is_closed=True)
    ask(request, "deactivate_project")
    if active_project(request) is not None:
        ask(replace(request, place=replace(request.place, session=None)), "deactivate_project")
    return {"active": None}


def share(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, MEMBER, ["project", "username"])
    project, user = _noted(request, asked, "share"), asked["username"].strip()
    if not request.is_user(user):
        raise MemoryNotFound(f"unknown user '{user}' — share by exact user name")
    if user in project.members:
        return {"added": False, "userId": user, "username": user}
    ask(request, "share_project", project=project.name, user=user)
    return {"added": True, "userId": user, "username": user}


def unshare(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, MEMBER, ["project", "username"])
    project, user = _noted(request, asked, "unshare"), asked["username"].strip()
    if user == (project.owner or LOCAL_USER):
        raise BadValue(_THEMSELVES)
    if user not in project.members:
        if not request.is_user(user):
            raise MemoryNotFound(f"unknown user '{user}' — unshare by exact user name")
        return {"removed": False}
    ask(request, "unshare_project", project=project.name, user=user)
    return {"removed": True}


def _noted(request: Request, asked: Mapping[str, str], what: str) -> KnownProject:
    """A project whose owner asks. One that is but a name in memories gets the note that says who is a member."""
    project = find_project(request, asked["project"])
    if not is_owner(request, project):
        raise only_owner(what)
    if project.note is not None:
        return project
    ask(request, "create_project", project=project.name)
    return find_project(request, project.name)
