"""The verbs in this process, for when no daemon runs: as the daemon would run them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import typer

from helix.cli.open_vault import session
from helix.cli.output import Progress, progress_bar
from helix.cli.verbs import CLIENT, Payload, Viewpoint
from helix.compose import open_workspace
from helix.errors import DaemonUnreachable
from helix.memory.maintenance.consolidate import consolidate
from helix.memory.place import Place
from helix.memory.principal import LOCAL
from helix.memory.request import Request
from helix.memory.search_engine import Recall, open_recall
from helix.memory.verbs.call import call
from helix.memory.verbs.verb import Verb

# Without a daemon the first search embeds what is new itself; a large vault is left to the daemon.
_EMBED_PATIENCE = 20.0


@contextmanager
def open_local(context: typer.Context, standing: Viewpoint) -> Iterator[LocalDoor]:
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
            yield LocalDoor(workspace.request(LOCAL, Place(standing.project, None, CLIENT)))


class LocalDoor:
    def __init__(self, request: Request) -> None:
        self._request = request

    def ask(self, verb: Verb, fields: Mapping[str, Any]) -> Payload:
        return call(self._request, verb, verb.request(**fields))

    def consolidate(self, *, dry_run: bool, only: Sequence[str], progress: Progress) -> Payload:
        if not dry_run:
            self._request.freeze.check()
        return dict(consolidate(self._request, dry_run=dry_run, only=only, progress=progress))
