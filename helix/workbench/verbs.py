"""The table of the verbs about secrets and the programs that run with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from helix.memory.verbs.fields import Budgeted
from helix.memory.verbs.verb import About, Asks, Route, Verb

SecretName = Annotated[str, About("The name of a secret.", name="name", longest=128, example="github")]
_Value = Annotated[str, About("At least 8 characters. No answer ever has it.", longest=32 * 1024)]
_RunId = Annotated[str, About("The name of a run.", longest=100, example="run_4be0c1d2a3f4")]
_Many = Annotated[int, About(least=1, most=200)]


class SecretsRequest(Budgeted):
    limit: _Many = 100


class SecretValueRequest(Asks):
    secret_name: SecretName
    value: _Value


class SecretRequest(Asks):
    secret_name: SecretName


class RunRequest(Asks):
    """A program and its arguments, each apart: there is no shell."""

    command: Annotated[
        Sequence[str], About("The program, as the settings name it, and its arguments.", longest=200)
    ]
    environment: Annotated[
        Mapping[str, str],
        About("Variables of its environment, each with the name of the secret that is in it."),
    ]
    timeout: Annotated[float | None, About("Seconds after which it is ended.", least=0.1)] = None


class RunsRequest(Budgeted):
    limit: _Many = 20


class RunIdRequest(Asks):
    run_id: _RunId


_ANSWERS = "helix.workbench.answers:"
_RUN = "workbench.secrets"

WORKBENCH = (
    Verb(
        "secrets", SecretsRequest, f"{_ANSWERS}SecretList", run=f"{_RUN}:secrets", permission="secrets",
        route=Route("GET", "/secrets", "list_secrets", "secrets"), command="secret", sdk="secrets.list",
        about="The names of the secrets of this vault. No route reads a value.",
    ),
    Verb(
        "secret_set", SecretValueRequest, f"{_ANSWERS}NamedSecret", run=f"{_RUN}:secret_set", permission="secrets",
        route=Route("POST", "/secrets/{name}", "set_secret", "secrets", example={"value": "a-long-token"}),
        command="secret", sdk="secrets.set", changes=True,
        about="Keep a new secret, encrypted, in the config folder of this machine and in no vault.",
    ),
    Verb(
        "secret_rotate", SecretValueRequest, f"{_ANSWERS}NamedSecret", run=f"{_RUN}:secret_rotate",
        permission="secrets", changes=True,
        route=Route("POST", "/secrets/{name}/rotate", "rotate_secret", "secrets", example={"value": "a-newer-token"}),
        command="secret", sdk="secrets.rotate",
        about="Give a secret another value. What runs already goes on with the one that it has.",
    ),
    Verb(
        "secret_delete", SecretRequest, f"{_ANSWERS}DeletedSecret", run=f"{_RUN}:secret_delete",
        permission="secrets", changes=True,
        route=Route("POST", "/secrets/{name}/delete", "delete_secret", "secrets", errors=(404,)),
        command="secret", sdk="secrets.delete",
        about="Delete a secret. Its value is gone from this machine.",
    ),
    Verb(
        "run", RunRequest, f"{_ANSWERS}RunDetails", run=f"{_RUN}:run", permission="secrets", changes=True,
        route=Route("POST", "/secret-runs", "run_with_secrets", "secrets", status=202,
                    example={"command": ["gh", "auth", "status"], "environment": {"GH_TOKEN": "github"}}),
        command="secret", sdk="secrets.run",
        about="""Queue a program that runs once, with secrets in its environment.

        It must be named in `secrets.programs` of the daemon's settings. What it prints is kept without the values, also
        where it printed them encoded.
        """,
    ),
    Verb(
        "runs", RunsRequest, f"{_ANSWERS}RunList", run=f"{_RUN}:runs", permission="secrets",
        route=Route("GET", "/secret-runs", "list_runs", "secrets"), command="secret", sdk="secrets.runs",
        about="The programs that ran with secrets, the latest first.",
    ),
    Verb(
        "run_details", RunIdRequest, f"{_ANSWERS}RunDetails", run=f"{_RUN}:run_details", permission="secrets",
        route=Route("GET", "/secret-runs/{run_id}", "get_run", "secrets", errors=(404,)),
        command="secret", sdk="secrets.get_run",
        about="How a run ended and what it printed, without the values.",
    ),
    Verb(
        "run_cancel", RunIdRequest, f"{_ANSWERS}RunDetails", run=f"{_RUN}:run_cancel", permission="secrets",
        changes=True,
        route=Route("POST", "/secret-runs/{run_id}/cancel", "cancel_run", "secrets", errors=(404,)),
        command="secret", sdk="secrets.cancel_run",
        about="End a run: the program and everything it started.",
    ),
)  # fmt: skip
