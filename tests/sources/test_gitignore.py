"""What is ignored, held against git itself."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from helix.sources.listing import list_files
from tests.sources.repositories import git, write

_NAMES = ("a", "b", "log", "build", "src", "x.py", "y.txt", "z.log", "keep.log", "data")
_PATTERNS = (
    "*.log", "!keep.log", "/build", "build/", "src/*.py", "**/data", "data/**", "!src/", "a/**/b", "/a/b", "*.txt", "?",
    "[a-b]", "# a comment", "", "x.py ", "\\!x", "src/**/*.txt", "!/src/a/", "*/log",
)  # fmt: skip


def _listed_by_git(top: Path) -> set[str]:
    return set(git(top, "ls-files", "-z", "-co", "--exclude-standard").split("\0")) - {""}


@pytest.mark.parametrize("seed", range(12))
def test_what_git_would_not_add_is_not_listed(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    git(tmp_path, "init", "-q")
    folders = [""] + ["/".join(draw.choices(_NAMES[:5], k=draw.randint(1, 3))) for _ in range(8)]
    files = {
        f"{folder}/{draw.choice(_NAMES[5:])}".lstrip("/"): "text\n" for folder in folders for _ in range(4)
    }
    write(tmp_path, files)
    for folder in ["", *draw.sample(folders, 3)]:
        (tmp_path / folder / ".gitignore").write_text("\n".join(draw.choices(_PATTERNS, k=5)) + "\n")
    (tmp_path / ".git" / "info" / "exclude").write_text(draw.choice(_PATTERNS) + "\n")
    listed = set(list_files(tmp_path.resolve()).files)
    assert listed == {
        path for path in _listed_by_git(tmp_path) if not path.rpartition("/")[2].startswith(".")
    }


def test_rules_of_the_folders_above_count_for_a_folder_in_a_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(
        tmp_path, {".gitignore": "*.log\n/lib/made/\n", "lib/a.py": "", "lib/b.log": "", "lib/made/c.py": ""}
    )
    assert set(list_files((tmp_path / "lib").resolve()).files) == {"a.py"}


def test_a_folder_without_git_has_its_rules_honoured_too(tmp_path: Path) -> None:
    write(
        tmp_path,
        {".gitignore": "made/\n", "a.md": "", "made/b.md": "", "sub/.gitignore": "*.md\n", "sub/c.md": ""},
    )
    assert set(list_files(tmp_path.resolve()).files) == {"a.md"}
