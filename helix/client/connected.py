"""What `Helix` and `AsyncHelix` share: settings, retries, and verbs that are written once for both."""

from __future__ import annotations

import copy
import functools
import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Self, TypeVar, get_args, get_type_hints

from helix.client.methods import Methods, Verbs
from helix.client.results import Graph
from helix.client.retries import RetryPolicy
from helix.client.settings import find_settings, with_headers

WHOLE_GRAPH = (
    "The memories and the edges between them, all of them; `limit` is the size of a page on the way."
)

Method = TypeVar("Method", bound=Callable[..., Any])


class Connected(Methods, ABC):
    def __init__(
        self,
        url: str | None = None,
        *,
        scope: str = "project",
        project: str | None = None,
        session: str | None = None,
        client: str | None = None,
        workspace: str | None = None,
        token: str | None = None,
        timeout: float = 30.0,
        retries: int = 3,
    ) -> None:
        """Connects to `url`, or HELIX_URL, or the daemon of this machine at 127.0.0.1:7878.

        `scope` is what the verbs work at unless they say otherwise. `project` is by default HELIX_PROJECT, or the
        repository around the current folder, as for `helix-mcp`; `session` HELIX_SESSION; an empty text is none.
        `workspace` is which of the daemon's workspaces is meant, by default HELIX_WORKSPACE; without one the first that
        the key opens. `client` is the name under which memories are written. `token` is by default HELIX_TOKEN, and
        for this machine the local token. `timeout` is the seconds of a whole call, with every try; `retries` how many
        tries come after the first.
        """
        self._settings = find_settings(url, token, project, session, client, os.environ, _here(), workspace)
        self._retry_policy = RetryPolicy(timeout, retries)
        self._verbs = Verbs(scope)
        self._connect()

    @abstractmethod
    def _connect(self) -> None:
        """Make the transport; it opens its first connection with the first call."""

    def with_options(
        self,
        *,
        scope: str | None = None,
        project: str | None = None,
        session: str | None = None,
        workspace: str | None = None,
        timeout: float | None = None,
        retries: int | None = None,
    ) -> Self:
        """The same client with other settings, on the same connections; closing either closes both."""
        other = copy.copy(self)
        headers = {"Helix-Project": project, "Helix-Session": session, "Helix-Workspace": workspace}
        other._settings = with_headers(self._settings, headers)
        other._retry_policy = RetryPolicy(
            self._retry_policy.timeout if timeout is None else timeout,
            self._retry_policy.retries if retries is None else retries,
        )
        other._verbs = Verbs(self._verbs.scope if scope is None else scope)
        return other

    @property
    def url(self) -> str:
        """Where the daemon is."""
        return self._settings.url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r}, scope={self._verbs.scope!r})"


def joined(pages: Iterable[Graph]) -> Graph:
    """One graph of its pages."""
    whole, *rest = pages
    for page in rest:
        whole = replace(page, nodes=whole.nodes + page.nodes, edges=whole.edges + page.edges)
    return whole


def with_signature(
    verb: Callable[..., Any], method: Method, name: str, returns: object, doc: str = ""
) -> Method:
    """The method with the signature and the words of the verb that it sends, for `help()` and for editors."""
    functools.update_wrapper(method, verb)
    method.__name__, method.__doc__ = name, doc or verb.__doc__
    method.__annotations__ = {**verb.__annotations__, "return": returns}
    method.__signature__ = inspect.signature(verb).replace(return_annotation=returns)  # type: ignore[attr-defined]
    return method


def doc_of_all(verb: Callable[..., Any]) -> str:
    """What is said of the iterator over the pages of a verb."""
    return f"All that `{verb.__name__}` leads to, page after page as it is needed; `limit` is the size of a page."


def answer_type(verb: Callable[..., Any]) -> object:
    """`SearchResult` for a verb that makes a `Call[SearchResult]`."""
    [answer] = get_args(get_type_hints(verb)["return"])
    return answer


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # the folder was removed under the program
        return os.sep
