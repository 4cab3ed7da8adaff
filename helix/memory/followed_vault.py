"""A vault and its catalog, opened by one process: which either follows the vault itself, or waits for who does."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from helix.config import Config
from helix.errors import HelixError, IndexNotReady, StateUnwritable
from helix.follow.follower import Follower
from helix.follow.group_commit import GroupCommit
from helix.follow.lane import Progress
from helix.follow.lock import FollowLock
from helix.follow.log_lane import LogLane
from helix.follow.mend import Mender
from helix.follow.note_lane import Committed
from helix.follow.reconcile import Reconciler
from helix.index.catalog import Catalog
from helix.index.station import Station
from helix.memory.active_projects import ACTIVE_FILE
from helix.memory.erasure import ASSETS, NOTES, open_erasures
from helix.memory.event_log import EventLog
from helix.memory.reading.memory_versions import GitVersions
from helix.memory.reading.note_cache import NoteCache
from helix.memory.replica import Replica
from helix.memory.shared_files import CREDENTIALS
from helix.memory.writing.vault_store import VaultStore
from helix.state.database import StateDatabase, say_trouble, why_disk_refuses
from helix.vault.asset_files import AssetFiles
from helix.vault.autocommit import AutoCommit
from helix.vault.checkouts import Checkouts
from helix.vault.commit_consent import CommitConsent
from helix.vault.erasures import Erasures
from helix.vault.history import History
from helix.vault.note import Note
from helix.vault.vault import Vault
from helix.vault.vault_id import state_folder

# How long a command waits for the daemon to take in what the command wrote.
_DAEMON_PATIENCE = 3.0


@dataclass
class FollowedVault:
    config: Config
    vault: Vault
    catalog: Catalog
    lock: FollowLock
    follows: bool
    """whether this process keeps the catalog; otherwise a daemon does and this process only asks and waits"""
    replica: Replica | None = None
    """of a daemon without a folder: where its memories come from"""
    station: Station = field(default_factory=Station)
    """where other daemons over the same index ask this one"""
    state: Path = field(init=False)
    """the folder of what is derived from this vault"""
    databases: list[StateDatabase] = field(init=False)
    """the files of the state folder that are opened anew when somebody deletes them"""
    reconciler: Reconciler = field(init=False)
    mender: Mender = field(init=False)
    erasures: Erasures = field(init=False)
    """what every store is told when a memory was erased"""
    notes: NoteCache = field(init=False)
    """the notes of the folder"""
    read: Callable[[str], Note] = field(init=False)
    """how answers read the notes they show"""
    store: VaultStore = field(init=False)
    versions: GitVersions = field(init=False)
    assets: AssetFiles = field(init=False)
    events: EventLog = field(init=False)
    """the logs of sessions"""

    def __post_init__(self) -> None:
        self.state = state_folder(self.config.state_dir, self.config.vault)
        self.databases = [self.vault.ancestry, self.catalog]
        self.catalog.is_ours = self.follows or self.replica is not None
        if self.replica is not None:
            self.replica.fill(self.catalog)
        keep = self.config.sessions.keep
        self.events = EventLog(self.vault.root, self.state, keep, self.databases, self._project_at)
        logs = LogLane(
            self.events.find_index, self.events.index, self.events.settle_erasures, self.events.is_archived
        )
        self.reconciler = Reconciler(
            self.vault,
            self.catalog,
            self.config.follow,
            lanes=[logs] if self.events.is_followed else [],
            renew=self._renew,
        )
        self.erasures = open_erasures(self.state, self.config.state_dir, self.vault.ancestry, self.catalog)
        self.notes = NoteCache(self.vault)
        self.read = self.notes.read if self.replica is None else self.replica.notes.read
        self.erasures.register(NOTES, self.notes.erase)
        self.assets = AssetFiles(self.vault.root)
        self.erasures.register(ASSETS, self.assets.erase)
        # For the daemon, a command that takes an erasure in, and whatever the one before it left to do. After what
        # a workspace puts before it: first what happened is told, then the stores are cleaned.
        self.reconciler.on_commit.append(lambda _: self.erasures.settle())
        self.reconciler.on_scan.append(self.erasures.settle)
        self.mender = Mender(self.reconciler, checkouts=Checkouts(self.config.vault))
        self._group = GroupCommit(self._take_in_here)
        self.store = VaultStore(self.vault, self.catalog, self.take_in)
        self.versions = GitVersions(self.vault, self.catalog)

    def catch_up(self, progress: Progress | None = None) -> None:
        """Bring the catalog up to the disk, when that is this process' job."""
        if self.follows:
            report = self.reconciler.reconcile(progress=progress)
            self.mender.sweep(report.temporary)
            if (due := self.reconciler.next_vanish()) is not None:
                # A daemon would look again later; a command has to wait for the second look.
                time.sleep(max(0.0, due - time.monotonic()))
                self.reconciler.reconcile()

    def take_in(self, paths: Sequence[str]) -> str | None:
        """Make the catalog follow files that were just written; says why it cannot, if so."""
        return self._group.take_in(paths) if self.follows else self._wait_for_daemon(paths)

    @property
    def state_trouble(self) -> str | None:
        """Why the state folder cannot be written, what is not kept meanwhile, and what to do; None when it can."""
        return say_trouble(self.state, self.databases)

    def may_catch_up(self) -> bool:
        """Whether something could not be written, and could be now."""
        return any(one.trouble for one in self.databases) and why_disk_refuses(self.state) is None

    def look_at_everything(self) -> None:
        """Before this daemon takes changes in the place of another one: what that one acknowledged is in the files."""
        self.reconciler.reconcile()

    def shared_files(self) -> dict[str, Path]:
        """What daemons without a folder need to let people in, and to know where they stand."""
        return {
            CREDENTIALS: self.config.config_dir / CREDENTIALS,
            ACTIVE_FILE: self.state / ACTIVE_FILE,
        }

    def read_note(self, path: str) -> Note | None:
        try:
            return self.vault.read_leniently(path)
        except (FileNotFoundError, HelixError):
            return None

    def on_change(self, tell: Callable[[], None]) -> None:
        """`tell` is called whenever memories have changed, on the thread that took them in: it should be quick."""

        def committed(batch: Committed) -> None:
            if batch.changes:
                tell()

        self.reconciler.on_commit.append(committed)
        if self.replica is not None:
            self.replica.on_change.append(tell)

    def follower(self) -> Follower:
        settings = self.config.git
        history = History.find(Path(self.vault.root.path)) if settings.autocommit else None
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

    def _project_at(self, folder: str) -> str | None:
        from helix_mcp.project import find_project

        return find_project(folder, str(self.config.config_dir)).name or None

    def _renew(self) -> None:
        """At every full scan: somebody may have deleted what is open here."""
        self.lock.renew()
        for database in self.databases:
            database.reopen_if_deleted()
            database.write_again()

    def _take_in_here(self, paths: Sequence[str]) -> str | None:
        index_trouble = None
        # The files are safe; the follower looks at them again.
        with suppress(StateUnwritable):
            try:
                self.reconciler.reconcile(paths, settled=True)
            except IndexNotReady as error:  # an index that is far away
                index_trouble = error.message
        self.mender.look_for_leftovers({path.rpartition("/")[0] for path in paths})
        trouble = self.state_trouble or index_trouble
        return None if trouble is None else f"safe on disk, but {trouble}"

    def _wait_for_daemon(self, paths: Sequence[str]) -> str | None:
        """The daemon sees the files as it sees any edit; a bounded wait lets the next command find them."""
        deadline = time.monotonic() + _DAEMON_PATIENCE
        for path in paths:
            while not self._is_taken_in(path):
                if time.monotonic() > deadline:
                    return (
                        "safe on disk, but the daemon has not taken it in yet; `helix status` says how it is"
                    )
                time.sleep(0.02)
        return None

    def _is_taken_in(self, path: str) -> bool:
        row = self.catalog.at(path)
        try:
            return row is not None and row.hash == self.vault.read_leniently(path).hash
        except FileNotFoundError:
            return row is None
