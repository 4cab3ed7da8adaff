"""Calling a verb with a request: the one place where the table meets what does the work."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from typing import Any

from helix.memory.reader import When
from helix.memory.reading.view import Caller
from helix.memory.tokens import Payload
from helix.memory.verbs.verb import Asks, Verb
from helix.memory.writing.amend import Amendment
from helix.memory.writing.write import Wish

_AMENDED = ("text", "title", "kind", "tags", "importance", "valid_from", "valid_until")


def call(door: Any, verb: Verb, request: Asks, caller: Caller) -> Payload:
    """What a verb answers. `door` is whoever does it: the service, the inbox or the worker of consolidation."""
    run = pkgutil.resolve_name(verb.run) if ":" in verb.run else getattr(door, verb.run)
    values = {name: getattr(request, name) for name in verb.fields}
    if verb.name in _SPELLED:
        return _SPELLED[verb.name](run, values, caller)
    if "as_of" in values:
        values["when"] = When(values.pop("as_of"), values.pop("ref"))
    if verb.uses_caller:
        values["caller"] = caller
    if ":" in verb.run:
        answer: Payload = run(door.reader, **values)
        door.on_answer(verb.name, answer, values.get(verb.budget or ""))
        return answer
    answer = run(**values)
    return door.health() if answer is None else answer


def hash_of(door: Any, request: Any) -> str:
    """Of the file of the memory that is read."""
    return str(door.reader.view(When(request.as_of, request.ref)).get(request.memory_id).hash)


def _write(run: Callable[..., Payload], values: Mapping[str, Any], caller: Caller) -> Payload:
    return run(Wish(**{**values, "source": values["source"] or {}}), caller)


def _update(run: Callable[..., Payload], values: Mapping[str, Any], _: Caller) -> Payload:
    wanted = Amendment(**{name: values[name] for name in _AMENDED})
    others = {name: value for name, value in values.items() if name not in _AMENDED}
    return run(wanted=wanted, **others)


_SPELLED: Mapping[str, Callable[..., Payload]] = {"write": _write, "update": _update}
