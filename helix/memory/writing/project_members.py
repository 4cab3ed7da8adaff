"""Projects and who is a member: the note of each says it, and these verbs write that note. Its owner decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from helix.errors import AlreadyExists, BadValue, MemoryErased, MemoryNotFound, NotYours
from helix.memory.membership import KIND, Project
from helix.memory.request import Request, verb
from helix.memory.verbs.verb import About
from helix.memory.writing.idempotency import check_key, digest_of
from helix.memory.writing.write import check_secrets, to_project
from helix.vault.authors import doing
from helix.vault.new_memory import NewMemory

_LONGEST_USER = 200


class ProjectChange(TypedDict):
    project: str
    id: Annotated[str, About("Of the note that says who is a member.")]
    status: Literal["created", "updated", "noop"]
    owner: str | None
    members: Annotated[list[str], About("All of them, the owner too.")]


class DeletedProject(TypedDict):
    project: str
    id: str
    status: Literal["deleted"]
    forgotten: Annotated[int, About("How many memories were forgotten with it.")]


class ActiveProject(TypedDict):
    project: Annotated[str | None, About("That is active now; null for none.")]
    status: Literal["activated", "deactivated"]


@verb("create_project")
def create(
    request: Request, *, project: str, members: Sequence[str] = (), idempotency_key: str | None = None
) -> ProjectChange:
    name, user = _named(project), request.principal.user
    others = sorted({_user(member) for member in members} - {user})
    check_secrets(False, {"project": name, "members": others})
    key = check_key(idempotency_key)
    digest = digest_of("create_project", {"project": name, "members": others})
    if key is not None and request.keys.find(key, digest) is not None:
        return _changed(request.projects.get(name), "noop")
    if request.projects.is_taken(name):
        raise AlreadyExists(
            f"there is a project {name!r} already; take another name, or ask its owner for it"
        )
    new = NewMemory(
        body=f"Who works on {name}: the owner and the members in the properties of this note.",
        title=name, kind=KIND, scope="project", project=name,
        more={"name": name, "owner": user, "members": list(others)},
    )  # fmt: skip
    with doing(detail=f"project {name}"):
        note = request.store.add(new).note
    everybody = frozenset(others if user is None else [*others, user])
    made = Project(note.id, name, user, everybody)
    if key is not None:
        request.keys.keep(key, note.id, digest, {"id": note.id})
    return _changed(made, "created")


@verb("share_project")
def share(request: Request, *, project: str, user: str) -> ProjectChange:
    known = request.projects.owned(_named(project))
    return _with(request, known, known.owner, {*known.members, _user(user)})


@verb("unshare_project")
def unshare(request: Request, *, project: str, user: str) -> ProjectChange:
    known = request.projects.owned(_named(project))
    if _user(user) == known.owner:
        raise BadValue("its owner is always a member; transfer the project first")
    return _with(request, known, known.owner, known.members - {_user(user)})


@verb("leave_project")
def leave(request: Request, *, project: str) -> ProjectChange:
    known, user = request.projects.get(_named(project)), request.principal.user
    if user is None or user not in known.members:
        raise BadValue(f"you are no member of the project {known.name!r}")
    if user == known.owner:
        raise NotYours(f"you own the project {known.name!r}; transfer or delete it")
    return _with(request, known, known.owner, known.members - {user})


@verb("transfer_project")
def transfer(request: Request, *, project: str, user: str) -> ProjectChange:
    known = request.projects.owned(_named(project))
    return _with(request, known, _user(user), {*known.members, _user(user)})


@verb("delete_project")
def delete(request: Request, *, project: str) -> DeletedProject:
    known = request.projects.owned(_named(project))
    forgotten = 0
    with doing(detail=f"project {known.name}"):
        for row in request.view().everything():
            if row.project != known.name or row.id == known.id or row.status in ("deleted", "erased"):
                continue
            try:
                request.store.forget_of_project(row.id, known.id)
            except (MemoryErased, MemoryNotFound, NotYours):
                continue  # gone meanwhile, or somebody else's
            forgotten += 1
        request.store.forget_project(known.id)
    request.projects.active.drop(known.name)
    return {"project": known.name, "id": known.id, "status": "deleted", "forgotten": forgotten}


@verb("activate_project")
def activate(request: Request, *, project: str, of_session: str | None = None) -> ActiveProject:
    name = _named(project)
    if not request.projects.principal.sees_everything and not request.projects.has_member(name):
        request.projects.get(name)
        raise NotYours(f"you are no member of the project {name!r}")
    request.projects.active.put(request.principal.id, of_session or request.place.session, name)
    return {"project": name, "status": "activated"}


@verb("deactivate_project")
def deactivate(request: Request, *, of_session: str | None = None) -> ActiveProject:
    session, active = of_session or request.place.session, request.projects.active
    active.put(request.principal.id, session, None)
    return {"project": active.find(request.principal.id, session), "status": "deactivated"}


def _with(
    request: Request, known: Project, owner: str | None, members: set[str] | frozenset[str]
) -> ProjectChange:
    if owner == known.owner and members == known.members:
        return _changed(known, "noop")
    with doing(detail=f"project {known.name}"):
        request.store.set_members(known.id, owner, sorted(members - {owner}))
    return _changed(Project(known.id, known.name, owner, frozenset(members)), "updated")


def _changed(project: Project, status: Literal["created", "updated", "noop"]) -> ProjectChange:
    return {
        "project": project.name,
        "id": project.id,
        "status": status,
        "owner": project.owner,
        "members": sorted(project.members),
    }


def _named(project: str) -> str:
    name = to_project(project)
    if name is None:
        raise BadValue("the name of the project is empty")
    return name


def _user(name: str) -> str:
    text = name.strip()
    if not text or len(text) > _LONGEST_USER or not text.isprintable():
        raise BadValue(f"the name of a user is 1 to {_LONGEST_USER} printable characters")
    return text
