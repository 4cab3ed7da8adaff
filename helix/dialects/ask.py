"""Asking a verb with the arguments of a tool."""

from __future__ import annotations

from dataclasses import replace

from helix.dialects.dialect import Arguments, Run
from helix.memory.reading.view import Caller
from helix.memory.service import Service
from helix.memory.tokens import Payload
from helix.memory.verbs.call import call
from helix.memory.verbs.table import VERBS
from helix.memory.verbs.verb import Asks, Verb


def asks(verb_name: str) -> Run:
    """A tool whose arguments are the fields of a verb."""

    def run(service: Service, caller: Caller, arguments: Arguments) -> Payload:
        return ask(service, verb_name, _place(caller, arguments), **arguments)

    return run


def ask(service: Service, verb_name: str, caller: Caller, **arguments: object) -> Payload:
    verb = VERBS[verb_name]
    return call(service, verb, _request(verb, arguments), caller)


def _request(verb: Verb, arguments: Arguments) -> Asks:
    """What is not among the fields of the verb says where somebody works."""
    given = {}
    for field in verb.fields.values():
        name = next((name for name in (field.name, field.wire) if name in arguments), None)
        if name is not None:
            # To a schema 8.0 is an integer too.
            given[field.name] = int(arguments[name]) if field.type is int else arguments[name]
    return verb.request(**given)


def _place(caller: Caller, arguments: Arguments) -> Caller:
    """What a call says of project and session goes before what its connection says."""
    return replace(
        caller,
        project=arguments.get("project") or caller.project,
        session=arguments.get("session") or caller.session,
    )
