"""The actions of the inbox as requests that can be sent as they stand."""

from __future__ import annotations

from urllib.parse import quote

from helix.memory.maintenance.inbox import Action
from helix.memory.tokens import Payload
from helix.memory.verbs.table import VERBS


def spell(action: Action) -> Payload:
    """The verb as method and route, what it is asked in the path or in the body."""
    verb = VERBS[action.verb]
    arguments = {verb.fields[name].wire: value for name, value in action.arguments.items()}
    in_path = {name: value for name, value in arguments.items() if f"{{{name}}}" in verb.route.path}
    body = {name: value for name, value in arguments.items() if name not in in_path}
    route = verb.route.path.format(**{name: quote(str(value), safe="") for name, value in in_path.items()})
    method = verb.route.method
    return {"name": action.name, "label": action.label, "method": method, "route": route, "body": body}
