"""What the verbs about harnesses answer."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from helix.memory.answers import Page
from helix.memory.verbs.verb import About

BlockState = Literal["absent", "current", "outdated", "edited", "damaged"]


class MarkedRule(TypedDict):
    """A note that its owner marked as a rule."""

    id: str
    title: NotRequired[str]
    text: str
    importance: NotRequired[float | None]
    created: NotRequired[str]
    truncated: NotRequired[Annotated[bool, About("It did not fit whole: `max_tokens` was too small.")]]


class RuleList(Page):
    project: NotRequired[Annotated[str | None, About("Beside what holds everywhere, rules of this project.")]]
    rules: list[MarkedRule]


class HarnessFile(TypedDict):
    """A file of a project that harnesses read at their start."""

    file: Annotated[str, About("From the folder of the project.")]
    harnesses: Annotated[list[str], About("Who reads it.")]
    state: Annotated[
        BlockState,
        About(
            "How its block stands: not there, as the notes say, as they said before, changed by hand, or not to be "
            "told from the rest."
        ),
    ]
    problem: Annotated[str, About("What is wrong with it; empty when nothing is.")]


class HarnessFiles(Page):
    files: list[HarnessFile]


class SyncedFile(HarnessFile):
    changed: bool
    removed: Annotated[bool, About("It was made for the block, and is gone.")]
    diff: Annotated[str, About("What changed, or would change, in lines.")]


class SyncedFiles(TypedDict):
    folder: str
    dry_run: bool
    files: list[SyncedFile]
