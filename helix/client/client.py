"""`Helix`: the memory of a running daemon. One client may be used by many threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from helix.client.call import Call, following
from helix.client.connected import WHOLE_GRAPH, Connected, Verbs, all_of, answer_of, joined, retold
from helix.client.errors import HelixError
from helix.client.exchange import Send, exchange
from helix.client.results import Graph
from helix.client.shape import Listing, Page, Result
from helix.client.transport import Transport

P = ParamSpec("P")
T = TypeVar("T", bound=Result)
PageType = TypeVar("PageType", bound=Page)
Item = TypeVar("Item")


def _spoken(verb: Callable[Concatenate[Any, P], Call[T]]) -> Callable[Concatenate[Helix, P], T]:
    def method(self: Helix, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._carry(verb(self._verbs, *args, **kwargs))

    return retold(verb, method, verb.__name__, answer_of(verb))


def _walked(
    verb: Callable[Concatenate[Any, P], Call[Listing[Item]]],
) -> Callable[Concatenate[Helix, P], Iterator[Item]]:
    def method(self: Helix, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[Item]:
        for page in self._pages(verb(self._verbs, *args, **kwargs)):
            yield from page.items

    return retold(verb, method, f"{verb.__name__}_all", "Iterator", all_of(verb))


def _gathered(verb: Callable[Concatenate[Any, P], Call[Graph]]) -> Callable[Concatenate[Helix, P], Graph]:
    def method(self: Helix, /, *args: P.args, **kwargs: P.kwargs) -> Graph:
        return joined(self._pages(verb(self._verbs, *args, **kwargs)))

    return retold(verb, method, "graph", "Graph", WHOLE_GRAPH)


class Helix(Connected):
    """The memory of a running daemon. One client may be used by many threads; close it, or use it in a `with`."""

    search = _spoken(Verbs.search)
    search_all = _walked(Verbs.search)
    context = _spoken(Verbs.context)
    phases = _spoken(Verbs.phases)
    get = _spoken(Verbs.get)
    recent = _spoken(Verbs.recent)
    recent_all = _walked(Verbs.recent)
    today = _spoken(Verbs.today)
    today_all = _walked(Verbs.today)
    history = _spoken(Verbs.history)
    history_all = _walked(Verbs.history)
    neighbors = _spoken(Verbs.neighbors)
    neighbors_all = _walked(Verbs.neighbors)
    graph = _gathered(Verbs.graph_page)
    graph_page = _spoken(Verbs.graph_page)

    write = _spoken(Verbs.write)
    update = _spoken(Verbs.update)
    file = _spoken(Verbs.file)
    forget = _spoken(Verbs.forget)
    restore = _spoken(Verbs.restore)
    relate = _spoken(Verbs.relate)

    stats = _spoken(Verbs.stats)
    conflicts = _spoken(Verbs.conflicts)
    conflicts_all = _walked(Verbs.conflicts)
    proposals = _spoken(Verbs.proposals)
    proposals_all = _walked(Verbs.proposals)
    consolidate = _spoken(Verbs.consolidate)
    manifest = _spoken(Verbs.manifest)
    manifest_all = _walked(Verbs.manifest)
    health = _spoken(Verbs.health)

    def _connect(self) -> None:
        self._transport = Transport(self._settings)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _carry(self, call: Call[T]) -> T:
        talk = exchange(call, self._patience)
        try:
            step = next(talk)
            while True:
                if not isinstance(step, Send):
                    time.sleep(step.seconds)
                    step = next(talk)
                    continue
                try:
                    reply = self._transport.send(call, self._settings, step.seconds)
                except HelixError as error:
                    step = talk.throw(error)
                else:
                    step = talk.send(reply)
        except StopIteration as done:
            answer: T = done.value
            return answer

    def _pages(self, call: Call[PageType]) -> Iterator[PageType]:
        rest: Call[PageType] | None = call
        while rest is not None:
            page = self._carry(rest)
            yield page
            rest = following(rest, page)
