"""Every verb by its name, asked by somebody from somewhere."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import partial

from helix.memory.place import Place
from helix.memory.principal import LOCAL, Principal
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.memory.verbs.table import VERBS
from helix.memory.workspace import Workspace
from helix.memory.writing.write import NewText, write

PROJECT_VERBS = ("create", "share", "unshare", "leave", "transfer", "delete", "activate", "deactivate")

FUNCTIONS: dict[str, Callable[..., Payload]] = {
    verb.run.partition(":")[2]: pkgutil.resolve_name(f"helix.{verb.run}") for verb in VERBS.values()
}
"""what does each verb, by its own name"""
FUNCTIONS |= {f"{verb}_project": FUNCTIONS.pop(verb) for verb in PROJECT_VERBS}
FUNCTIONS |= {
    "consolidate": pkgutil.resolve_name("helix.memory.maintenance.consolidate:consolidate"),
    "map": FUNCTIONS.pop("draw_map"),
}


class Verbs:
    """`verbs.search("…", caller=place)`; without a place it is asked from nowhere."""

    def __init__(self, workspace: Workspace, principal: Principal = LOCAL) -> None:
        self._workspace = workspace
        self._principal = principal

    def request(self, caller: Place | None = None) -> Request:
        return self._workspace.request(self._principal, caller or Place())

    def write(self, new_text: NewText, caller: Place) -> Payload:
        return dict(write(self.request(caller), new_text))

    def __getattr__(self, name: str) -> Callable[..., Payload]:
        if name not in FUNCTIONS:
            raise AttributeError(name)
        return partial(self._ask, name)

    def _ask(self, name: str, *arguments: object, caller: Place | None = None, **named: object) -> Payload:
        return FUNCTIONS[name](self.request(caller), *arguments, **named)
