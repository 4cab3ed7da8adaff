"""What is in the folder of a source: files in their order, without what git ignores, no link followed."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from helix.sources.gitignore import GitIgnore
from helix.sources.limits import LARGEST_FILE, MOST_BYTES, MOST_ENTRIES, MOST_FILES, MOST_PROBLEMS
from helix.vault.walk import Signature

_LEFT_OUT = frozenset({"node_modules", "__pycache__", "site-packages", ".git"})
"""folders that nobody wrote, whatever is ignored; besides those that begin with a dot"""
_SHOWN_DOTS = frozenset({".github", ".gitlab"})
# What nobody looks for words in. Everything else is opened, and left out when it is no text.
_NO_TEXT = frozenset(
    f".{end}"
    for ends in (
        "7z a avi bin bmp bz2 class db dll doc docx dylib eot exe gif gz ico icns jar jpeg jpg lib mov mp3 mp4 o obj",
        "odt ogg otf parquet pdf png ppt pptx pyc rar so sqlite tar tgz tif tiff ttf wasm wav webm webp whl woff",
        "woff2 xls xlsx xz zip zst",
    )
    for end in ends.split()
)
_WRITTEN_BY_PROGRAMS = frozenset(
    {"package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "cargo.lock", "uv.lock", "go.sum"}
)
_ENDS_OF_SUCH = (".min.js", ".min.css", ".map")


@dataclass
class ListedFiles:
    files: dict[str, Signature] = field(default_factory=dict)
    """by their paths in the folder"""
    ignored: int = 0
    """files and folders that git ignores, or that begin with a dot"""
    left_out: Counter[str] = field(default_factory=Counter)
    """what holds no text, by the end of its name"""
    problems: list[tuple[str, str]] = field(default_factory=list)
    more_problems: int = 0
    cut: str | None = None
    """why there is more in the folder than is listed"""

    def problem(self, path: str, reason: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append((path, reason))
        else:
            self.more_problems += 1


def list_files(top: Path) -> ListedFiles:
    """Raises OSError when the folder itself cannot be listed."""
    listed, ignore = ListedFiles(), GitIgnore(top)
    entries, size = 0, 0
    for path, entry in _walk(top, "", ignore, listed):
        entries += 1
        if entry is None:
            continue
        if entries > MOST_ENTRIES:
            listed.cut = f"it has more than {MOST_ENTRIES:,} names in it; connect a folder in it"
            break
        try:
            info = entry.stat(follow_symlinks=False)
        except OSError as error:
            listed.problem(path, f"cannot be looked at: {error.strerror}")
            continue
        if (why := _why_not(entry.name, info)) is not None:
            if why:
                listed.problem(path, why)
            else:
                listed.left_out[os.path.splitext(entry.name)[1].lower() or entry.name] += 1
            continue
        if len(listed.files) >= MOST_FILES:
            listed.cut = (
                f"it has more than {MOST_FILES:,} files, and only those are searched; connect a folder in it"
            )
            break
        size += info.st_size
        if size > MOST_BYTES:
            listed.cut = f"it has more than {MOST_BYTES >> 20:,} MiB of text; the first so many are searched"
            break
        listed.files[path] = Signature.of(info)
    return listed


def find_file(top: Path, path: str, ignore: GitIgnore) -> Signature | None:
    """Of one path as it is now; None for what is not there, or not to be searched."""
    parts = path.split("/")
    for depth in range(1, len(parts)):
        folder = "/".join(parts[:depth])
        if (
            _is_hidden(parts[depth - 1])
            or ignore.ignores(folder, is_folder=True)
            or (top / folder).is_symlink()
        ):
            return None
    if _is_hidden(parts[-1]) or ignore.ignores(path, is_folder=False):
        return None
    try:
        info = os.lstat(top / path)
    except (OSError, ValueError):
        return None
    return None if _why_not(parts[-1], info) is not None else Signature.of(info)


def _walk(
    top: Path, folder: str, ignore: GitIgnore, listed: ListedFiles
) -> Iterator[tuple[str, os.DirEntry[str] | None]]:
    """Files, in the order of their paths; None for a name that is not looked at further."""
    try:
        with os.scandir(top / folder if folder else top) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        if not folder:
            raise
        listed.problem(folder, f"cannot be listed: {error.strerror}")
        return
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if not _is_text(path):
            listed.problem(path.encode("utf-8", "replace").decode(), "has a name that is no text")
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if _is_hidden(entry.name) or ignore.ignores(path, is_folder=is_folder):
            listed.ignored += 1
            yield path, None
        elif is_folder:
            yield from _walk(top, path, ignore, listed)
        else:
            yield path, entry


def _is_hidden(name: str) -> bool:
    return name in _LEFT_OUT or (name.startswith(".") and name not in _SHOWN_DOTS)


def _why_not(name: str, info: os.stat_result) -> str | None:
    """A sentence, nothing for what plainly holds no text, None for a file that is searched."""
    if stat.S_ISLNK(info.st_mode):
        return "is a symbolic link, which is not followed"
    if not stat.S_ISREG(info.st_mode):
        return "is no file but a pipe, a socket or a device"
    lowered = name.lower()
    if (
        os.path.splitext(lowered)[1] in _NO_TEXT
        or lowered in _WRITTEN_BY_PROGRAMS
        or lowered.endswith(_ENDS_OF_SUCH)
    ):
        return ""
    if info.st_size > LARGEST_FILE:
        return f"has {info.st_size / 2**20:.1f} MiB; at most {LARGEST_FILE >> 20} MiB are searched"
    return None


def _is_text(path: str) -> bool:
    """A name of bytes that are no UTF-8 cannot be told to anybody."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
