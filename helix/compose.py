"""The one wiring place: settings in, doors out."""

from __future__ import annotations

import functools
import gc
import importlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from helix.config import Config
from helix.errors import HelixError, IndexNotReady, StateUnwritable, StorageError, VaultLocked, VaultMissing
from helix.follow.follower import Follower
from helix.follow.lane import Progress
from helix.follow.lock import FollowLock
from helix.follow.mend import Mender
from helix.follow.reconcile import Committed, Reconciler
from helix.index.catalog import CATALOG_FILE, Catalog
from helix.memory.writing.store import Memories, Took
from helix.state.database import StateDatabase, say_trouble, why_disk_refuses
from helix.state.permissions import make_folder
from helix.vault import ids
from helix.vault.ancestry import Ancestry
from helix.vault.autocommit import AutoCommit
from helix.vault.checkouts import Checkouts
from helix.vault.commit_consent import CommitConsent
from helix.vault.erasures import INDEX, Erase, Erasures
from helix.vault.history import History
from helix.vault.note import Note
from helix.vault.paths import Root
from helix.vault.vault import Vault
from helix.vault.vault_id import state_folder

if TYPE_CHECKING:
    from helix.index.embed import Embedder, EmbedderChoice
    from helix.index.index import Index, IndexHealth
    from helix.index.search import Searcher
    from helix.memory.service import Service

log = logging.getLogger(__name__)

_RECALL_RETRY = 5.0

# How long a command waits for the daemon to take in what the command wrote.
_DAEMON_PATIENCE = 3.0
# How long a command, or a daemon that starts, waits for another command to be done with the vault.
_COMMAND_PATIENCE = 30.0


@dataclass(frozen=True)
class Helix:
    """Everything that a process needs to work with one vault."""

    config: Config
    vault: Vault
    catalog: Catalog
    reconciler: Reconciler
    mender: Mender
    memories: Memories
    took: Took
    lock: FollowLock
    databases: list[StateDatabase]
    """the files of the state folder that are opened anew when somebody deletes them"""
    erasures: Erasures
    """what every store is told when a memory was erased"""
    follows: bool
    """whether this process keeps the catalog; otherwise a daemon does and this process only asks and waits"""

    def catch_up(self, progress: Progress | None = None) -> None:
        """Bring the catalog up to the disk, when that is this process' job."""
        if self.follows:
            report = self.reconciler.reconcile(progress=progress)
            self.mender.sweep(report.temporary)
            if (due := self.reconciler.next_vanish()) is not None:
                # A daemon would look again later; a command has to wait for the second look.
                time.sleep(max(0.0, due - time.monotonic()))
                self.reconciler.reconcile()

    @property
    def state_trouble(self) -> str | None:
        """Why the state folder cannot be written, what is not kept meanwhile, and what to do; None when it can."""
        return say_trouble(self._state, self.databases)

    def may_catch_up(self) -> bool:
        """Whether something could not be written, and could be now."""
        return any(one.trouble for one in self.databases) and why_disk_refuses(self._state) is None

    @property
    def _state(self) -> Path:
        return state_folder(self.config.state_dir, self.config.vault)

    def read_note(self, path: str) -> Note | None:
        try:
            return self.vault.read_leniently(path)
        except (FileNotFoundError, HelixError):
            return None

    def on_change(self, tell: Callable[[], None]) -> None:
        """`tell` is called whenever memories have changed, on the thread that took them in: it should be quick."""

        def took(committed: Committed) -> None:
            if committed.changes:
                tell()

        self.reconciler.on_commit.append(took)

    def follower(self) -> Follower:
        history = History.find(Path(self.vault.root.path)) if self.config.git.autocommit else None
        settings = self.config.git
        autocommit = (
            None
            if history is None
            else AutoCommit(
                history,
                time.monotonic,
                quiet=settings.quiet,
                max_wait=settings.max_wait,
                why_not=functools.partial(history.why_no_commit, CommitConsent(self.config.config_dir)),
            )
        )
        return Follower(
            self.reconciler, self.mender, autocommit, holds=self.lock.is_held, may_catch_up=self.may_catch_up
        )


@dataclass(frozen=True)
class Recall:
    """Search, as long as it is open."""

    searcher: Searcher
    index: Index
    open_index: Callable[[Path], Index]
    """an index in another place, with the same model and cache: for the past"""


