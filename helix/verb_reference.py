"""The page of the verbs, made from their table. `make docs` writes it, a test compares it."""

from __future__ import annotations

import inspect
import sys

from helix.memory.verbs.verb import Verb
from helix.verb_table import VERBS

_HEAD = """# Verbs

Made from the code by `make docs`; do not edit. What can be done with memories, and how it is asked for: over
[REST](rest-api.md), as a [tool](mcp.md) of an agent, as a [command](cli.md) and with the SDKs for
[Python](python-sdk.md) and [TypeScript](typescript-sdk.md), where names are written in camelCase. A verb that changes
nothing can be asked for again without harm. The permission is the word for what somebody needs to be allowed.

| verb | what it does | changes | permission | REST | tool | command | SDK |
|---|---|---|---|---|---|---|---|
"""


def render() -> str:
    return _HEAD + "".join(_row(verb) for verb in VERBS.values())


def _row(verb: Verb) -> str:
    about = inspect.cleandoc(verb.about).partition("\n")[0].replace("|", "\\|")
    cells = [
        f"`{verb.name}`",
        about,
        "yes" if verb.changes else "",
        verb.permission,
        f"`{verb.route.method} {verb.route.path}`",
        *(
            f"`{name}`" if name else ""
            for name in (verb.tool, verb.command and f"helix {verb.command}", verb.sdk)
        ),
    ]
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    sys.stdout.write(render())
