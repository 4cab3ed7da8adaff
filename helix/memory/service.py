"""The memory service: what can be done with memories, in the words of the product. Every surface calls this.

Reading answers are payloads that are sent as they are: they were counted as they are. Raises HelixError only.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Concatenate, ParamSpec

from helix.errors import SecretRefused
from helix.memory.activity.recorder import Witness
from helix.memory.activity.timeline import timeline
from helix.memory.maintenance.consolidate import Consolidator, Progress
from helix.memory.maintenance.dismissed import Dismissed
from helix.memory.pagination import Pages
from helix.memory.portability.export_manifest import Manifest
from helix.memory.reader import Reader
from helix.memory.reading import browse, versions
from helix.memory.reading import search as recall
from helix.memory.reading.context import context as pack_context
from helix.memory.reading.graph import graph as whole_graph
from helix.memory.reading.graph import neighbors
from helix.memory.reading.markdown_html import Target, to_html
from helix.memory.reading.past import Past
from helix.memory.reading.phase_recall import PhaseRecall
from helix.memory.reading.similarity_map import Cartographer, draw_map
from helix.memory.reading.view import Caller, View
from helix.memory.tokens import CountTokens, Payload, clean
from helix.memory.writing.amend import Amender
from helix.memory.writing.idempotency import Requests
from helix.memory.writing.store import Memories
from helix.memory.writing.write import Writer

P = ParamSpec("P")

OnAnswer = Callable[[str, Payload, int | None], None]
"""hears of every answer: the verb, what it said and, of a reading one, how many tokens it had room for"""


def _reading(
    verb: Callable[Concatenate[Reader, P], Payload],
) -> Callable[Concatenate[Service, P], Payload]:
    room = inspect.signature(verb).parameters["max_tokens"].default

    def method(self: Service, /, *args: P.args, **kwargs: P.kwargs) -> Payload:
        answer = verb(self.reader, *args, **kwargs)
        self.on_answer(verb.__name__, answer, int(str(kwargs.get("max_tokens", room))))
        return answer

    return method


class Service:
    def __init__(
        self,
        memories: Memories,
        live: View,
        past: Past,
        pages: Pages,
        requests: Requests,
        count: CountTokens,
        read_settings: Callable[[str], str | None],
        survey: Callable[[], Manifest],
        witness: Witness,
        cartographer: Cartographer,
        dismissed: Dismissed,
    ) -> None:
        self.memories = memories
        self.live = live
        self._past = past
        self._survey = survey
        self._witness = witness
        self.journal = witness.journal
        self._cartographer = cartographer
        self.dismissed = dismissed
        self.reader = Reader(self._view_at, pages, count)
        self.consolidator = Consolidator(live, memories)
        self.recall_phases = self._told(PhaseRecall(self.reader, read_settings).recall)
        self.write = self._told(Writer(memories, live, requests).write)
        amender = Amender(memories, live, requests)
        self.update = self._told(amender.update)
        self.file = self._told(amender.file)
        self.forget = self._told(amender.forget)
        self.restore = self._told(amender.restore)
        self.relate = self._told(amender.relate)
        self.on_answer: OnAnswer = lambda verb, answer, max_tokens: None

    search = _reading(recall.search)
    context = _reading(pack_context)
    get = _reading(browse.get)
    recent = _reading(browse.recent)
    today = _reading(browse.today)
    stats = _reading(browse.stats)
    conflicts = _reading(browse.conflicts)
    graph = _reading(whole_graph)
    neighbors = _reading(neighbors)

    def history(
        self, memory_id: str, *, limit: int = 20, max_tokens: int = 2000, cursor: str | None = None
    ) -> Payload:
        return versions.history(
            self.reader, memory_id, self.memories.versions, limit=limit, max_tokens=max_tokens, cursor=cursor
        )

    def diff(
        self,
        memory_id: str,
        old: str,
        new: str | None = None,
        *,
        max_tokens: int = 8000,
        cursor: str | None = None,
    ) -> Payload:
        """What git says that changed between two revisions, or between one and the file as it is."""
        return versions.diff(
            self.reader, memory_id, self.memories.diff, old=old, new=new, max_tokens=max_tokens, cursor=cursor
        )

    def render(self, text: str) -> Payload:
        """Markdown as HTML that holds nothing but what a page may show."""
        links = self.live.links()

        def find(name: str) -> Target | None:
            memory_id = links.resolve(name)
            row = None if memory_id is None else links.rows[memory_id]
            return None if row is None else Target(row.id, row.meta["title"], row.status)

        return {"html": to_html(clean(text), find)}

    def timeline(self, *, max_tokens: int = 4000, **asked: Any) -> Payload:
        """What happened to the memories, the latest first."""
        return self._said(
            "timeline",
            timeline(self.reader, self.journal, max_tokens=max_tokens, **asked),
            max_tokens,
        )

    def map(self, *, caller: Caller, max_tokens: int = 4000, **asked: Any) -> Payload:
        """The memories on a plane, near ones near each other."""
        return self._said(
            "map",
            draw_map(self.reader, self._cartographer, caller=caller, max_tokens=max_tokens, **asked),
            max_tokens,
        )

    def strand_manifest(self, *, max_tokens: int = 4000, cursor: str | None = None) -> Payload:
        """What an export of the vault would hold, entry by entry; the first page also says what it is."""
        return browse.strand_manifest(self.reader, self._survey, max_tokens=max_tokens, cursor=cursor)

    def consolidate(
        self, *, dry_run: bool = False, only: Sequence[str] = (), progress: Progress | None = None
    ) -> Payload:
        """Do what is certain, or what is named; say what else could be done."""
        found = self.consolidator.chosen(only) if only else self.consolidator.look(progress)
        due = found if only else [one for one in found if one.is_certain]
        done = [] if dry_run else self.consolidator.apply(due)
        return {
            "applied": [one.to_dict() for one in done],
            "proposals": [one.to_dict() for one in found if one not in done],
        }

    def _told(self, verb: Callable[P, Payload]) -> Callable[P, Payload]:
        @functools.wraps(verb)
        def told(*args: P.args, **kwargs: P.kwargs) -> Payload:
            try:
                answer = verb(*args, **kwargs)
            except SecretRefused as refused:
                self._witness.refused(refused.kind)
                raise
            self.on_answer(verb.__name__, answer, None)
            return answer

        return told

    def _said(self, verb: str, answer: Payload, max_tokens: int) -> Payload:
        self.on_answer(verb, answer, max_tokens)
        return answer

    def _view_at(self, when: datetime | None, ref: str | None) -> View:
        return self.live if when is None and ref is None else self._past.view(when, ref)
