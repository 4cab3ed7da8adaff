"""What the verbs about secrets answer."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from helix.memory.answers import Page
from helix.memory.verbs.verb import About

RunState = Literal["queued", "running", "succeeded", "failed", "timed_out", "cancelled"]


class NamedSecret(TypedDict):
    """All that is told of a secret: there is no way to read its value."""

    name: str
    version: Annotated[int, About("How many values it has had.")]
    created: str
    updated: str
    last_used: Annotated[str | None, About("When a program was given it last.")]


class SecretList(Page):
    secrets: list[NamedSecret]


class DeletedSecret(TypedDict):
    name: str
    status: Literal["deleted"]


class RunSummary(TypedDict):
    run_id: str
    by: Annotated[str, About("Who asked for it.")]
    command: Annotated[list[str], About("The program and its arguments.")]
    state: RunState
    created: str
    updated: str


class RunDetails(RunSummary):
    environment: Annotated[dict[str, str], About("Its variables, each with the name of the secret in it.")]
    exit_code: Annotated[int | None, About("None until it has ended by itself.")]
    stdout: Annotated[str, About("What it printed, with `[REDACTED]` for values; empty until it has ended.")]
    stderr: str
    error: Annotated[str | None, About("Why it was ended, or never began.")]


class RunList(Page):
    runs: list[RunSummary]
