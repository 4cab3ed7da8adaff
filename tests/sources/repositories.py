"""Small repositories for tests, made with the real git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_ENV = {
    "GIT_AUTHOR_NAME": "Keeper", "GIT_AUTHOR_EMAIL": "keeper@harbour.example", "GIT_COMMITTER_NAME": "Keeper",
    "GIT_COMMITTER_EMAIL": "keeper@harbour.example", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
}  # fmt: skip


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **_ENV},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


def commit(folder: Path, message: str = "x") -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()


def repository(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    write(folder, files)
    commit(folder)
    return folder


def all_bytes(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Everything in a folder, and when it was written."""
    return {
        str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mtime_ns)
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }
