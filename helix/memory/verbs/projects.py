"""The verbs about who works together on what: projects and their members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from helix.memory.verbs.fields import IdempotencyKey
from helix.memory.verbs.verb import About, Asks, Route, Verb

ProjectName = Annotated[
    str, About("The name of the project.", shortest=1, longest=200, example="billing-api")
]
UserName = Annotated[str, About("The name of a user.", shortest=1, longest=200, example="ines")]
OfSession = Annotated[
    str | None,
    About(
        "For this session alone; without it wherever no session says otherwise.", longest=200, name="session"
    ),
]


class CreateProjectRequest(Asks):
    project: ProjectName
    members: Annotated[
        Sequence[str], About("The names of users, besides whoever creates it.", longest=500)
    ] = ()
    idempotency_key: IdempotencyKey = None


class ProjectRequest(Asks):
    project: ProjectName


class MemberRequest(ProjectRequest):
    user: UserName


class ActivateRequest(ProjectRequest):
    of_session: OfSession = None


class DeactivateRequest(Asks):
    of_session: OfSession = None


_RUN = "memory.writing.project_members"
_EXAMPLE = {"project": "billing-api"}

PROJECTS = (
    Verb(
        "create_project", CreateProjectRequest, f"helix.{_RUN}:ProjectChange", run=f"{_RUN}:create",
        permission="remember", changes=True,
        route=Route("POST", "/projects", "create_project", "projects", errors=(409,), example=_EXAMPLE),
        command="project", sdk="create_project",
        about="Make a project, whose memories its members share. Who makes it owns it.",
    ),
    Verb(
        "share_project", MemberRequest, f"helix.{_RUN}:ProjectChange", run=f"{_RUN}:share",
        permission="modify", changes=True,
        route=Route("POST", "/projects/share", "share_project", "projects", errors=(403, 404),
                    example={**_EXAMPLE, "user": "ines"}),
        command="project", sdk="share_project",
        about="Make somebody a member of a project: from now on they see its memories. Its owner does.",
    ),
    Verb(
        "unshare_project", MemberRequest, f"helix.{_RUN}:ProjectChange", run=f"{_RUN}:unshare",
        permission="modify", changes=True,
        route=Route("POST", "/projects/unshare", "unshare_project", "projects", errors=(403, 404),
                    example={**_EXAMPLE, "user": "ines"}),
        command="project", sdk="unshare_project",
        about="Take somebody out of a project. What they wrote stays, and stays theirs too. Its owner does.",
    ),
    Verb(
        "leave_project", ProjectRequest, f"helix.{_RUN}:ProjectChange", run=f"{_RUN}:leave",
        permission="modify", changes=True,
        route=Route("POST", "/projects/leave", "leave_project", "projects", errors=(403, 404), example=_EXAMPLE),
        command="project", sdk="leave_project",
        about="Be a member of a project no more. Its owner transfers it first.",
    ),
    Verb(
        "transfer_project", MemberRequest, f"helix.{_RUN}:ProjectChange", run=f"{_RUN}:transfer",
        permission="modify", changes=True,
        route=Route("POST", "/projects/transfer", "transfer_project", "projects", errors=(403, 404),
                    example={**_EXAMPLE, "user": "ines"}),
        command="project", sdk="transfer_project",
        about="Give a project to another owner, and stay a member. Its owner does.",
    ),
    Verb(
        "delete_project", ProjectRequest, f"helix.{_RUN}:DeletedProject", run=f"{_RUN}:delete",
        permission="forget", changes=True,
        route=Route("POST", "/projects/delete", "delete_project", "projects", errors=(403, 404), example=_EXAMPLE),
        command="project", sdk="delete_project",
        about="""Forget a project with its memories, as far as its owner may change them; each can be restored.

        What others have filed under it for themselves alone stays theirs.
        """,
    ),
    Verb(
        "activate_project", ActivateRequest, f"helix.{_RUN}:ActiveProject", run=f"{_RUN}:activate",
        permission="recall", changes=True,
        route=Route("POST", "/projects/activate", "activate_project", "projects", errors=(404,), example=_EXAMPLE),
        command="project", sdk="activate_project",
        about="Work in a project: what names no project is asked and written there from now on.",
    ),
    Verb(
        "deactivate_project", DeactivateRequest, f"helix.{_RUN}:ActiveProject", run=f"{_RUN}:deactivate",
        permission="recall", changes=True,
        route=Route("POST", "/projects/deactivate", "deactivate_project", "projects", example={}),
        command="project", sdk="deactivate_project",
        about="Work in no project any more, unless a request names one.",
    ),
)  # fmt: skip
