"""Pydantic models, made from the requests and answers of the verbs: what callers may send, and what they are told."""

from __future__ import annotations

import functools
import json
import keyword
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, replace
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pydantic import BaseModel, BeforeValidator, ConfigDict, create_model, model_validator
from pydantic import Field as PydanticField

from helix.memory import answers
from helix.memory.verbs.fields import NOTHING, Filters, Format
from helix.memory.verbs.verb import About, Field, fields_of, to_field
from helix.surfaces.rest import daemon_answers

_EXAMPLES: Mapping[str, object] = {**answers.EXAMPLES, **daemon_answers.EXAMPLES}


class Query(BaseModel):
    """The parameters of an address. What is not known is refused by name."""

    model_config = ConfigDict(extra="forbid")


class Body(BaseModel):
    """A JSON body: a number in quotes is no number."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _is_text(cls, value: object) -> object:
        """JSON lets half of a surrogate pair through, which no file, database or answer can hold."""
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError("the body holds half of a surrogate pair, which is no character") from error
        return value


def _whole(value: object) -> object:
    """In JSON 100.0 is an integer too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def query_model(name: str, fields: Iterable[Field]) -> type[BaseModel]:
    return _model(name, Query, [part for field in fields for part in parameters(field)])


def body_model(
    name: str, doc: str, fields: Iterable[Field], example: Mapping[str, object] | None
) -> type[BaseModel]:
    return _model(name, Body, [part for field in fields for part in spellings(field)], doc, example)


@functools.cache
def answer_model(kind: type, base: type[BaseModel] = BaseModel) -> type[BaseModel]:
    """The model of a typed dictionary."""
    hints = get_type_hints(kind, include_extras=True)
    fields = [
        _answered(name, hint, is_total=getattr(kind, "__total__", True)) for name, hint in hints.items()
    ]
    return _model(kind.__name__, base, fields, kind.__doc__ or "", _EXAMPLES.get(kind.__name__))


def parameters(field: Field) -> Iterable[Field]:
    """A field as an address has it: each filter is a parameter of its own."""
    return fields_of(Filters).values() if field.name == "filters" else spellings(field)


def spellings(field: Field) -> Iterable[Field]:
    """The format of an answer has two names, and which it is when neither is given differs from verb to verb."""
    if field.name != "response_format":
        return [field]
    other = About("Another name for `format`." if field.about.text else "")
    return [
        Field("format", "format", Format | None, None, field.about),
        Field("response_format", "response_format", Format | None, None, other),
    ]


@functools.cache
def attribute(field: Field) -> str:
    """Under which a model has what was sent: its name on the wire, unless Python keeps that for itself."""
    return f"{field.wire}_" if keyword.iskeyword(field.wire) else field.wire


def constraints(field: Field) -> dict[str, Any]:
    """What pydantic is told of a field besides its type and default."""
    about = field.about
    given = {
        "description": about.text or None, "ge": about.least, "le": about.most,
        "min_length": about.shortest, "max_length": about.longest,
        "examples": None if about.example is None else [about.example],
        "alias": field.wire if keyword.iskeyword(field.wire) else None,
    }  # fmt: skip
    return {name: value for name, value in given.items() if value is not None}


def _answered(name: str, hint: Any, *, is_total: bool) -> Field:
    if is_total and get_origin(hint) is not NotRequired:
        return to_field(name, hint, MISSING)
    field = to_field(name, get_args(hint)[0] if get_origin(hint) is NotRequired else hint, None)
    return replace(field, default=field.about.absent)


def _model(
    name: str, base: type[BaseModel], fields: Iterable[Field], doc: str = "", example: object = None
) -> type[BaseModel]:
    defined: dict[str, Any] = {attribute(field): _typed(field, base) for field in fields}
    config = {} if example is None else {"json_schema_extra": {"example": example}}
    return create_model(
        name, __base__=base, __doc__=doc or None, __module__=__name__, __cls_kwargs__=config, **defined
    )


def _typed(field: Field, base: type[BaseModel]) -> tuple[Any, Any]:
    given = constraints(field)
    # On the number itself: of one that may be null, pydantic would check them and leave them out of the document.
    bounds: dict[str, Any] = {name: given.pop(name) for name in ("ge", "le") if name in given}
    return _type(field.type, base, bounds), PydanticField(**_default(field), **given)


def _default(field: Field) -> dict[str, Any]:
    if field.default is MISSING:
        return {}
    if field.default == ():
        return {"default_factory": list}
    if field.default is NOTHING:
        return {"default_factory": dict}
    return {"default": field.default}


def _type(kind: Any, base: type[BaseModel], bounds: Mapping[str, Any]) -> Any:
    """As pydantic knows it: lists and dictionaries, and models for typed dictionaries."""
    if is_typeddict(kind):
        return answer_model(kind, base)
    origin = get_origin(kind)
    if origin is None:
        if kind not in (int, float):
            return kind
        bounded = Annotated[kind, PydanticField(**bounds)] if bounds else kind
        return Annotated[bounded, BeforeValidator(_whole)] if kind is int and base is Body else bounded
    if origin is Literal:
        return kind
    inner = tuple(_type(part, base, bounds) for part in get_args(kind))
    if origin in (Union, types.UnionType):
        return Union[inner]  # noqa: UP007 (of parts that are known only now)
    return {Sequence: list, Mapping: dict}.get(origin, origin)[inner]
