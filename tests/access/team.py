"""A real daemon for several people, on loopback, and the keys of its people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from helix.access.credentials import Credentials, KeyBounds
from helix.config import LimitsConfig
from helix.token_file import TOKEN_FILE
from tests.cli.commands import helix
from tests.flows.daemon import Daemon, running_daemon
from tests.surfaces.conftest import surroundings

PEOPLE = {"root": "admin", "olga": "operator", "ann": "agent", "bob": "agent", "rea": "readonly"}


@dataclass(frozen=True)
class TeamServed:
    daemon: Daemon
    place: Path
    env: Mapping[str, str]
    keys: Mapping[str, str]
    """by user, the text of a key that may all that the user may"""

    @property
    def url(self) -> str:
        return self.daemon.url

    @property
    def owner_token(self) -> str:
        return (self.place / "config" / TOKEN_FILE).read_text().strip()

    def ask(
        self,
        method: str,
        path: str,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> httpx.Response:
        shown = {} if key is None else {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=self.url, timeout=30) as http:
            return http.request(method, path, headers={**shown, **(headers or {})}, **more)

    def key(self, user: str, *, role: str | None = None, expires_in: str | None = None, **bounds: Any) -> str:
        credentials = Credentials(self.place / "config")
        try:
            return credentials.create_key(user, role=role, bounds=KeyBounds(**bounds), expires_in=expires_in)[
                1
            ]
        finally:
            credentials.close()

    def helix(self, *arguments: str) -> Any:
        """What a command with --json answers."""
        done = helix(*arguments, "--json", env=dict(self.env))
        return json.loads(done.stdout)


@contextmanager
def serving_team(
    place: Path, mode: str = "team", *, limits: Mapping[str, int | str] | None = None, **settings: str
) -> Iterator[TeamServed]:
    """With these limits and no others: tests ask more often than people do."""
    figures = {**dict.fromkeys(asdict(LimitsConfig()), 0), "redis": "", **(limits or {})}
    (place / "config").mkdir(exist_ok=True)
    with open(place / "config" / "config.toml", "a") as file:
        file.write(
            "".join(["\n[limits]\n", *(f"{name} = {json.dumps(most)}\n" for name, most in figures.items())])
        )
    env = {**surroundings(place), "HELIX_MODE": mode, **settings}
    helix("init", env=env)
    keys = make_people(place)
    with running_daemon(env) as daemon:
        yield TeamServed(daemon, place, env, keys)


def make_people(place: Path) -> dict[str, str]:
    """A key for each, by name."""
    credentials = Credentials(place / "config")
    try:
        for name, role in PEOPLE.items():
            credentials.add_user(name, role)
        return {name: credentials.create_key(name)[1] for name in PEOPLE}
    finally:
        credentials.close()


def id_of(key: str) -> str:
    return key.removeprefix("hx_sk_").partition(".")[0]
