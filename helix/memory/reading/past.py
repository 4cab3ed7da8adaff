"""The vault as it was: a commit is laid out in the state folder and read like any vault, by the same code.

So an answer about the past is the answer that a vault checked out at that commit would give. What was erased since
is not laid out: git still has it, and Helix does not hand it out again. The embedding cache makes the index cheap.
"""

from __future__ import annotations

import errno
import logging
import secrets
import shutil
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from helix.config import FollowConfig
from helix.errors import HelixError, HistoryError, StateUnwritable
from helix.follow.reconcile import Reconciler
from helix.index.catalog import Catalog
from helix.memory.reading.vault_view import ReadNote, VaultView, find_note
from helix.vault.ancestry import Ancestry
from helix.vault.history import History
from helix.vault.identity import id_in_frontmatter
from helix.vault.note import Note
from helix.vault.paths import Root, check
from helix.vault.vault import Vault

if TYPE_CHECKING:
    from helix.index.engine import Engine
    from helix.index.search import Searcher

log = logging.getLogger(__name__)

_OPEN = 3  # commits that are kept open; those on disk are the same
_EMBED_PATIENCE = 120.0
# One text under a million names is next to nothing in git.
_MOST_BYTES = 4 * 1024**3
_LEAST_PER_FILE = 4096
# A tree can hold names that no folder can: too long, or of a file and a folder at once.
_IMPOSSIBLE_NAME = frozenset(
    {errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EINVAL, errno.EILSEQ}
)

OpenIndex = Callable[[Path], "Engine"]


class Past:
    def __init__(
        self,
        folder: Path,
        find_history: Callable[[], History],
        is_erased: Callable[[str, str | None], bool],
        count_erased: Callable[[], int],
        open_index: OpenIndex,
    ) -> None:
        """`folder` is the place in the state folder; `open_index` opens an index that shares model and cache.

        `is_erased` is asked of a path and the id in the file there; `count_erased` grows with every erasure, of this
        process or another, or of another machine.
        """
        self._folder = folder
        self._history = find_history
        self._is_erased = is_erased
        self._count_erased = count_erased
        self._open_index = open_index
        self._open: OrderedDict[str, Snapshot] = OrderedDict()
        self._in_use: weakref.WeakValueDictionary[str, Snapshot] = weakref.WeakValueDictionary()
        self._known_erased: int | None = None
        self._lock = threading.Lock()
        self._sweep()  # what a process that was killed left behind

    def view(self, when: datetime | None, ref: str | None) -> VaultView:
        history = self._history()
        commit, made_at = history.commit_at(when, ref)
        with self._lock:
            erased = self._count_erased()
            if erased != self._known_erased:
                self._drop()  # what was laid out before may hold what was erased since
                self._known_erased = erased
            snapshot = self._open.pop(commit, None) or self._in_use.get(commit)
            if snapshot is None:
                # A place of its own: one that was dropped is removed only when its last reader is gone.
                place = self._folder / f"{commit}-{secrets.token_hex(4)}"
                try:
                    self._lay_out(history, commit, place)
                    snapshot = self._in_use[commit] = Snapshot(place, self._open_index)
                except BaseException:
                    # Half of it is of no use, and may be what fills the disk.
                    shutil.rmtree(place, ignore_errors=True)
                    raise
            self._open[commit] = snapshot
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)  # closed once nobody reads from it any more
            self._sweep()
        moment = when or made_at
        return VaultView(snapshot.catalog, snapshot.read, snapshot.searcher, lambda: moment, commit)

    def discard(self) -> None:
        """No copy may stay: something was erased, or nobody asks any more."""
        with self._lock:
            self._drop()

    def erase(self, memory_ids: Sequence[str]) -> bool:
        self.discard()
        return erase_past(self._folder, memory_ids)

    def close(self) -> None:
        self.discard()

    def _drop(self) -> None:
        self._open.clear()
        self._in_use.clear()
        self._sweep()

    def _lay_out(self, history: History, commit: str, place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        notes = place / "vault"
        notes.mkdir(parents=True, mode=0o700)
        written = left_out = 0
        for path, data in history.list_at(commit):
            if self._is_erased(path, id_in_frontmatter(data)):
                continue
            written += max(len(data), _LEAST_PER_FILE)
            if written > _MOST_BYTES:
                raise HistoryError(
                    f"the notes at {commit[:10]} are more than {_MOST_BYTES >> 30} GB; ask about another commit",
                    code="git-failed",
                )
            left_out += not _write(notes / check(path), data)
        if left_out:
            log.warning("%d files of a commit have names that no folder can hold, and are left out", left_out)

    def _sweep(self) -> None:
        kept = {snapshot.place for snapshot in (*self._open.values(), *self._in_use.values())}
        if self._folder.is_dir():
            for place in self._folder.iterdir():
                if place not in kept:
                    shutil.rmtree(place, ignore_errors=True)


def erase_past(folder: Path, memory_ids: Sequence[str]) -> bool:
    """What is laid out goes as a whole; it is laid out again when somebody asks."""
    if folder.is_dir():
        shutil.rmtree(folder)
    return True


class Snapshot:
    """One commit, laid out. Its files are closed when the last view of it is gone."""

    def __init__(self, place: Path, open_index: OpenIndex) -> None:
        stack = ExitStack()
        # Its index writes what it holds when it is closed, also into a folder that was removed meanwhile.
        stack.callback(shutil.rmtree, place, ignore_errors=True)
        root = Root(place / "vault")
        stack.callback(root.close)
        ancestry = Ancestry(place / "ancestry.db")
        stack.callback(ancestry.close)
        self.catalog = Catalog(place / "catalog.db")
        stack.callback(self.catalog.close)
        vault = Vault(root, ancestry)
        Reconciler(vault, self.catalog, FollowConfig()).reconcile(settled=True)
        self.read = vault.read_leniently
        self.place = place
        self._open_index = open_index
        self._searcher: Searcher | None = None
        self._lock = threading.Lock()
        self._stack = stack
        weakref.finalize(self, stack.close)

    def searcher(self) -> Searcher:
        from helix.index.search import Searcher

        with self._lock:
            if self._searcher is None:
                index = self._open_index(self.place)
                self._stack.callback(index.close)
                index.catch_up(self.catalog, partial(_read, self.read))
                index.wait_until_embedded(_EMBED_PATIENCE)
                index.tend(tidy=False)
                self._searcher = Searcher(index, _no_clock, partial(find_note, self.catalog, self.read))
            return self._searcher


def _read(read: ReadNote, path: str) -> Note | None:
    try:
        return read(path)
    except (FileNotFoundError, HelixError):
        return None


def _write(file: Path, data: bytes) -> bool:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except OSError as error:
        if error.errno not in _IMPOSSIBLE_NAME:
            raise StateUnwritable(
                f"the notes of that commit cannot be laid out in the state folder: {error.strerror or error}"
            ) from error
        return False
    return True


def _no_clock() -> datetime:
    raise AssertionError("a question about the past says when it is asked")