@contextmanager
def open_recall(helix: Helix, progress: Progress | None = None) -> Iterator[Recall]:
    """Search, for the process that follows the vault: its index takes in every change from here on."""
    # Here and not above: numpy, Whoosh and LanceDB take longer to import than most commands to run.
    from helix.index.embed import find_embedder
    from helix.index.embed_cache import EmbedCache
    from helix.index.index import Index
    from helix.index.search import Searcher
    from helix.memory.reading.past import text_of

    config = helix.config
    state = state_folder(config.state_dir, config.vault)
    with ExitStack() as stack:
        cache = EmbedCache(config.state_dir / "embeddings.db")
        stack.callback(cache.close)
        models = config.state_dir / "models"

        @functools.cache
        def find(choice: str) -> EmbedderChoice:
            found = find_embedder(choice, models, config.embed_threads)
            if found.embedder is not None:
                # Beside the opening of the stores: the first question should not have to wait for the model.
                loading = threading.Thread(target=_load, args=[found.embedder], name="helix-model")
                loading.start()
                stack.callback(loading.join)
            return found

        def open_index(place: Path) -> Index:
            return Index(place, cache, config.model, find)

        index = open_index(state)
        stack.callback(index.close)
        index.guard = helix.reconciler.lock
        index.erasures = helix.erasures
        gc.freeze()  # what was imported stays: the collector would look at all of it again and again below
        with helix.reconciler.lock:
            helix.reconciler.tail = index.apply
            index.catch_up(helix.catalog, helix.read_note, progress)
        gc.freeze()  # and at the facts of every memory, in the middle of somebody's search
        index.start()
        text = functools.partial(text_of, helix.catalog, helix.vault.read)
        yield Recall(Searcher(index, helix.vault.clock, text), index, open_index)


@contextmanager
def open_service(helix: Helix, recall: Callable[[], Recall]) -> Iterator[Service]:
    """Every verb on the vault of this process. `recall` waits for search, or raises IndexNotReady."""
    from helix.memory.activity.journal import Journal
    from helix.memory.activity.recorder import Witness
    from helix.memory.maintenance.dismissed import Dismissed
    from helix.memory.pagination import Pages
    from helix.memory.portability.export_manifest import Manifest, manifest_of
    from helix.memory.reading.past import Past
    from helix.memory.reading.similarity_map import Cartographer
    from helix.memory.reading.view import View
    from helix.memory.service import Service
    from helix.memory.tokens import token_counter
    from helix.memory.writing.idempotency import Requests

    state = state_folder(helix.config.state_dir, helix.config.vault)
    vault = helix.vault
    with ExitStack() as stack:
        with _state_errors(state):
            pages, requests = Pages(state / "pages.db"), Requests(state / "requests.db")
            journal, dismissed = Journal(state / "journal.db"), Dismissed(state / "dismissed.db")
        for database in (pages, requests, journal, dismissed):
            stack.callback(database.close)
            helix.databases.append(database)
            stack.callback(helix.databases.remove, database)
        witness = Witness(
            journal, helix.catalog, vault.files.authors, Checkouts(Path(vault.root.path)), vault.clock
        )

        def is_erased(path: str, memory_id: str | None) -> bool:
            if memory_id is not None and ids.is_usable(memory_id):
                return vault.ancestry.erased_at(memory_id) is not None
            # A note without an id of use was known by its path, and there its erasure stands.
            row = helix.catalog.at(path)
            by_path = row is not None and row.status == "erased"
            return by_path or vault.ancestry.erased_at(ids.derived_id(path)) is not None

        past = Past(
            state / "past",
            lambda: History.get(Path(vault.root.path)),
            is_erased,
            vault.ancestry.count_erased,
            lambda place: recall().open_index(place),
        )
        stack.callback(past.close)

        # First what happened is told, then the stores are cleaned, the journal with them.
        helix.reconciler.on_commit.insert(0, witness.took)
        stack.callback(helix.reconciler.on_commit.remove, witness.took)
        helix.reconciler.on_scan.insert(0, witness.scanned)
        stack.callback(helix.reconciler.on_scan.remove, witness.scanned)
        if helix.reconciler.has_scanned:
            with helix.reconciler.lock:
                witness.scanned()
        live = View(helix.catalog, vault.read_leniently, lambda: recall().searcher, vault.clock)
        count = token_counter(helix.config.token_scale)

        def survey() -> Manifest:
            return manifest_of(vault, helix.catalog, embedder=helix.config.model)

        cartographer = Cartographer(live, lambda: recall().index, state)
        stack.callback(cartographer.stop)
        for store, erase in {
            "pages": pages.erase,
            "requests": requests.erase,
            "journal": journal.erase,
            "dismissed": dismissed.erase,
            "past": past.erase,
            "map": cartographer.erase,
        }.items():
            stack.enter_context(helix.erasures.replaced(store, erase))
        yield Service(
            helix.memories,
            live,
            past,
            pages,
            requests,
            count,
            vault.read_settings,
            survey,
            witness,
            cartographer,
            dismissed,
        )


