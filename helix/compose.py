"""The one wiring place: settings in, what they describe out, closed again in the right order."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from helix.config import Config, GitConfig, is_database
from helix.errors import StateUnwritable, StorageError, VaultLocked, VaultMissing
from helix.follow.lock import FollowLock
from helix.index.catalog import CATALOG_FILE, Catalog
from helix.memory.followed_vault import FollowedVault
from helix.memory.principal import Visibility
from helix.memory.search_engine import Recall, open_recall
from helix.state.database import why_disk_refuses
from helix.state.permissions import make_folder
from helix.vault.ancestry import Ancestry
from helix.vault.erasures import INDEX
from helix.vault.paths import Root
from helix.vault.vault import Vault
from helix.vault.vault_id import state_folder

if TYPE_CHECKING:
    from helix.memory.workspace import Workspace

# How long a command, or a daemon that starts, waits for another command to be done with the vault.
_COMMAND_PATIENCE = 30.0


@contextmanager
def open_vault(
    config: Config, *, must_follow: bool = False, patience: float = _COMMAND_PATIENCE
) -> Iterator[FollowedVault]:
    """Open the configured vault. With `must_follow` a vault that a daemon follows already is an error; `patience` is
    how many seconds a command that is at work in it is waited for."""
    if not config.vault.is_dir():
        raise VaultMissing(f"there is no vault at {config.vault}; `helix init` makes one")
    state = state_folder(config.state_dir, config.vault)
    with ExitStack() as stack:
        lock = FollowLock(state)
        with _state_errors(state):
            make_folder(state)  # it holds the texts of memories
            try:
                lock.acquire(briefly=not must_follow, patience=patience)
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
        followed = FollowedVault(config, vault, catalog, lock, follows)
        stack.callback(followed.events.close)
        yield followed
        if not must_follow:
            _purge(followed)


@contextmanager
def open_replica(config: Config, vault_id: str) -> Iterator[FollowedVault]:
    """What the database of `index` has of a vault, for a daemon without its folder. What is kept of it here (cursors,
    the audit of a team, a copy of the catalog) is in a state folder of this daemon's own."""
    from helix.memory.replica import Replica
    from helix.memory.search_engine import schema_in

    schema = schema_in(config.index, vault_id)
    place = config.state_dir / "readers" / f"{schema}-{config.port}"
    nothing, shared = place / "nothing", place / "shared"
    # Nothing is ever written there: a vault without a file stands for the one that is elsewhere.
    own = replace(
        config,
        vault=nothing,
        config_dir=shared,
        state_dir=place,
        git=GitConfig(),
        consolidate=replace(config.consolidate, enabled=False),
        sessions=replace(config.sessions, keep="off"),
    )
    with ExitStack() as stack:
        with _state_errors(config.state_dir):
            for folder in (nothing, shared):
                make_folder(folder)
            state = state_folder(place, nothing)
            make_folder(state)
            lock = FollowLock(state)
            lock.acquire()
            stack.callback(lock.release)
            (state / CATALOG_FILE).unlink(missing_ok=True)  # a copy, which is read anew with every start
            root = Root(nothing)
            stack.callback(root.close)
            ancestry = Ancestry(state / "ancestry.db")
            stack.callback(ancestry.close)
            catalog = Catalog(state / CATALOG_FILE)
            stack.callback(catalog.close)
        vault = Vault(root, ancestry, max_note_bytes=config.max_note_bytes)
        followed = FollowedVault(own, vault, catalog, lock, follows=False, replica=Replica(schema, shared))
        stack.callback(followed.events.close)
        yield followed


@contextmanager
def open_workspace(
    followed: FollowedVault, recall: Callable[[], Recall], visibility: Visibility | None = None
) -> Iterator[Workspace]:
    """A vault with everything that requests need. `recall` waits for search, or raises IndexNotReady; `visibility`
    says what each principal sees; without it the memories say it themselves."""
    # Here and not above: most commands need none of it.
    from helix.knowledge.runners import RUNNERS
    from helix.memory.principal import LOCAL
    from helix.memory.workspace import Workspace

    with _state_errors(followed.state):
        workspace = Workspace(followed, recall, visibility)
    for kind, function in RUNNERS.items():
        workspace.jobs.runs(kind, function, functools.partial(workspace.request, LOCAL))
    with workspace.opened():
        yield workspace


def _purge(followed: FollowedVault) -> None:
    """What a command erased, or found to be erased, leaves the files of the index too. A daemon does that by itself."""
    if not followed.follows or followed.erasures.is_clean(INDEX):
        return
    from helix.index.local_engine import has_files

    if is_database(followed.config.index) or has_files(followed.state):
        with open_recall(followed) as recall:
            recall.index.tend(tidy=False)


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
