"""What the verbs about published skills answer."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from helix.memory.answers import Page
from helix.memory.verbs.verb import About

PulledState = Literal["written", "current", "edited", "taken", "removed"]


class SkillListed(TypedDict):
    """A skill that others may pull."""

    id: Annotated[str, About("Of its note.")]
    name: NotRequired[str]
    version: NotRequired[Annotated[str, About("As the log of the skill says it.")]]
    description: NotRequired[str]
    hash: NotRequired[Annotated[str, About("Of its SKILL.md; who has the same has the same skill.")]]
    owner: NotRequired[str | None]
    visibility: NotRequired[str]
    project: NotRequired[str | None]
    updated: NotRequired[str]
    text: Annotated[str, About("Its SKILL.md.")]
    truncated: NotRequired[Annotated[bool, About("It did not fit whole: `max_tokens` was too small.")]]


class PublishedSkillList(Page):
    skills: list[SkillListed]


class SkillPublished(TypedDict):
    id: Annotated[str, About("Of its note.")]
    name: str
    version: str
    hash: str
    status: Annotated[Literal["published", "noop"], About("`noop` when it was published so already.")]
    degraded: NotRequired[str | None]


class SkillWithdrawn(TypedDict):
    id: str
    name: str
    status: Literal["withdrawn"]


class SkillProposed(TypedDict):
    id: Annotated[str, About("Of the note of the proposal.")]
    name: str
    status: Annotated[Literal["proposed", "noop"], About("`noop` when the same was proposed before.")]


class PulledFile(TypedDict):
    """A skill in the folder of a harness."""

    name: str
    harness: str
    path: str
    state: Annotated[
        PulledState,
        About("`edited` by a person and `taken` by something else are left as they are."),
    ]
    problem: str


class PulledSkills(TypedDict):
    dry_run: bool
    skills: list[PulledFile]
    proposed: Annotated[list[str], About("Notes that propose what persons changed in their copies.")]
