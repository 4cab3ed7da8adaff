"""What must go when a memory is erased: every store that keeps anything of memories registers here.

That a memory was erased stands in a ledger (`ancestry`), whoever erased it, and so does how far each store has come.
The process that follows the vault cleans the stores as soon as it has taken an erasure in. What it cannot clean at that
moment, because it was killed, the disk is full or another program reads the file, is cleaned with the next change, the
next scan or the next start.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from helix.errors import HelixError
from helix.state.database import DAMAGED
from helix.vault.ancestry import Ancestry

log = logging.getLogger(__name__)

Erase = Callable[[Sequence[str]], bool]
"""removes everything that a store keeps of these memories, however often it is asked; False when that must wait"""

INDEX = "index"
"""the one store that cleans itself, in the background: its files are made anew"""
BROKEN = ".broken"
_ASIDE = "what was set aside"


class Erasures:
    def __init__(
        self, ledger: Ancestry, lives: Callable[[str], bool] = lambda _: False, folders: Sequence[Path] = ()
    ) -> None:
        """`lives` knows the ids that name something else by now: a note without an id is named after its path.

        `folders` are those in which damaged files are set aside.
        """
        self._ledger = ledger
        self._lives = lives
        self._folders = folders
        self._stores: dict[str, Erase] = {}
        self._settled: object = None

    def register(self, store: str, erase: Erase) -> None:
        self._stores[store] = erase

    @contextmanager
    def replaced(self, store: str, erase: Erase) -> Iterator[None]:
        """For as long as this process has the store open itself."""
        before = self._stores[store]
        self._stores[store] = erase
        try:
            yield
        finally:
            self._stores[store] = before

    def settle(self) -> None:
        """Clean every store that is behind the ledger. For the process that follows the vault, under its lock."""
        version = self._ledger.ledger_version()
        if version == self._settled:
            return
        clean = [self.clean(store, erase) for store, erase in self._stores.items()]
        # Last, and until all others are clean: one of them may just have been set aside.
        if self.clean(_ASIDE, lambda _: discard_set_aside(*self._folders) and all(clean)):
            self._settled = version

    def clean(self, store: str, erase: Erase) -> bool:
        """Whether nothing of an erased memory is left in a store."""
        upto, memory_ids = self._ledger.unclean(store)
        if not memory_ids:
            return True
        try:
            is_clean = erase([one for one in memory_ids if not self._lives(one)])
            if is_clean:
                self._ledger.mark_clean(store, upto)
        except (OSError, sqlite3.Error, HelixError) as error:
            log.warning(
                "%s cannot be cleaned of what was erased; trying again: %s", store, type(error).__name__
            )
            return False
        return is_clean

    def is_clean(self, store: str) -> bool:
        return not self._ledger.unclean(store)[1]


def discard_set_aside(*folders: Path) -> bool:
    """Nobody can look into a damaged file for what was erased: it goes as a whole."""
    found = [path for folder in folders for end in (DAMAGED, BROKEN) for path in folder.glob(f"*{end}*")]
    for path in found:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return True
