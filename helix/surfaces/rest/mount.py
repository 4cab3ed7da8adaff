"""The routes of the verbs, made from their table: what is in the path, the address, the body and the headers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import FastAPI, Header, Path, Response
from fastapi import Query as InQuery
from fastapi import Request as HttpRequest
from pydantic import BaseModel
from pydantic import Field as PydanticField

from helix.access import LOCAL, declare
from helix.errors import BadValue
from helix.memory.tokens import Payload
from helix.memory.verbs.call import call, hash_of
from helix.memory.verbs.fields import Filters
from helix.memory.verbs.verb import Asks, Field, Verb, fields_of
from helix.surfaces.caller import request_of
from helix.surfaces.rest.models import attribute, body_model, constraints, query_model
from helix.surfaces.rest.respond import CALLER, changes, reads, reads_body, reply

_KEY = "idempotency_key"
_KEY_HEADER = Annotated[
    Annotated[str, PydanticField(min_length=1, max_length=200)] | None,
    Header(alias="Idempotency-Key", description="A retry with the same key is answered, not done again."),
]


def mount(app: FastAPI, verbs: Iterable[Verb], *, documented: bool = False) -> None:
    """`documented` routes also say what they answer; to serve they need not, and it costs the start of a daemon."""
    bodies: dict[type[Asks], type[BaseModel]] = {}
    for verb in verbs:
        route, places = verb.route, _places(verb)
        app.add_api_route(
            route.path,
            declare(LOCAL.needing(verb.permission).judged_later())(
                _endpoint(verb, places, _sent_model(verb, places, bodies))
            ),
            methods=[route.method],
            name=route.title or route.operation,
            tags=[route.tag],
            operation_id=route.operation,
            description=inspect.cleandoc(verb.about),
            status_code=verb.route.status,
            responses=_responses(verb, places) if documented else None,
            openapi_extra=CALLER if verb.uses_caller else None,
            response_model=None,
        )


@dataclass(frozen=True)
class _Places:
    """Where the fields of a request are."""

    path: tuple[Field, ...]
    headers: tuple[Field, ...]
    sent: tuple[Field, ...]
    """in the address of a GET, else in the body"""
    has_body: bool
    has_key: bool
    """whether the idempotency key may come in its header too"""


def _places(verb: Verb) -> _Places:
    fields = tuple(verb.fields.values())
    path = tuple(field for field in fields if f"{{{field.wire}}}" in verb.route.path)
    headers = tuple(field for field in fields if field.about.header)
    sent = tuple(field for field in fields if field not in (*path, *headers))
    return _Places(
        path, headers, sent, verb.route.method != "GET" and bool(sent), verb.changes and _KEY in verb.fields
    )


def _sent_model(
    verb: Verb, places: _Places, bodies: dict[type[Asks], type[BaseModel]]
) -> type[BaseModel] | None:
    name, doc = verb.request.__name__.removesuffix("Request"), verb.request.__doc__ or ""
    if not places.sent:
        return None
    if not places.has_body:
        return query_model(f"{name}Query", places.sent)
    if verb.request not in bodies:
        bodies[verb.request] = body_model(f"{name}Body", doc, places.sent, verb.route.example)
    return bodies[verb.request]


def _endpoint(verb: Verb, places: _Places, model: type[BaseModel] | None) -> Callable[..., Response]:
    def endpoint(http: HttpRequest, **given: Any) -> Response:
        request, asks = request_of(http), verb.request(**_values(verb, places, given))
        # The hash first: if the file changes between the two, a change based on it is refused, never made unseen.
        before: list[str] = []
        if verb.route.has_etag and not verb.changes:
            answer = call(request, verb, asks, lambda: before.append(hash_of(request, asks)))
        else:
            answer = call(request, verb, asks)
        return reply(answer, _headers(verb, before, answer), verb.route.status)

    taken: dict[str, Any] = {"http": HttpRequest}
    for field in places.path:
        taken[field.name] = Annotated[field.type, Path(alias=field.wire, **constraints(field))]
    if model is not None:
        taken["sent"] = model if places.has_body else Annotated[model, InQuery()]
    if places.has_key:
        taken["key"] = _KEY_HEADER
    for field in places.headers:
        taken[field.name] = Annotated[field.type, Header(alias=field.about.header, **constraints(field))]
    optional = {"key", *(field.name for field in places.headers)}
    endpoint.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=kind,
                default=None if name in optional else inspect.Parameter.empty,
            )
            for name, kind in taken.items()
        ]
    )
    return endpoint


def _values(verb: Verb, places: _Places, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was said, by the names of the verb's own fields."""
    values = {field.name: given[field.name] for field in places.path}
    values |= {field.name: _hash_in(given[field.name]) for field in places.headers}
    for field in places.sent:
        values[field.name] = _value(field, given["sent"], places.has_body)
    if places.has_key:
        values[_KEY] = _one_key(given["key"], values[_KEY])
    return values


def _value(field: Field, sent: Any, is_body: bool) -> Any:
    if field.name == "response_format":
        return _one_format(sent.format, sent.response_format) or field.default
    if field.name == "filters" and not is_body:
        return _filters(sent)
    value = getattr(sent, attribute(field))
    return [_plain(entry) for entry in value] if isinstance(value, list) else _plain(value)


def _plain(value: Any) -> Any:
    return value.model_dump(exclude_none=True) if isinstance(value, BaseModel) else value


def _filters(sent: BaseModel) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in fields_of(Filters):
        value = getattr(sent, name)
        if isinstance(value, bool):
            found[name] = str(value).lower()
        elif value:
            found[name] = value
    return found


def _one_format(first: str | None, second: str | None) -> str | None:
    if first and second and first != second:
        raise BadValue("format and response_format are two names for one thing; give one of them")
    return first or second


def _one_key(header: str | None, body: str | None) -> str | None:
    if header is not None and body is not None and header.strip() != body.strip():
        raise BadValue("the header Idempotency-Key and idempotency_key in the body differ; give one of them")
    return body if header is None else header.strip()


def _hash_in(if_match: str | None) -> str | None:
    """None for the present state, which `*` means too."""
    tag = (if_match or "*").strip().removeprefix("W/").strip('"')
    return None if tag in ("*", "") else tag


def _headers(verb: Verb, before: Sequence[str], answer: Payload) -> dict[str, str]:
    return {"ETag": f'"{before[0] if before else answer["hash"]}"'} if verb.route.has_etag else {}


def _responses(verb: Verb, places: _Places) -> dict[int | str, dict[str, Any]]:
    kind = verb.answer_type
    if not places.has_body:
        return reads(kind, *verb.route.errors, status=verb.route.status)
    return (changes if verb.changes else reads_body)(kind, status=verb.route.status)
