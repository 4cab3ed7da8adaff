"""A program that is let in, step by step, over HTTP: each step can be done wrongly."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx

from tests.access.team import TeamServed

CALLBACK = "http://127.0.0.1/callback"


def challenge_of(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


@dataclass(frozen=True)
class Program:
    team: TeamServed
    client_id: str
    redirect_uri: str = "http://127.0.0.1:54321/callback"

    @classmethod
    def known_to(cls, team: TeamServed, name: str = "an editor", *redirects: str) -> Program:
        arguments = [word for uri in redirects or (CALLBACK,) for word in ("--redirect", uri)]
        return cls(team, team.helix("client", "add", name, *arguments)["id"])

    @property
    def resource(self) -> str:
        return f"{self.team.url}/mcp"

    def request(self, verifier: str, /, **changes: str | None) -> dict[str, str]:
        """The parameters with which a browser is sent off; None leaves one out."""
        parameters: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_challenge": challenge_of(verifier),
            "code_challenge_method": "S256",
            "scope": "recall remember",
            "state": "st4te",
            "resource": self.resource,
            **changes,
        }
        return {name: value for name, value in parameters.items() if value is not None}

    def form(self, code: str, verifier: str, /, **changes: str | None) -> dict[str, str]:
        """What the program sends for a code."""
        parameters: dict[str, str | None] = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "client_id": self.client_id,
            "code_verifier": verifier,
            "resource": self.resource,
            **changes,
        }
        return {name: value for name, value in parameters.items() if value is not None}

    def code(self, browser: Browser, verifier: str, **changes: Any) -> str:
        """From the first address to the code, with somebody who says yes."""
        location = browser.consented(self.request(verifier, **changes))
        return dict(parse_qsl(urlsplit(location).query))["code"]

    def ask(self, form: Mapping[str, str], path: str = "/auth/token", **more: Any) -> httpx.Response:
        return self.team.ask("POST", path, data=dict(form), **more)

    def login(self, browser: Browser, **changes: Any) -> dict[str, Any]:
        """The tokens."""
        verifier = new_verifier()
        code = self.code(browser, verifier, **changes)
        resource = changes.get("resource", self.resource)
        answer = self.ask(self.form(code, verifier, resource=resource))
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def refresh(self, token: str, **changes: str) -> httpx.Response:
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id, **changes}
        return self.ask(form)


def new_verifier() -> str:
    return secrets.token_urlsafe(48)


class Browser:
    """A browser in which somebody is signed in, as far as the pages of Helix see one."""

    def __init__(self, team: TeamServed, user: str = "ann") -> None:
        self.team = team
        self.http = httpx.Client(
            base_url=team.url,
            timeout=30,
            headers={"Origin": team.url, "Sec-Fetch-Site": "same-origin", "Helix-Page": "1"},
        )
        answer = self.http.post("/sign-in", json={"key": team.keys[user]})
        assert answer.status_code == 200, answer.text

    def post(self, path: str, body: Any, **more: Any) -> httpx.Response:
        return self.http.post(path, json=body, **more)

    def ticket(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        answer = self.post("/auth/consent", {"query": "?" + urlencode(parameters)})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def consented(self, parameters: Mapping[str, str], **decision: Any) -> str:
        page = self.http.get("/auth/authorize", params=dict(parameters))
        assert page.status_code == 200, page.text
        answer = self.post(
            "/auth/decision", {"ticket": self.ticket(parameters)["ticket"], "allow": True, **decision}
        )
        assert answer.status_code == 200, answer.text
        return str(answer.json()["location"])

    def approve(self, user_code: str, allow: bool = True) -> httpx.Response:
        found = self.post("/auth/consent", {"user_code": user_code})
        if found.status_code != 200:
            return found
        return self.post("/auth/decision", {"ticket": found.json()["ticket"], "allow": allow})
