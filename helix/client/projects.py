"""The verbs about who works together on what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from helix.client.call import Call, asks, changes, reads
from helix.client.call import T as Answer
from helix.client.project_results import ActiveProject, DeletedProject, ProjectChange, Projects


class Sharing:
    def projects(
        self, *, limit: int = 20, max_tokens: int = 4000, cursor: str | None = None
    ) -> Call[Projects]:
        """The projects of the memories that are seen, the one that changed last first, and who is a member."""
        return reads("/projects", Projects, limit=limit, max_tokens=max_tokens, cursor=cursor)

    def create_project(
        self, project: str, *, members: Sequence[str] = (), idempotency_key: str | None = None
    ) -> Call[ProjectChange]:
        """Make a project, whose memories its members share. Who makes it owns it."""
        return changes(
            "POST",
            "/projects",
            ProjectChange,
            {"project": project, "members": list(members)},
            idempotency_key,
        )

    def share_project(self, project: str, user: str) -> Call[ProjectChange]:
        """Make somebody a member: from now on they see its memories. Its owner does."""
        return _changes("/projects/share", ProjectChange, project=project, user=user)

    def unshare_project(self, project: str, user: str) -> Call[ProjectChange]:
        """Take somebody out of a project. What they wrote stays. Its owner does."""
        return _changes("/projects/unshare", ProjectChange, project=project, user=user)

    def leave_project(self, project: str) -> Call[ProjectChange]:
        """Be a member no more. Its owner transfers it first."""
        return _changes("/projects/leave", ProjectChange, project=project)

    def transfer_project(self, project: str, user: str) -> Call[ProjectChange]:
        """Give a project to another owner, and stay a member. Its owner does."""
        return _changes("/projects/transfer", ProjectChange, project=project, user=user)

    def delete_project(self, project: str) -> Call[DeletedProject]:
        """Forget a project with its memories, as far as its owner may change them; each can be restored."""
        return _changes("/projects/delete", DeletedProject, project=project)

    def activate_project(self, project: str, *, session: str | None = None) -> Call[ActiveProject]:
        """Work in a project: what names none is asked and written there from now on, in this session or in all."""
        return _changes("/projects/activate", ActiveProject, project=project, session=session)

    def deactivate_project(self, *, session: str | None = None) -> Call[ActiveProject]:
        """Work in no project any more, unless a call names one."""
        return _changes("/projects/deactivate", ActiveProject, session=session)


def _changes(path: str, answer: type[Answer], **body: object) -> Call[Answer]:
    """Sent once: who is not answered looks at the project before they try again."""
    return replace(asks(path, answer, **body), is_repeatable=False)
