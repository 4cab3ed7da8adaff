"""Calling a verb with a request: the one place where the table meets what does the work."""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any

from helix.memory.reading.view import When
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.memory.verbs.permitted import check_permitted
from helix.memory.verbs.verb import Asks, Verb
from helix.memory.writing.amend import Amendment
from helix.memory.writing.write import NewText

_AMENDED = ("text", "title", "kind", "tags", "importance", "valid_from", "valid_until", "visibility", "extra")


def call(request: Request, verb: Verb, asks: Asks, first: Callable[[], None] = lambda: None) -> Payload:
    """What a verb answers to who makes the request. `first` is done before it, once they are let do it."""
    values = {name: getattr(asks, name) for name in verb.fields}
    return request.gate(request, verb, values, functools.partial(_run, request, verb, values, first))


def _run(request: Request, verb: Verb, values: dict[str, Any], first: Callable[[], None]) -> Payload:
    check_permitted(request.principal, request.place, verb, values)
    if verb.changes:
        request.freeze.check()
    first()
    run: Callable[..., Payload] = pkgutil.resolve_name(f"helix.{verb.run}")
    if verb.name in _SPELLED:
        return _SPELLED[verb.name](run, request, values)
    if "as_of" in values:
        values["when"] = When(values.pop("as_of"), values.pop("ref"))
    return run(request, **values)


def hash_of(request: Request, asks: Any) -> str:
    """Of the file of the memory that is read."""
    return request.view(When(asks.as_of, asks.ref)).get(asks.memory_id).hash


def _write(run: Callable[..., Payload], request: Request, values: Mapping[str, Any]) -> Payload:
    return run(request, NewText(**{**values, "source": values["source"] or {}}))


def _update(run: Callable[..., Payload], request: Request, values: Mapping[str, Any]) -> Payload:
    wanted = Amendment(**{name: values[name] for name in _AMENDED})
    others = {name: value for name, value in values.items() if name not in _AMENDED}
    return run(request, wanted=wanted, **others)


_SPELLED: Mapping[str, Callable[..., Payload]] = {"write": _write, "update": _update}
