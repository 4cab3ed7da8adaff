"""Calling a verb with what was asked: the one place where the table meets what does the work."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from typing import Any

from helix.memory.reading.view import When
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.memory.verbs.verb import Asks, Verb
from helix.memory.writing.amend import Amendment
from helix.memory.writing.write import Wish

_AMENDED = ("text", "title", "kind", "tags", "importance", "valid_from", "valid_until")


def call(request: Request, verb: Verb, asked: Asks, **more: object) -> Payload:
    """What a verb answers; `more` is what a surface says beside the fields of the verb."""
    run: Callable[..., Payload] = pkgutil.resolve_name(f"helix.memory.{verb.run}")
    values = {name: getattr(asked, name) for name in verb.fields}
    if verb.name in _SPELLED:
        return _SPELLED[verb.name](run, request, values)
    if "as_of" in values:
        values["when"] = When(values.pop("as_of"), values.pop("ref"))
    return run(request, **values, **more)


def hash_of(request: Request, asked: Any) -> str:
    """Of the file of the memory that is read."""
    return request.view(When(asked.as_of, asked.ref)).get(asked.memory_id).hash


def _write(run: Callable[..., Payload], request: Request, values: Mapping[str, Any]) -> Payload:
    return run(request, Wish(**{**values, "source": values["source"] or {}}))


def _update(run: Callable[..., Payload], request: Request, values: Mapping[str, Any]) -> Payload:
    wanted = Amendment(**{name: values[name] for name in _AMENDED})
    others = {name: value for name, value in values.items() if name not in _AMENDED}
    return run(request, wanted=wanted, **others)


_SPELLED: Mapping[str, Callable[..., Payload]] = {"write": _write, "update": _update}
