"""Every file and folder of a vault, records or not: names, links and placeholders are judged without reading."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class FolderEntry:
    path: str
    """from the vault, with forward slashes"""
    info: os.stat_result

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


@dataclass
class Entries:
    files: list[FolderEntry] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    """those that are looked into; what lies in dot folders is nobody's memory"""
    links: list[FolderEntry] = field(default_factory=list)
    watched: int = 1
    """folders that a watcher of the vault has to watch: dot folders too"""


def list_entries(root: Path) -> Entries:
    found = Entries()
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(root / folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue  # `walk` says which folders cannot be listed
        for entry in listed:
            path = f"{folder}/{entry.name}" if folder else entry.name
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if entry.is_symlink():
                found.links.append(FolderEntry(path, info))
            elif entry.is_dir(follow_symlinks=False):
                found.watched += 1
                if entry.name.startswith("."):
                    found.watched += _count_folders(entry.path)
                else:
                    found.folders.append(path)
                    pending.append(path)
            else:
                found.files.append(FolderEntry(path, info))
    return found


def _count_folders(folder: str) -> int:
    return sum(len(folders) for _, folders, _ in os.walk(folder))
