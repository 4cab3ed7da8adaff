"""The verbs that read. Each builds a call; `Helix` and `AsyncHelix` send it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from helix.client.call import Call, Moment, asks, filtered, of_memory, reads
from helix.client.results import ContextPack, Graph, History, Memories, Memory, Neighbors, SearchResult

Format = Literal["concise", "detailed"]

_WHOLE = 200_000
"""the largest budget there is: a memory is read whole, so that a text written back is not one that was cut"""


class Reading:
    scope: str

    def search(
        self,
        query: str,
        *,
        limit: int = 8,
        max_tokens: int = 1500,
        response_format: Format = "concise",
        scope: str | None = None,
        filters: Mapping[str, Moment] | None = None,
        project: str | None = None,
        unfiled: bool | None = None,
        include_deleted: bool = False,
        rerank: bool = False,
        as_of: Moment | None = None,
        ref: str | None = None,
        cursor: str | None = None,
    ) -> Call[SearchResult]:
        """Memories that fit a question, best first; none when nothing fits.

        By default there are few when the best one answers, and up to eight when that is in doubt. A text is the
        passage that answers; where that is not the whole memory, `whole_tokens` says about how long that is, and `get`
        reads it.

        `query` takes words, a question, and filters: `tag:auth "exact phrase" -word`. `filters` takes `project`,
        `kind`, `tag`, `status`, `after` and `before`; `project=` is short for the first, and leaves out what holds
        everywhere. `unfiled=True` gives only memories of which nobody has said of which project they are.
        `as_of` (a time) and `ref` (a commit, branch or tag) ask the past, where the vault is in git.
        """
        return reads(
            "/recall", SearchResult, filtered(filters, project=project), q=query, limit=limit,
            max_tokens=max_tokens, format=response_format, unfiled=unfiled, scope=scope or self.scope,
            include_deleted=include_deleted or None, rerank=rerank or None, as_of=as_of, ref=ref, cursor=cursor,
        )  # fmt: skip

    def context(
        self,
        task: str,
        *,
        max_tokens: int = 4000,
        response_format: Format = "concise",
        scope: str | None = None,
        filters: Mapping[str, Moment] | None = None,
        project: str | None = None,
        rerank: bool = False,
        explain: bool = False,
        explain_tokens: int = 4000,
        as_of: Moment | None = None,
        ref: str | None = None,
    ) -> Call[ContextPack]:
        """One text to read before a task: grouped, cited, fenced as data, within its budget.

        `explain` also tells what each memory in it costs, and what was left out for which reason.
        """
        return asks(
            "/context", ContextPack, task=task, max_tokens=max_tokens, format=response_format,
            scope=scope or self.scope, filters=filtered(filters, project=project) or None,
            rerank=rerank or None, explain=explain or None, explain_tokens=explain_tokens if explain else None,
            as_of=as_of, ref=ref,
        )  # fmt: skip

    def phases(
        self,
        phases: Sequence[str],
        *,
        budget_tokens: int = 4096,
        scope: str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[ContextPack]:
        """A bundle for phases of work: `plan`, `work`, `review`, `debug`, `release`.

        The same key in the same session gets the same bundle.
        """
        return asks(
            "/phases", ContextPack, phases=list(phases), budget_tokens=budget_tokens,
            scope=scope or self.scope, idempotency_key=idempotency_key,
        )  # fmt: skip

    def get(
        self,
        id: str,  # noqa: A002 (its public name)
        *,
        response_format: str = "detailed",
        include_deleted: bool = False,
        max_tokens: int = _WHOLE,
        as_of: Moment | None = None,
        ref: str | None = None,
        cursor: str | None = None,
    ) -> Call[Memory]:
        """One memory, whole. With a smaller `max_tokens` a long text is cut, and read on with `next_cursor`."""
        return reads(
            of_memory(id), Memory, format=response_format, include_deleted=include_deleted or None,
            max_tokens=max_tokens, as_of=as_of, ref=ref, cursor=cursor,
        )  # fmt: skip

    def recent(
        self,
        *,
        limit: int = 20,
        max_tokens: int = 2000,
        since: Moment | None = None,
        response_format: Format = "concise",
        scope: str | None = None,
        filters: Mapping[str, Moment] | None = None,
        project: str | None = None,
        unfiled: bool | None = None,
        include_deleted: bool = False,
        as_of: Moment | None = None,
        ref: str | None = None,
        cursor: str | None = None,
    ) -> Call[Memories]:
        """Memories by their last change, the latest first."""
        return reads(
            "/recent", Memories, filtered(filters, project=project), limit=limit, max_tokens=max_tokens,
            since=since, format=response_format, unfiled=unfiled, scope=scope or self.scope,
            include_deleted=include_deleted or None, as_of=as_of, ref=ref, cursor=cursor,
        )  # fmt: skip

    def today(
        self,
        *,
        limit: int = 20,
        max_tokens: int = 2000,
        response_format: Format = "concise",
        scope: str | None = None,
        filters: Mapping[str, Moment] | None = None,
        project: str | None = None,
        unfiled: bool | None = None,
        cursor: str | None = None,
    ) -> Call[Memories]:
        """What changed in the last 24 hours."""
        return reads(
            "/today", Memories, filtered(filters, project=project), limit=limit, max_tokens=max_tokens,
            format=response_format, unfiled=unfiled, scope=scope or self.scope, cursor=cursor,
        )  # fmt: skip

    def history(
        self,
        id: str,  # noqa: A002 (its public name)
        *,
        limit: int = 20,
        max_tokens: int = 2000,
        cursor: str | None = None,
    ) -> Call[History]:
        """The versions of a memory in git, newest first, across renames."""
        return reads(of_memory(id, "/history"), History, limit=limit, max_tokens=max_tokens, cursor=cursor)

    def neighbors(
        self,
        id: str,  # noqa: A002 (its public name)
        *,
        depth: int = 1,
        limit: int = 25,
        max_tokens: int = 2000,
        include_deleted: bool = False,
        as_of: Moment | None = None,
        ref: str | None = None,
        cursor: str | None = None,
    ) -> Call[Neighbors]:
        """The memories around one, nearest first, each with the edge that led to it."""
        return reads(
            of_memory(id, "/neighbors"), Neighbors, depth=depth, limit=limit, max_tokens=max_tokens,
            include_deleted=include_deleted or None, as_of=as_of, ref=ref, cursor=cursor,
        )  # fmt: skip

    def graph_page(
        self,
        *,
        scope: str | None = None,
        project: str | None = None,
        include_deleted: bool = False,
        limit: int = 500,
        max_tokens: int = 4000,
        as_of: Moment | None = None,
        ref: str | None = None,
        cursor: str | None = None,
    ) -> Call[Graph]:
        """Some memories and the edges between them; the rest with `next_cursor`. `graph` gives all of it."""
        return reads(
            "/graph", Graph, scope=scope or self.scope, project=project, limit=limit, max_tokens=max_tokens,
            include_deleted=include_deleted or None, as_of=as_of, ref=ref, cursor=cursor,
        )  # fmt: skip
