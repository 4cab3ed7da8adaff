"""One request as data, and how its answer is read. Nothing here talks to anybody."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import quote

from helix.client.answer_shape import Page, Result
from helix.client.errors import BadAnswer, BadRequest, error_of

T = TypeVar("T", bound=Result)
T_co = TypeVar("T_co", bound=Result, covariant=True)
P = TypeVar("P", bound=Page)

Moment: TypeAlias = str | date
"""a text such as `2026-06-18` or `2026-06-18T09:12:44Z`, a date, or a datetime; one without a zone is local time"""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    """names in lower case"""
    body: bytes


@dataclass(frozen=True)
class Call(Generic[T_co]):
    method: str
    path: str
    answer: type[T_co]
    params: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeatable: bool = True
    """whether it does no harm to send it twice"""
    also_answers: frozenset[int] = frozenset()
    """statuses besides those of success that come with an answer, not with an error"""

    @property
    def content(self) -> bytes | None:
        if self.body is None:
            return None
        # Half of a surrogate pair is no character; the daemon says so, in its own words.
        return json.dumps(self.body, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def read(self, reply: Reply) -> T_co:
        """The answer, or the error that it tells of."""
        if 200 <= reply.status < 300 or reply.status in self.also_answers:
            try:
                return self.answer.from_json(json.loads(reply.body))
            except ValueError as error:
                raise BadAnswer(
                    f"what answers {self.method} {self.path} is no Helix daemon: it sends {reply.body[:100]!r}",
                    status=reply.status,
                ) from error
        raise error_of(reply.status, reply.headers, reply.body)


def following(call: Call[P], page: P) -> Call[P] | None:
    """The call for the page after this one."""
    if page.next_cursor is None:
        return None
    return replace(call, params={**call.params, "cursor": page.next_cursor})


def reads(path: str, answer: type[T], filters: Mapping[str, str] | None = None, **params: object) -> Call[T]:
    """A GET. What is None is not said."""
    for name in filters or {}:
        if name in params:
            raise BadRequest(f"{name} is no filter; give it by itself", code="bad-value")
    return Call("GET", path, answer, params=_to_params({**(filters or {}), **params}))


def asks(path: str, answer: type[T], **body: object) -> Call[T]:
    """A POST that changes nothing: the question is too long for an address."""
    return Call("POST", path, answer, body=_to_body(body))


def changes(
    method: str,
    path: str,
    answer: type[T],
    body: Mapping[str, object],
    key: str | None,
    based_on: str | None = None,
) -> Call[T]:
    """A change under an idempotency key: however often it is sent, it is done once."""
    # In the body and not in its header, which could not carry every text.
    full_body = _to_body({**body, "idempotency_key": os.urandom(16).hex() if key is None else key})
    if based_on is None:
        return Call(method, path, answer, body=full_body)
    if not (based_on.isascii() and based_on.isprintable()):
        raise BadRequest(
            f"based_on is {based_on!r:.80}; give the `hash` of a memory as it was read", code="bad-value"
        )
    return Call(method, path, answer, body=full_body, headers={"If-Match": f'"{based_on}"'})


def does_once(route: str, answer: type[Any], /, **body: object) -> Call[Any]:
    """A change that is not sent again by itself. What is None is not said."""
    sent = {name: value for name, value in body.items() if value is not None}
    return Call("POST", route, answer, body=sent, is_repeatable=False)


def of_memory(memory_id: str, rest: str = "") -> str:
    """The path of a memory. Its id is one segment, whatever characters it has."""
    if not memory_id:
        raise BadRequest("the id is empty; an id looks like mem_2026-06-18_auth-retry_a1b2", code="bad-value")
    return f"/memory/{_segment(memory_id)}{rest}"


def of_session(session_id: str, rest: str = "") -> str:
    """The path of a session."""
    if "/" in session_id:
        # It would be another path on the way, whatever it is spelled as.
        raise BadRequest(
            f"Invalid session_id {session_id!r:.140}: 1 to 128 letters, digits, `_`, `-` and `.`, and no dot in front",
            code="bad-value",
        )
    return _path("/sessions", "the id of the session", session_id, rest)


def of_document(document_id: str, rest: str = "") -> str:
    """The path of a document."""
    return _path("/documents", "the id of the document", document_id, rest)


def of_job(job_id: str, rest: str = "") -> str:
    """The path of a job."""
    return _path("/jobs", "the name of the job", job_id, rest)


def of_secret(name: str, rest: str = "") -> str:
    """The path of a secret."""
    return _path("/secrets", "the name of the secret", name, rest)


def of_run(run_id: str, rest: str = "") -> str:
    """The path of a program that runs with secrets."""
    return _path("/secret-runs", "the name of the run", run_id, rest)


def _path(folder: str, what: str, name: str, rest: str) -> str:
    if not name:
        raise BadRequest(f"{what} is empty", code="bad-value")
    return f"{folder}/{_segment(name)}{rest}"


def _segment(name: str) -> str:
    # Only dots would be taken for "here" and "one up" on the way.
    return quote(name, safe="", errors="replace") if name.strip(".") else name.replace(".", "%2E")


def filtered(filters: Mapping[str, Moment] | None, **named: Moment | None) -> dict[str, str]:
    """Filters, with those that have a parameter of their own; giving one twice is a mistake."""
    given = {name: moment(value) for name, value in (filters or {}).items()}
    for name, value in named.items():
        if value is not None and given.setdefault(name, moment(value)) != moment(value):
            raise BadRequest(
                f"{name} is given twice, by itself and in filters; give it once", code="bad-value"
            )
    return given


def moment(value: Moment) -> str:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    return value.isoformat() if isinstance(value, date) else value


def _to_body(values: Mapping[str, object]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in values.items() if value is not None}


def _to_params(params: Mapping[str, object]) -> dict[str, str]:
    return {name: _text(value) for name, value in params.items() if value is not None}


def _plain(value: object) -> object:
    if isinstance(value, date):
        return moment(value)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner) for inner in value]
    return value


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = moment(value) if isinstance(value, date) else str(value)
    return text.encode("utf-8", "replace").decode()  # an address cannot carry half of a surrogate pair
