"""The verbs in this process, for when no daemon runs: as the daemon would run them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import typer

from helix.cli.open_vault import session
from helix.cli.output import Progress, progress_bar
from helix.cli.verbs import CLIENT, ROOM, Payload, Standing
from helix.compose import open_workspace
from helix.errors import DaemonUnreachable
from helix.memory.maintenance.consolidate import consolidate
from helix.memory.place import Place
from helix.memory.principal import LOCAL
from helix.memory.reading import browse, context, graph, search, versions
from helix.memory.reading.view import When
from helix.memory.request import Request
from helix.memory.search_engine import Recall, open_recall
from helix.memory.writing import amend
from helix.memory.writing.write import Wish, write

# Without a daemon the first search embeds what is new itself; a large vault is left to the daemon.
_EMBED_PATIENCE = 20.0


@contextmanager
def open_local(context: typer.Context, standing: Standing) -> Iterator[LocalVerbs]:
    with session(context) as helix, ExitStack() as stack:
        opened: list[Recall] = []

        def recall() -> Recall:
            """Search takes seconds to open: only for the verbs that search."""
            if not helix.follows:
                raise DaemonUnreachable(
                    "a daemon keeps the index of this vault and does not answer; `helix down` and `helix up` start "
                    "it anew"
                )
            if not opened:
                with progress_bar("indexing") as progress:
                    opened.append(stack.enter_context(open_recall(helix, progress)))
                    opened[0].index.wait_until_embedded(_EMBED_PATIENCE)
            return opened[0]

        with open_workspace(helix, recall) as workspace:
            # Whoever runs a command on this machine is the owner of the vault.
            request = workspace.request(LOCAL, Place(standing.project, None, CLIENT))
            yield LocalVerbs(request, standing.scope)


class LocalVerbs:
    def __init__(self, request: Request, scope: str) -> None:
        self._request = request
        self._scope = scope

    def remember(self, wish: Mapping[str, Any]) -> Payload:
        given = {name: value for name, value in wish.items() if value is not None}
        return write(self._request, Wish(**given))

    def recall(self, question: str, *, filters: Mapping[str, str], **words: Any) -> Payload:
        return self._look(search.search, question, filters=filters, response_format="detailed", **words)

    def context(self, task: str, *, filters: Mapping[str, str], **words: Any) -> Payload:
        return self._look(context.context, task, filters=filters, **words)

    def get(self, memory_id: str, **words: Any) -> Payload:
        return browse.get(self._request, memory_id, **_past(words))

    def recent(self, *, filters: Mapping[str, str], **words: Any) -> Payload:
        return self._look(browse.recent, filters=filters, response_format="detailed", **words)

    def graph(self, **words: Any) -> Payload:
        return self._look(graph.graph, **words)

    def neighbors(self, memory_id: str, **words: Any) -> Payload:
        return graph.neighbors(self._request, memory_id, **_past(words))

    def history(self, memory_id: str, **words: Any) -> Payload:
        return versions.history(self._request, memory_id, **_budgeted(words))

    def conflicts(self, **words: Any) -> Payload:
        return browse.conflicts(self._request, **_budgeted(words))

    def file(self, memory_ids: Sequence[str], *, project: str, idempotency_key: str | None) -> Payload:
        return amend.file(self._request, memory_ids, project=project, idempotency_key=idempotency_key)

    def forget(self, memory_id: str, *, mode: str, idempotency_key: str | None) -> Payload:
        return amend.forget(self._request, memory_id, mode=mode, idempotency_key=idempotency_key)

    def restore(self, memory_id: str, *, at: str | None, idempotency_key: str | None) -> Payload:
        return amend.restore(self._request, memory_id, at=at, idempotency_key=idempotency_key)

    def relate(self, source: str, to: str, rel: str, *, idempotency_key: str | None) -> Payload:
        return amend.relate(self._request, source, to, rel, idempotency_key=idempotency_key)

    def consolidate(self, *, dry_run: bool, only: Sequence[str], progress: Progress) -> Payload:
        return consolidate(self._request, dry_run=dry_run, only=only, progress=progress)

    def _look(self, verb: Callable[..., Payload], *what: str, **words: Any) -> Payload:
        return verb(self._request, *what, scope=self._scope, **_past(words))


def _past(words: Mapping[str, Any]) -> dict[str, Any]:
    others = {name: value for name, value in words.items() if name not in ("as_of", "ref")}
    return {**_budgeted(others), "when": When(words.get("as_of"), words.get("ref"))}


def _budgeted(words: Mapping[str, Any]) -> dict[str, Any]:
    return {"max_tokens": ROOM, **{name: value for name, value in words.items() if value is not None}}
