"""What is imported from: a file, a folder or a zip, all read alike and within bounds."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from helix.errors import BadValue, StorageError
from helix.memory.portability.zip_reader import Bounds, open_zip, read_entry
from helix.vault.times import format_time

# The conversations of years in one JSON file.
_LARGEST = 1024 * 1024 * 1024
_MOST_FILES = 500_000
_FOREIGN = Bounds(largest=_LARGEST, total=64 * _LARGEST)
# Dot folders hold settings and caches, but for the rules that an editor keeps there.
_DOT_FOLDERS = frozenset({".cursor", ".github"})
# What macOS adds to a zip and to foreign disks.
_APPLE_FOLDER, _APPLE_FILE = "__MACOSX", "._"


class Source:
    """Names are relative, with forward slashes. A file on its own has one name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.resolve().name
        self.hidden: list[str] = []
        """dot folders that were not looked into"""
        self.closed = 0
        """folders that could not be listed"""
        self.links = 0
        """symbolic links, none of which is followed"""
        self._opened = ExitStack()
        self._zip: zipfile.ZipFile | None = None
        self._parsed: dict[str, Any] = {}
        if not path.exists():
            raise BadValue(f"there is nothing at {path} to import")
        try:
            self.is_folder = path.is_dir()
            if self.is_folder:
                self.names = sorted(self._walk())
            elif zipfile.is_zipfile(path):
                self._zip = open_zip(self._opened.enter_context(path.open("rb")), _FOREIGN)
                self.names = self._visible(self._zip.namelist())
            else:
                self.names = [path.name]
        except OSError as error:
            raise StorageError.from_os(error, f"read {path}") from error

    @property
    def is_zip(self) -> bool:
        return self._zip is not None

    def read(self, name: str, limit: int = _LARGEST) -> bytes:
        if self._zip is not None:
            return read_entry(self._zip, name, limit)
        place = self.path / name if self.is_folder else self.path
        try:
            with place.open("rb") as file:
                data = file.read(limit + 1)
        except OSError as error:
            raise StorageError.from_os(error, f"read {place}") from error
        if len(data) > limit:
            raise BadValue(f"{name} has more than {limit} bytes")
        return data

    def text(self, name: str, limit: int = _LARGEST) -> str:
        try:
            return self.read(name, limit).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadValue(f"{name} is not UTF-8 text") from error

    def json(self, name: str) -> Any:
        """The parsed file; kept, because finding out the format needs it before the importer does."""
        if name not in self._parsed:
            try:
                self._parsed[name] = json.loads(self.text(name))
            except (ValueError, RecursionError) as error:
                raise BadValue(f"{name} is not JSON that can be read: {error}") from error
        return self._parsed[name]

    def modified_at(self, name: str) -> str | None:
        if self._zip is not None:
            return None
        place = self.path / name if self.is_folder else self.path
        try:
            return format_time(datetime.fromtimestamp(place.stat().st_mtime, UTC))
        except (OSError, ValueError, OverflowError):
            return None

    def find(self, basename: str) -> str | None:
        """The entry with this file name that lies least deep: exports come with and without a folder around them."""
        names = [name for name in self.names if name.rpartition("/")[2] == basename]
        return min(names, key=lambda name: (name.count("/"), name), default=None)

    def close(self) -> None:
        self._opened.close()

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _walk(self) -> Iterator[str]:
        pending, count = [""], 0
        while pending:
            folder = pending.pop()
            for name, mode in self._list(folder):
                if stat.S_ISLNK(mode):
                    self.links += 1
                elif stat.S_ISDIR(mode):
                    if _is_hidden(name.rpartition("/")[2]):
                        self.hidden.append(name)
                    else:
                        pending.append(name)
                elif stat.S_ISREG(mode) and _is_text(name):
                    count += 1
                    if count > _MOST_FILES:
                        raise BadValue(f"{self.path} has more than {_MOST_FILES} files; import a part of it")
                    yield name

    def _list(self, folder: str) -> list[tuple[str, int]]:
        try:
            with os.scandir(self.path / folder) as entries:
                return [
                    (
                        f"{folder}/{entry.name}" if folder else entry.name,
                        entry.stat(follow_symlinks=False).st_mode,
                    )
                    for entry in entries
                ]
        except OSError:
            if not folder:
                raise
            self.closed += 1
            return []

    def _visible(self, names: list[str]) -> list[str]:
        """The files of a zip that would be looked at in a folder."""
        visible = []
        for name in names:
            parts = name.split("/")
            hidden = next((place for place, part in enumerate(parts[:-1]) if _is_hidden(part)), None)
            if hidden is not None:
                folder = "/".join(parts[: hidden + 1])
                if folder not in self.hidden and parts[hidden] != _APPLE_FOLDER:
                    self.hidden.append(folder)
            elif parts[-1] and _is_text(name):
                visible.append(name)
        return visible


def _is_hidden(folder: str) -> bool:
    return (folder.startswith(".") and folder not in _DOT_FOLDERS) or folder == _APPLE_FOLDER


def _is_text(name: str) -> bool:
    if name.rpartition("/")[2].startswith(_APPLE_FILE):
        return False
    try:
        name.encode()
    except UnicodeEncodeError:
        return False  # a file name that is not UTF-8: nothing could refer to it
    return True
