from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from helix.config import FollowConfig
from helix.follow.reconcile import Reconciler
from helix.index.catalog import Catalog
from helix.memory.writing.vault_store import VaultStore
from helix.vault.ancestry import Ancestry
from helix.vault.new_memory import NewMemory
from helix.vault.paths import Root
from helix.vault.vault import Vault


def test_an_erasure_stands_when_a_copy_has_just_gone_away(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    vault = Vault(Root(tmp_path / "vault"), Ancestry(tmp_path / "state" / "ancestry.db"))
    catalog = Catalog(tmp_path / "state" / "catalog.db")
    reconciler = Reconciler(vault, catalog, FollowConfig(), pause=lambda _: None)

    def take_in(paths: Sequence[str]) -> None:
        reconciler.reconcile(paths, settled=True)

    memories = VaultStore(vault, catalog, take_in)
    note = memories.add(NewMemory("text\n", "Note")).note
    copy = tmp_path / "vault" / "global" / "copy.md"
    shutil.copy(tmp_path / "vault" / note.path, copy)
    reconciler.reconcile()
    copy.rename(tmp_path / "vault" / "moved.md")  # the catalog does not know yet

    assert memories.erase(note.id).note.memory.status == "erased"
