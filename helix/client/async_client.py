"""`AsyncHelix`: the same memory, for programs with an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

import anyio

from helix.client.answer_shape import Listing, Page, Result
from helix.client.assets import AssetVerbs
from helix.client.call import Call, following
from helix.client.connected import (
    WHOLE_GRAPH,
    Connected,
    answer_type,
    doc_of_all,
    joined,
    with_signature,
)
from helix.client.documents import DocumentVerbs, JobVerbs
from helix.client.errors import HelixError
from helix.client.harnesses import HarnessVerbs
from helix.client.methods import (
    AssetMethods,
    Awaiting,
    DocumentMethods,
    HarnessMethods,
    JobMethods,
    Makers,
    PublishedSkillMethods,
    SecretMethods,
    SessionMethods,
)
from helix.client.results import Graph
from helix.client.retries import Send, exchange
from helix.client.secrets import SecretVerbs
from helix.client.sessions import SessionVerbs
from helix.client.skills import PublishedSkillVerbs
from helix.client.transport import AsyncTransport

P = ParamSpec("P")
T = TypeVar("T", bound=Result)
PageType = TypeVar("PageType", bound=Page)
Item = TypeVar("Item")


class AsyncSends(Protocol):
    """Whatever has methods made of verbs: the client, and its groups."""

    _verbs: Any

    async def _send(self, call: Call[T]) -> T: ...

    def _pages(self, call: Call[PageType]) -> AsyncIterator[PageType]: ...


def _method(
    verb: Callable[Concatenate[Any, P], Call[T]],
) -> Callable[Concatenate[AsyncSends, P], Coroutine[Any, Any, T]]:
    async def method(self: AsyncSends, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._send(verb(self._verbs, *args, **kwargs))

    return with_signature(verb, method, verb.__name__, answer_type(verb))


def _iterator(
    verb: Callable[Concatenate[Any, P], Call[Listing[Item]]],
) -> Callable[Concatenate[AsyncSends, P], AsyncIterator[Item]]:
    async def method(self: AsyncSends, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Item]:
        async for page in self._pages(verb(self._verbs, *args, **kwargs)):
            for item in page.items:
                yield item

    return with_signature(verb, method, f"{verb.__name__}_all", AsyncIterator, doc_of_all(verb))


def _whole_graph(
    verb: Callable[Concatenate[Any, P], Call[Graph]],
) -> Callable[Concatenate[AsyncSends, P], Coroutine[Any, Any, Graph]]:
    async def method(self: AsyncSends, /, *args: P.args, **kwargs: P.kwargs) -> Graph:
        return joined([page async for page in self._pages(verb(self._verbs, *args, **kwargs))])

    return with_signature(verb, method, "graph", Graph, WHOLE_GRAPH)


_MAKERS = Makers(_method, _iterator, _whole_graph)


class _AsyncGroup(Awaiting):
    """Verbs that go together, sent by a client."""

    def __init__(self, client: AsyncHelix, verbs: object) -> None:
        self._verbs = verbs
        self._send = client._send
        self._pages = client._pages


class AsyncSessions(SessionMethods, _AsyncGroup, makers=_MAKERS):
    """What happened, and what it taught: `mem.sessions`."""


class AsyncDocuments(DocumentMethods, _AsyncGroup, makers=_MAKERS):
    """Files turned into notes: `mem.documents`."""


class AsyncJobGroup(JobMethods, _AsyncGroup, makers=_MAKERS):
    """Long work on the machine of the daemon: `mem.jobs`."""


class AsyncHarnesses(HarnessMethods, _AsyncGroup, makers=_MAKERS):
    """What the harnesses of agents are told of a project: `mem.harnesses`."""


class AsyncPublishedSkills(PublishedSkillMethods, _AsyncGroup, makers=_MAKERS):
    """Skills that others may pull: `mem.skills`."""


class AsyncAssets(AssetMethods, _AsyncGroup, makers=_MAKERS):
    """Files that a team shares: `mem.assets`."""


class AsyncSecrets(SecretMethods, _AsyncGroup, makers=_MAKERS):
    """Credentials that programs may use and nobody can read: `mem.secrets`."""


class AsyncHelix(Connected, Awaiting, makers=_MAKERS):
    """The memory of a running daemon. A client belongs to one event loop; close it, or use it in an `async with`."""

    def _connect(self) -> None:
        self._transport = AsyncTransport(self._settings)

    @property
    def sessions(self) -> AsyncSessions:
        """The logs of what agents did, and the verbs over them."""
        return AsyncSessions(self, SessionVerbs())

    @property
    def documents(self) -> AsyncDocuments:
        """Files turned into notes."""
        return AsyncDocuments(self, DocumentVerbs())

    @property
    def jobs(self) -> AsyncJobGroup:
        """Long work on the machine of the daemon."""
        return AsyncJobGroup(self, JobVerbs())

    @property
    def harnesses(self) -> AsyncHarnesses:
        """What the harnesses of agents are told of a project."""
        return AsyncHarnesses(self, HarnessVerbs())

    @property
    def skills(self) -> AsyncPublishedSkills:
        """Skills that others may pull."""
        return AsyncPublishedSkills(self, PublishedSkillVerbs())

    @property
    def assets(self) -> AsyncAssets:
        """Files that a team shares."""
        return AsyncAssets(self, AssetVerbs())

    @property
    def secrets(self) -> AsyncSecrets:
        """Credentials that programs may use and nobody can read."""
        return AsyncSecrets(self, SecretVerbs())

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _send(self, call: Call[T]) -> T:
        steps = exchange(call, self._retry_policy)
        try:
            step = next(steps)
            while True:
                if not isinstance(step, Send):
                    await anyio.sleep(step.seconds)
                    step = next(steps)
                    continue
                try:
                    reply = await self._transport.send(call, self._settings, step.seconds)
                except HelixError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as done:
            answer: T = done.value
            return answer

    async def _pages(self, call: Call[PageType]) -> AsyncIterator[PageType]:
        rest: Call[PageType] | None = call
        while rest is not None:
            page = await self._send(rest)
            yield page
            rest = following(rest, page)
