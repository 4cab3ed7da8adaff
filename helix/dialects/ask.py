"""Asking a verb with the arguments of a tool."""

from __future__ import annotations

from helix.dialects.dialect import Arguments, Run
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.memory.verbs.call import call
from helix.memory.verbs.verb import Asks, Verb
from helix.verb_table import VERBS


def asks(verb_name: str) -> Run:
    """A tool whose arguments are the fields of a verb."""

    def run(request: Request, arguments: Arguments) -> Payload:
        # What a call says of project and session goes before what its connection says.
        there = request.at(project=arguments.get("project"), session=arguments.get("session"))
        return ask(there, verb_name, **arguments)

    return run


def ask(request: Request, verb_name: str, **arguments: object) -> Payload:
    verb = VERBS[verb_name]
    return call(request, verb, _fields(verb, arguments))


def _fields(verb: Verb, arguments: Arguments) -> Asks:
    """What is not among the fields of the verb says where somebody works."""
    given = {}
    for field in verb.fields.values():
        name = next((name for name in (field.name, field.wire) if name in arguments), None)
        if name is not None:
            # To a schema 8.0 is an integer too.
            given[field.name] = int(arguments[name]) if field.type is int else arguments[name]
    return verb.request(**given)
