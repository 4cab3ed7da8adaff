"""A vault with its catalog, and strands going out of it and into it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from helix.config import FollowConfig
from helix.follow.reconcile import Reconciler
from helix.index.catalog import Catalog
from helix.memory.portability.export_archive import export_strand
from helix.memory.portability.export_manifest import Selection
from helix.memory.portability.import_ids import Wishes
from helix.memory.portability.import_records import Importer
from helix.memory.writing.vault_store import VaultStore
from helix.vault.ancestry import Ancestry
from helix.vault.note import Note
from helix.vault.paths import TEMP_PREFIX, Root
from helix.vault.vault import Vault

FIXTURES = Path(__file__).parent / "fixtures"
NOW = datetime(2026, 6, 18, 9, 0, tzinfo=UTC)


class Place:
    """One machine's vault. Its clock stands still until the test moves it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "vault"
        self.root.mkdir(parents=True)
        self.folder = folder
        self.now = NOW
        state = folder / "state"
        self.vault = Vault(Root(self.root), Ancestry(state / "ancestry.db"), clock=lambda: self.now)
        self.catalog = Catalog(state / "catalog.db")
        self.reconciler = Reconciler(self.vault, self.catalog, FollowConfig(), pause=lambda _: None)
        self.memories = VaultStore(self.vault, self.catalog, self.took)
        self.importer = Importer(self.vault, self.catalog, self.took)

    def took(self, paths: Sequence[str] | None = None) -> str | None:
        self.reconciler.reconcile(paths, settled=True)
        return None

    def close(self) -> None:
        self.catalog.close()
        self.vault.ancestry.close()
        self.vault.root.close()

    def write(self, path: str, data: bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def files(self) -> dict[str, bytes]:
        return {
            file.relative_to(self.root).as_posix(): file.read_bytes()
            for file in sorted(self.root.rglob("*"))
            if file.is_file() and not file.name.startswith(TEMP_PREFIX)
        }

    def export(self, **selection: Any) -> bytes:
        target = io.BytesIO()
        export_strand(self.vault, self.catalog, target, Selection(**selection), embedder="bundled")
        return target.getvalue()

    def bring(
        self,
        source: bytes | Path,
        *,
        form: str = "auto",
        rehearse: bool = False,
        allow_secrets: bool = False,
        **wishes: Any,
    ) -> Any:
        if isinstance(source, bytes):
            file = self.folder / "incoming.strand"
            file.write_bytes(source)
            source = file
        report = self.importer.run(
            source, form=form, wishes=Wishes(**wishes), rehearse=rehearse, allow_secrets=allow_secrets
        )
        return report.to_dict()

    def notes(self) -> dict[str, Note]:
        """By title."""
        notes = [self.vault.read(row.path) for row in self.catalog.memories(include_hidden=True)]
        return {note.memory.title: note for note in notes}


def outcome(said: dict[str, Any]) -> tuple[int, int, int, int]:
    return said["made"], said["updated"], said["merged"], said["unchanged"]
