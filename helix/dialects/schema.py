"""JSON schemas of tools, made from the requests and answers of the verbs.

A dialect chooses the fields and their words; types, defaults, bounds and choices are the verb's. The length of a text
is not said: every word of a schema is paid for in each conversation, and the verb refuses what is too long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from typing import Any, Literal, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from helix.memory import answers
from helix.memory.verbs.fields import NOTHING
from helix.memory.verbs.verb import Field, Verb, to_field, without_none
from helix.verb_table import VERBS

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_ORDER = (
    "type", "items", "additionalProperties", "enum", "minimum", "maximum", "minItems", "default", "description",
)  # fmt: skip


def takes(verb_name: str, /, **fields: Mapping[str, Any]) -> Schema:
    """The input of a tool: fields of a verb in this order, each with what the dialect says otherwise."""
    known = {name: find_field(VERBS[verb_name], name) for name in fields}
    required = [name for name, field in known.items() if field is not None and field.is_required]
    return closed(required, **{name: schema_of(verb_name, name, **fields[name]) for name in fields})


def schema_of(verb_name: str, field_name: str, /, **changes: Any) -> Schema:
    """One field of a verb, with what the dialect says otherwise."""
    return _changed(_of_field(find_field(VERBS[verb_name], field_name)), changes)


def closed(required: Sequence[str], /, **properties: Schema) -> Schema:
    """A misspelt argument that is silently ignored loses what the model wanted to say."""
    return {**shape(required, **properties), "additionalProperties": False}


def shape(required: Sequence[str], /, **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required)}


def gives(answer: str, required: Sequence[str], /, **fields: Mapping[str, Any]) -> Schema:
    """The output of a tool: fields of an answer in this order, each with what the dialect says otherwise."""
    hints = get_type_hints(getattr(answers, answer), include_extras=True)
    properties = {}
    for name, changes in fields.items():
        hint = hints[name]
        field = to_field(name, get_args(hint)[0] if get_origin(hint) is NotRequired else hint, MISSING)
        properties[name] = _changed({} if "anyOf" in changes else _of_field(field), changes)
    return shape(required, **properties)


def whole_answer(verb_name: str) -> Schema:
    """The output of a tool that answers what a verb answers: every field, and of what type it is."""
    hints = get_type_hints(VERBS[verb_name].answer_type, include_extras=True)
    required = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]
    inner = {
        name: get_args(hint)[0] if get_origin(hint) is NotRequired else hint for name, hint in hints.items()
    }
    fields = {name: to_field(name, hint, MISSING) for name, hint in inner.items()}
    return shape(required, **{name: _outlined(field.type) for name, field in fields.items()})


def _outlined(hint: Any) -> Schema:
    kind, may_be_null = without_none(hint)
    origin = get_origin(kind)
    named = (
        "array"
        if origin in (Sequence, list)
        else "string"
        if origin is Literal
        else _TYPES.get(kind, "object")
    )
    return {"type": [named, "null"] if may_be_null else named}


def find_field(verb: Verb, name: str) -> Field | None:
    """By its own name, or by that on the wire."""
    return next((field for field in verb.fields.values() if name in (field.name, field.wire)), None)


def _of_field(field: Field | None) -> Schema:
    if field is None:
        return STRING  # project or session: where somebody works, whichever verb is asked
    about, schema = field.about, _of_type(without_none(field.type)[0])
    found = {**schema, "minimum": about.least, "maximum": about.most, "default": field.default}
    if schema["type"] == "array":
        found["minItems"] = about.shortest
    return {
        key: value
        for key, value in found.items()
        if value is not MISSING and value not in (None, (), NOTHING)
    }


def _of_type(kind: Any) -> Schema:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (Sequence, list):
        return {
            "type": "array",
            "items": {"type": "object"} if is_typeddict(inner[0]) else _of_type(inner[0]),
        }
    if origin in (Mapping, dict):
        return {"type": "object", **({} if inner[1] is Any else {"additionalProperties": _of_type(inner[1])})}
    return {"type": _TYPES[kind]}


def _changed(schema: Schema, changes: Mapping[str, Any]) -> Schema:
    both = {**schema, **changes}
    order = [key for key in _ORDER if key in both] + [key for key in both if key not in _ORDER]
    return {key: both[key] for key in order}
