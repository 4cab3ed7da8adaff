"""What the verbs about sources answer."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from helix.memory.answers import Page
from helix.memory.verbs.fields import Visibility
from helix.memory.verbs.verb import About

SOURCE_ID = "src_4be0c1d2"

SourceState = Annotated[
    Literal["waiting", "indexing", "ready", "unreachable"],
    About("`unreachable` when its folder cannot be listed: what was known of it is kept."),
]


class SourceSummary(TypedDict):
    id: Annotated[str, About(example=SOURCE_ID)]
    name: str
    folder: NotRequired[
        Annotated[str | None, About("Told to the owner of the machine, and to who connected it.")]
    ]
    project: Annotated[str | None, About("Null when it holds everywhere.")]
    owner: NotRequired[Annotated[str | None, About("Who connected it, in a team.")]]
    visibility: Visibility
    state: SourceState
    files: Annotated[int, About("How many are searched.")]
    lines: int
    commit: Annotated[str | None, About("That is checked out, in a repository.")]
    looked: Annotated[str | None, About("When everything was looked at last.")]
    created: str


class SourceList(Page):
    sources: list[SourceSummary]


class ConnectedSource(SourceSummary):
    status: Annotated[Literal["connected", "known"], About("`known` when it was connected already.")]


class SourceProblem(TypedDict):
    path: str
    reason: str


class SourceHealth(SourceSummary):
    passages: int
    done: Annotated[int, About("Files of the look that goes on, or was the last.")]
    total: int
    trouble: Annotated[str | None, About("Why the folder cannot be looked at.")]
    cut: Annotated[str | None, About("Why there is more in the folder than is searched.")]
    ignored: Annotated[int, About("Files and folders that git ignores, or that begin with a dot.")]
    left_out: Annotated[dict[str, int], About("Files that hold no text, by the end of their names.")]
    problems: Annotated[list[SourceProblem], About("The first 100; `problem_count` says how many there are.")]
    problem_count: int


class PurgedSource(TypedDict):
    id: str
    name: str
    status: Literal["purged"]
    files: Annotated[int, About("How many were searched. The folder itself was not touched.")]
