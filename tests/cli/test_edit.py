"""helix edit: the person's text is kept, merged, or waiting in a draft; never lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import helix, helix_json
from tests.cli.terminal import in_terminal
from tests.residue import residue


@pytest.fixture
def note(place: Path) -> dict[str, Any]:
    helix("init")
    head = "id: mem_lines\ntitle: Lines\nkind: fact\nscope: global\nstatus: active\nupdated_at: 2026-01-01T00:00:00Z"
    text = f"---\n{head}\n---\nFirst line\n\nSecond line\n\nThird line\n"
    (place / "vault" / "global" / "Lines.md").write_text(text)
    return {"id": "mem_lines", "path": "global/Lines.md", "updated": "2026-01-01T00:00:00Z"}


@pytest.fixture
def edits(place: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets an editor: a script that gets the file as $1, and the memory's own file as $VAULT_FILE."""

    def set_editor(script: str) -> None:
        program = place / "my editor"
        program.write_text(f"#!/bin/sh\nset -e\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("VISUAL", f"'{program}' --wait")
        monkeypatch.setenv("EDITOR", "false")

    return set_editor


def test_what_the_person_wrote_is_in_the_file_comments_and_all(
    note: dict[str, Any], edits: Any, place: Path
) -> None:
    edits('sed -i "s/First line/First line, better/; s/^kind: fact/kind: fact # mine/" "$2"')
    said = helix_json("edit", note["id"])
    text = (place / "vault" / note["path"]).read_text()
    assert said["status"] == "updated"
    assert "First line, better" in text
    assert "kind: fact # mine" in text
    assert helix_json("get", note["id"])["updated"] > note["updated"]
    assert list((place / "state").rglob("drafts")) == []


def test_a_file_that_changed_meanwhile_has_both_changes(
    note: dict[str, Any], edits: Any, place: Path
) -> None:
    file = place / "vault" / note["path"]
    edits(f'sed -i "s/First line/First, by me/" "$2"; sed -i "s/Third line/Third, by Obsidian/" "{file}"')
    said = helix("edit", note["id"])
    assert "merged" in said.stdout
    assert "both changes" in said.stderr
    assert "First, by me" in file.read_text()
    assert "Third, by Obsidian" in file.read_text()


def test_a_text_that_cannot_be_kept_waits_in_a_draft_and_the_next_edit_goes_on_with_it(
    note: dict[str, Any], edits: Any, place: Path
) -> None:
    file = place / "vault" / note["path"]
    before = file.read_bytes()
    edits('sed -i "s/^title: Lines/title: [Lines/; s/First line/A long text/" "$2"')
    refused = helix_json("edit", note["id"], ok=False)
    assert refused["code"] == "yaml-syntax"
    assert file.read_bytes() == before
    [draft] = (place / "state").rglob("drafts/*.md")
    assert str(draft) in refused["error"]
    assert "A long text" in draft.read_text()
    edits('sed -i "s/title: .Lines/title: Lines/" "$2"')
    assert "going on with the draft" in helix("edit", note["id"]).stderr
    assert "A long text" in file.read_text()
    assert not draft.exists()


def test_a_draft_of_what_was_erased_goes_with_it(note: dict[str, Any], edits: Any, place: Path) -> None:
    edits('sed -i "s/^title: Lines/title: [Lines/" "$2"')
    helix_json("edit", note["id"], ok=False)
    assert list((place / "state").rglob("drafts/*"))
    helix("forget", note["id"], "--hard")
    assert list((place / "state").rglob("drafts/*")) == []


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ('sed -i "s/^id: .*/id: mem_other/" "$2"', "bad-value"),
        ('sed -i "/line/d" "$2"', "bad-value"),
        ('echo "key AKIAIOSFODNN7EXAMPLQ" >> "$2"', "secret-refused"),
        ('sed -i "s/^title: .*/&\\nowner: AKIAIOSFODNN7EXAMPLQ/" "$2"', "secret-refused"),
        ('sed -i "s/^title: .*/& # AKIAIOSFODNN7EXAMPLQ/" "$2"', "secret-refused"),
        ('echo text >> "$2"; exit 3', "error"),
    ],
    ids=[
        "another id",
        "no text",
        "a credential",
        "one in a property",
        "one in a comment",
        "an editor that fails",
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_written(
    note: dict[str, Any], edits: Any, place: Path, script: str, code: str
) -> None:
    file = place / "vault" / note["path"]
    before = file.read_bytes()
    edits(script)
    assert helix_json("edit", note["id"], ok=False)["code"] == code
    assert file.read_bytes() == before
    assert list((place / "state").rglob("drafts/*.md"))


def test_an_edit_that_changes_nothing_says_so_and_leaves_no_draft(
    note: dict[str, Any], edits: Any, place: Path
) -> None:
    edits("true")
    assert helix_json("edit", note["id"])["status"] == "noop"
    assert list((place / "state").rglob("drafts")) == []


def test_on_a_terminal_one_is_asked_to_try_again(note: dict[str, Any], edits: Any, place: Path) -> None:
    edits('if grep -q "title: .Lines" "$2"; then sed -i "s/title: .Lines/title: Lines/" "$2";'
          ' else sed -i "s/^title: Lines/title: [Lines/; s/First line/Kept/" "$2"; fi')  # fmt: skip
    seen = in_terminal(["edit", note["id"]], feed=b"y\n")
    assert seen.status == 0, seen.text
    assert "Edit it again?" in seen.text
    assert "Kept" in (place / "vault" / note["path"]).read_text()


def test_without_an_editor_it_says_what_to_set(note: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "no-such-editor")
    assert "set EDITOR" in helix("edit", note["id"], ok=False).stderr


def two_alike(place: Path) -> None:
    """Two ids that differ in a character that no file name on Windows may have."""
    helix("init")
    for name, memory_id, text in (("one", "note:1", "first"), ("two", "note_1", "second")):
        head = f"id: {memory_id}\ntitle: {name}\nscope: global\nstatus: active"
        (place / "vault" / "global" / f"{name}.md").write_text(f"---\n{head}\n---\nThe {text} memory\n")


def test_two_memories_whose_ids_look_alike_have_a_draft_each(place: Path, edits: Any) -> None:
    two_alike(place)
    edits('echo "of the first" >> "$2"; exit 1')
    helix("edit", "note:1", ok=False)
    edits('echo "of the second" >> "$2"')
    said = helix("edit", "note_1")
    assert "going on with the draft" not in said.stderr
    assert "updated" in said.stdout
    texts = {name: (place / "vault" / "global" / f"{name}.md").read_text() for name in ("one", "two")}
    assert "The first memory" in texts["one"]
    assert "of the" not in texts["one"]
    assert "The second memory\nof the second\n" in texts["two"]
    edits('echo "and more" >> "$2"')
    assert "going on with the draft" in helix("edit", "note:1").stderr
    assert "of the first\nand more\n" in (place / "vault" / "global" / "one.md").read_text()


def test_erasing_one_of_two_memories_whose_ids_look_alike_leaves_the_draft_of_the_other(
    place: Path, edits: Any
) -> None:
    two_alike(place)
    edits('echo "in a draft" >> "$2"; exit 1')
    helix("edit", "note:1", ok=False)
    helix("edit", "note_1", ok=False)
    helix("forget", "note_1", "--hard")
    [draft] = (place / "state").rglob("drafts/*.md")
    assert "The first memory" in draft.read_text()


def test_a_memory_that_was_erased_while_it_was_edited_leaves_no_draft(
    note: dict[str, Any], edits: Any, place: Path
) -> None:
    file = place / "vault" / note["path"]
    erased = "---\nid: mem_lines\nstatus: erased\ndeleted_at: 2026-06-18T09:00:00Z\n---\n"
    edits(f'sed -i "s/First/Zqfirst/" "$2"; printf -- "{erased}" > "{file}"')
    refused = helix_json("edit", note["id"], ok=False)
    assert refused["code"] == "erased"
    assert residue("third", place / "state") == []
    assert [one for one in residue("zqfirst", place) if one != "my editor"] == []


@pytest.mark.parametrize(
    "command",
    [
        ("export", "x.strand"),
        ("reindex",),
        ("edit", "mem_other"),
        ("doctor", "--fix"),
        ("adopt", "--all"),
        ("recent",),
    ],
    ids=lambda command: command[0],
)
def test_an_erasure_that_a_command_takes_in_leaves_no_draft_and_no_quote(
    note: dict[str, Any], edits: Any, place: Path, command: tuple[str, ...]
) -> None:
    file = place / "vault" / note["path"]
    other = "---\nid: mem_other\ntitle: Other\nscope: global\n---\nAnother text\n"
    (place / "vault" / "global" / "Other.md").write_text(other)
    file.write_text(file.read_text().replace("First line", "The zqdraft line, see [[Zqdraft of things]]"))
    edits('echo "more zqdraft" >> "$2"; exit 1')
    helix("edit", note["id"], ok=False)
    helix("recall", "zqdraft", "--all")
    assert residue("zqdraft", place / "state")
    file.write_text("---\nid: mem_lines\nstatus: erased\ndeleted_at: 2026-06-18T09:00:00Z\n---\n")
    edits('echo "more" >> "$2"')
    helix(*command)
    assert residue("zqdraft", place) == []
