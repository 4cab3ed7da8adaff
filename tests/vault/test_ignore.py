from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from helix.vault.ignore import IGNORE_FILE, MAX_RULES, Ignore, IgnoreFiles
from helix.vault.ignore_rule import LONGEST_RULE, REVERSED, parse_rule
from helix.vault.paths import Root
from helix.vault.templates import CORE
from tests.scale import scaled

NOT_RECORDS = [
    ".~lock.n.md#",
    "~$n.md",
    ".n.md.swp",
    ".n.md.swo",
    ".n.md.swx",
    "4913",
    ".#n.md",
    "#n.md#",
    "n.md~",
    ".syncthing.n.md.tmp",
    "~syncthing~n.md.tmp",
    "n.md.!sync",
    "n.md.part",
    ".goutputstream-A1B2C3",
    "._n.md",
    "sedA1b2C3",
    ".n.md.icloud",
    ".~helix-0123456789abcdef.tmp",
    ".hidden.md",
    "n.txt",
    "n.mdx",
    "image.png",
    "n.md.tmp",
    "n.md.bak",
    "n",
    "Thumbs.db",
    ".DS_Store",
    "desktop.ini",
    "n.md.crdownload",
]
HIDDEN_FOLDERS = [
    ".git",
    ".obsidian",
    ".trash",
    ".stversions",
    ".stfolder",
    ".tmp.drivedownload",
    ".tmp.driveupload",
    ".dropbox.cache",
    ".helix",
    ".Trash-1000",
    "node_modules",
    "@eaDir",
    "$RECYCLE.BIN",
    "lost+found",
    "__MACOSX",
]


@pytest.mark.parametrize("name", NOT_RECORDS)
def test_a_temp_or_foreign_file_is_not_a_record(name: str) -> None:
    assert Ignore().skips(name)
    assert Ignore().skips(f"projects/billing/{name}")


@pytest.mark.parametrize("name", HIDDEN_FOLDERS)
def test_nothing_in_a_folder_of_other_programs_is_a_record(name: str) -> None:
    assert Ignore().skips_folder(name)
    assert Ignore().skips(f"{name}/n.md")
    assert Ignore().skips(f"a/{name}/deep/n.md")


@pytest.mark.parametrize(
    "path",
    ["n.md", "N.MD", "a/b.c/n.md", "~n.md", "#n.md", "n.md.conflict1", "n.md..path2", "n~.md", "git/n.md"],
)
def test_a_note_is_a_record_whatever_its_name(path: str) -> None:
    assert not Ignore().skips(path)


def test_rules_hide_files_and_folders_as_in_gitignore() -> None:
    ignore = Ignore("# private\n/diary/\n*.draft.md\n!keep.draft.md\ntemplates\n")
    hidden = ["diary/a.md", "diary/deep/a.md", "x.draft.md", "a/x.draft.md", "a/templates/t.md"]
    shown = ["a/diary/x.md", "keep.draft.md", "diary.md", "templates.md"]
    assert [path for path in hidden if not ignore.skips(path)] == []
    assert [path for path in shown if ignore.skips(path)] == []


def test_a_whole_folder_that_rules_hide_is_not_entered() -> None:
    assert Ignore("diary/").skips_below("diary/deep/er")
    assert not Ignore("diary/").skips_below("")


@pytest.mark.parametrize("bad", ["!", "\\", "[z-a]", "[abc", "[[:nothing:]]", "/", "x" * (LONGEST_RULE + 1)])
def test_a_line_that_is_no_pattern_hides_nothing_and_spoils_no_other(bad: str) -> None:
    ignore = Ignore(f"first.md\n{bad}\nlast.md\n")
    assert ignore.bad_lines == [2]
    assert ignore.skips("first.md")
    assert ignore.skips("last.md")
    assert not ignore.skips("z.md")


def test_a_mark_that_windows_puts_before_the_text_is_not_part_of_the_first_rule() -> None:
    assert Ignore("\ufeffdiary/\r\nother.md\r\n").skips("diary/a.md")


