"""Around every verb of a daemon that shares its index: what it cannot do itself, the keeper does.

A daemon that keeps the index does everything. One with the folder that waits for its turn reads, and passes changes on.
One without a folder reads what the database has, and passes everything else on.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from helix_mcp.address import Address, BadAddress
from helix_mcp.connection import Lost, NotHttp, NotSent
from helix_mcp.proof import Owner
from helix_mcp.wire import Server

from helix.codes import to_error
from helix.errors import HelixError, IndexNotReady, KeeperUnreachable, NotHere
from helix.index.station import SharedEngine, Station
from helix.memory.request import Gate, Request
from helix.memory.tokens import Payload
from helix.memory.verbs.permitted import check_permitted
from helix.memory.verbs.verb import Verb
from helix.surfaces.marks import current
from helix.surfaces.passed_on import PATH, is_passed_on, to_content, to_header
from helix.vault.authors import current as current_author

log = logging.getLogger(__name__)

FindEngine = Callable[[], SharedEngine | None]

_PATIENCE = 15.0  # for a keeper: longer than it takes another daemon to become it
_PAUSE = 0.1
_SEEN = 5.0  # for what a client has seen, or has written
_ANSWER = 60.0
_START = 10.0

FROM_DATABASE = frozenset(
    {"search", "context", "get", "recent", "today", "render", "graph", "neighbors", "stats", "projects"}
)
"""verbs that need nothing but what the database has"""
_OF_THE_PAST = ("as_of", "ref")


class PassingGate:
    def __init__(
        self, inner: Gate, find_engine: FindEngine, *, has_folder: bool, is_settled: Callable[[], bool]
    ) -> None:
        """`is_settled` says whether it is settled how the index is, or not yet."""
        self._is_settled = is_settled
        self._inner = inner
        self._find_engine = find_engine
        self._has_folder = has_folder
        self._servers: dict[Station, Server] = {}

    def __call__(
        self, request: Request, verb: Verb, values: Mapping[str, Any], run: Callable[[], Payload]
    ) -> Payload:
        if verb.changes:
            self._wait_for_role()
        engine = self._find_engine()
        if engine is None and self._has_folder:
            return self._inner(request, verb, values, run)  # the database is away: the files are here
        if engine is not None and engine.keeps:
            return self._inner(request, verb, values, run)
        if is_passed_on.get():
            raise NotHere("this daemon does not keep the index; the database says which one does")

        def passed() -> Payload:
            check_permitted(request.principal, request.place, verb, values)
            return self._pass_on(request, verb, values, run)

        if not self._is_done_here(verb, values):
            return self._inner(request, verb, values, passed)
        if engine is not None and (marks := current.get()) is not None and marks.seen:
            engine.reached(marks.seen, _SEEN)
        try:
            return self._inner(request, verb, values, run)
        except HelixError as error:
            # A cursor that another daemon gave: the keeper may know it.
            if error.code != "bad-cursor" or self._has_folder:
                raise
            return passed()

    def _wait_for_role(self) -> None:
        """A daemon that has just begun does not know yet whether another one takes changes."""
        until = time.monotonic() + _START
        while not self._is_settled() and time.monotonic() < until:
            time.sleep(_PAUSE)

    def _is_done_here(self, verb: Verb, values: Mapping[str, Any]) -> bool:
        if self._has_folder:
            return not verb.changes
        return verb.name in FROM_DATABASE and not any(values.get(name) for name in _OF_THE_PAST)

    def _pass_on(
        self, request: Request, verb: Verb, values: Mapping[str, Any], run: Callable[[], Payload]
    ) -> Payload:
        content = to_content(verb.name, values, request.place, current_author())
        body = json.dumps(content, default=_plain).encode()
        headers = to_header(request.principal)
        until = time.monotonic() + _PATIENCE
        why = "it is not known which one keeps the index"
        while time.monotonic() < until:
            engine = self._find_engine()
            if engine is not None and engine.keeps:
                return run()  # this daemon has taken over meanwhile
            keeper = None if engine is None else engine.keeper()
            if keeper is not None and keeper.station.address:
                try:
                    return self._asked(keeper.station, headers, body, verb)
                except (NotSent, NotHere, IndexNotReady, BadAddress) as error:
                    why = str(error)
                except (Lost, NotHttp) as error:
                    why = str(error)
                    if verb.changes and not values.get("idempotency_key"):
                        raise KeeperUnreachable(
                            f"the daemon that keeps the index went away in the middle of it ({why}): it may be done "
                            "or not. Look before you repeat it, or send an idempotency key, with which it is safe"
                        ) from error
            time.sleep(_PAUSE)
        raise KeeperUnreachable(self._silence(verb, why))

    def _asked(self, station: Station, headers: Mapping[str, str], body: bytes, verb: Verb) -> Payload:
        response = self._server(station).ask("POST", self._path(station), headers, body, seconds=_ANSWER)
        answered = json.loads(response.read())
        if response.status >= 300:
            raise to_error(str(answered["code"]), str(answered["error"]))
        mark = str(answered["mark"])
        if verb.changes and (engine := self._find_engine()) is not None:
            engine.reached(mark, _SEEN)
        if (marks := current.get()) is not None:
            marks.written = mark
        payload: Payload = answered["answer"]
        return payload

    def _server(self, station: Station) -> Server:
        if station not in self._servers:
            address = Address(station.address)
            owner = Owner(address, "", station.secret, chosen=True)
            self._servers = {station: Server(address, {"Host": address.host_header}, owner)}
        return self._servers[station]

    def _path(self, station: Station) -> str:
        return f"{Address(station.address).path}{PATH}"

    def _silence(self, verb: Verb, why: str) -> str:
        engine = self._find_engine()
        keeper = None if engine is None else engine.keeper()
        where = "none is known" if keeper is None or not keeper.station.address else keeper.station.address
        what = "nothing was changed" if verb.changes else f"`{verb.name}` is answered there alone"
        return f"the daemon that keeps the index does not answer ({where}: {why[:200]}); {what}. Repeat in a moment"


def _plain(value: object) -> object:
    """Mappings and sets as JSON has them."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be passed on")
