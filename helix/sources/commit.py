"""At which commit a repository stands, and what its files are there. Git is asked with none of its settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from helix.errors import HelixError
from helix.vault.git_folder import GitFolder
from helix.vault.git_reader import GitReader


def head_of(top: Path) -> str | None:
    """The commit that is checked out; None where there is none. Reads two small files."""
    folder = GitFolder.look_for(top)
    if not isinstance(folder, GitFolder):
        return None
    try:
        return folder.read_refs().head_commit
    except HelixError:
        return None


def blobs_of(top: Path, commit: str) -> Mapping[str, str]:
    """By the path in the source, what git calls the content of its file; nothing when git cannot say."""
    folder = GitFolder.look_for(top)
    if not isinstance(folder, GitFolder) or not top.is_relative_to(folder.top):
        return {}
    inside = top.relative_to(folder.top).as_posix()
    tree = commit if inside == "." else f"{commit}:{inside}"
    try:
        reader = GitReader(folder)
        reader.renew()
        listed = reader.run("ls-tree", "-r", "-z", "--full-tree", tree).stdout
    except HelixError:
        return {}
    blobs: dict[str, str] = {}
    for entry in listed.split(b"\0"):
        about, tab, path = entry.partition(b"\t")
        if tab and len(parts := about.split()) == 3 and parts[1] == b"blob":
            blobs[os.fsdecode(path)] = parts[2].decode()
    return blobs


def stamp_of(top: Path) -> tuple[int, ...]:
    """Another one after each commit and checkout."""
    folder = GitFolder.look_for(top)
    if not isinstance(folder, GitFolder):
        return ()
    stamps = []
    for file in (folder.own / "HEAD", folder.own / "logs" / "HEAD"):
        try:
            info = os.stat(file)
        except OSError:
            continue
        stamps += [info.st_mtime_ns, info.st_size]
    return tuple(stamps)
