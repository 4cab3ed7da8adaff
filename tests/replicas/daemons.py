"""Real daemons over one real database: keepers with a folder, readers without one."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix.vault.vault_id import read_identity
from tests.cli.commands import helix
from tests.flows.daemon import Daemon, free_port, running_daemon
from tests.index.postgres.server import Server
from tests.surfaces.conftest import surroundings

VERSION = "helix-version"


@dataclass(frozen=True)
class Answered:
    status: int
    body: Any
    headers: Mapping[str, str]


def ask(
    daemon: Daemon,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    key: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = 40,
) -> Answered:
    shown = {} if key is None else {"Authorization": f"Bearer {key}"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        daemon.url + path, data, {"Content-Type": "application/json", **shown, **(headers or {})}
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return Answered(answer.status, json.loads(answer.read()), _lower(answer.headers))
    except urllib.error.HTTPError as error:
        return Answered(error.code, json.loads(error.read()), _lower(error.headers))


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def texts(answered: Answered) -> list[str]:
    assert answered.status == 200, answered.body
    return [hit["text"] for hit in answered.body["results"]]


def remember(daemon: Daemon, text: str, **more: Any) -> Answered:
    shown = {name: more.pop(name) for name in ("key", "headers") if name in more}
    return ask(daemon, "/remember", {"text": text, "scope": "global", **more}, **shown)


def recall(daemon: Daemon, words: str, **more: Any) -> list[str]:
    return texts(ask(daemon, f"/recall?q={words.replace(' ', '+')}&scope=all", **more))


@dataclass(frozen=True)
class Keeping:
    keeper: Daemon
    reader: Daemon
    env: Mapping[str, str]
    """the keeper's"""
    server: Server


def machine(place: Path, server: Server, vault: Path, **settings: str) -> dict[str, str]:
    """The surroundings of a machine with a state of its own, over a vault that is shared."""
    place.mkdir(parents=True, exist_ok=True)
    return {
        **surroundings(place),
        "HELIX_VAULT": str(vault),
        "HELIX_INDEX": server.url,
        "HELIX_PORT": str(free_port()),
        **settings,
    }


@contextmanager
def keeping(place: Path, server: Server, **settings: str) -> Iterator[Keeping]:
    env = machine(place / "first", server, place / "vault", **settings)
    helix("init", "--git", env=env)
    with ExitStack() as stack:
        keeper = stack.enter_context(running_daemon(env))
        reader = stack.enter_context(reading(place / "second", server, place / "vault", **settings))
        yield Keeping(keeper, reader, env, server)


@contextmanager
def reading(place: Path, server: Server, vault: Path, **settings: str) -> Iterator[Daemon]:
    """Of one vault, which it knows by its id."""
    env = machine(place, server, place / "there-is-no-vault-here", **settings)
    with running_daemon(env, "--reader", "--vault-id", read_identity(vault) or "") as reader:
        yield reader
