"""What a dialect is: the tools and resources that the clients of one system know, spelled over the verbs.

A dialect is data and translation. It knows no transport, keeps no state and has never heard of another dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from helix.dialects.schema import Schema
from helix.errors import HelixError
from helix.memory.request import Request
from helix.memory.tokens import Payload

Arguments = Mapping[str, Any]
"""checked against the schema of the tool; what was not given, or given as null, is not there"""
Run = Callable[[Request, Arguments], "Payload | str"]
"""a payload is sent as structured content and as text, a text as it is"""
Read = Callable[[Request, Mapping[str, str]], Payload]
"""one page of a resource, for what its address says behind the question mark"""


@dataclass(frozen=True)
class Hints:
    """What a host may tell its user about a tool before it is called."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = True


READS = Hints(read_only=True)


@dataclass(frozen=True)
class Tool:
    name: str
    """in snake_case: hosts refuse dots"""
    title: str
    """the name with dots, by which it can be called as well"""
    description: str
    input_schema: Schema
    run: Run
    output_schema: Schema | None = None
    """None for a tool that answers with a text"""
    hints: Hints = READS
    aliases: tuple[str, ...] = ()
    """further names by which it can be called, and is not listed"""
    checks_itself: bool = False
    """its arguments are held against a schema that says more than is meant, or in other words: `run` does it"""
    uses_search: bool = False
    """whether a call is better kept waiting while search is getting ready"""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, self.title, *self.aliases)


@dataclass(frozen=True)
class Resource:
    uri: str
    name: str
    title: str
    description: str
    read: Read
    parameters: tuple[str, ...] = ("cursor",)
    """what may stand behind the question mark"""


@dataclass(frozen=True)
class DialectRoute:
    """A route that the clients of a dialect call beside its tools."""

    method: str
    path: str
    run: str
    """the function that answers, by its name in the module of the routes: of a request and of what is in path, address
    and body together. No answer is sent as 204"""
    status: int = 200


@dataclass(frozen=True)
class DialectRoutes:
    """Light enough to be known before anybody calls one of them."""

    routes: tuple[DialectRoute, ...]
    module: str
    """where `run` is found, and `refusal`, which makes the body of an error"""
    below: str
    """everything else below this path is said not to be there as its clients know it, by `nothing` of the module"""
    alive: tuple[str, ...] = ()
    serving: tuple[str, ...] = ()
    """paths at which everybody hears whether the daemon is there, and whether it can serve"""


def say(error: HelixError) -> str:
    return f"{error.message} ({error.code})"


@dataclass(frozen=True)
class SessionWords:
    """What is said of sessions over HTTP, where clients look for words of their own, and how many one user may have."""

    unknown: str
    foreign: str
    """of somebody else's"""
    missing: str
    """no session is named over the older transport"""
    missing_header: str
    """and over Streamable HTTP"""
    too_many_streams: str
    too_many_sessions: str
    most_sessions: int
    messages: str
    """the path, below that of the dialect, to which messages of the older transport are posted"""
    parameter: str
    """in which they name their stream"""


@dataclass(frozen=True)
class Dialect:
    name: str
    instructions: str
    """what a model is told about the server as a whole"""
    tools: tuple[Tool, ...]
    resources: tuple[Resource, ...] = ()
    say_error: Callable[[HelixError], str] = field(default=say)
    say_unknown: Callable[[str], str] | None = None
    """what a call of a tool that there is not gets as its result; without it, it is an error of the protocol"""
    server_name: str = "helix"
    """by which its clients know the server"""
    session_header: str = ""
    """in which a connection names the session that its calls are held to"""
    sessions: SessionWords | None = None
    tool_sets: Mapping[str, Callable[[], tuple[Tool, ...]]] = field(default_factory=dict)
    """further tools, by the name of their set: listed for a connection that asks for the set, and made then"""