def _purge(helix: Helix) -> None:
    """What a command erased, or found to be erased, leaves the files of the index too. A daemon does that by itself."""
    if not helix.follows or helix.erasures.is_clean(INDEX):
        return
    state = state_folder(helix.config.state_dir, helix.config.vault)
    if any(state.glob("keywords*")) or any(state.glob("vectors-*")):
        with open_recall(helix) as recall:
            recall.index.tend(tidy=False)


def _register_stores(erasures: Erasures, state: Path, ancestry: Ancestry, catalog: Catalog) -> None:
    """Everything in the state folder that keeps something of memories, but for the index, which cleans itself.

    A process that has one of them open itself says so (`Erasures.replaced`). The others are opened for the moment, and
    their modules imported, only when something was erased.
    """

    def database(module: str, name: str, file: Path) -> Erase:
        def erase(memory_ids: Sequence[str]) -> bool:
            if not file.exists():
                return True
            store: StateDatabase = getattr(importlib.import_module(module), name)(file)
            try:
                return store.erase(memory_ids)
            finally:
                store.close()

        return erase

    def drafts(memory_ids: Sequence[str]) -> bool:
        from helix.memory.writing.drafts import erase_drafts

        return erase_drafts(state, memory_ids)

    def past(memory_ids: Sequence[str]) -> bool:
        from helix.memory.reading.past import erase_past

        return erase_past(state / "past", memory_ids)

    def drawn(memory_ids: Sequence[str]) -> bool:
        from helix.memory.reading.similarity_map import FILE, erase_from_map

        return erase_from_map(state / FILE, memory_ids)

    for store, erase in {
        "ancestry": ancestry.erase,
        "catalog": catalog.erase,
        "drafts": drafts,
        "pages": database("helix.memory.pagination", "Pages", state / "pages.db"),
        "requests": database("helix.memory.writing.idempotency", "Requests", state / "requests.db"),
        "journal": database("helix.memory.activity.journal", "Journal", state / "journal.db"),
        "dismissed": database("helix.memory.maintenance.dismissed", "Dismissed", state / "dismissed.db"),
        "past": past,
        "map": drawn,
    }.items():
        erasures.register(store, erase)


def _load(embedder: Embedder) -> None:
    try:
        embedder.embed_query("warm up")
    except HelixError as error:  # the first question meets the same one, and tells it
        log.warning("the model cannot be loaded: %s", error.message)


class RecallSoon:
    """Search that gets ready on a thread of its own: its imports take seconds, and nothing else should wait."""

    def __init__(self, helix: Helix) -> None:
        self._helix = helix
        self._opened: Recall | None = None
        self.failure = ""
        """why search could not start; it is tried again"""
        self._settled = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="helix-recall", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(timeout=30)

    def get(self, timeout: float) -> Recall:
        self._settled.wait(timeout)
        if self._opened is None:
            raise IndexNotReady(self.failure or "search is getting ready; try again in a moment")
        return self._opened

    def is_settled(self) -> bool:
        """Whether `get` answers at once, be it with search or with why there is none."""
        return self._settled.is_set()

    def health(self) -> IndexHealth | None:
        opened = self._opened  # once: it is closed on another thread
        return None if opened is None else opened.index.health()

    def dimensions(self) -> int | None:
        """Of the vectors that search compares, when it compares some."""
        opened = self._opened
        meaning = None if opened is None else opened.index.meaning
        return None if meaning is None else meaning.embedder.dimensions

    def rebuild(self) -> None:
        """Make the index again from the notes; the one that is there serves meanwhile."""
        if self._opened is not None:
            self._opened.index.rebuild()

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                with open_recall(self._helix) as self._opened:
                    self.failure = ""
                    self._settled.set()
                    self._closing.wait()
            except (HelixError, OSError, ImportError) as error:
                log.exception("search cannot start; trying again")
                self.failure = f"search cannot start: {error}"
                self._settled.set()
                self._closing.wait(_RECALL_RETRY)
            finally:
                self._opened = None


