"""The sources of one vault: connected, looked at, followed, purged. Long-lived, and opened when somebody asks."""

from __future__ import annotations

import logging
import secrets
import shutil
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from helix.code_graph.graph_store import CodeGraph, graph_file
from helix.code_graph.parse import is_installed
from helix.errors import BadValue, ExtraMissing, StateUnwritable
from helix.sources.follower import SourceFollower
from helix.sources.registry import SourceRegistry
from helix.sources.source import SourceFolder
from helix.sources.source_index import Counts, SourceIndex, index_file
from helix.sources.take_in import Look
from helix.state.permissions import make_folder
from helix.vault.times import format_time

log = logging.getLogger(__name__)

FOLDER = "sources"
_REGISTRY_FILE = "sources.db"
State = Literal["waiting", "indexing", "ready", "unreachable"]


class Health(NamedTuple):
    state: State
    counts: Counts
    done: int
    total: int
    commit: str | None
    looked: str | None
    """when everything was looked at last"""
    trouble: str | None
    problems: Sequence[tuple[str, str]]
    problem_count: int
    about: dict[str, str | None]


class _Open:
    """One source that is open."""

    def __init__(self, source: SourceFolder, folder: Path) -> None:
        make_folder(folder)
        self.source = source
        self.index = SourceIndex(index_file(folder))
        self.graph = CodeGraph(graph_file(folder)) if is_installed() else None
        """None where the extra `code` is not installed"""
        self.looking = threading.RLock()
        """one look at a time"""
        self.done, self.total = 0, 0
        self.is_waiting = False
        """a look at everything is asked for"""
        self.is_indexing = False
        self.is_purged = False
        self.trouble: str | None = None

    def close(self) -> None:
        self.index.close()
        if self.graph is not None:
            self.graph.close()


