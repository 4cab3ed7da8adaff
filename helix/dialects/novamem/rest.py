"""What the routes of this dialect answer: what its tools do, where the two planes differ in what they say."""

from __future__ import annotations

from collections.abc import Mapping

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments
from helix.dialects.novamem import keep, projects, recall
from helix.dialects.novamem.arguments import NAME, PROJECT, ArgumentRule, checked
from helix.dialects.novamem.projects import LOCAL_USER
from helix.dialects.novamem.scope import KnownProject, active_project, find_project, may_be_changed
from helix.dialects.novamem.spelled import NO_SUCH_MEMORY, refusal, to_time
from helix.dialects.novamem.ulids import find_id
from helix.errors import AlreadyExists, BadValue, MemoryNotFound, NotYours
from helix.memory.request import Request
from helix.memory.tokens import Payload

__all__ = ["refusal"]

search, recent, neighbors, remember = recall.search, recall.recent, recall.neighbors, keep.remember
list_projects, create_project = projects.list_projects, projects.create

_ADDED: Mapping[str, ArgumentRule] = {
    "project": PROJECT,
    "username": NAME,
    "role": ArgumentRule("string", choices=("owner", "member")),
}
_REMOVED: Mapping[str, ArgumentRule] = {"project": PROJECT, "userId": NAME}


def nothing(method: str, path: str) -> Payload:
    return {"message": f"Route {method}:{path} not found", "error": "Not Found", "statusCode": 404}


def stats(request: Request, _: Arguments) -> Payload:
    return keep.stats(request, {})


def forget(request: Request, arguments: Arguments) -> Payload:
    done = keep.forget(request, arguments)
    if done.get("deleted") is False and "id" in arguments:
        memory_id = find_id(request.view(), arguments["id"])
        note = None if memory_id is None else request.view().find(memory_id)
        if note is not None and note.memory.visible and not may_be_changed(request, arguments, note):
            raise NotYours("entry not in your user namespace")
    return done


def update(request: Request, arguments: Arguments) -> Payload:
    done = keep.update(request, arguments)
    if not done["updated"]:
        raise MemoryNotFound(NO_SUCH_MEMORY)
    return done


def delete_project(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, projects.ONE, ["project"])
    try:
        find_project(request, asked["project"])
    except MemoryNotFound:
        raise MemoryNotFound("unknown project") from None
    return projects.delete(request, asked)


def list_members(request: Request, arguments: Arguments) -> Payload:
    project = _of_mine(request, checked(arguments, projects.ONE, ["project"])["project"])
    ask(request, "projects", limit=1)
    row = None if project.note is None else request.view().find_row(project.note)
    owner = project.owner or LOCAL_USER
    others = sorted(project.members - {owner})
    began = None if row is None else to_time(row.created_at)
    # When somebody joined is in the history of the note, and nowhere else.
    rows = [(owner, "owner", began), *((name, "member", None) for name in others)]
    return {
        "members": [
            {"userId": name, "username": name, "role": role, "joinedAt": joined}
            for name, role, joined in rows
        ]
    }


def add_member(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, _ADDED, ["project", "username"])
    project, user = _of_mine(request, asked["project"]), asked["username"].strip()
    if asked.get("role") == "owner":
        raise BadValue("a project has one owner; `helix project transfer` gives it to another")
    if not projects.is_owner(request, project):
        raise NotYours("only the owner can add members")
    if not request.is_user(user):
        raise MemoryNotFound("unknown user")
    done = projects.share(request, {"project": project.ulid, "username": user})
    if not done["added"]:
        raise AlreadyExists("user is already a member")
    return done


def remove_member(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, _REMOVED, ["project", "userId"])
    project, user = _of_mine(request, asked["project"]), asked["userId"].strip()
    own_name = request.principal.user or LOCAL_USER
    if user == (project.owner or LOCAL_USER):
        raise BadValue("owner cannot leave; delete the project instead")
    if user != own_name and not projects.is_owner(request, project):
        raise NotYours("only the owner can remove members")
    if user not in project.members:
        raise MemoryNotFound("user is not a member")
    if user == own_name:
        ask(request, "leave_project", project=project.name)
    else:
        ask(request, "unshare_project", project=project.name, user=user)
    return {"removed": True}


def find_active(request: Request, _: Arguments) -> Payload:
    ask(request, "projects", limit=1)
    name = active_project(request)
    if name is None:
        return {"active": None}
    try:
        project = find_project(request, name)
    except MemoryNotFound:  # forgotten by hand, with all that was in it
        ask(request, "deactivate_project")
        return {"active": None}
    return {"active": {"id": project.ulid, "name": project.name}}


def activate(request: Request, arguments: Arguments) -> Payload:
    return projects.activate(request, arguments)


def deactivate(request: Request, _: Arguments) -> None:
    projects.deactivate(request, {})


def _of_mine(request: Request, ref: str) -> KnownProject:
    """Of a project that is others' nobody hears more than of one that there is not."""
    try:
        return find_project(request, ref)
    except MemoryNotFound:
        raise NotYours("not a member of this project") from None
