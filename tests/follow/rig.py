"""A vault that is followed without threads: real files, real databases, and a clock that the test moves."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from helix.config import FollowConfig
from helix.follow.lane import FollowReport, Lane
from helix.follow.mend import Mender
from helix.follow.reconcile import Reconciler
from helix.index.catalog import Catalog, Row
from helix.memory.writing.vault_store import VaultStore
from helix.vault.ancestry import Ancestry
from helix.vault.diff import Change
from helix.vault.paths import Root
from helix.vault.problem import Problem
from helix.vault.vault import Vault

START = datetime(2026, 6, 18, 9, 0, tzinfo=UTC)


class Crash(Exception):
    """The process ended here."""


class Index:
    """What an index behind the catalog knows, told by changes alone. It outlives the process, as files do."""

    def __init__(self) -> None:
        self.memories: dict[str, tuple[str, str]] = {}
        self.crash_before = self.crash_after = False

    def take(self, changes: Sequence[Change]) -> None:
        if self.crash_before:
            self.crash_before = False
            raise Crash
        for change in changes:
            if change.note is None:
                self.memories.pop(change.memory_id, None)
            else:
                assert (change.note.id, change.note.path) == (change.memory_id, change.path)
                self.memories[change.memory_id] = (change.path, change.note.hash)
        if self.crash_after:
            self.crash_after = False
            raise Crash


def in_catalog(catalog: Catalog) -> dict[str, tuple[str, str]]:
    """What an index must know when the catalog is as it is."""
    return {row.id: (row.path, row.hash) for row in catalog.memories(include_hidden=True)}


class Rig:
    lanes: Sequence[Lane] = ()
    """what is followed beside the notes"""

    def __init__(self, place: Path, config: FollowConfig | None = None) -> None:
        self.folder = place / "vault"
        self.state = place / "state"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.config = config or FollowConfig()
        self.index = Index()
        self.elapsed = 0.0
        self.pauses = 0
        self.during_pause: Callable[[], object] = lambda: None
        self.open()

    def open(self) -> None:
        self.root = Root(self.folder)
        self.ancestry = Ancestry(self.state / "ancestry.db")
        self.catalog = Catalog(self.state / "catalog.db")
        self.vault = Vault(self.root, self.ancestry, clock=self.clock, pause=lambda _: None)
        self.reconciler = self.reconciler_of(self.catalog, self.index)
        self.mender = self.mender_of(self.reconciler)
        self.memories = VaultStore(self.vault, self.catalog, self._take_in)

    def close(self) -> None:
        self.catalog.close()
        self.ancestry.close()
        self.root.close()

    def restart(self) -> None:
        self.close()
        self.open()

    def reconciler_of(self, catalog: Catalog, index: Index) -> Reconciler:
        return Reconciler(
            self.vault,
            catalog,
            self.config,
            lanes=self.lanes,
            tail=index.take,
            monotonic=self.monotonic,
            wall=self.wall,
            pause=self._pause,
        )

    def mender_of(self, reconciler: Reconciler) -> Mender:
        return Mender(reconciler, monotonic=self.monotonic, wall=self.wall)

    # Time

    def monotonic(self) -> float:
        return 1000.0 + self.elapsed

    def wall(self) -> float:
        return time.time() + self.elapsed

    def clock(self) -> datetime:
        return START + timedelta(seconds=self.elapsed)

    def advance(self, seconds: float) -> None:
        self.elapsed += seconds

    def _pause(self, seconds: float) -> None:
        """At least until the file system's clock has moved on, as a real settling time lets it."""
        self.pauses += 1
        self.during_pause()
        coarse = getattr(time, "CLOCK_REALTIME_COARSE", None)
        if coarse is None:
            time.sleep(0.02)
            return
        before = time.clock_gettime_ns(coarse)
        while time.clock_gettime_ns(coarse) == before:
            time.sleep(0.0005)

    # Files

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def read(self, path: str) -> str:
        return (self.folder / path).read_text("utf-8")

    # Following

    def follow(self, *paths: str) -> FollowReport:
        """Take in these paths, or everything."""
        report = self.reconciler.reconcile(paths or None)
        self.mender.look_for_leftovers(report.temporary)
        return report

    def mend(self, after: float = 3.0) -> None:
        """Let the mender see what there is, and come again when it is due."""
        self.mender.mend()
        self.advance(after)
        self.mender.mend()

    def settle_down(self, rounds: int = 40) -> None:
        """Until nothing changes any more, however long one waits."""
        quiet = 0
        for _ in range(rounds):
            before = self.snapshot(), self.catalog.dump()
            self.advance(65)
            self.follow()
            self.mender.mend()
            quiet = quiet + 1 if before == (self.snapshot(), self.catalog.dump()) else 0
            if quiet == 3:
                return
        raise AssertionError("the vault does not come to rest")

    def snapshot(self) -> dict[str, bytes]:
        return {
            os.path.relpath(os.path.join(folder, name), self.folder): Path(folder, name).read_bytes()
            for folder, _, names in os.walk(self.folder)
            for name in names
        }

    # What is known

    def row(self, path: str) -> Row:
        row = self.catalog.at(path)
        assert row is not None, f"{path} is not in the catalog"
        return row

    def paths(self) -> list[str]:
        return [row.path for row in self.catalog.memories(include_hidden=True)]

    def problems(self) -> dict[str, Problem]:
        return {problem.path: problem for problem in self.catalog.problems()}

    def _take_in(self, paths: Sequence[str]) -> None:
        self.reconciler.reconcile(paths, settled=True)
        self.mender.look_for_leftovers({path.rpartition("/")[0] for path in paths})


@contextmanager
def memory_folder() -> Iterator[Path]:
    """A folder in memory where there is one: thousands of small syncs cost nothing there."""
    place = "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="helix-test-", dir=place)
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def record(memory_id: str, body: str = "Some text.\n", **keys: str) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in {"id": memory_id, **keys}.items())
    return f"---\n{lines}---\n{body}"
