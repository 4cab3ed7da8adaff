from __future__ import annotations

from pathlib import Path

from helix.memory.writing.drafts import Draft, erase_drafts


def test_no_two_ids_share_a_draft(tmp_path: Path) -> None:
    ids = ["note:1", "note_1", "note?1", "a" * 150, "a" * 149 + "b", "Note_1", "n\u00f6te", "no\u0308te"]
    drafts = [Draft.of(memory_id, tmp_path) for memory_id in ids]
    assert len({draft.text.name.casefold() for draft in drafts}) == len(ids)
    assert len({draft.shown.name.casefold() for draft in drafts}) == len(ids)
    assert all(len(draft.text.name.encode()) < 200 for draft in drafts)


def test_a_draft_of_an_earlier_helix_is_gone_on_with_by_the_memory_that_it_is_of(tmp_path: Path) -> None:
    (tmp_path / "drafts").mkdir()
    for end in ("md", "shown"):
        (tmp_path / "drafts" / f"note_1.{end}").write_text("---\nid: note:1\n---\nof the first\n")
    assert not Draft.of("note_1", tmp_path).is_there()
    assert Draft.of("note:1", tmp_path).is_there()
    assert b"of the first" in Draft.of("note:1", tmp_path).text.read_bytes()


def test_erasing_a_memory_ends_its_draft_under_either_name_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "drafts").mkdir()
    for end in ("md", "shown"):
        (tmp_path / "drafts" / f"note_1.{end}").write_text("---\nid: note:1\n---\nof the first\n")
    Draft.of("note_1", tmp_path).begin(b"---\nid: note_1\n---\nof the second\n")
    assert erase_drafts(tmp_path, ["note:1"])
    assert Draft.of("note_1", tmp_path).is_there()
    assert "first" not in "".join(file.read_text() for file in (tmp_path / "drafts").iterdir())
