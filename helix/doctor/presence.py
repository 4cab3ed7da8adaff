"""Who follows the vault on this machine, and who answers where clients would ask."""

from __future__ import annotations

import json
import os
import socket
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from helix.config import Config
from helix.daemon_client import Daemon, NotYourDaemon
from helix.errors import HelixError
from helix.follow.daemon_address import Whereabouts
from helix.follow.lock import FollowLock, LockOwner
from helix.token_file import owner_of

_PATIENCE = 3.0
_LONGEST = 1 << 20


@dataclass(frozen=True)
class HealthAnswer:
    """What came back to a question about health."""

    status: int | None
    """None: somebody took the connection and does not speak HTTP"""
    health: dict[str, Any] | None
    """the state of a Helix daemon; None when it is none, or does not tell"""
    unproven: str = ""
    """why it is not taken for the user's own daemon"""

    @property
    def vault(self) -> str:
        return str((self.health or {}).get("vault", ""))

    @property
    def is_helix(self) -> bool:
        return self.health is not None and "vault" in self.health and "state" in self.health


@dataclass(frozen=True)
class Presence:
    config: Config
    owner: LockOwner | None
    """who has the lock of the vault; None when nobody has"""
    whereabouts: Whereabouts | None

    @property
    def is_daemon(self) -> bool:
        return self.owner is not None and self.owner.is_daemon

    @property
    def is_gone(self) -> bool:
        """The process that the lock names does not run, and yet the lock is held."""
        pid = None if self.owner is None else self.owner.pid
        return pid is not None and not is_running(pid)

    @cached_property
    def at_own_address(self) -> HealthAnswer | None:
        """The daemon that follows this vault, where it says that it is."""
        return None if self.whereabouts is None else ask(self.config, self.whereabouts.url)

    @cached_property
    def refuses_token(self) -> bool:
        """Whether the daemon turns away who shows the token of these settings. It tells everybody how it is."""
        if self.whereabouts is None or not self.config.require_token:
            return False
        answer = ask(self.config, self.whereabouts.url, "/memory/is-the-token-right")
        return answer is not None and answer.status in (401, 403)

    @cached_property
    def at_settings_address(self) -> HealthAnswer | None:
        """Whoever answers where clients would look."""
        if self.whereabouts is not None and self.is_daemon and self.whereabouts.url == self.config.base_url:
            return self.at_own_address
        return ask(self.config, self.config.base_url)


def look_who_follows(state: Path, config: Config) -> Presence:
    return Presence(config, FollowLock(state).find_owner(), Whereabouts.find(state))


def is_running(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # os.kill would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def ask(config: Config, url: str, path: str = "/healthz") -> HealthAnswer | None:
    """None when nobody listens there. Who does is believed, and shown the token, when it proves to know it."""
    try:
        reply = Daemon(url, owner_of(config, url)).exchange(path, timeout=_PATIENCE, at_most=_LONGEST)
        return HealthAnswer(reply.status, _parsed(reply.body))
    except NotYourDaemon as error:
        return HealthAnswer(None, None, error.message)
    except HelixError:
        return HealthAnswer(None, None) if _is_taken(url) else None


def _parsed(body: bytes) -> dict[str, Any] | None:
    try:
        health = json.loads(body)
    except ValueError:
        return None
    return health if isinstance(health, dict) else None


def _is_taken(url: str) -> bool:
    try:
        parts = urlsplit(url)
        socket.create_connection((parts.hostname or "", parts.port or 80), timeout=1.0).close()
    except (OSError, ValueError):
        return False
    return True
