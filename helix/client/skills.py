"""The verbs about skills that others may pull."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from helix.client.call import Call, does_once, reads
from helix.client.skill_results import (
    PublishedSkillList,
    PulledSkills,
    SkillProposed,
    SkillPublished,
    SkillWithdrawn,
)

_ROUTE = "/published-skills"


class PublishedSkillVerbs:
    def list(
        self, *, limit: int = 50, max_tokens: int = 8000, cursor: str | None = None
    ) -> Call[PublishedSkillList]:
        """The skills that are published, each as its SKILL.md."""
        return reads(_ROUTE, PublishedSkillList, limit=limit, max_tokens=max_tokens, cursor=cursor)

    def publish(
        self,
        skill_id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        visibility: str | None = None,
        project: str | None = None,
    ) -> Call[SkillPublished]:
        """Put a skill that was validated or revised before others. The same again changes nothing."""
        return does_once(
            _ROUTE,
            SkillPublished,
            skill_id=skill_id,
            name=name,
            description=description,
            visibility=visibility,
            project=project,
        )

    def withdraw(self, name: str) -> Call[SkillWithdrawn]:
        """Take a skill back. Who pulls next has it no more."""
        return does_once(f"{_ROUTE}/{quote(name, safe='')}/withdraw", SkillWithdrawn)

    def propose(self, name: str, text: str, edited_from: str) -> Call[SkillProposed]:
        """Propose another SKILL.md; it waits in the inbox for somebody who may publish."""
        return does_once(
            f"{_ROUTE}/{quote(name, safe='')}/proposals", SkillProposed, text=text, edited_from=edited_from
        )

    def pull(
        self,
        *,
        folder: str | None = None,
        names: Sequence[str] = (),
        harnesses: Sequence[str] = (),
        link: bool = False,
        dry_run: bool = False,
    ) -> Call[PulledSkills]:
        """Write the published skills into the folders of harnesses, on the machine of the daemon.

        Without a folder into the user's own. A copy that somebody changed stays, and is proposed.
        """
        return does_once(
            f"{_ROUTE}/pull",
            PulledSkills,
            folder=folder,
            names=[*names],
            harnesses=[*harnesses],
            link=link,
            dry_run=dry_run,
        )

    def unpull(
        self,
        *,
        folder: str | None = None,
        names: Sequence[str] = (),
        harnesses: Sequence[str] = (),
        dry_run: bool = False,
    ) -> Call[PulledSkills]:
        """Take out of the folders of harnesses what was pulled. A copy that somebody changed stays."""
        return does_once(
            f"{_ROUTE}/unpull",
            PulledSkills,
            folder=folder,
            names=[*names],
            harnesses=[*harnesses],
            dry_run=dry_run,
        )
