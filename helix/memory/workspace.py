"""One vault and everything that is kept about it: long-lived, and shared by all requests.

A process may have several. What they share (the models) is handed in.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix.follow.note_lane import Committed
from helix.index.filters import EVERYTHING, Condition, HasFacets, digest_of, for_members, predicate_of
from helix.memory import erasure
from helix.memory.active_projects import ACTIVE_FILE, ActiveProjects
from helix.memory.activity.journal import Journal
from helix.memory.activity.narrowed_activity import AllActivity, NarrowedActivity
from helix.memory.activity.recorder import Recorder
from helix.memory.followed_vault import FollowedVault
from helix.memory.jobs import Jobs
from helix.memory.maintenance.dismissed import Dismissed
from helix.memory.maintenance.freeze import Freeze
from helix.memory.maintenance.worker import Upkeep
from helix.memory.membership import Membership, OwnProjects
from helix.memory.pagination import Pages
from helix.memory.place import Place
from helix.memory.portability.export_manifest import Manifest, manifest_of
from helix.memory.principal import (
    LOCAL,
    Allows,
    Principal,
    Visibility,
    Wall,
    everything,
    visible_to,
)
from helix.memory.publishing.followed import PERMISSION as PUBLISHING
from helix.memory.publishing.shared_files import SharedFiles
from helix.memory.reading.memory_versions import NarrowedVersions
from helix.memory.reading.narrowed_view import NarrowedView
from helix.memory.reading.past import Past
from helix.memory.reading.phase_cache import Bundles
from helix.memory.reading.similarity_map import Cartographer, Drawn
from helix.memory.reading.vault_view import VaultView
from helix.memory.reading.view import NOW, View, When
from helix.memory.request import Gate, OnAnswer, Request, open_gate
from helix.memory.tokens import token_counter
from helix.memory.writing.idempotency import IdempotencyKeys
from helix.memory.writing.narrowed_store import NarrowedStore
from helix.memory.writing.write_order import WriteOrder
from helix.vault.checkouts import Checkouts
from helix.vault.history import History

if TYPE_CHECKING:
    from helix.memory.search_engine import Recall
    from helix.secrets.vault_secrets import VaultSecrets


class Workspace:
    def __init__(
        self,
        followed: FollowedVault,
        recall: Callable[[], Recall],
        visibility: Visibility | None = None,
    ) -> None:
        """`recall` waits for search, or raises IndexNotReady; `visibility` says what each principal sees;
        without it the memories say it themselves."""
        vault, state = followed.vault, followed.state
        self.followed = followed
        self.membership = Membership(followed.catalog.project_notes, followed.catalog.version)
        self._active = ActiveProjects(
            (state if followed.replica is None else followed.replica.folder) / ACTIVE_FILE
        )
        if followed.replica is not None:
            followed.replica.on_shared[ACTIVE_FILE] = self._active.read_again
            followed.replica.on_gone += [self._erase_everywhere]
        self._visibility = visibility or self._visible_to
        self.pages = Pages(state / erasure.PAGES_FILE)
        self.keys = IdempotencyKeys(state / erasure.KEYS_FILE)
        self.journal = Journal(state / erasure.JOURNAL_FILE)
        self.dismissed = Dismissed(state / erasure.DISMISSED_FILE)
        self.jobs = Jobs(
            state / erasure.JOBS_FILE,
            lambda: vault.clock(),
            is_ready=lambda: followed.reconciler.has_scanned or not followed.follows,
        )
        self._live = VaultView(followed.catalog, followed.read, lambda: recall().searcher, vault.clock)
        self.past = Past(
            state / erasure.PAST_FOLDER,
            lambda: History.get(Path(vault.root.path)),
            functools.partial(erasure.is_erased, vault.ancestry, followed.catalog),
            vault.ancestry.count_erased,
            lambda folder: recall().open_index(folder),
        )
        self.recorder = Recorder(
            self.journal, followed.catalog, vault.files.authors, Checkouts(Path(vault.root.path)), vault.clock
        )
        self._map = Cartographer(self._live, lambda: recall().index, state)
        self.freeze = Freeze(state)
        self._secrets: VaultSecrets | None = None
        self._opening_secrets = threading.Lock()
        self.gate: Gate = open_gate
        self.knows_user: Callable[[Principal, str], bool] = lambda _, name: True
        """whether one may share with another; where there are no users, whoever is named counts"""
        self._opened = time.monotonic()
        self._bundles = Bundles()
        self._order = WriteOrder()
        self._count = token_counter(followed.config.token_scale, followed.config.state_dir)
        self._listeners: list[OnAnswer] = []
        self.upkeep = Upkeep(
            functools.partial(self.request, LOCAL, Place()),
            followed.catalog.states,
            followed.config.consolidate,
            is_frozen=lambda: self.freeze.find() is not None,
        )

    def request(self, principal: Principal, place: Place) -> Request:
        """The one way to a request: everything in it is narrowed for the principal."""
        wall, owner = self._visibility(principal), principal.id
        # What is kept of answers is good for as long as the same is seen.
        reader = owner if wall.is_open else f"{owner} {digest_of(wall.sees)}"
        is_whole, allows = wall.is_open, predicate_of(wall.sees)
        live = self._live if is_whole else NarrowedView(self._live, wall.sees)
        versions = (
            self.followed.versions if is_whole else NarrowedVersions(self.followed.versions, live, allows)
        )
        projects = OwnProjects(
            principal,
            lambda memory_id: live.find_row(memory_id) is not None,
            self.membership,
            self._active,
            functools.partial(self._is_used, wall.sees),
        )
        return Request(
            principal,
            _in_active_project(place, projects),
            view_at=functools.partial(self._view_at, wall.sees),
            store=(
                self.followed.store
                if is_whole
                else NarrowedStore(
                    self.followed.store,
                    live,
                    versions,
                    wall,
                    principal.user,
                    may_publish=principal.may(PUBLISHING),
                )
            ),
            versions=versions,
            activity=(
                AllActivity(self.journal)
                if is_whole
                else NarrowedActivity(self.journal, functools.partial(self._view_of, principal))
            ),
            cursors=self.pages.of(reader),
            keys=self.keys.of(owner),
            dismissals=self.dismissed.of(owner),
            bundles=self._bundles.of(reader),
            projects=projects,
            manifest=functools.partial(self._manifest, everything if is_whole else allows),
            similarity_map=functools.partial(self._similarity_map, wall.sees),
            read_settings=self.followed.vault.read_settings,
            events=self.followed.events if is_whole else None,
            upkeep=self.upkeep if is_whole else None,
            freeze=self.freeze,
            secrets=self.secrets,
            assets=SharedFiles(
                self.followed.assets,
                self.followed.config.assets.most_bytes,
                lambda memory_id: live.find_row(memory_id) is not None,
            ),
            gate=self.gate,
            jobs=self.jobs if principal == LOCAL else None,
            vault_folder=Path(self.followed.vault.root.path) if principal == LOCAL else None,
            uptime=lambda: time.monotonic() - self._opened,
            is_user=functools.partial(self.knows_user, principal),
            state_folder=self.followed.config.state_dir if principal == LOCAL else None,
            order=self._order,
            count=self._count,
            on_answer=self._tell,
            on_refusal=self.recorder.refused,
        )

    def secrets(self) -> VaultSecrets:
        """Opened when somebody asks: most vaults have none."""
        from helix.secrets.vault_secrets import VaultSecrets

        with self._opening_secrets:
            if self._secrets is None:
                state = self.followed.state
                self._secrets = VaultSecrets(self.followed.config, state, state / erasure.RUNS_FILE)
            return self._secrets

    def _close_secrets(self) -> None:
        if self._secrets is not None:
            self._secrets.close()

    def tell_answers(self, listener: OnAnswer) -> None:
        """`listener` hears of every answer from now on."""
        self._listeners.append(listener)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """As long as it is used: what happens in the vault is recorded, what is erased leaves every store."""
        followed, reconciler = self.followed, self.followed.reconciler
        with ExitStack() as stack:
            for database in (self.pages, self.keys, self.journal, self.dismissed, self.jobs):
                stack.callback(database.close)
                followed.databases.append(database)
                stack.callback(followed.databases.remove, database)
            stack.callback(self.past.close)
            # At the front: first what happened is told, then the stores are cleaned, the journal with them.
            reconciler.on_commit.insert(0, self.recorder.committed)
            stack.callback(reconciler.on_commit.remove, self.recorder.committed)
            reconciler.on_commit.append(self._forget_compared)
            stack.callback(reconciler.on_commit.remove, self._forget_compared)
            reconciler.on_scan.insert(0, self.recorder.scanned)
            stack.callback(reconciler.on_scan.remove, self.recorder.scanned)
            if reconciler.has_scanned:
                with reconciler.lock:
                    self.recorder.scanned()
            stack.callback(self._map.stop)
            stack.callback(self.jobs.stop)
            stack.callback(self._close_secrets)
            if self.followed.follows and (followed.state / erasure.RUNS_FILE).exists():
                self.secrets().runs()  # those that wait go on
            for store, erase in {
                erasure.PAGES: self.pages.erase,
                erasure.KEYS: self.keys.erase,
                erasure.JOURNAL: self.journal.erase,
                erasure.DISMISSED: self.dismissed.erase,
                erasure.PAST: self.past.erase,
                erasure.MAP: self._map.erase,
            }.items():
                stack.enter_context(followed.erasures.replaced(store, erase))
            yield

    def _erase_everywhere(self, memory_ids: Sequence[str]) -> None:
        """Without a folder nobody knows whether a memory was erased or has left: nothing of it is kept."""
        for store in (self.pages, self.keys, self.journal, self.dismissed):
            store.erase(memory_ids)
        self._map.erase(memory_ids)
        self._order.texts.forget(memory_ids)

    def _forget_compared(self, batch: Committed) -> None:
        self._order.texts.forget(change.memory_id for change in batch.changes)

    def _tell(self, verb: str, answer: Mapping[str, Any], max_tokens: int | None) -> None:
        for listener in self._listeners:
            listener(verb, answer, max_tokens)

    def _visible_to(self, principal: Principal) -> Wall:
        return visible_to(principal, self.membership.of(principal.user))

    def _is_used(self, seen: Condition, project: str) -> bool:
        within, allows = predicate_of(for_members([project])), predicate_of(seen)
        return any(within(row) and not allows(row) for row in self._live.everything())

    def _view_of(self, principal: Principal) -> View:
        """What somebody sees by now, for who listens for long."""
        return self._view_at(self._visibility(principal).sees, NOW)

    def _view_at(self, seen: Condition, when: When) -> View:
        if when == NOW:
            return self._live if seen == EVERYTHING else NarrowedView(self._live, seen)
        past = self.past.view(when.moment(), when.ref)
        return past if seen == EVERYTHING else NarrowedView(past, seen, self._then_and_now(seen))

    def _then_and_now(self, condition: Condition) -> Allows:
        """Of the past somebody sees what they would have seen then, unless it was put out of their sight since."""
        allows = predicate_of(condition)

        def seen(memory: HasFacets) -> bool:
            row = self._live.find_row(memory.id)
            return allows(memory) and (row is None or allows(row))

        return seen

    def _manifest(self, allows: Allows) -> Manifest:
        followed = self.followed
        return manifest_of(followed.vault, followed.catalog, embedder=followed.config.model, allows=allows)

    def _similarity_map(self, seen: Condition) -> tuple[Drawn, int]:
        drawn, waiting = self._map.map()
        if seen == EVERYTHING:
            return drawn, waiting
        rows = {row.id for row in self._live.part(seen).rows}
        return drawn.narrowed(rows.__contains__), 0


def _in_active_project(place: Place, projects: OwnProjects) -> Place:
    """Who says of which project something is, says so; else it is of the one that is active, for as long as they are a
    member."""
    if place.project is not None:
        return place
    active = projects.active.find(projects.principal.id, place.session)
    if active is None or not projects.has_member(active):
        return place
    return replace(place, project=active)
