"""secrets, secret_set, secret_rotate, secret_delete, and run with what tells of it: names in, never a value out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from helix.errors import BadValue
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.memory.writing.write import check_secrets
from helix.secrets.runs import Run, SecretRuns
from helix.secrets.store import SecretName
from helix.workbench.answers import (
    DeletedSecret,
    NamedSecret,
    RunDetails,
    RunList,
    RunSummary,
    SecretList,
)

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
# What decides which program runs, or what code it loads, is no place for a secret.
_REFUSED = re.compile(
    r"PATH|HOME|IFS|ENV|BASH_ENV|(LD|DYLD)_.*|PYTHON.*|NODE_OPTIONS|PERL.*|RUBY.*|GIT_.*COMMAND"
)


@verb("secrets")
def secrets(
    request: Request, *, limit: int = 100, max_tokens: int = 2000, cursor: str | None = None
) -> SecretList:
    check_limit(limit, 200)

    def entries(_: View) -> list[NamedSecret]:
        return [_named(secret) for secret in request.secrets().store.names()]

    def build(_: Any, items: Sequence[NamedSecret], end: Page) -> SecretList:
        return {"secrets": list(items), **end}

    _, listing = request.listed("secrets", request.view(), cursor, entries)
    return request.page(
        "secrets", listing, _as_it_is, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens
    )


@verb("secret_set")
def secret_set(request: Request, *, secret_name: str, value: str) -> NamedSecret:
    return _named(request.secrets().store.add(secret_name, value))


@verb("secret_rotate")
def secret_rotate(request: Request, *, secret_name: str, value: str) -> NamedSecret:
    return _named(request.secrets().store.rotate(secret_name, value))


@verb("secret_delete")
def secret_delete(request: Request, *, secret_name: str) -> DeletedSecret:
    request.secrets().store.delete(secret_name)
    return {"name": secret_name, "status": "deleted"}


@verb("run")
def run(
    request: Request, *, command: Sequence[str], environment: Mapping[str, str], timeout: float | None = None
) -> RunDetails:
    for variable in environment:
        if not _VARIABLE.fullmatch(variable) or _REFUSED.fullmatch(variable.upper()):
            raise BadValue(
                f"{variable[:130]!r} is no variable that a secret can be in; take one such as GH_TOKEN"
            )
    # A value among the arguments would be seen by everybody who lists processes.
    check_secrets(False, {"command": list(command)})
    by = request.principal.user or request.principal.id
    return _details(_runs(request).submit(by, command, environment, timeout))


@verb("runs")
def runs(request: Request, *, limit: int = 20, max_tokens: int = 2000, cursor: str | None = None) -> RunList:
    check_limit(limit, 200)

    def entries(_: View) -> list[RunSummary]:
        return [_summary(job) for job in _runs(request).runs()]

    def build(_: Any, items: Sequence[RunSummary], end: Page) -> RunList:
        return {"runs": list(items), **end}

    _, listing = request.listed("runs", request.view(), cursor, entries)
    return request.page("runs", listing, _as_it_is, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens)


@verb("run_details")
def run_details(request: Request, *, run_id: str) -> RunDetails:
    return _details(_runs(request).get(run_id))


@verb("run_cancel")
def run_cancel(request: Request, *, run_id: str) -> RunDetails:
    return _details(_runs(request).cancel(run_id))


def _runs(request: Request) -> SecretRuns:
    return request.secrets().runs()


def _as_it_is(entry: Any) -> Any:
    return entry


def _named(secret: SecretName) -> NamedSecret:
    return {
        "name": secret.name,
        "version": secret.version,
        "created": secret.created_at,
        "updated": secret.updated_at,
        "last_used": secret.last_used_at,
    }


def _summary(job: Run) -> RunSummary:
    return {
        "run_id": job.id,
        "by": job.by,
        "command": list(job.command),
        "state": job.state,
        "created": job.created,
        "updated": job.updated,
    }


def _details(job: Run) -> RunDetails:
    return {
        **_summary(job),
        "environment": dict(job.environment),
        "exit_code": job.exit_code,
        "stdout": job.stdout,
        "stderr": job.stderr,
        "error": job.error,
    }
