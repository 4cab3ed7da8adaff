"""Every verb by its name, asked by somebody from somewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from helix.memory.activity.timeline import timeline
from helix.memory.maintenance import consolidate, inbox
from helix.memory.place import Place
from helix.memory.principal import LOCAL, Principal
from helix.memory.reading import browse, graph, map_points, phase_recall, render, search, versions
from helix.memory.reading.context import context
from helix.memory.request import Request
from helix.memory.tokens import Payload
from helix.memory.workspace import Workspace
from helix.memory.writing import amend
from helix.memory.writing.write import Wish, write

VERBS: dict[str, Callable[..., Payload]] = {
    "search": search.search,
    "context": context,
    "get": browse.get,
    "recent": browse.recent,
    "today": browse.today,
    "stats": browse.stats,
    "conflicts": browse.conflicts,
    "strand_manifest": browse.strand_manifest,
    "graph": graph.graph,
    "neighbors": graph.neighbors,
    "history": versions.history,
    "diff": versions.diff,
    "render": render.render,
    "recall_phases": phase_recall.recall_phases,
    "map": map_points.draw_map,
    "timeline": timeline,
    "update": amend.update,
    "file": amend.file,
    "forget": amend.forget,
    "restore": amend.restore,
    "relate": amend.relate,
    "consolidate": consolidate.consolidate,
    "proposals": consolidate.proposals,
    "apply_proposals": consolidate.apply_proposals,
    "inbox": inbox.inbox,
    "dismiss": inbox.dismiss,
    "keep_both": inbox.keep_both,
    "merge_copies": inbox.merge_copies,
}
"""all but `write`"""


class Verbs:
    """`verbs.search("…", caller=place)`; without a place it is asked from nowhere."""

    def __init__(self, workspace: Workspace, principal: Principal = LOCAL) -> None:
        self._workspace = workspace
        self._principal = principal

    def request(self, caller: Place | None = None) -> Request:
        return self._workspace.request(self._principal, caller or Place())

    def write(self, wish: Wish, caller: Place) -> Payload:
        return write(self.request(caller), wish)

    def __getattr__(self, name: str) -> Callable[..., Payload]:
        if name not in VERBS:
            raise AttributeError(name)
        return partial(self._ask, name)

    def _ask(self, name: str, *arguments: object, caller: Place | None = None, **named: object) -> Payload:
        return VERBS[name](self.request(caller), *arguments, **named)
