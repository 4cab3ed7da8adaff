"""`AsyncHelix`: the same memory, for programs with an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import anyio

from helix.client.call import Call, following
from helix.client.connected import WHOLE_GRAPH, Connected, Verbs, all_of, answer_of, joined, retold
from helix.client.errors import HelixError
from helix.client.exchange import Send, exchange
from helix.client.results import Graph
from helix.client.shape import Listing, Page, Result
from helix.client.transport import AsyncTransport

P = ParamSpec("P")
T = TypeVar("T", bound=Result)
PageType = TypeVar("PageType", bound=Page)
Item = TypeVar("Item")


def _spoken(
    verb: Callable[Concatenate[Any, P], Call[T]],
) -> Callable[Concatenate[AsyncHelix, P], Coroutine[Any, Any, T]]:
    async def method(self: AsyncHelix, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._carry(verb(self._verbs, *args, **kwargs))

    return retold(verb, method, verb.__name__, answer_of(verb))


def _walked(
    verb: Callable[Concatenate[Any, P], Call[Listing[Item]]],
) -> Callable[Concatenate[AsyncHelix, P], AsyncIterator[Item]]:
    async def method(self: AsyncHelix, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Item]:
        async for page in self._pages(verb(self._verbs, *args, **kwargs)):
            for item in page.items:
                yield item

    return retold(verb, method, f"{verb.__name__}_all", "AsyncIterator", all_of(verb))


def _gathered(
    verb: Callable[Concatenate[Any, P], Call[Graph]],
) -> Callable[Concatenate[AsyncHelix, P], Coroutine[Any, Any, Graph]]:
    async def method(self: AsyncHelix, /, *args: P.args, **kwargs: P.kwargs) -> Graph:
        return joined([page async for page in self._pages(verb(self._verbs, *args, **kwargs))])

    return retold(verb, method, "graph", "Graph", WHOLE_GRAPH)


class AsyncHelix(Connected):
    """The memory of a running daemon. A client belongs to one event loop; close it, or use it in an `async with`."""

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
        self._transport = AsyncTransport(self._settings)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _carry(self, call: Call[T]) -> T:
        talk = exchange(call, self._patience)
        try:
            step = next(talk)
            while True:
                if not isinstance(step, Send):
                    await anyio.sleep(step.seconds)
                    step = next(talk)
                    continue
                try:
                    reply = await self._transport.send(call, self._settings, step.seconds)
                except HelixError as error:
                    step = talk.throw(error)
                else:
                    step = talk.send(reply)
        except StopIteration as done:
            answer: T = done.value
            return answer

    async def _pages(self, call: Call[PageType]) -> AsyncIterator[PageType]:
        rest: Call[PageType] | None = call
        while rest is not None:
            page = await self._carry(rest)
            yield page
            rest = following(rest, page)
