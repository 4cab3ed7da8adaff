"""`Helix`: the memory of a running daemon. One client may be used by many threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

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
    Blocking,
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
from helix.client.transport import Transport

P = ParamSpec("P")
T = TypeVar("T", bound=Result)
PageType = TypeVar("PageType", bound=Page)
Item = TypeVar("Item")


class Sends(Protocol):
    """Whatever has methods made of verbs: the client, and its groups."""

    _verbs: Any

    def _send(self, call: Call[T]) -> T: ...

    def _pages(self, call: Call[PageType]) -> Iterator[PageType]: ...


def _method(verb: Callable[Concatenate[Any, P], Call[T]]) -> Callable[Concatenate[Sends, P], T]:
    def method(self: Sends, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._send(verb(self._verbs, *args, **kwargs))

    return with_signature(verb, method, verb.__name__, answer_type(verb))


def _iterator(
    verb: Callable[Concatenate[Any, P], Call[Listing[Item]]],
) -> Callable[Concatenate[Sends, P], Iterator[Item]]:
    def method(self: Sends, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[Item]:
        for page in self._pages(verb(self._verbs, *args, **kwargs)):
            yield from page.items

    return with_signature(verb, method, f"{verb.__name__}_all", Iterator, doc_of_all(verb))


def _whole_graph(verb: Callable[Concatenate[Any, P], Call[Graph]]) -> Callable[Concatenate[Sends, P], Graph]:
    def method(self: Sends, /, *args: P.args, **kwargs: P.kwargs) -> Graph:
        return joined(self._pages(verb(self._verbs, *args, **kwargs)))

    return with_signature(verb, method, "graph", Graph, WHOLE_GRAPH)


_MAKERS = Makers(_method, _iterator, _whole_graph)


class _Group(Blocking):
    """Verbs that go together, sent by a client."""

    def __init__(self, client: Helix, verbs: object) -> None:
        self._verbs = verbs
        self._send = client._send
        self._pages = client._pages


class Sessions(SessionMethods, _Group, makers=_MAKERS):
    """What happened, and what it taught: `mem.sessions`."""


class Documents(DocumentMethods, _Group, makers=_MAKERS):
    """Files turned into notes: `mem.documents`."""


class JobGroup(JobMethods, _Group, makers=_MAKERS):
    """Long work on the machine of the daemon: `mem.jobs`."""


class Harnesses(HarnessMethods, _Group, makers=_MAKERS):
    """What the harnesses of agents are told of a project: `mem.harnesses`."""


class PublishedSkills(PublishedSkillMethods, _Group, makers=_MAKERS):
    """Skills that others may pull: `mem.skills`."""


class Assets(AssetMethods, _Group, makers=_MAKERS):
    """Files that a team shares: `mem.assets`."""


class Secrets(SecretMethods, _Group, makers=_MAKERS):
    """Credentials that programs may use and nobody can read: `mem.secrets`."""


class Helix(Connected, Blocking, makers=_MAKERS):
    """The memory of a running daemon. One client may be used by many threads; close it, or use it in a `with`."""

    def _connect(self) -> None:
        self._transport = Transport(self._settings)

    @property
    def sessions(self) -> Sessions:
        """The logs of what agents did, and the verbs over them."""
        return Sessions(self, SessionVerbs())

    @property
    def documents(self) -> Documents:
        """Files turned into notes."""
        return Documents(self, DocumentVerbs())

    @property
    def jobs(self) -> JobGroup:
        """Long work on the machine of the daemon."""
        return JobGroup(self, JobVerbs())

    @property
    def harnesses(self) -> Harnesses:
        """What the harnesses of agents are told of a project."""
        return Harnesses(self, HarnessVerbs())

    @property
    def skills(self) -> PublishedSkills:
        """Skills that others may pull."""
        return PublishedSkills(self, PublishedSkillVerbs())

    @property
    def assets(self) -> Assets:
        """Files that a team shares."""
        return Assets(self, AssetVerbs())

    @property
    def secrets(self) -> Secrets:
        """Credentials that programs may use and nobody can read."""
        return Secrets(self, SecretVerbs())

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, call: Call[T]) -> T:
        steps = exchange(call, self._retry_policy)
        try:
            step = next(steps)
            while True:
                if not isinstance(step, Send):
                    time.sleep(step.seconds)
                    step = next(steps)
                    continue
                try:
                    reply = self._transport.send(call, self._settings, step.seconds)
                except HelixError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as done:
            answer: T = done.value
            return answer

    def _pages(self, call: Call[PageType]) -> Iterator[PageType]:
        rest: Call[PageType] | None = call
        while rest is not None:
            page = self._send(rest)
            yield page
            rest = following(rest, page)
