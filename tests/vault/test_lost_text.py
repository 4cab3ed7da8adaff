"""Stories in which text was lost once. The simulation of many machines found them."""

from __future__ import annotations

from pathlib import Path

import pytest

from helix.vault.ancestry import Ancestry
from helix.vault.folding import merge_copies
from helix.vault.new_memory import NewMemory
from helix.vault.note import Note
from helix.vault.paths import Root
from helix.vault.vault import Edit, Vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "vault").mkdir()
    return Vault(Root(tmp_path / "vault"), Ancestry(tmp_path / "state" / "ancestry.db"))


def _new(vault: Vault, body: str) -> Note:
    [note] = vault.create([NewMemory(body, "Note")], lambda _: False)
    return note


def _save(vault: Vault, note: Note, old: str, new: str, path: str | None = None) -> Note:
    """What a person's editor does."""
    target = Path(vault.root.path, path or note.path)
    text = Path(vault.root.path, note.path).read_text("utf-8")
    assert old in text
    target.write_text(text.replace(old, new), "utf-8")
    return vault.read(path or note.path)


def test_an_update_based_on_a_conflict_copy_keeps_what_only_the_copy_says(vault: Vault) -> None:
    note = _new(vault, "shared\n")
    copy = _save(
        vault, note, "shared", "shared\nonly in the copy", "global/n (M2's conflicted copy 2026-09-25).md"
    )
    _save(vault, note, "shared", "shared\nonly in the file")
    vault.ancestry.remember(note.id, copy.document)  # as Helix does when it has written the copy itself

    after = vault.update(
        note.path, note.id, Edit(body=copy.document.body + "by the agent\n"), based_on=copy.hash
    )

    assert set(after.document.body.split("\n")) >= {"only in the copy", "only in the file", "by the agent"}
    merged = merge_copies(vault, note.id, [note.path, copy.path]).survivor
    assert set(merged.document.body.split("\n")) >= {"only in the copy", "only in the file", "by the agent"}
