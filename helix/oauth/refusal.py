"""What the authorization server refuses, in the words of the standards."""

from __future__ import annotations

from urllib.parse import urlencode


class OAuthRefused(Exception):
    def __init__(
        self,
        error: str,
        description: str,
        status: int = 400,
        *,
        redirect_uri: str | None = None,
        state: str | None = None,
    ) -> None:
        """With a `redirect_uri`, which was found to be the client's, the client is told; else only the person."""
        super().__init__(description)
        self.error = error
        self.description = description
        self.status = status
        self.redirect_uri = redirect_uri
        self.state = state

    def body(self) -> dict[str, str]:
        return {"error": self.error, "error_description": self.description}


def sent_back(redirect_uri: str, values: dict[str, str], state: str | None, issuer: str) -> str:
    """The address to which the browser goes. It names us, so that a client with several servers is not mixed up."""
    query = {**values, **({} if state is None else {"state": state}), "iss": issuer}
    return f"{redirect_uri}{'&' if '?' in redirect_uri else '?'}{urlencode(query)}"
