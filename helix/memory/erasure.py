"""What an erasure means for the state folder: which stores keep something of memories, and what counts as erased."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path

from helix.index.catalog import Catalog
from helix.state.database import StateDatabase
from helix.vault import ids
from helix.vault.ancestry import Ancestry
from helix.vault.erasures import Erase, Erasures

PAGES, KEYS, JOURNAL, DISMISSED, PAST, MAP = "pages", "requests", "journal", "dismissed", "past", "map"
NOTES, ASSETS = "notes", "assets"
"""names of stores, as the ledger of erasures has them"""

PAGES_FILE, KEYS_FILE, JOURNAL_FILE = "pages.db", "requests.db", "journal.db"
DISMISSED_FILE, PAST_FOLDER = "dismissed.db", "past"
JOBS_FILE = "jobs.db"
RUNS_FILE = "secret-runs.db"


def open_erasures(state: Path, state_dir: Path, ancestry: Ancestry, catalog: Catalog) -> Erasures:
    """Every store of a vault, and those that all vaults share."""
    erasures = Erasures(ancestry, is_named_by_path(catalog), (state, state_dir))
    _register_stores(erasures, state, ancestry, catalog)
    return erasures


def is_erased(ancestry: Ancestry, catalog: Catalog, path: str, memory_id: str | None) -> bool:
    """Whether the memory of a file, with the id that stands in it, was erased since."""
    if memory_id is not None and ids.is_usable(memory_id):
        return ancestry.erased_at(memory_id) is not None
    # A note without an id of use was known by its path, and there its erasure stands.
    row = catalog.at(path)
    by_path = row is not None and row.status == "erased"
    return by_path or ancestry.erased_at(ids.derived_id(path)) is not None


def is_named_by_path(catalog: Catalog) -> Callable[[str], bool]:
    """Knows the ids that name something else by now: a note without an id is named after its path."""

    def lives(memory_id: str) -> bool:
        row = catalog.find(memory_id)
        return row is not None and not row.has_id

    return lives


def _register_stores(erasures: Erasures, state: Path, ancestry: Ancestry, catalog: Catalog) -> None:
    """Everything in the state folder that keeps something of memories, but for the index, which cleans itself.

    A process that has one of them open itself says so (`Erasures.replaced`). The others are opened for the moment, and
    their modules imported, only when something was erased.
    """

    def database(module: str, name: str, file: Path) -> Erase:
        def erase(memory_ids: Sequence[str]) -> bool:
            if not file.exists():
                return True
            store: StateDatabase = getattr(importlib.import_module(module), name)(file)
            try:
                return store.erase(memory_ids)
            finally:
                store.close()

        return erase

    def drafts(memory_ids: Sequence[str]) -> bool:
        from helix.memory.writing.drafts import erase_drafts

        return erase_drafts(state, memory_ids)

    def past(memory_ids: Sequence[str]) -> bool:
        from helix.memory.reading.past import erase_past

        return erase_past(state / PAST_FOLDER, memory_ids)

    def similarity_map(memory_ids: Sequence[str]) -> bool:
        from helix.memory.reading.similarity_map import FILE, erase_from_map

        return erase_from_map(state / FILE, memory_ids)

    def digests(memory_ids: Sequence[str]) -> bool:
        from helix_mcp.kept_digest import erase_digests

        return erase_digests(str(state), memory_ids)

    for store, erase in {
        "ancestry": ancestry.erase,
        "catalog": catalog.erase,
        "drafts": drafts,
        PAGES: database("helix.memory.pagination", "Pages", state / PAGES_FILE),
        KEYS: database("helix.memory.writing.idempotency", "IdempotencyKeys", state / KEYS_FILE),
        JOURNAL: database("helix.memory.activity.journal", "Journal", state / JOURNAL_FILE),
        DISMISSED: database("helix.memory.maintenance.dismissed", "Dismissed", state / DISMISSED_FILE),
        PAST: past,
        MAP: similarity_map,
        "digests": digests,
    }.items():
        erasures.register(store, erase)
