from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from helix.errors import NoteError
from helix.vault.note import Note, status_of
from tests.vault.foreign import CORPUS
from tests.vault.notes import written_notes

RECORD = b"""---
id: mem_2026-06-18_auth_a1b2c3
title: Auth client retry policy
kind: decision
project: billing-api
tags: [auth, "#retries"]
supersedes: ["[[mem_old]]"]
relates_to: mem_near
created_at: 2026-06-18T09:12:44Z
source: {agent: claude-code}
importance: 0.7
rev: [9f2c, 41aa]
reviewed_by: Ann
---
Retries 3x. See [[mem_http]] and [[mem_near]]. #later
"""


def parse(text: str, path: str = "folder/My note.md") -> Note:
    return Note.parse(path, text.encode())


def test_a_record_says_what_its_keys_its_links_and_its_inline_tags_say() -> None:
    memory = Note.parse("a.md", RECORD).memory
    assert (memory.id, memory.title, memory.kind) == (
        "mem_2026-06-18_auth_a1b2c3",
        "Auth client retry policy",
        "decision",
    )
    assert (memory.scope, memory.project, memory.status, memory.visible) == (
        "project",
        "billing-api",
        "active",
        True,
    )
    assert memory.tags == ("auth", "retries", "later")
    assert memory.edges == {"supersedes": ("mem_old",), "relates_to": ("mem_near", "mem_http")}
    assert (memory.importance, memory.source) == (0.7, {"agent": "claude-code"})
    assert memory.extra == {"reviewed_by": "Ann"}


def test_a_plain_file_is_a_memory_with_the_defaults_and_an_id_from_its_path() -> None:
    note = parse("Just text.\n")
    assert not note.has_id
    assert note.id.startswith("file_my-note_")
    memory = note.memory
    assert (memory.title, memory.kind, memory.scope, memory.status) == ("My note", "fact", "global", "active")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Heading\ntext", "Heading"),
        ("\n\n# Heading", "Heading"),
        ("text\n# Later", "My note"),
        ("---\ntitle: Given\n---\n# Heading", "Given"),
        ("---\ntitle: '  '\n---\n", "My note"),
        ("---\ntitle: [a]\n---\n", "My note"),
        ("---\ntitle: 2026\n---\n", "2026"),
    ],
)
def test_a_title_comes_from_its_key_the_first_heading_or_the_file(text: str, title: str) -> None:
    assert parse(text).memory.title == title


@pytest.mark.parametrize(
    ("keys", "status"),
    [
        ("status: deleted", "deleted"),
        ("status: Active\ndeleted_at: 2026-01-01", "active"),
        ("deleted_at: 2026-01-01", "deleted"),
        ("deleted_at: 2026-01-01\nrestored_at: 2026-01-02", "active"),
        ("deleted_at: 2026-01-03\nrestored_at: 2026-01-02\nstatus: done", "deleted"),
        ("status: done", "active"),
        ("status: [deleted]", "active"),
        ("deleted_at: someday", "active"),
    ],
)
def test_the_status_line_decides_and_without_one_the_registers_do(keys: str, status: str) -> None:
    assert status_of(parse(f"---\n{keys}\n---\n").meta) == status


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        ("a, b c", ["a", "b", "c"]),
        ("[a, 2026, null, '#b', '']", ["a", "2026", "b"]),
        ("{a: 1}", []),
        ("", []),
    ],
)
def test_tags_are_a_list_or_one_string_as_obsidian_allowed(value: str, tags: list[str]) -> None:
    assert list(parse(f"---\ntags: {value}\n---\n").memory.tags) == tags


def test_the_state_is_what_is_said_and_not_how_it_is_spelled() -> None:
    one = parse("---\nid: mem_a\ntags: [a, b]\nrev: [1f]\n---\ntext")
    other = parse("---\ntags:\n  - a\n  - \"b\"\nid: 'mem_a'\nrev: []\n---\ntext")
    assert one.state == other.state
    assert one.hash != other.hash
    assert one.state != parse("---\nid: mem_a\ntags: [b, a]\n---\ntext").state


@pytest.mark.parametrize(
    ("text", "erased"),
    [
        ("---\nid: mem_a\nstatus: erased\ndeleted_at: 2026-01-01\n---\n", True),
        ("---\nid: mem_a\nstatus: erased\n---\n\n", True),
        ("---\nid: mem_a\nstatus: erased\n---\nText that a person may want back.\n", False),
        ("---\nid: mem_a\nstatus: erased\ntitle: Kept\n---\n", False),
        ("---\nstatus: erased\n---\n", False),
    ],
)
def test_only_a_record_with_nothing_left_in_it_is_an_erased_one(text: str, erased: bool) -> None:
    assert parse(text).is_erased is erased


@given(written_notes())
def test_whatever_can_be_parsed_has_a_meaning_that_the_catalog_can_hold(data: bytes) -> None:
    try:
        note = Note.parse("a.md", data)
    except NoteError:
        return
    assert len(note.state) == 12
    json.dumps({**vars(note.memory)}, default=list).encode()


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.name)
def test_notes_of_real_tools_have_a_title_and_an_id(file: Path) -> None:
    note = Note.parse(file.name, file.read_bytes())
    assert note.memory.title
    assert note.id


@pytest.mark.parametrize(
    ("front", "project", "unfiled"),
    [
        ("scope: project", None, True),
        ("scope: project\nproject: default", None, True),
        ("project: default", None, True),
        ("scope: project\nproject: default\nfiled: true", "default", False),
        ("scope: project\nproject: Default", "Default", False),
        ("scope: project\nproject: billing", "billing", False),
        ("scope: session\nproject: default", None, False),
        ("scope: global\nproject: default", "default", False),
        ("title: Hello", None, False),
    ],
)
def test_a_memory_of_no_project_or_of_the_made_up_one_is_unfiled(
    front: str, project: str | None, unfiled: bool
) -> None:
    note = Note.parse("a.md", f"---\nid: mem_a\n{front}\n---\nText.\n".encode())
    assert (note.memory.project, note.memory.is_unfiled) == (project, unfiled)
    assert note.memory.extra == {}


def test_a_word_of_another_tool_makes_no_folded_copy_of_a_note() -> None:
    assert not Note.parse("a.md", b"---\nmerged_into: main\n---\nA branch.\n").is_stub
    assert not Note.parse("a.md", b'---\nmerged_into: "[[b]]"\nstatus: done\n---\nA branch.\n').is_stub
    assert Note.parse("a.md", b'---\nid: c\nmerged_into: "[[b]]"\nstatus: deleted\n---\nFolded.\n').is_stub
