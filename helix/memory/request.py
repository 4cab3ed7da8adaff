"""One request as a value: who makes it, from where, and what is seen and changed on their behalf.

`Workspace.request` makes it, with everything in it narrowed for the principal already. A verb is a function of a
request: it reaches nothing else, and so cannot forget for whom it works.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol

from helix.errors import SecretRefused
from helix.memory.activity.event import Activity
from helix.memory.budget import Answer, Budget, Build, Head, Item, Render, fit_page
from helix.memory.maintenance.dismissed import OwnDismissals
from helix.memory.membership import OwnProjects
from helix.memory.pagination import Cursors, Listing
from helix.memory.place import Place
from helix.memory.principal import Principal
from helix.memory.reading.memory_versions import MemoryVersions
from helix.memory.reading.view import NOW, View, When
from helix.memory.tokens import CountTokens
from helix.memory.writing.idempotency import OwnKeys
from helix.memory.writing.store import Store
from helix.memory.writing.write_order import WriteOrder

if TYPE_CHECKING:
    from helix.memory.event_log import EventLog
    from helix.memory.jobs import Jobs
    from helix.memory.maintenance.freeze import Freeze
    from helix.memory.maintenance.worker import Upkeep
    from helix.memory.portability.export_manifest import Manifest
    from helix.memory.publishing.shared_files import SharedFiles
    from helix.memory.reading.phase_cache import OwnBundles
    from helix.memory.reading.similarity_map import Drawn
    from helix.memory.verbs.verb import Verb
    from helix.secrets.vault_secrets import VaultSecrets

P = ParamSpec("P")

OnAnswer = Callable[[str, Mapping[str, Any], int | None], None]
"""hears of every answer: the verb, the answer and, of one with a budget, how many tokens it had room for"""


class Gate(Protocol):
    """What stands around every verb that somebody asks for, where there is somebody to be kept an eye on."""

    def __call__(
        self, request: Request, verb: Verb, values: Mapping[str, Any], run: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """The answer of `run`, or a HelixError in its place."""


def open_gate(
    request: Request, verb: Verb, values: Mapping[str, Any], run: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """For one person: nobody is counted, and nothing written down."""
    return run()


@dataclass(frozen=True)
class Request:
    principal: Principal
    place: Place
    view_at: Callable[[When], View] = field(repr=False)
    store: Store = field(repr=False)
    versions: MemoryVersions = field(repr=False)
    activity: Activity = field(repr=False)
    cursors: Cursors = field(repr=False)
    keys: OwnKeys = field(repr=False)
    dismissals: OwnDismissals = field(repr=False)
    bundles: OwnBundles = field(repr=False)
    projects: OwnProjects = field(repr=False)
    """who is a member of what, as far as that is seen"""
    manifest: Callable[[], Manifest] = field(repr=False)
    """what an export of what is seen would hold"""
    similarity_map: Callable[[], tuple[Drawn, int]] = field(repr=False)
    """the points that are seen, and how many memories wait for their place on it"""
    read_settings: Callable[[str], str | None] = field(repr=False)
    """a text file of the vault's own settings; None when it is not there"""
    events: EventLog | None = field(repr=False)
    """the logs of sessions; None for who does not see the whole vault"""
    upkeep: Upkeep | None = field(repr=False)
    """what was found for the whole vault; None for who sees a part of it, and looks for themselves"""
    freeze: Freeze = field(repr=False)
    secrets: Callable[[], VaultSecrets] = field(repr=False)
    """names of secrets, and programs that run with them; for who may use them"""
    assets: SharedFiles = field(repr=False)
    """the files of assets that are seen"""
    gate: Gate = field(repr=False)
    jobs: Jobs | None = field(repr=False)
    """long work on this machine; None for who is not its owner"""
    vault_folder: Path | None = field(repr=False)
    """where the vault is on this machine; None for who is not its owner"""
    uptime: Callable[[], float] = field(repr=False)
    """for how many seconds the vault has been open"""
    is_user: Callable[[str], bool] = field(repr=False)
    """whether somebody of this name may be shared with"""
    state_folder: Path | None = field(repr=False)
    """where this machine keeps what it did to files elsewhere; None for who is not its owner"""
    order: WriteOrder = field(repr=False)
    count: CountTokens = field(repr=False)
    on_answer: OnAnswer = field(repr=False)
    on_refusal: Callable[[str], None] = field(repr=False)
    """hears that a text with a credential was refused: what it looked like"""

    def view(self, when: When = NOW) -> View:
        return self.view_at(when)

    def at(self, *, project: str | None = None, session: str | None = None) -> Request:
        """The same from a more precise place."""
        place = replace(
            self.place, project=project or self.place.project, session=session or self.place.session
        )
        return replace(self, place=place)

    # Pages

    def continued(self, verb: str, cursor: str) -> tuple[View, Listing]:
        listing = self.cursors.find(verb, cursor)
        return self.view(When(ref=listing.commit)), listing

    def listed(
        self,
        verb: str,
        view: View,
        cursor: str | None,
        entries: Callable[[View], Sequence[Any]],
        *,
        quotes: bool = True,
    ) -> tuple[View, Listing]:
        """What a cursor continues, or else a listing made now; `quotes` when more than ids and scores is in it."""
        if cursor is not None:
            return self.continued(verb, cursor)
        era = self.cursors.era() if quotes else None
        return view, self.cursors.start(verb, entries(view), view.commit, era)

    def page(
        self,
        verb: str,
        listing: Listing,
        render: Render[Item],
        build: Build[Head, Item, Answer],
        *,
        head: Head,
        limit: int,
        max_tokens: int,
    ) -> Answer:
        page = fit_page(head, listing, render, build, limit, self.budget(max_tokens))
        if page["next_cursor"] is not None:
            self.cursors.keep(listing)
        return page

    def budget(self, max_tokens: int) -> Budget:
        return Budget(max_tokens, self.count)


_Function = Callable[Concatenate[Request, P], Answer]


def verb(name: str) -> Callable[[_Function[P, Answer]], _Function[P, Answer]]:
    """Marks a function as a verb: here, and nowhere else, each answer is told of."""

    def mark(function: _Function[P, Answer]) -> _Function[P, Answer]:
        budget = inspect.signature(function).parameters.get("max_tokens")

        @functools.wraps(function)
        def answered(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
            try:
                answer = function(request, *args, **kwargs)
            except SecretRefused as refused:
                request.on_refusal(refused.kind)
                raise
            room: Any = None if budget is None else kwargs.get("max_tokens", budget.default)
            request.on_answer(name, answer, room)
            return answer

        return answered

    return mark
