"""Every note of a vault (or whatever else is followed) with its signature, in one pass of stat calls and no reading."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from helix.vault.conflict_names import is_note_name
from helix.vault.ignore import Ignore
from helix.vault.paths import TEMP_PREFIX


class Signature(NamedTuple):
    """Changes whenever a file does. ctime is in it because an edit can keep mtime and size."""

    mtime_ns: int
    size: int
    inode: int
    ctime_ns: int

    @classmethod
    def of(cls, info: os.stat_result) -> Signature:
        # Windows and some network drives number files beyond what SQLite holds.
        inode = info.st_ino & 0x7FFF_FFFF_FFFF_FFFF
        return cls(info.st_mtime_ns, info.st_size, inode, info.st_ctime_ns)


@dataclass
class Walk:
    files: dict[str, Signature] = field(default_factory=dict)
    odd_names: list[str] = field(default_factory=list)
    """files whose names are not UTF-8: shown escaped, never followed"""
    unreadable: list[str] = field(default_factory=list)
    """folders that could not be listed: nothing below them may be taken for gone"""
    temporary: list[str] = field(default_factory=list)
    """folders that hold temp files of ours"""

    def add(self, other: Walk) -> None:
        self.files |= other.files
        self.odd_names += other.odd_names
        self.unreadable += other.unreadable
        self.temporary += other.temporary


def is_note(path: str) -> bool:
    return is_note_name(path.rpartition("/")[2])


def walk(root: str, ignore: Ignore, below: str = "", follows: Callable[[str], bool] = is_note) -> Walk:
    """The files of some kind under a folder of the vault (all of it by default). Symlinks are not followed."""
    found = Walk()
    pending = [below]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                listed = list(entries)
        except (FileNotFoundError, NotADirectoryError):
            if folder:
                continue  # moved away since its parent was listed
            raise
        except OSError:
            found.unreadable.append(folder)
            continue
        prefix = f"{folder}/" if folder else ""
        for entry in listed:
            _look(entry, prefix + entry.name, ignore, follows, found, pending)
    return found


def find_templates(root: str, ignore: Ignore) -> list[str]:
    """The notes that are left out because Obsidian's settings say that they are templates."""
    if not ignore.templates:
        return []
    return sorted(walk(root, ignore.without_templates()).files.keys() - walk(root, ignore).files.keys())


def _look(
    entry: os.DirEntry[str],
    path: str,
    ignore: Ignore,
    follows: Callable[[str], bool],
    found: Walk,
    pending: list[str],
) -> None:
    if entry.is_symlink():
        return
    if entry.is_dir(follow_symlinks=False):
        if not ignore.skips_folder(path):
            pending.append(path)
    elif entry.name.startswith(TEMP_PREFIX):
        folder = path.rpartition("/")[0]
        if folder not in found.temporary:
            found.temporary.append(folder)
    elif follows(path) and not ignore.hides_file(path):
        try:
            path.encode()
        except UnicodeEncodeError:
            found.odd_names.append(
                path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            )
            return
        try:
            found.files[path] = Signature.of(entry.stat(follow_symlinks=False))
        except OSError:
            return  # gone between the listing and the look; the next event or scan tells
