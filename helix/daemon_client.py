"""Finding the daemon of a vault, and asking it. Standard library: a command must start fast.

It asks as helix-mcp does, so that what listens has to prove here too that it is the user's own daemon.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from helix_mcp.address import is_loopback
from helix_mcp.connection import Lost, NotHttp, NotSent
from helix_mcp.login import LoginEnded
from helix_mcp.proof import NotYours, Owner
from helix_mcp.wire import Server

from helix.codes import to_error
from helix.config import Config
from helix.errors import DaemonUnreachable, HelixError
from helix.follow.daemon_address import Whereabouts
from helix.follow.lock import FollowLock
from helix.token_file import owner_of
from helix.vault.vault_id import state_folder

PATIENCE = 600.0
# A command that only wants to know how the daemon is does not wait for one that hangs.
_HEALTH_PATIENCE = 5.0
# A daemon takes its vault some moments before it says where it listens.
_START_PATIENCE = 20.0
_PAUSE = 0.05
# Those of its reasons to be degraded that mean that it does not follow the vault.
_STOPS = frozenset({"vault-missing", "brake-pulled", "not-following", "state-unwritable"})


class NotYourDaemon(DaemonUnreachable):
    """What listens there does not prove to be the user's own daemon."""


class DaemonReply(NamedTuple):
    status: int
    body: bytes


@dataclass(frozen=True)
class Daemon:
    url: str
    owner: Owner = field(repr=False)
    pid: int | None = None
    """None for one that HELIX_URL names: it may run on another machine"""
    workspace: str = ""
    """which of its workspaces is asked; empty for the one that it means itself"""

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        body: object = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = PATIENCE,
    ) -> dict[str, Any]:
        """The answer, when the daemon did what was asked for. Raises HelixError."""
        reply = self.exchange(path, method=method, body=body, headers=headers, timeout=timeout)
        if not 200 <= reply.status < 300:
            raise self._refusal(reply)
        try:
            return dict(json.loads(reply.body))
        except (ValueError, TypeError) as error:
            raise self._silent(error) from error

    def exchange(
        self,
        path: str,
        *,
        method: str = "GET",
        body: object = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = PATIENCE,
        at_most: int = -1,
    ) -> DaemonReply:
        """Whatever it answers, or the first `at_most` bytes of it. Raises DaemonUnreachable when that is nothing."""
        data = b"" if body is None else json.dumps(body).encode()
        try:
            response = self._server.ask(
                method,
                self.owner.address.path + path,
                {**self._named, **(headers or {})},
                data,
                seconds=timeout,
            )
            return DaemonReply(response.status, response.read(at_most))
        except LoginEnded as error:
            raise to_error("unauthorized", str(error)) from error
        except NotYours as error:
            raise NotYourDaemon(str(error), trouble=error.trouble) from error
        except (NotSent, Lost, NotHttp, ValueError) as error:
            raise self._silent(error) from error

    @cached_property
    def _server(self) -> Server:
        address = self.owner.address
        return Server(address, {"Host": address.host_header}, self.owner)

    @property
    def _named(self) -> dict[str, str]:
        return {"Helix-Workspace": quote(self.workspace, safe="")} if self.workspace else {}

    def health(self) -> dict[str, Any]:
        return self.ask("/healthz", timeout=_HEALTH_PATIENCE)

    def _silent(self, error: Exception) -> DaemonUnreachable:
        trouble = f"the daemon at {self.url} does not answer ({error})"
        return DaemonUnreachable(f"{trouble}; `helix status` says what is known of it", trouble=trouble)

    def _refusal(self, reply: DaemonReply) -> HelixError:
        try:
            answer = json.loads(reply.body)
            if "reasons" in answer:  # /healthz tells its state, whatever the status is
                return to_error("vault-unavailable", str(why_stopped(answer)))
            return to_error(str(answer["code"]), str(answer["error"]))
        except (ValueError, KeyError, AttributeError, TypeError):
            return HelixError(f"the daemon at {self.url} answered {reply.status}: {reply.body[:500]!r}")


def find_daemon(config: Config) -> Daemon | None:
    """The daemon that HELIX_URL names, or else the one that follows the vault; None when none does."""
    if config.url:
        return Daemon(config.url.rstrip("/"), owner_of(config, config.url), workspace=config.workspace)
    main = getattr(config, "main", None)  # of a command that works in a further workspace of a daemon
    if main is not None and (daemon := find_daemon(main)) is not None:
        url = f"{daemon.url}/w/{config.workspace}"
        return Daemon(url, owner_of(config, url), daemon.pid)
    state = state_folder(config.state_dir, config.vault)
    deadline = time.monotonic() + _START_PATIENCE
    while (pid := FollowLock(state).find_daemon()) is not None:
        here = Whereabouts.find(state)
        if here is not None and here.pid == pid:
            return Daemon(here.url, owner_of(config, here.url), pid)
        if config.port:  # with 0 the daemon takes a free one, and only its record says which
            usual = Daemon(config.base_url, owner_of(config, config.base_url), pid)
            if time.monotonic() > deadline or (here is None and _follows(usual, config.vault)):
                return usual
        elif time.monotonic() > deadline:
            return None
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
    """Why the daemon does not follow the vault at the moment, if so and if it tells the asker."""
    reasons = health.get("reasons", ())
    messages = (str(reason["message"]) for reason in reasons if reason["code"] in _STOPS)
    return next(messages, None)
