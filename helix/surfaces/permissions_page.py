"""The page of roles and permissions, made from the code. `make docs` writes it, a test compares it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from starlette.routing import Route

from helix.access import Access, Credential
from helix.access.roles import CONNECTOR, PERMISSIONS, ROLES
from helix.surfaces.guard import access_of
from helix.surfaces.rest.document import described_routes
from helix.verb_table import VERBS

_HEAD = """# Permissions

Made from the code by `make docs`; do not edit. Who comes in with a key of a [team](security.md#a-team) may do what its
role says, or less where the key is narrower. What is refused is answered with 403 `forbidden`, and names the
permission that is missing; over MCP the call of a tool is answered with that as an error. A permission says what
somebody may do, never what they see. In mode `local`, and to the owner of the machine, everything is allowed.

## Roles

"""
_ROUTES = """
## Verbs

A verb asks for its permission by whichever road somebody comes: REST, a tool or a resource of any dialect of MCP, the
commands and the SDKs.

| verb | permission | REST | tool |
|---|---|---|---|
"""
_OTHERS = """
## Other routes

| route | asks for |
|---|---|
"""


def render() -> str:
    rows = [f"| {' | '.join(['permission', *ROLES])} |", f"|{'---|' * (len(ROLES) + 1)}"]
    for permission in PERMISSIONS:
        marks = ["yes" if permission in allowed else "" for allowed in ROLES.values()]
        rows.append(f"| {' | '.join([permission, *marks])} |")
    good_for = ", ".join(sorted(CONNECTOR))
    connector = f"\nThe key of a connector is good for {good_for}, unless it names its permissions.\n"
    verbs = [
        f"| `{verb.name}` | {verb.permission} | `{verb.route.method} {verb.route.path}` | "
        f"{f'`{verb.tool}`' if verb.tool else ''} |"
        for verb in VERBS.values()
    ]
    parts = (
        _HEAD,
        "\n".join(rows),
        "\n",
        connector,
        _ROUTES,
        "\n".join(verbs),
        "\n",
        _OTHERS,
        "\n".join(_others()),
    )
    return "".join((*parts, "\n"))


def _others() -> Iterator[str]:
    known = {(verb.route.method, verb.route.path) for verb in VERBS.values()}
    for route in described_routes():
        access = access_of(route)
        if access is None or not isinstance(route, Route):
            continue
        for method in sorted((route.methods or set()) - {"HEAD"}):
            if (method, route.path) not in known:
                yield f"| `{method} {route.path}` | {_spoken(access)} |"


def _spoken(access: Access) -> str:
    if access.credential is Credential.NEVER:
        return "nothing"
    return ", ".join(sorted(access.scopes)) or "a key"


if __name__ == "__main__":
    sys.stdout.write(render())
