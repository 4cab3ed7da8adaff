"""A real daemon with the workspaces of two orgs on it, and keys of both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from helix.access.credentials import Credentials, KeyBounds
from helix.access.workspaces import ListedWorkspace, Workspaces, split_name
from tests.access.team import TeamServed, serving_team
from tests.waiting import wait_for

WORD = "quadrifolium"
"""a word that stands in whatever one org has, and nowhere else"""


@dataclass(frozen=True)
class Orgs:
    team: TeamServed
    keys: dict[str, str]
    """by user: amy and ada are of acme, rob and rod of rival"""

    @property
    def listed(self) -> Workspaces:
        return Workspaces(self.team.place / "config", self.team.place / "vault")

    def ask(
        self, method: str, path: str, user: str, workspace: str | None = None, **more: Any
    ) -> httpx.Response:
        headers = {**more.pop("headers", {}), **({} if workspace is None else {"Helix-Workspace": workspace})}
        return self.team.ask(method, path, self.keys[user], headers, **more)

    def owner(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.team.ask(method, path, self.team.owner_token, **more)

    def write(self, text: str, user: str, workspace: str | None = None, **fields: Any) -> dict[str, Any]:
        body = {"text": text, "scope": "global", "force": True, **fields}
        answer = self.ask("POST", "/remember", user, workspace, json=body)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def found(self, query: str, user: str, workspace: str | None = None) -> list[str]:
        answer = self.ask("GET", f"/recall?q={query}&scope=all", user, workspace)
        assert answer.status_code == 200, answer.text
        return [one["id"] for one in answer.json()["results"]]

    def state(self, name: str) -> str:
        listed = self.owner("GET", "/workspaces").json()["workspaces"]
        return str(next(one["state"] for one in listed if one["name"] == name))

    def wait_until(self, name: str, state: str) -> None:
        wait_for(lambda: self.state(name) == state)


def make(place: Path, name: str) -> ListedWorkspace:
    """As `helix workspace create` does it."""
    vault = place / "orgs" / name
    (vault / ".helix").mkdir(parents=True)
    (vault / ".helix" / "vault.toml").write_text(f'id = "{name.replace(".", "-")}"\nformat = 1\n')
    org, short = split_name(name)
    return Workspaces(place / "config", place / "vault").add(org or "main", short, vault)


def make_keys(place: Path) -> dict[str, str]:
    credentials = Credentials(place / "config")
    try:
        for name, role, org in (
            ("amy", "admin", "acme"), ("ada", "agent", "acme"), ("rob", "admin", "rival"), ("rod", "agent", "rival"),
        ):  # fmt: skip
            credentials.add_user(name, role, org=org)
        keys = {name: credentials.create_key(name)[1] for name in ("amy", "ada", "rob", "rod")}
        only_api = KeyBounds(workspaces=frozenset({"api"}))
        return {**keys, "ada-api": credentials.create_key("ada", bounds=only_api)[1]}
    finally:
        credentials.close()


@contextmanager
def serving_orgs(place: Path) -> Iterator[Orgs]:
    """acme has `web` and `api`, rival has `web`."""
    for name in ("acme.web", "acme.api", "rival.web"):
        make(place, name)
    keys = make_keys(place)
    with serving_team(place) as team:
        yield Orgs(team, keys)
