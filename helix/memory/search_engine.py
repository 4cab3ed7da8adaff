"""Search over a followed vault: opened at once, or on a thread of its own while everything else goes on."""

from __future__ import annotations

import functools
import gc
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from helix.config import is_database
from helix.errors import ConfigError, HelixError, IndexNotReady
from helix.follow.lane import Progress
from helix.memory.followed_vault import FollowedVault
from helix.memory.shared_files import ChangedFile
from helix.memory.shared_models import CACHE_FILE, Models
from helix.vault.vault_id import read_identity

if TYPE_CHECKING:
    from helix.index.engine import Engine, IndexHealth
    from helix.index.postgres.engine import PostgresEngine
    from helix.index.search import Searcher

log = logging.getLogger(__name__)

_RETRY = 5.0
_LET_PASS = 5.0
_LOOK_AGAIN = 0.02


@dataclass(frozen=True)
class Recall:
    """Search, as long as it is open."""

    searcher: Searcher
    index: Engine
    open_index: Callable[[Path], Engine]
    """an index in another place, with the same model and cache: for the past"""


@contextmanager
def open_recall(
    followed: FollowedVault,
    progress: Progress | None = None,
    models: Models | None = None,
    *,
    words_first: bool = False,
    is_beside: bool = False,
) -> Iterator[Recall]:
    """Search, for the process that follows the vault: its index takes in every change from here on.

    `models` are those of the process; without them it has its own. `words_first` is for who does not wait for the
    model and the vectors: search is by words until somebody asks the index to `attach` them. `is_beside` is for an
    index that is not the one that serves: what was erased is told of that one.
    """
    # Here and not above: numpy, Whoosh and LanceDB take longer to import than most commands to run.
    from helix.index.feedback import FeedbackPrior
    from helix.index.search import Searcher
    from helix.index.second_look import SECONDS
    from helix.memory.reading.vault_view import find_note

    config, reconciler = followed.config, followed.reconciler
    with ExitStack() as stack:
        if models is None:
            models = stack.enter_context(Models(config.state_dir, config.embed_threads))
            if (
                followed.state / CACHE_FILE
            ).exists():  # a workspace of a daemon, which keeps its vectors to itself
                models = stack.enter_context(models.beside(followed.state))
        with _uncollected():
            if followed.replica is not None:
                shared = _open_shared(followed, models, words_first=words_first)
                index: Engine = shared
                stack.callback(index.close)
                stack.callback(followed.replica.leave)
                followed.replica.join(shared)
            else:
                index = _open_engine(followed, models, words_first=words_first, is_beside=is_beside)
                stack.callback(index.close)
                # In one go: a change that comes between the two would be in neither.
                with reconciler.lock:
                    reconciler.tail = index.apply
                    index.catch_up(followed.catalog, followed.read_note, progress)
                index.start()
        read = functools.partial(find_note, followed.catalog, followed.read)
        feedback = FeedbackPrior(followed.events.find_index) if config.search.feedback else None
        waited = SECONDS if config.search.second_look else 0.0
        searcher = Searcher(index, followed.vault.clock, read, models.reranker, feedback, waited)
        yield Recall(searcher, index, functools.partial(_open_index, config.model, models))


def _open_engine(
    followed: FollowedVault, models: Models, *, words_first: bool, is_beside: bool = False
) -> Engine:
    config = followed.config
    if is_database(config.index):
        return _open_shared(followed, models, words_first=words_first, is_beside=is_beside)
    from helix.index.local_engine import LocalEngine

    kept = (models.cache, config.model, models.find)
    guard, erasures = followed.reconciler.lock, None if is_beside else followed.erasures
    return LocalEngine(followed.state, *kept, guard=guard, erasures=erasures, words_first=words_first)


def schema_in(index: str, vault_id: str) -> str:
    """Where the database has the vault of this id; without one, the only vault that it has. Raises ConfigError."""
    try:
        from helix.index.postgres.database import find_vaults
    except ModuleNotFoundError as error:
        raise ConfigError(_missing(error)) from error
    known = find_vaults(index)
    if not vault_id and len(known) == 1:
        return next(iter(known.values()))
    if vault_id in known:
        return known[vault_id]
    listed = ", ".join(known) or "none yet: start a daemon that follows one, with the same `index`"
    raise ConfigError(f"say with --vault-id which vault is read; the database has {listed}")


