"""File names that sync tools give to conflict copies.

A name is only a hint: two files are versions of one memory when they carry one `id`. The hint decides which
of the two keeps its name, and lets copies be found whose name no longer ends in `.md`.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

# What follows the original's stem, by the tool that writes it. Kept apart from names that people also use.
_SURE = (
    r" \([^()]*'s conflicted copy[^()]*\)(?: \(\d+\))?",  # Dropbox
    r" \((?:[^()]*conflicted copy|conflict_on|Case Conflict|Unicode Encoding Conflict)[^()]*(?:\(\d+\))?\)",
    r" \((?:Copie en conflit|Copia en conflicto|In Konflikt stehende Kopie|SFConflict)[^()]*\)",
    r"_conflict-\d{8}-\d{6}",  # old ownCloud
    r"\.sync-conflict-\d{8}-\d{6}(?:-\w+)?",  # Syncthing, Obsidian Sync
    r"\.variant-[0-9a-f]+",  # git-annex
    r"\.Conflict\d*",  # Resilio
    r"-[A-Za-z0-9-]{1,15}-safeBackup-\d+",  # OneDrive, with the name of the machine
    r" ?\[(?:Conflict|conflicted)\d*\]",  # Google Drive, pCloud
    r"_conf\(\d+\)",
    r" \(helix late save [0-9a-f]+\)",  # ours: a save that raced a write and could not be merged
)
# Also ordinary titles ("Chapter 2"), so they never make a copy by themselves: iCloud, Google Drive, OneDrive.
_POSSIBLE = (r" \(?\d+\)?", r"-[A-Za-z0-9-]+")
_SURE_NAME = re.compile(rf"(?P<stem>.+?)(?:{'|'.join(_SURE)})+$")
_POSSIBLE_NAME = re.compile(rf"(?P<stem>.+?)(?:{'|'.join(_POSSIBLE)})$")
# rclone bisync: the original disappears and neither copy ends in .md.
_AFTER_SUFFIX = re.compile(r"(?P<name>.+\.md)\.(?:\.path\d+|conflict\d+)$", re.IGNORECASE)


def original_name(path: str) -> str | None:
    """The path of the file that this one is surely a conflict copy of, judged by its name alone."""
    file = PurePosixPath(path)
    if after := _AFTER_SUFFIX.fullmatch(file.name):
        return str(file.with_name(after["name"]))
    match = _SURE_NAME.fullmatch(file.stem)
    return str(file.with_name(match["stem"] + file.suffix)) if match else None


def is_note_name(name: str) -> bool:
    """Whether a file of this name can hold a record."""
    return name[-3:].lower() == ".md" or _AFTER_SUFFIX.fullmatch(name) is not None


def are_named_alike(paths: list[str]) -> bool:
    """Whether these may be a file and its copies: in one folder, with names that begin as the shortest one does."""
    files = sorted((PurePosixPath(path) for path in paths), key=lambda file: len(file.stem))
    first = original_name(str(files[0])) or str(files[0])
    stem = PurePosixPath(first).stem
    return all(file.parent == files[0].parent and file.name.startswith(stem) for file in files)


def choose_best(memory_id: str, paths: list[str]) -> str:
    """Of several files with one id, the one that is the memory: the same choice on every machine."""

    def preference(path: str) -> tuple[bool, bool, bool, int, str]:
        stem = PurePosixPath(path).stem
        return (
            original_name(path) is not None,
            stem.casefold() != memory_id.casefold(),
            _POSSIBLE_NAME.fullmatch(stem) is not None,
            len(path),
            path,
        )

    return min(paths, key=preference)


def choose_survivor(memory_id: str, paths: list[str]) -> str:
    """The path that the memory has once the files are merged."""
    best = choose_best(memory_id, paths)
    # Only copies are left, and none of them is a markdown file any more: the memory gets its own name back.
    original = original_name(best)
    return original if original is not None and not best.lower().endswith(".md") else best
