"""One computer of several that share a vault: its folder, its daemon, and the state that the daemon keeps."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from helix.config import FollowConfig
from helix.follow.mend import Mender
from helix.follow.reconcile import Reconciler
from helix.index.catalog import Catalog
from helix.memory.writing.vault_store import VaultStore
from helix.vault.ancestry import Ancestry
from helix.vault.files import Outcome, Write
from helix.vault.note import Note
from helix.vault.paths import Root
from helix.vault.vault import Vault
from tests.flows.cloud import Client, Cloud

_EPOCH = datetime(2026, 9, 25, 12, tzinfo=UTC)


class Crash(BaseException):
    """The process is gone. Not an Exception, so that nothing in the product can catch it."""


class Machine:
    def __init__(
        self, name: str, place: Path, cloud: Cloud, rng: Random, seconds: Callable[[], float]
    ) -> None:
        self.name = name
        self.folder = place / name / "vault"
        self.folder.mkdir(parents=True)
        self.client = Client(cloud, name, self.folder)
        self.has_lost_state = False
        self.crash_after: int | None = None
        """how many further writes succeed before the machine crashes"""
        self._state = place / name / "state"
        self._rng = rng
        self._seconds = seconds
        self._skew = timedelta(seconds=rng.uniform(-3600, 3600))
        self.start()

    def start(self) -> None:
        self._root = Root(self.folder)
        self._ancestry = Ancestry(self._state / "ancestry.db")
        self.catalog = Catalog(self._state / "catalog.db")
        self.vault = Vault(self._root, self._ancestry, clock=self._clock)
        self._commit = self.vault.files.commit
        self.vault.files.commit = self._commit_or_crash  # type: ignore[method-assign]
        self._reconciler = Reconciler(
            self.vault,
            self.catalog,
            FollowConfig(),
            monotonic=self._seconds,
            pause=lambda _: self.client.finish_writing(),
        )
        self._mender = Mender(
            self._reconciler, monotonic=self._seconds, wall=lambda: time.time() + self._seconds()
        )
        self.memories = VaultStore(self.vault, self.catalog, self._take_in)

    def stop(self) -> None:
        self.crash_after = None
        self.catalog.close()
        self._ancestry.close()
        self._root.close()

    def restart(self, *, lose_state: bool = False) -> None:
        self.stop()
        if lose_state:
            shutil.rmtree(self._state)
            self.has_lost_state = True
        self.start()

    def follow(self) -> None:
        """One round of the daemon, as its thread makes it."""
        report = self._reconciler.reconcile()
        self._mender.look_for_leftovers(report.temporary)
        self._mender.mend()
        self.client.finish_writing()

    def _take_in(self, paths: Sequence[str]) -> None:
        """What follows a write by an agent before the agent gets its answer."""
        self._reconciler.reconcile(paths, settled=True)
        self._mender.look_for_leftovers({path.rpartition("/")[0] for path in paths})

    def notes(self) -> list[Note]:
        """Every file that holds a memory, copies included, stubs not."""
        notes = [Note.parse(path, data) for path, data in self.client.files().items()]
        return [note for note in notes if not note.is_stub]

    def _clock(self) -> datetime:
        return _EPOCH + self._skew + timedelta(seconds=self._seconds())

    def _commit_or_crash(self, writes: Sequence[Write]) -> list[Outcome]:
        if self.crash_after is None:
            return self._commit(writes)
        kept = list(writes[: self.crash_after])
        self.crash_after -= len(kept)
        outcomes = self._commit(kept)
        if len(kept) < len(writes) or (self.crash_after == 0 and self._rng.random() < 0.5):
            raise Crash
        return outcomes