def _missing(error: ModuleNotFoundError) -> str:
    return f"index names a database, and {error.name} is not installed: pip install 'helix-memory[postgres]'"


def _open_shared(
    followed: FollowedVault, models: Models, *, words_first: bool, is_beside: bool = False
) -> PostgresEngine:
    """That of a database, which other daemons may use as well."""
    try:
        from helix.index.postgres.engine import PostgresEngine, schema_of
    except ModuleNotFoundError as error:
        raise ConfigError(_missing(error)) from error
    config, replica = followed.config, followed.replica
    kept = (models.cache, config.model, models.find)
    if replica is not None:
        return PostgresEngine(
            *(config.index, replica.schema, *kept),
            words_first=words_first,
            reads_only=True,
            on_news=replica.take_in,
        )
    # By the vault alone: whichever machine keeps it finds what another one made.
    name = read_identity(config.vault) or followed.state.name
    return PostgresEngine(
        *(config.index, schema_of(name), *kept),
        guard=followed.reconciler.lock,
        erasures=None if is_beside else followed.erasures,
        words_first=words_first,
        name=name,
        station=followed.station,
        before_turn=followed.look_at_everything,
        shares={name: ChangedFile(path).read for name, path in followed.shared_files().items()},
    )


@contextmanager
def _uncollected() -> Iterator[None]:
    """What is loaded here stays: modules, and the facts of every memory. The collector would look at all of it again
    and again meanwhile, which takes as long as the rest, and later in the middle of somebody's search."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def _open_index(choice: str, models: Models, folder: Path) -> Engine:
    from helix.index.local_engine import LocalEngine

    return LocalEngine(folder, models.cache, choice, models.find)


class RecallSoon:
    """Search that gets ready on a thread of its own: by words first, then by meaning, whose model and libraries take
    seconds to load."""

    def __init__(
        self,
        followed: FollowedVault,
        models: Models | None = None,
        *,
        somebody_waits: Callable[[], bool] = lambda: False,
    ) -> None:
        """`somebody_waits` for something that this process loads at the moment, beside search: two that load share
        one interpreter, and the model can come second."""
        self._followed = followed
        self._somebody_waits = somebody_waits
        self._models = models
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

    def find(self) -> Engine | None:
        """What is searched, when that is open."""
        opened = self._opened
        return None if opened is None else opened.index

    def is_settled(self) -> bool:
        """Whether `get` answers at once, be it with search or with why there is none."""
        return self._settled.is_set()

    def health(self) -> IndexHealth | None:
        # Once: it is closed on another thread.
        opened = self._opened
        return None if opened is None else opened.index.health()

    def dimensions(self) -> int | None:
        """Of the vectors that search compares, when it compares some."""
        health = self.health()
        return None if health is None else health.dimensions

    def rebuild(self) -> None:
        """Make the index again from the notes; the one that is there serves meanwhile."""
        if self._opened is not None:
            self._opened.index.rebuild()

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                with open_recall(self._followed, models=self._models, words_first=True) as self._opened:
                    self.failure = ""
                    self._settled.set()
                    self._attach(self._opened.index)
                    self._closing.wait()
            except (HelixError, OSError, ImportError) as error:
                log.exception("search cannot start; trying again")
                self.failure = f"search cannot start: {error}"
                self._settled.set()
                self._closing.wait(_RETRY)
            finally:
                self._opened = None

    def _attach(self, index: Engine) -> None:
        until = time.monotonic() + _LET_PASS
        while self._somebody_waits() and time.monotonic() < until and not self._closing.wait(_LOOK_AGAIN):
            pass
        while not self._closing.is_set():
            try:
                with _uncollected():
                    index.attach()
                break
            except (HelixError, OSError, ImportError):
                log.exception("search by meaning cannot start; trying again")
                self._closing.wait(_RETRY)
