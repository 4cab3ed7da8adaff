"""What the daemon answers about published skills."""

from __future__ import annotations

from dataclasses import dataclass

from helix.client.answer_shape import Listing, Result, each


@dataclass(frozen=True, kw_only=True)
class SkillListed(Result):
    """A skill that others may pull."""

    id: str
    """of its note"""
    name: str = ""
    version: str = ""
    description: str = ""
    hash: str = ""
    """of its SKILL.md; who has the same has the same skill"""
    owner: str | None = None
    visibility: str = "private"
    project: str | None = None
    updated: str = ""
    text: str = ""
    """its SKILL.md"""
    truncated: bool = False
    """it did not fit whole: `max_tokens` was too small"""


@dataclass(frozen=True, kw_only=True)
class PublishedSkillList(Listing[SkillListed]):
    skills: tuple[SkillListed, ...] = each(SkillListed)

    @property
    def items(self) -> tuple[SkillListed, ...]:
        return self.skills


@dataclass(frozen=True, kw_only=True)
class SkillPublished(Result):
    id: str
    """of its note"""
    name: str
    version: str
    hash: str
    status: str
    """`published`, or `noop` when it was published so already"""
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class SkillWithdrawn(Result):
    id: str
    name: str
    status: str


@dataclass(frozen=True, kw_only=True)
class SkillProposed(Result):
    id: str
    """of the note of the proposal"""
    name: str
    status: str
    """`proposed`, or `noop` when the same was proposed before"""


@dataclass(frozen=True, kw_only=True)
class PulledFile(Result):
    """A skill in the folder of a harness."""

    name: str
    harness: str
    path: str
    state: str
    """`written`, `current`, `removed`; `edited` by a person and `taken` by something else are left as they are"""
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class PulledSkills(Result):
    dry_run: bool
    skills: tuple[PulledFile, ...] = each(PulledFile)
    proposed: tuple[str, ...] = ()
    """notes that propose what persons changed in their copies"""
