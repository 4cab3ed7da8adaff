"""Finding the daemon of a vault, and asking it. Standard library: a command must start fast."""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from helix_mcp.address import is_loopback

from helix.codes import to_error
from helix.config import Config
from helix.errors import DaemonUnreachable, HelixError
from helix.follow.lock import FollowLock
from helix.follow.whereabouts import Whereabouts
from helix.token_file import TokenFile
from helix.vault.vault_id import state_folder

PATIENCE = 600.0
# A command that only wants to know how the daemon is does not wait for one that hangs.
_HEALTH_PATIENCE = 5.0
# A daemon takes its vault some moments before it says where it listens.
_START_PATIENCE = 20.0
_PAUSE = 0.05
# Those of its reasons to be degraded that mean that it does not follow the vault.
_STOPS = frozenset({"vault-missing", "brake-pulled", "not-following"})


@dataclass(frozen=True)
class Daemon:
    url: str
    pid: int | None = None
    """None for one that HELIX_URL names: it may run on another machine"""
    token: str | None = field(default=None, repr=False)

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        body: object = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = PATIENCE,
    ) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 (the user's own URL)
            self.url + path, data=data, method=method, headers=dict(headers or {})
        )
        if data is not None:
            request.add_header("Content-Type", "application/json")
        if self.token is not None:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with _opener().open(request, timeout=timeout) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            raise self._refusal(error.code, error.read()) from error
        except (OSError, ValueError) as error:
            raise DaemonUnreachable(
                f"the daemon at {self.url} does not answer ({_why(error)}); `helix status` says what is known of it"
            ) from error

    def health(self) -> dict[str, Any]:
        return self.ask("/healthz", timeout=_HEALTH_PATIENCE)

    def _refusal(self, status: int, body: bytes) -> HelixError:
        try:
            said = json.loads(body)
            if "reasons" in said:  # /healthz tells its state, whatever the status is
                return to_error("vault-unavailable", str(why_stopped(said)))
            return to_error(str(said["code"]), str(said["error"]))
        except (ValueError, KeyError, AttributeError, TypeError):
            return HelixError(f"the daemon at {self.url} answered {status}: {body[:500]!r}")


def find_daemon(config: Config) -> Daemon | None:
    """The daemon that HELIX_URL names, or else the one that follows the vault; None when none does."""
    if config.url:
        # The token of this machine is nobody else's business.
        token = TokenFile(config).find() if is_local(config.url) else config.token
        return Daemon(config.url.rstrip("/"), None, token or None)
    state = state_folder(config.state_dir, config.vault)
    deadline = time.monotonic() + _START_PATIENCE
    while (pid := FollowLock(state).find_daemon()) is not None:
        here = Whereabouts.find(state)
        if here is not None and here.pid == pid:
            return Daemon(here.url, pid, TokenFile(config).find())
        usual = Daemon(config.base_url, pid, TokenFile(config).find())
        if time.monotonic() > deadline or (here is None and _follows(usual, config.vault)):
            return usual
        time.sleep(_PAUSE)
    return None


def _follows(daemon: Daemon, vault: Path) -> bool:
    """Whether it answers, and for this vault: somebody may have deleted the file that says where it is."""
    try:
        return os.path.realpath(str(daemon.health()["vault"])) == os.path.realpath(vault)
    except (HelixError, KeyError):
        return False


def is_local(url: str) -> bool:
    return is_loopback(urlsplit(url).hostname or "")


def why_stopped(health: Mapping[str, Any]) -> str | None:
    """Why the daemon does not follow the vault at the moment, if so."""
    return next((str(one["message"]) for one in health["reasons"] if one["code"] in _STOPS), None)


def _opener() -> urllib.request.OpenerDirector:
    """Without the proxies of the environment: none of them knows the way to a daemon on this machine."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return str(getattr(reason, "strerror", None) or reason)
