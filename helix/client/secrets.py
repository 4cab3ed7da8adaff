"""The verbs about secrets and the programs that run with them. Each builds a call, as those about memories do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helix.client.call import Call, does_once, of_run, of_secret, reads
from helix.client.secret_results import DeletedSecret, NamedSecret, RunDetails, RunList, SecretList


class SecretVerbs:
    def list(
        self, *, limit: int = 100, max_tokens: int = 2000, cursor: str | None = None
    ) -> Call[SecretList]:
        """The names of the secrets. No method reads a value."""
        return reads("/secrets", SecretList, limit=limit, max_tokens=max_tokens, cursor=cursor)

    def set(self, name: str, value: str) -> Call[NamedSecret]:
        """Keep a new secret, encrypted, on the machine of the daemon."""
        return does_once(of_secret(name), NamedSecret, value=value)

    def rotate(self, name: str, value: str) -> Call[NamedSecret]:
        """Give a secret another value."""
        return does_once(of_secret(name, "/rotate"), NamedSecret, value=value)

    def delete(self, name: str) -> Call[DeletedSecret]:
        """Delete a secret."""
        return does_once(of_secret(name, "/delete"), DeletedSecret)

    def run(
        self, command: Sequence[str], environment: Mapping[str, str], *, timeout: float | None = None
    ) -> Call[RunDetails]:
        """Queue a program that the daemon's settings name, with secrets in its environment.

        It runs once; `get_run` says how it ended and what it printed, without the values.
        """
        return does_once(
            "/secret-runs", RunDetails, command=[*command], environment=environment, timeout=timeout
        )

    def runs(self, *, limit: int = 20, max_tokens: int = 2000, cursor: str | None = None) -> Call[RunList]:
        """The programs that ran with secrets, the latest first."""
        return reads("/secret-runs", RunList, limit=limit, max_tokens=max_tokens, cursor=cursor)

    def get_run(self, run_id: str) -> Call[RunDetails]:
        """How a run ended and what it printed, without the values."""
        return reads(of_run(run_id), RunDetails)

    def cancel_run(self, run_id: str) -> Call[RunDetails]:
        """End a run: the program and everything it started."""
        return does_once(of_run(run_id, "/cancel"), RunDetails)
