"""What stands around every verb that somebody of a team asks for: it is counted, and written down with how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from helix.access.audit import ALLOWED, FAILED, REFUSED, Audit
from helix.access.rates import Rates, class_of
from helix.errors import Forbidden, Frozen, HelixError, RateLimited
from helix.memory.principal import Principal
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.memory.verbs.verb import Verb

_ASKED_WITH = ("memory_id", "source", "target", "session_id", "key", "secret_name", "run_id")
_ANSWERED_WITH = ("id", "edge_id", "run_id")
_MOST_IDS = 20
_REFUSALS = (Forbidden, RateLimited, Frozen)


class TeamGate:
    def __init__(self, rates: Rates, audit: Audit) -> None:
        self._rates = rates
        self._audit = audit

    def __call__(
        self, request: Request, verb: Verb, values: Mapping[str, Any], run: Callable[[], Payload]
    ) -> Payload:
        principal = request.principal
        ids = list(_ids(verb, values))
        try:
            if not principal.sees_everything:
                self._rates.count(class_of(verb), caller_name(principal))
            answer = run()
        except HelixError as error:
            outcome = REFUSED if isinstance(error, _REFUSALS) else FAILED
            self._write(request, verb, outcome, ids, error.code)
            raise
        if verb.changes:
            ids += [answer[name] for name in _ANSWERED_WITH if isinstance(answer.get(name), str)]
        self._write(request, verb, ALLOWED, ids, None)
        return answer

    def _write(self, request: Request, verb: Verb, outcome: str, ids: list[str], code: str | None) -> None:
        self._audit.add(
            f"verb.{outcome}",
            caller_name(request.principal),
            {
                "verb": verb.name,
                "ids": list(dict.fromkeys(ids))[:_MOST_IDS] or None,
                "project": request.place.project,
                "client": request.place.client,
                "from": request.place.address,
                "key": request.principal.key,
                "code": code,
            },
        )


def caller_name(principal: Principal) -> str:
    return principal.user or principal.id


def _ids(verb: Verb, values: Mapping[str, Any]) -> Iterator[str]:
    for name in _ASKED_WITH:
        value = values.get(name)
        if isinstance(value, str) and (name != "source" or verb.name == "relate"):
            yield value[:200]
    for value in values.get("memory_ids") or ():
        yield str(value)[:200]
