"""A strand: a vault's memories in one zip, written the same for the same vault, and trusted by nobody who reads it."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from helix.errors import AlreadyExists, BadValue, StorageError
from helix.index.catalog import Catalog
from helix.memory.portability.export_manifest import (
    EDGES_NAME,
    MANIFEST_NAME,
    MEMORIES,
    Entry,
    Manifest,
    Selection,
    Survey,
    parse_manifest,
)
from helix.memory.portability.zip_reader import Bounds, open_zip, read_entry
from helix.vault.arrivals import Arrival
from helix.vault.vault import Vault

SUFFIX = ".strand"
Progress = Callable[[int, int], None]

# A zip cannot say less than 1980, and a later time would differ from export to export.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_MODE = 0o100644 << 16
_EDGES_BOUND = 256 * 1024 * 1024


def export_strand(
    vault: Vault,
    catalog: Catalog,
    target: BinaryIO,
    selection: Selection | None = None,
    *,
    embedder: str = "",
    progress: Progress | None = None,
) -> Manifest:
    """Write the memories that a selection takes into `target`, which must be able to seek."""
    survey = Survey(vault, catalog, selection or Selection(), embedder)
    about = len(catalog.memories(include_hidden=True))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for done, (name, data) in enumerate(survey.records(), 1):
            _put(archive, name, data)
            if progress is not None:
                progress(done, max(done, about))
        _put(archive, EDGES_NAME, b"".join(sorted(survey.edges)))
        manifest = survey.manifest()
        _put(archive, MANIFEST_NAME, manifest.emit())
    return manifest


def write_file(target: Path, fill: Callable[[BinaryIO], Manifest], *, replace: bool) -> Manifest:
    """Fill a file that appears under its name only when it is whole and on disk."""
    if not replace and os.path.lexists(target):
        raise AlreadyExists(f"{target} exists already; --force replaces it")
    try:
        fd, temporary = tempfile.mkstemp(prefix=".~helix-", suffix=".tmp", dir=target.parent)
    except OSError as error:
        raise StorageError.from_os(error, f"write {target}") from error
    try:
        with os.fdopen(fd, "w+b") as file:
            manifest = fill(file)
            file.flush()
            os.fsync(file.fileno())
        if not replace and os.path.lexists(target):
            raise AlreadyExists(f"{target} exists already; --force replaces it")
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except OSError as error:
        raise StorageError.from_os(error, f"write {target}") from error
    finally:
        Path(temporary).unlink(missing_ok=True)
    return manifest


def write_stream(stream: BinaryIO, fill: Callable[[BinaryIO], Manifest]) -> Manifest:
    """The same into a pipe, which gets nothing until all of it is there."""
    with tempfile.TemporaryFile() as file:
        manifest = fill(file)
        file.seek(0)
        shutil.copyfileobj(file, stream)
        stream.flush()
    return manifest


class Strand:
    """A strand that was examined as a whole: its names, sizes, version and hashes are as they should be."""

    def __init__(self, file: BinaryIO, bounds: Bounds | None = None) -> None:
        self._bounds = bounds or Bounds()
        self._archive = open_zip(file, self._bounds)
        if MANIFEST_NAME not in self._archive.NameToInfo:
            raise BadValue(f"this is no strand: it has no {MANIFEST_NAME}")
        listed = parse_manifest(read_entry(self._archive, MANIFEST_NAME, _EDGES_BOUND))
        self.entries: Sequence[Entry] = [one for one in listed if one.name.startswith(MEMORIES)]
        self._examine(listed)

    def arrivals(self) -> Iterator[Arrival]:
        """Its records, ready for a vault; files with one id come together."""
        by_id: dict[str, list[Entry]] = {}
        for entry in self.entries:
            by_id.setdefault(entry.id or entry.name, []).append(entry)
        for entries in by_id.values():
            first, *others = [(one.name.removeprefix(MEMORIES), self._read(one)) for one in entries]
            yield Arrival(*first, dict(others) or None)

    def _read(self, entry: Entry) -> bytes:
        return read_entry(self._archive, entry.name, self._bounds.largest)

    def _examine(self, listed: Sequence[Entry]) -> None:
        names = {name for name in self._archive.NameToInfo if not name.endswith("/")} - {MANIFEST_NAME}
        if len(listed) != len({entry.name for entry in listed}):
            raise BadValue("the manifest of the strand lists a name twice")
        for entry in listed:
            if entry.name not in names:
                raise BadValue(f"the strand lacks {entry.name}, which its manifest lists; it is not whole")
            if entry.name != EDGES_NAME and not entry.name.startswith(MEMORIES):
                raise BadValue(f"the strand has {entry.name!r}, which belongs into no strand")
        if unlisted := names - {entry.name for entry in listed}:
            raise BadValue(f"the strand has {min(unlisted)!r}, which its manifest does not list")
        for entry in listed:
            limit = _EDGES_BOUND if entry.name == EDGES_NAME else self._bounds.largest
            if hashlib.sha256(read_entry(self._archive, entry.name, limit)).hexdigest() != entry.sha256:
                raise BadValue(
                    f"{entry.name} is not what the manifest says (SHA-256); the strand was changed"
                )


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _NO_TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX  # the same bytes on Windows
    info.external_attr = _MODE
    archive.writestr(info, data)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
