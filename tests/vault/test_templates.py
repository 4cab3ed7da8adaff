"""Obsidian's settings say which notes are templates. They are another program's, and may say anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helix.vault.ignore import Ignore, read_ignore
from helix.vault.paths import MAX_SETTINGS_BYTES, Root
from helix.vault.templates import CORE, DAILY_NOTES, TEMPLATER
from helix.vault.walk import find_templates, walk

NOTES = (
    "a.md",
    "Templates/meeting.md",
    "Templates/deep/person.md",
    "Forms/day.md",
    "Projects/b.md",
    "projects/x/c.md",
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in NOTES:
        write(tmp_path, name, "text\n")
    return tmp_path


def write(place: Path, name: str, text: str | bytes) -> Path:
    file = place / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def ignore_of(place: Path) -> Ignore:
    root = Root(place)
    try:
        return read_ignore(root)
    finally:
        root.close()


def seen(place: Path) -> set[str]:
    return set(walk(str(place), ignore_of(place)).files)


@pytest.mark.parametrize(
    ("setting", "said", "left_out"),
    [
        (CORE, {"folder": "Templates"}, {"Templates/meeting.md", "Templates/deep/person.md"}),
        (CORE, {"folder": "/Templates/"}, {"Templates/meeting.md", "Templates/deep/person.md"}),
        (CORE, {"folder": "Templates/deep"}, {"Templates/deep/person.md"}),
        (TEMPLATER, {"templates_folder": "Forms"}, {"Forms/day.md"}),
        (DAILY_NOTES, {"template": "Forms/day"}, {"Forms/day.md"}),
        (DAILY_NOTES, {"template": "Forms/day.md", "folder": "Projects"}, {"Forms/day.md"}),
    ],
)
def test_what_obsidian_calls_a_template_is_left_out_and_counted(
    place: Path, setting: str, said: object, left_out: set[str]
) -> None:
    write(place, setting, json.dumps(said))
    assert seen(place) == set(NOTES) - left_out
    assert find_templates(str(place), ignore_of(place)) == sorted(left_out)
    assert all(ignore_of(place).skips(path) for path in left_out)


@pytest.mark.parametrize("folder", ["", "/", " ", ".", "./", "..", "a/../..", "//", None, 7, [], {"a": 1}])
def test_a_folder_that_is_none_hides_nothing(place: Path, folder: object) -> None:
    write(place, CORE, json.dumps({"folder": folder}))
    write(place, TEMPLATER, json.dumps({"templates_folder": folder}))
    write(place, DAILY_NOTES, json.dumps({"template": folder}))
    assert seen(place) == set(NOTES)


@pytest.mark.parametrize("folder", ["projects", "/projects/", "projects/x", "global", "sessions"])
def test_the_folders_of_new_memories_are_never_left_out(place: Path, folder: str) -> None:
    write(place, CORE, json.dumps({"folder": folder}))
    assert seen(place) == set(NOTES)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"Templates"',
        b"\xff\xfe\x00",
        b"[" * 60_000,
        b'{"folder": ' + b"9" * 9_000 + b"}",
        b'{"folder": "Templates"' + b" " * MAX_SETTINGS_BYTES + b"}",
    ],
    ids=["empty", "cut", "list", "null", "text", "not text", "deep", "long number", "too large"],
)
def test_settings_that_are_odd_hide_nothing_and_stop_nothing(place: Path, data: bytes) -> None:
    write(place, CORE, data)
    assert seen(place) == set(NOTES)


def test_settings_behind_a_link_are_not_followed(
    place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write(elsewhere, "templates.json", '{"folder": "Templates"}')
    (place / ".obsidian").symlink_to(elsewhere)
    assert seen(place) == set(NOTES)


def test_a_rule_of_the_ignore_file_has_the_last_word(place: Path) -> None:
    write(place, CORE, '{"folder": "Templates"}')
    write(place, ".helixignore", "!/Templates/\n")
    assert seen(place) == set(NOTES)


def test_what_the_ignore_file_hides_is_not_counted_as_templates(place: Path) -> None:
    write(place, CORE, '{"folder": "Templates"}')
    write(place, ".helixignore", "/Templates/\n")
    assert find_templates(str(place), ignore_of(place)) == []
