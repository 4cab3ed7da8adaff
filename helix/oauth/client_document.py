"""Clients that name themselves by the address of a document about them (client id metadata documents)."""

from __future__ import annotations

import ssl
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from helix.errors import BadValue
from helix.oauth.clients import CODE_GRANT, REFRESH_GRANT, OAuthClient, check_redirects
from helix.oauth.known_clients import checked_client_name
from helix.oauth.outbound import Fetched, FetchLimits, NotFetched, fetch_json, is_public

_LIMITS = FetchLimits(most_bytes=16 * 1024, seconds=5.0, is_allowed=is_public)
_LONGEST = 500
_SHORTEST_KEPT, _LONGEST_KEPT = 300.0, 86400.0
# How long it is remembered that a document could not be had: nobody makes us ask again and again.
_REFUSED_KEPT = 30.0
_MOST_KEPT = 200


class ClientDocuments:
    """Fetched when they are first needed, and again when they are old."""

    def __init__(
        self,
        fetch: Callable[[str], Fetched] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch or _fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, OAuthClient | None]] = OrderedDict()

    def find(self, client_id: str) -> OAuthClient | None:
        """None for an address that leads to no document about a client."""
        if not _is_id(client_id):
            return None
        with self._lock:
            until, client = self._kept.get(client_id, (0.0, None))
        if self._clock() < until:
            return client
        try:
            fetched = self._fetch(client_id)
            client = read_client(client_id, fetched.document)
            life = min(max(fetched.max_age, _SHORTEST_KEPT), _LONGEST_KEPT)
        except (NotFetched, BadValue):
            client, life = None, _REFUSED_KEPT
        with self._lock:
            self._kept[client_id] = (self._clock() + life, client)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return client


def read_client(client_id: str, document: dict[str, object]) -> OAuthClient:
    """Raises BadValue."""
    if document.get("client_id") != client_id:
        raise BadValue("the document is about another client")
    if "client_secret" in document or document.get("token_endpoint_auth_method", "none") != "none":
        raise BadValue("a client that is known by a document has no secret")
    uris = document.get("redirect_uris")
    name = document.get("client_name")
    host = urlsplit(client_id).hostname or ""
    shown = checked_client_name(str(name)[:60]) if name else host
    client = OAuthClient(
        client_id, f"{shown} of {host}", check_redirects(uris if isinstance(uris, list) else ()),
        frozenset({CODE_GRANT, REFRESH_GRANT}), "document",
    )  # fmt: skip
    return replace(client, name=client.name[:120])


def _is_id(client_id: str) -> bool:
    """An https address with a path, and nothing that two readers may read in two ways."""
    if len(client_id) > _LONGEST or not (client_id.isascii() and client_id.isprintable()):
        return False
    if any(character in client_id for character in " #@\\%<>\"'"):
        return False
    try:
        parts = urlsplit(client_id)
        _ = parts.port
    except ValueError:
        return False
    steps = parts.path.split("/")
    return (
        parts.scheme == "https"
        and bool(parts.hostname)
        and len(parts.path) > 1
        and not {".", ".."} & set(steps)
    )


def _fetch(url: str) -> Fetched:
    return fetch_json(url, _LIMITS, ssl.create_default_context())
