"""What is in a folder that is ingested, and how a file of it is read: no link is followed, nothing is waited for."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from helix.errors import BadValue
from helix.knowledge.documents.converted import Unreadable
from helix.knowledge.documents.formats import find_format
from helix.knowledge.documents.limits import LARGEST_FILE, MOST_FILES

_LEFT_OUT = frozenset({"node_modules", "__pycache__"})
"""besides what begins with a dot: folders that nobody wrote"""


@dataclass
class Listed:
    files: list[Path] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    """what is no document, by the end of its name"""
    refused: list[tuple[Path, str]] = field(default_factory=list)


def list_documents(place: Path) -> Listed:
    """The documents of a folder in their order, or the one file. Raises BadValue."""
    found = Listed()
    if not place.exists():
        raise BadValue(f"there is no {place}")
    if not place.is_dir():
        found.files.append(place)
        return found
    for path in _walk(place, found):
        if find_format(path.name) is None:
            found.ignored[path.suffix.lower() or "without an ending"] += 1
            continue
        found.files.append(path)
        if len(found.files) > MOST_FILES:
            raise BadValue(f"{place} has more than {MOST_FILES:,} documents; name a folder in it")
    found.files.sort()
    return found


def _walk(place: Path, found: Listed) -> Iterator[Path]:
    def cannot(error: OSError) -> None:
        found.refused.append((Path(error.filename or place), f"cannot be listed: {error.strerror}"))

    for folder, folders, names in os.walk(place, onerror=cannot):
        here = Path(folder)
        for name in sorted(folders):
            if (here / name).is_symlink():
                found.refused.append((here / name, "is a symbolic link, which is not followed"))
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in _LEFT_OUT)
        for name in sorted(names):
            if name.startswith("."):
                continue
            path = here / name
            mode = path.lstat().st_mode if os.path.lexists(path) else 0
            if stat.S_ISREG(mode):
                yield path
            elif stat.S_ISLNK(mode) and find_format(name) is not None:
                found.refused.append((path, "is a symbolic link, which is not followed"))
            elif mode and not stat.S_ISLNK(mode):
                found.refused.append((path, "is no file but a pipe, a socket or a device"))


def read_document(path: Path) -> bytes:
    """Raises Unreadable. A pipe is not waited for, and a link that was put there meanwhile not followed."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        why = "is a symbolic link, which is not followed" if path.is_symlink() else error.strerror
        raise Unreadable(f"cannot be read: {why}") from error
    with os.fdopen(number, "rb") as file:
        about = os.fstat(number)
        if not stat.S_ISREG(about.st_mode):
            raise Unreadable("is no file but a pipe, a socket or a device")
        if about.st_size > LARGEST_FILE:
            raise Unreadable(
                f"it has {about.st_size // 2**20} MiB; at most {LARGEST_FILE // 2**20} MiB are read"
            )
        try:
            data = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise Unreadable(f"cannot be read: {error.strerror}") from error
    if len(data) > LARGEST_FILE:
        raise Unreadable(f"it grows while it is read; at most {LARGEST_FILE // 2**20} MiB are read")
    return data
