"""What the daemon answers about secrets and the programs that run with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from helix.client.answer_shape import Listing, Result, each, mapping


@dataclass(frozen=True, kw_only=True)
class NamedSecret(Result):
    """All that is told of a secret: there is no way to read its value."""

    name: str
    version: int
    """how many values it has had"""
    created: str
    updated: str
    last_used: str | None = None


@dataclass(frozen=True, kw_only=True)
class SecretList(Listing[NamedSecret]):
    secrets: tuple[NamedSecret, ...] = each(NamedSecret)

    @property
    def items(self) -> tuple[NamedSecret, ...]:
        return self.secrets


@dataclass(frozen=True, kw_only=True)
class DeletedSecret(Result):
    name: str
    status: str


@dataclass(frozen=True, kw_only=True)
class _RunFields(Result):
    run_id: str
    by: str
    """who asked for it"""
    command: tuple[str, ...]
    state: str
    """`queued`, `running`, `succeeded`, `failed`, `timed_out` or `cancelled`"""
    created: str
    updated: str


@dataclass(frozen=True, kw_only=True)
class RunSummary(_RunFields):
    """A program that runs, or ran, with secrets."""


@dataclass(frozen=True, kw_only=True)
class RunDetails(_RunFields):
    """A program that runs, or ran, with secrets, and what it printed."""

    environment: Mapping[str, str] = mapping()
    """its variables, each with the name of the secret in it"""
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class RunList(Listing[RunSummary]):
    runs: tuple[RunSummary, ...] = each(RunSummary)

    @property
    def items(self) -> tuple[RunSummary, ...]:
        return self.runs
