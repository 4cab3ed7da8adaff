"""The verbs in this process, for when no daemon runs: the service that the daemon would ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import typer

from helix.cli.open_vault import session
from helix.cli.output import Progress, progress_bar
from helix.cli.verbs import CLIENT, Payload, Standing
from helix.compose import Recall, open_recall, open_service
from helix.errors import DaemonUnreachable
from helix.memory.reading.view import Caller
from helix.memory.service import Service
from helix.memory.verbs.call import call
from helix.memory.verbs.verb import Verb

# Without a daemon the first search embeds what is new itself; a large vault is left to the daemon.
_EMBED_PATIENCE = 20.0


@contextmanager
def open_local(context: typer.Context, standing: Standing) -> Iterator[LocalDoor]:
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

        with open_service(helix, recall) as service:
            yield LocalDoor(service, standing)


class LocalDoor:
    def __init__(self, service: Service, standing: Standing) -> None:
        self._service = service
        self._caller = Caller(standing.project, None, CLIENT)

    def ask(self, verb: Verb, fields: Mapping[str, Any]) -> Payload:
        return call(self._service, verb, verb.request(**fields), self._caller)

    def consolidate(self, *, dry_run: bool, only: Sequence[str], progress: Progress) -> Payload:
        return self._service.consolidate(dry_run=dry_run, only=only, progress=progress)
