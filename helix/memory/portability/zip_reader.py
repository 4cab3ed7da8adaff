"""Reading a zip that somebody else made: bounded, and with names that lead nowhere else."""

from __future__ import annotations

import stat
import zipfile
import zlib
from dataclasses import dataclass
from typing import BinaryIO

from helix.errors import BadValue, OutsideVault
from helix.vault.paths import check

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
# Below this nothing is worth a ratio: a note of one repeated letter packs a thousand to one.
_SMALL = 16 * 1024 * 1024


@dataclass(frozen=True)
class Bounds:
    entries: int = 500_000
    largest: int = 64 * 1024 * 1024
    total: int = 4 * 1024 * 1024 * 1024
    ratio: int = 200


def open_zip(file: BinaryIO, bounds: Bounds) -> zipfile.ZipFile:
    """The archive, once its table of contents is harmless. Nothing is unpacked to look."""
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise BadValue(f"this is not a zip that can be read: {error}") from error
    infos = archive.infolist()
    if len(infos) > bounds.entries:
        raise BadValue(f"the zip has {len(infos)} entries, more than {bounds.entries}")
    seen: set[str] = set()
    for info in infos:
        _check_entry(info)
        if info.filename in seen:
            raise BadValue(f"the zip has {info.filename!r} twice")
        seen.add(info.filename)
    unpacked, packed = sum(info.file_size for info in infos), sum(info.compress_size for info in infos)
    if unpacked > bounds.total:
        raise BadValue(f"the zip would unpack to {unpacked} bytes, more than {bounds.total}")
    if unpacked > _SMALL and unpacked > bounds.ratio * packed:
        raise BadValue(f"the zip would unpack to {unpacked // max(packed, 1)} times its size: a zip bomb")
    return archive


def read_entry(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    info = archive.getinfo(name)
    if info.file_size > limit:
        raise BadValue(f"{name} in the zip has {info.file_size} bytes, more than {limit}")
    try:
        with archive.open(info) as entry:
            # One more than it claims: the table of contents is not believed either.
            data = entry.read(info.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise BadValue(f"{name} in the zip cannot be read: {error}") from error
    if len(data) != info.file_size:
        raise BadValue(f"{name} in the zip does not have the size it claims")
    return data


def _check_entry(info: zipfile.ZipInfo) -> None:
    name = info.orig_filename
    try:
        check(name.removesuffix("/") if info.file_size == 0 else name)
    except OutsideVault as error:
        raise BadValue(f"the zip has an entry {name!r} that leads out of it; nothing was read") from error
    if name != info.filename:
        raise BadValue(f"the zip has an entry with the unusable name {name!r}")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise BadValue(f"the zip has a symbolic link, {name!r}; nothing was read")
    if info.flag_bits & _ENCRYPTED or info.compress_type not in _METHODS:
        raise BadValue(f"{name} in the zip is encrypted or packed in an unknown way")