@contextmanager
def open_helix(config: Config, *, must_follow: bool = False) -> Iterator[Helix]:
    """Open the configured vault. With `must_follow` a vault that a daemon follows already is an error."""
    if not config.vault.is_dir():
        raise VaultMissing(f"there is no vault at {config.vault}; `helix init` makes one")
    state = state_folder(config.state_dir, config.vault)
    with ExitStack() as stack:
        lock = FollowLock(state)
        with _state_errors(state):
            make_folder(state)  # it holds the texts of memories
            try:
                lock.acquire(briefly=not must_follow, patience=_COMMAND_PATIENCE)
                follows = True
            except VaultLocked:
                if must_follow:
                    raise
                follows = False
        stack.callback(lock.release)
        root = Root(config.vault)
        stack.callback(root.close)
        with _state_errors(state):
            ancestry = Ancestry(state / "ancestry.db")
            stack.callback(ancestry.close)
            catalog = Catalog(state / CATALOG_FILE)
            stack.callback(catalog.close)
        vault = Vault(root, ancestry, max_note_bytes=config.max_note_bytes)

        databases: list[StateDatabase] = [ancestry, catalog]

        def renew() -> None:
            lock.renew()
            for database in databases:
                database.reopen_if_deleted()
                database.write_again()

        reconciler = Reconciler(vault, catalog, config.follow, renew=renew)
        erasures = Erasures(ancestry, _is_named_by_path(catalog), (state, config.state_dir))
        _register_stores(erasures, state, ancestry, catalog)
        # For the daemon, a command that takes an erasure in, and whatever the one before it left to do.
        reconciler.on_commit.append(lambda _: erasures.settle())
        reconciler.on_scan.append(erasures.settle)
        mender = Mender(reconciler, checkouts=Checkouts(config.vault))

        def take_in(paths: Sequence[str]) -> str | None:
            with suppress(StateUnwritable):  # the files are safe; the follower looks at them again
                reconciler.reconcile(paths, settled=True)
            mender.look_for_leftovers({path.rpartition("/")[0] for path in paths})
            trouble = say_trouble(state, databases)
            return None if trouble is None else f"safe on disk, but {trouble}"

        def wait_for_daemon(paths: Sequence[str]) -> str | None:
            return _wait_for_daemon(vault, catalog, paths)

        took = take_in if follows else wait_for_daemon
        memories = Memories(vault, catalog, took)
        helix = Helix(
            config, vault, catalog, reconciler, mender, memories, took, lock, databases, erasures, follows
        )
        yield helix
        if not must_follow:
            _purge(helix)


def _is_named_by_path(catalog: Catalog) -> Callable[[str], bool]:
    def lives(memory_id: str) -> bool:
        row = catalog.find(memory_id)
        return row is not None and not row.has_id

    return lives


@contextmanager
def _state_errors(state: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.OperationalError, StateUnwritable) as error:
        folder = next(one for one in (state, *state.parents) if one.is_dir())
        why = why_disk_refuses(folder) or error
        raise StorageError(
            f"the state folder {state} cannot be used ({why}); check its permissions and the space on its disk, "
            "or set HELIX_STATE_DIR"
        ) from error


def _wait_for_daemon(vault: Vault, catalog: Catalog, paths: Sequence[str]) -> str | None:
    """The daemon sees the files as it sees any edit; a bounded wait lets the next command find them."""
    deadline = time.monotonic() + _DAEMON_PATIENCE
    for path in paths:
        while not _is_taken_in(vault, catalog, path):
            if time.monotonic() > deadline:
                return "safe on disk, but the daemon has not taken it in yet; `helix status` says how it is"
            time.sleep(0.02)
    return None


def _is_taken_in(vault: Vault, catalog: Catalog, path: str) -> bool:
    row = catalog.at(path)
    try:
        return row is not None and row.hash == vault.read_leniently(path).hash
    except FileNotFoundError:
        return row is None