def test_rules_beyond_the_most_hide_nothing_and_it_is_said() -> None:
    ignore = Ignore("# many\n" + "other.md\n" * MAX_RULES + "secret.md\n")
    assert ignore.skips("other.md")
    assert not ignore.skips("secret.md")
    assert ignore.first_unread == MAX_RULES + 2
    assert Ignore("other.md\n" * MAX_RULES).first_unread is None


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("*a*a*a*a*a*a*a*a*b", "a" * 200 + ".md"),
        ("*a" * 200 + "b", "a" * 240 + ".md"),
        ("**/a" * 100 + "/b", "a/" * 1_000 + "a.md"),
        ("a/" * 250 + "**/b", "a/" * 1_000 + "a.md"),
        ("**/" + "a/" * 250 + "b", "a/" * 1_000 + "a.md"),
        ("?*" * 250 + "x", "a" * 240 + ".md"),
        ("[!b]*" * 100 + "x", "a" * 240 + ".md"),
        ("*/" * 250 + "x", "a/" * 1_000 + "a.md"),
        ("[" + "a-" * 200 + "]*" * 5 + "x", "a" * 240 + ".md"),
    ],
)
def test_no_rule_takes_long_for_any_name(rule: str, path: str) -> None:
    ignore = Ignore(rule)
    before = time.thread_time()
    ignore.hides_file(path)
    assert time.thread_time() - before < 0.1


# Names that git and Helix are both asked about: a file in the vault, in folders of one and two levels.
_NAMES = ("a", "b", "ab", "a b", "a-b", "[a]", "b!", "c^", "a\\b")
_PATHS = tuple(
    f"{folder}{name}.md"
    for folder in ("", "a/", "b/", "ab/", "a/b/", "a/a/", "b/a/ab/", "[a]/", "a b/c/")
    for name in _NAMES
)
_PIECES = st.sampled_from(
    (
        *(
            "a",
            "b",
            "ab",
            "c",
            "*",
            "**",
            "***",
            "?",
            "/",
            "/",
            "**/",
            "/**",
            ".md",
            "*.md",
            "\\",
            "\\*",
            "\\ ",
            " ",
            "!",
            "#",
            "-",
        ),
        *(
            "[",
            "]",
            "[a]",
            "[!a]",
            "[^b]",
            "[a-c]",
            "[c-a]",
            "[]a]",
            "[!]]",
            "[a-]",
            "[[:alpha:]]",
            "[[:space:]]",
            "[[:punct:]]",
        ),
        *("[[:x:]]", "[[:a]", "[a/b]", "[\\]]", "[b-ac]", "[\\a-c]", "\\/", "\t", "[!a-b]*", "a*b"),
    )
)
_LINES = st.lists(_PIECES, max_size=7).map("".join)


@pytest.fixture(scope="module")
def git_says(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], set[str]]:
    """Which of the paths a real git hides by these rules."""
    folder = tmp_path_factory.mktemp("ignored")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q", str(folder)], check=True, env=env)
    for path in _PATHS:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()

    def ask(rules: str) -> set[str]:
        (folder / ".git" / "info" / "exclude").write_bytes(rules.encode())
        asked = subprocess.run(
            ["git", "check-ignore", "--no-index", "-z", "--stdin"],
            input="\0".join(_PATHS).encode(), capture_output=True, cwd=folder, env=env,
        )  # fmt: skip
        assert asked.returncode in (0, 1), asked.stderr
        return {path for path in asked.stdout.decode().split("\0") if path}

    return ask


def _is_reversed(line: str) -> bool:
    try:
        parse_rule(line)
    except ValueError as error:
        return str(error) == REVERSED
    return False


@settings(
    max_examples=scaled(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(_LINES, max_size=4))
@example(["a/**/b", "!a/a/b"])
@example(["a/", "!a/b.md"])
@example(["[a-c]*", "!a\\ b.md  "])
@example(["**\\/a"])
@example(["a/**\\/b.md"])
@example(["**\\/**/b", "!**/**\\/a"])
def test_rules_mean_what_they_mean_to_git(git_says: Callable[[str], set[str]], lines: list[str]) -> None:
    rules = "\n".join(line for line in lines if not _is_reversed(line))
    ignore = Ignore(rules)
    assert {path for path in _PATHS if ignore.skips(path)} == git_says(rules)


def test_rules_are_read_once_until_one_of_their_files_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr("helix.vault.ignore.time.time", lambda: now)
    file = tmp_path / IGNORE_FILE
    file.write_text("a.md\n")
    root = Root(tmp_path)
    rules = IgnoreFiles(root)
    assert rules.read() is not rules.read(), (
        "so young a file may be written again within one tick of the clock"
    )
    file.write_text("b.md\n")
    assert rules.read().skips("b.md")
    now += 60
    assert rules.read() is rules.read()
    file.write_text("c.md\n")
    assert (rules.read().skips("b.md"), rules.read().skips("c.md")) == (False, True)
    file.unlink()
    assert not rules.read().skips("c.md")
    assert rules.read() is rules.read(), "that there is no file holds until there is one"
    (tmp_path / CORE).parent.mkdir()
    (tmp_path / CORE).write_text('{"folder": "Forms"}')
    assert rules.read().skips("Forms/day.md")
    root.close()
