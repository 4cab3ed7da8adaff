"""What a command asks of a running daemon. Standard library: a command must start fast."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

from helix.config import Config
from helix.errors import HelixError
from helix.token_file import TokenFile

# A command that only wants to know how the daemon is does not wait for one that hangs.
_HEALTH_PATIENCE = 5.0
# Those of its reasons to be degraded that mean that it does not follow the vault.
_STOPS = frozenset({"vault-missing", "brake-pulled", "not-following"})


def ask_daemon(
    config: Config, path: str, *, method: str = "GET", body: object = None, timeout: float = 600.0
) -> dict[str, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(config.base_url + path, data=data, method=method)  # noqa: S310 (the user's own URL)
    if data is not None:
        request.add_header("Content-Type", "application/json")
    if (token := TokenFile(config).find()) is not None:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:  # noqa: S310
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        raise _refusal(config, error.code, error.read()) from error
    except (OSError, ValueError) as error:
        raise HelixError(
            f"a daemon follows this vault, but nothing answers at {config.base_url} ({error}); "
            "set HELIX_URL or HELIX_PORT to where it listens",
            code="daemon-unreachable",
        ) from error


def why_stopped(config: Config) -> str | None:
    """Why the daemon does not follow the vault at the moment, if so."""
    try:
        health = ask_daemon(config, "/healthz", timeout=_HEALTH_PATIENCE)
    except HelixError as error:
        return error.message
    return _reason(health)


def _reason(health: dict[str, Any]) -> str | None:
    return next((str(one["message"]) for one in health["reasons"] if one["code"] in _STOPS), None)


def _refusal(config: Config, status: int, body: bytes) -> HelixError:
    try:
        said = json.loads(body)
        # An error is told as {"error", "code"}; /healthz tells its state, whatever the status is.
        return HelixError(said.get("error") or str(_reason(said)), code=said.get("code"))
    except (ValueError, KeyError, AttributeError, TypeError):
        return HelixError(f"the daemon at {config.base_url} answered {status}: {body[:500]!r}")