class Sources:
    def __init__(
        self, state: Path, forbidden: Sequence[Path], now: Callable[[], datetime], *, is_served: bool
    ) -> None:
        """`forbidden` are folders of Helix itself; with `is_served` sources are followed, as in a daemon."""
        self._state = state
        self._forbidden = forbidden
        self._now = now
        self._registry: SourceRegistry | None = None
        self._open: dict[str, _Open] = {}
        self._lock = threading.RLock()
        self._follower: SourceFollower | None = None
        self._is_served = is_served
        self._is_leaving = threading.Event()

    # What there is

    def all(self) -> list[SourceFolder]:
        registry = self._find_registry()
        return [] if registry is None else registry.sources()

    def health(self, source: SourceFolder, problems: int = 20) -> Health:
        opened = self._opened(source)
        about = opened.index.about()
        named, count = opened.index.problems(problems)
        count += int(about.get("more_problems") or 0)
        state: State = "ready" if about.get("looked") else "waiting"
        if opened.is_waiting or opened.is_indexing:
            state = "indexing"
        elif opened.trouble is not None or not source.folder.is_dir():
            state = "unreachable"
        return Health(
            state, opened.index.counts(), opened.done, opened.total, about.get("commit"), about.get("looked"),
            opened.trouble, named, count, about,
        )  # fmt: skip

    def index(self, source: SourceFolder) -> SourceIndex:
        return self._opened(source).index

    def graph(self, source: SourceFolder) -> CodeGraph:
        graph = self._opened(source).graph
        if graph is None:
            raise ExtraMissing("code is parsed with the extra `code`: pip install 'helix-memory[code]'")
        return graph

    # Changing what there is

    def connect(self, source: SourceFolder) -> None:
        self._refuse_own(source.folder)
        with self._lock:
            self._get_registry().add(source)
        self.look_soon(source)

    def new_id(self) -> str:
        return f"src_{secrets.token_hex(4)}"

    def now(self) -> str:
        return format_time(self._now())

    def purge(self, source: SourceFolder) -> None:
        """Everything that is known of it; its folder is not touched."""
        with self._lock:
            opened = self._open.pop(source.id, None)
        if self._follower is not None:
            self._follower.leave(source)
        if opened is not None:
            opened.is_purged = True
            with opened.looking:
                opened.close()
        self._get_registry().remove(source.id)
        shutil.rmtree(self._folder_of(source), ignore_errors=True)
        if self._folder_of(source).exists():
            raise StateUnwritable(f"{self._folder_of(source)} cannot be removed; remove it by hand")

    def look_soon(self, source: SourceFolder, *, anew: bool = False) -> None:
        """In the daemon aside of who asks, in a command at once."""
        opened = self._opened(source)
        opened.is_waiting = True
        if anew:
            opened.index.clear()
            if opened.graph is not None:
                opened.graph.clear()
        if self._is_served:
            self._follow().add(source)
        else:
            self.look(source)

    def catch_up(self, sources: Sequence[SourceFolder]) -> None:
        """Before a command asks: nobody has followed them since the last one."""
        if not self._is_served:
            for source in sources:
                self.look(source)

    def look(self, source: SourceFolder, paths: set[str] | None = None) -> None:
        """At these paths, or at everything."""
        opened = self._opened(source)
        with opened.looking:
            if opened.is_purged:
                return
            self._look(opened, paths)

    def _look(self, opened: _Open, paths: set[str] | None) -> None:
        def progress(done: int, total: int) -> None:
            opened.done, opened.total = done, total

        look = Look(
            opened.source.folder, opened.index, opened.graph,
            lambda: self._is_leaving.is_set() or opened.is_purged, progress,
        )  # fmt: skip
        try:
            if paths is None or not look.at(paths):
                opened.is_indexing, opened.is_waiting = True, False
                look.at_everything()
                if not self._is_leaving.is_set() and not opened.is_purged:
                    opened.index.say(looked=self.now())
            opened.trouble = None
        except OSError as error:
            opened.trouble = f"{opened.source.folder} cannot be listed: {error.strerror or error}"
        except StateUnwritable as error:
            opened.trouble = error.message
        finally:
            opened.is_indexing = False

    # Following

    def serve(self) -> None:
        """Again and again: what is connected is followed from now on."""
        if self._find_registry() is None:
            return
        for source in self.reopen_deleted():
            self._follow().add(source)
        for source in self.all():
            self._follow().add(source, only_new=True)

    def reopen_deleted(self) -> list[SourceFolder]:
        """Somebody may have deleted what is open here: those of which all has to be read again."""
        with self._lock:
            if self._registry is not None:
                self._registry.reopen_if_deleted()
            deleted = [
                opened
                for opened in self._open.values()
                if not index_file(self._folder_of(opened.source)).exists()
            ]
        for opened in deleted:
            with opened.looking:
                if not opened.is_purged:
                    opened.index.reopen_if_deleted()
                    if opened.graph is not None:
                        opened.graph.reopen_if_deleted()
        return [opened.source for opened in deleted]

    def stop(self) -> None:
        self._is_leaving.set()
        with self._lock:
            follower = self._follower
        if follower is not None:
            follower.stop()

    def close(self) -> None:
        self.stop()
        with self._lock:
            for opened in self._open.values():
                with opened.looking:
                    opened.close()
            self._open.clear()
            if self._registry is not None:
                self._registry.close()
                self._registry = None

    def _follow(self) -> SourceFollower:
        with self._lock:
            if self._follower is None:
                self._follower = SourceFollower(self.look)
                if not self._is_leaving.is_set():
                    self._follower.start()
            return self._follower

    def _refuse_own(self, folder: Path) -> None:
        for own in self._forbidden:
            if folder.is_relative_to(own) or own.is_relative_to(folder):
                raise BadValue(
                    f"{folder} and {own}, which is Helix's own, lie in one another; connect another folder"
                )

    def _folder_of(self, source: SourceFolder) -> Path:
        return self._state / FOLDER / source.id

    def _opened(self, source: SourceFolder) -> _Open:
        with self._lock:
            if source.id not in self._open:
                self._open[source.id] = _Open(source, self._folder_of(source))
            return self._open[source.id]

    def _find_registry(self) -> SourceRegistry | None:
        if self._registry is None and not (self._state / _REGISTRY_FILE).exists():
            return None
        return self._get_registry()

    def _get_registry(self) -> SourceRegistry:
        with self._lock:
            if self._registry is None:
                self._registry = SourceRegistry(self._state / _REGISTRY_FILE)
            return self._registry
