"""What a verb is: one entry, from which routes, tools, commands and reference pages are made.

A request is a class of fields, as a dataclass is. What the type of a field does not say (what it means, how large it
may be, what it is called in a request) stands beside it as `Annotated[..., About(...)]`, once. Annotations are texts
until somebody reads them with `fields_of`: a command must start fast.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Mapping
from dataclasses import MISSING, FrozenInstanceError, dataclass
from typing import (
    Annotated,
    Any,
    Literal,
    TypedDict,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)
from urllib.parse import quote

Permission = Literal[
    "remember", "recall", "modify", "forget", "recover",
    "documents", "connectors", "diagnostics", "analytics", "secrets", "admin",
]  # fmt: skip
Tag = Literal[
    "memories", "reading", "graph", "projects", "sessions", "documents", "harnesses", "secrets", "care"
]
"""the section of the reference page that a route stands in"""


@dataclass(frozen=True, eq=False)
class About:
    """What the type of a field does not say."""

    text: str = ""
    least: float | None = None
    most: float | None = None
    shortest: int | None = None
    """characters of a text, entries of a list"""
    longest: int | None = None
    name: str = ""
    """in a request or an answer, where it is not the name of the field"""
    header: str = ""
    """in which it comes over HTTP, and not in the body"""
    absent: object = None
    """what it means that an answer does not have it"""
    example: object = None


@dataclass(frozen=True, eq=False)
class Field:
    """One field of a request or of an answer, as surfaces need it."""

    name: str
    wire: str
    """its name in a request or an answer"""
    type: Any
    """without what stands beside it in `Annotated`"""
    default: object
    """MISSING for one that must be given"""
    about: About

    @property
    def is_required(self) -> bool:
        return self.default is MISSING


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Asks:
    """A request: which fields a verb takes, and their values.

    A frozen dataclass to whoever uses it. It is none, because to make thirty of them takes longer than a command may.
    """

    def __init__(self, **values: object) -> None:
        kind: type = type(self)
        names = _names(kind)
        if unknown := [name for name in values if name not in names]:
            raise TypeError(f"{kind.__name__} has no field {unknown[0]!r}")
        if missing := [name for name in names if name not in values and not hasattr(kind, name)]:
            raise TypeError(f"{kind.__name__} needs {missing[0]!r}")
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")


class SpelledRequest(TypedDict):
    """A request over HTTP as it stands."""

    method: Literal["GET", "POST", "PATCH"]
    route: str
    body: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Route:
    """How a verb is spelled over HTTP: fields are in the path where it names them, else in the address of a GET and in
    the body of everything else."""

    method: Literal["GET", "POST", "PATCH"]
    path: str
    operation: str
    """its name in the OpenAPI document"""
    tag: Tag
    errors: tuple[int, ...] = ()
    """statuses of a route without a body, besides those that every route has"""
    status: int = 200
    """of an answer; 202 where what was asked for is only begun"""
    has_etag: bool = False
    """whether the answer comes with the hash of the memory's file"""
    title: str = ""
    """in the OpenAPI document, where it is not the name of the operation"""
    example: Mapping[str, object] | None = None
    """of a body"""

    def spelled(self, arguments: Mapping[str, Any]) -> SpelledRequest:
        """Method, path and body of a request with these arguments, by their names in a request."""
        in_path = {name: value for name, value in arguments.items() if f"{{{name}}}" in self.path}
        path = self.path.format(**{name: quote(str(value), safe="") for name, value in in_path.items()})
        body = {name: value for name, value in arguments.items() if name not in in_path}
        return {"method": self.method, "route": path, "body": body}


@dataclass(frozen=True, eq=False)
class Verb:
    """One thing that can be done with memories, whoever asks for it and by which road."""

    name: str
    request: type[Asks]
    answer: str
    """the name of a type in `helix.memory.answers`, or where else it is: `module:name`"""
    run: str
    """the function that does it, `module:name` below `helix`; found when it is called, since a command must
    start fast"""
    permission: Permission
    route: Route
    about: str
    """the first sentence tells what it does"""
    changes: bool = False
    """whether it changes memories, so that it must not be done twice"""
    uses_caller: bool = False
    """whether the project and the session that somebody works in make a difference"""
    command: str = ""
    """the command of `helix` that does it"""
    tool: str = ""
    """the tool of the default dialect that does it"""
    sdk: str = ""
    """the method of the Python SDK that does it"""

    @property
    def fields(self) -> Mapping[str, Field]:
        return fields_of(self.request)

    @property
    def answer_type(self) -> type:
        """A typed dictionary."""
        import pkgutil  # no command needs it

        where = self.answer if ":" in self.answer else f"helix.memory.answers:{self.answer}"
        kind: type = pkgutil.resolve_name(where)
        return kind

    @property
    def budget(self) -> str | None:
        """The field that says in how many tokens the answer must fit."""
        return next((name for name in ("max_tokens", "budget_tokens") if name in self.fields), None)


def fields_of(kind: type) -> Mapping[str, Field]:
    """The fields of a request, by name."""
    return _read_fields(kind)


@functools.cache
def _read_fields(kind: type) -> Mapping[str, Field]:
    hints = get_type_hints(kind, include_extras=True)
    return {name: to_field(name, hints[name], getattr(kind, name, MISSING)) for name in _names(kind)}


@functools.cache
def _names(kind: type) -> tuple[str, ...]:
    """Of the fields: those of the last base first, each where it was first named."""
    bases = reversed(kind.__mro__)
    return tuple(dict.fromkeys(name for base in bases for name in inspect.get_annotations(base)))


def to_field(name: str, hint: Any, default: object) -> Field:
    kind, about = _unwrapped(hint)
    return Field(name, about.name or name, kind, default, about)


def _unwrapped(hint: Any) -> tuple[Any, About]:
    if get_origin(hint) is Annotated:
        kind, *rest = get_args(hint)
        return kind, next((item for item in rest if isinstance(item, About)), About())
    return hint, About()


def without_none(kind: Any) -> tuple[Any, bool]:
    """The type, and whether null is allowed too."""
    if get_origin(kind) in (Union, types.UnionType):
        others = [item for item in get_args(kind) if item is not type(None)]
        if len(others) == 1:
            return others[0], True
    return kind, False
