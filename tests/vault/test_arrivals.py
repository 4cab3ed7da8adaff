"""Records that come from elsewhere, at the door of the vault."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from helix.vault import frontmatter
from helix.vault.ancestry import Ancestry
from helix.vault.arrivals import Arrival, bring, tombstone
from helix.vault.frontmatter import Document
from helix.vault.note import Note
from helix.vault.paths import Root
from helix.vault.times import parse_time
from helix.vault.vault import Vault
from helix.vault.yaml_load import Value

ID = "mem_2026-01-01_word_aaaaaa"


@dataclass(frozen=True)
class Row:
    id: str
    path: str


class Interrupted(Ancestry):
    """Another program writes at the worst moment: after the file was read, before it is replaced."""

    times = 0
    file: Path
    text = b""

    def remember_all(self, states: Iterable[tuple[str, Document]]) -> set[str]:
        unknown = super().remember_all(states)
        if self.times:
            self.times -= 1
            self.file.write_bytes(self.text + b"%d\n" % self.times)
        return unknown


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "vault").mkdir()
    return Vault(Root(tmp_path / "vault"), Interrupted(tmp_path / "ancestry.db"), pause=lambda _: None)


def find(vault: Vault, memory_id: str) -> Row | None:
    for path in vault.walk().files:
        if (note := vault.read(path)).id.casefold() == memory_id.casefold():
            return Row(note.id, path)
    return None


def record(body: str, updated_at: str = "2026-01-01T00:00:00Z") -> bytes:
    return frontmatter.create({"id": ID, "updated_at": updated_at}, body)


def test_a_save_between_reading_and_writing_is_merged_and_not_lost(vault: Vault, tmp_path: Path) -> None:
    interrupted = vault.ancestry
    assert isinstance(interrupted, Interrupted)
    interrupted.file, interrupted.text = tmp_path / "vault" / "a.md", record("by a person ")
    interrupted.file.write_bytes(record("before\n"))
    interrupted.times = 2
    arrival = Arrival("b.md", record("from elsewhere\n", "2026-02-01T00:00:00Z"))
    [arrived] = bring(vault, [arrival], lambda one: find(vault, one))
    assert (arrived.outcome, arrived.path) == ("merged", "a.md")
    body = vault.read("a.md").document.body
    assert "by a person 0" in body
    assert "from elsewhere" in body


def test_a_file_that_never_keeps_still_is_refused_and_left_alone(vault: Vault, tmp_path: Path) -> None:
    interrupted = vault.ancestry
    assert isinstance(interrupted, Interrupted)
    interrupted.file, interrupted.text = tmp_path / "vault" / "a.md", record("by a person ")
    interrupted.file.write_bytes(record("before\n"))
    interrupted.times = 1000
    good = Arrival("good.md", b"---\nid: mem_2026-01-01_good_bbbbbb\n---\ntext\n")
    [busy, fine] = bring(vault, [Arrival("b.md", record("new\n")), good], lambda one: find(vault, one))
    assert (busy.outcome, fine.outcome) == ("refused", "made")
    assert "keeps changing" in busy.reason
    assert "by a person" in vault.read("a.md").document.body


def test_two_arrivals_that_want_one_name_get_two(vault: Vault) -> None:
    arrivals = [
        Arrival("Note.md", b"---\nid: mem_2026-01-01_one_aaaaaa\n---\none\n"),
        Arrival("note.md", b"---\nid: mem_2026-01-01_two_bbbbbb\n---\ntwo\n"),
    ]
    first, second = bring(vault, arrivals, lambda one: find(vault, one))
    assert first.path == "Note.md"
    assert second.path.startswith("imported/mem-2026-01-01-two-bbbbbb-")


@pytest.mark.parametrize(
    "path", ["../up.md", "/abs.md", "a/../../b.md", ".git/x.md", "x.txt", f"{'long' * 100}.md"]
)
def test_a_record_with_an_unusable_path_lands_in_a_folder_of_its_own(vault: Vault, path: str) -> None:
    [arrived] = bring(vault, [Arrival(path, record("text\n"))], lambda one: find(vault, one))
    assert arrived.outcome == "made"
    assert arrived.path.startswith("imported/")


def test_a_tombstone_of_a_flipped_status_has_a_register_from_the_record_alone() -> None:
    flipped = {"id": ID, "status": "deleted", "updated_at": "2026-01-01T00:00:00Z", "title": "Word"}
    note = Note.parse("a.md", tombstone(flipped))
    assert note.meta == {"id": ID, "status": "deleted", "deleted_at": "2026-01-01T00:00:00Z"}


def test_a_typed_status_erased_with_a_text_is_left_alone_by_its_own_bytes_and_by_a_tombstone(
    vault: Vault, tmp_path: Path
) -> None:
    typed = frontmatter.create({"id": ID, "status": "erased"}, "a person may type it back\n")
    (tmp_path / "vault" / "a.md").write_bytes(typed)
    gone = tombstone({"id": ID, "status": "deleted", "deleted_at": "2026-03-01T00:00:00Z"})
    for data in (typed, gone):
        [arrived] = bring(vault, [Arrival("a.md", data)], lambda one: find(vault, one))
        assert arrived.outcome == "unchanged"
    assert (tmp_path / "vault" / "a.md").read_bytes() == typed


def test_a_tombstone_carries_times_and_nothing_else_that_somebody_wrote_there() -> None:
    meta: dict[str, Value] = {
        "id": ID,
        "status": "deleted",
        "deleted_at": "the word is narwhal",
        "restored_at": ["narwhal"],
    }
    assert b"narwhal" not in tombstone({**meta, "updated_at": "2026-01-01T00:00:00Z"})


def test_ids_that_differ_only_in_case_do_not_come_in_together(vault: Vault) -> None:
    arrivals = [Arrival("a.md", record("one\n")), Arrival("b.md", record("two\n").replace(b"mem_", b"MEM_"))]
    outcomes = [one.outcome for one in bring(vault, arrivals, lambda one: find(vault, one))]
    assert outcomes == ["made", "refused"]


def test_an_erasure_without_a_date_gets_one(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "vault" / "a.md").write_bytes(record("narwhal\n"))
    erased = frontmatter.create({"id": ID, "status": "erased"}, "")
    bring(vault, [Arrival("a.md", erased)], lambda one: find(vault, one))
    note = vault.read("a.md")
    assert note.is_erased
    assert parse_time(note.memory.deleted_at) is not None
