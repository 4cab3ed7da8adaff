"""A host's configuration file on disk: read whole, replaced in one step, with a backup beside it.

The file belongs to the person and is often a link into a folder of dotfiles: it is the target that is replaced,
never the link. Some hosts write into it while they run (Claude Code does), so it is read once more in the instant
before it is replaced.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from helix.errors import HostFileError
from helix.vault.syscalls import sync_file

BACKUP = ".helix-backup"
"""What is added to the name of a file for its backup; a further one gets a number: `.helix-backup-2`."""

_BOM = "\ufeff"
_LARGEST = 64 * 1024 * 1024


class Changed(Exception):
    """Another program wrote the file since it was read."""


@dataclass(frozen=True)
class FileSnapshot:
    """A file as it was read."""

    path: Path
    """where it really is, after following links"""
    data: bytes | None
    """None: there is no file"""
    text: str
    """without the byte order mark"""
    mark: str

    @property
    def exists(self) -> bool:
        return self.data is not None


def read(path: Path) -> FileSnapshot:
    try:
        target = path.resolve()
        if not target.exists():
            return FileSnapshot(target, None, "", "")
        if not target.is_file():
            raise HostFileError("it is not a regular file")
        if target.stat().st_size > _LARGEST:
            raise HostFileError("it is too large to be a configuration")
        data = target.read_bytes()
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise HostFileError("it is not in UTF-8; save it in UTF-8 and try again", line=line).at(
            str(path)
        ) from error
    except (OSError, RuntimeError) as error:  # the latter: links that lead in a circle
        raise HostFileError(f"it cannot be read ({getattr(error, 'strerror', None) or error})").at(
            str(path)
        ) from error
    except HostFileError as error:
        raise error.at(str(path)) from None
    mark = _BOM if text.startswith(_BOM) else ""
    return FileSnapshot(target, data, text[len(mark) :], mark)


def write(before: FileSnapshot, text: str) -> list[Path]:
    """Replace the file, or make it. The folders that had to be made for it, outermost first."""
    folder = before.path.parent
    try:
        made = make_folders(folder)
        draft = folder / f".{before.path.name}.helix-{secrets.token_hex(4)}.tmp"
        try:
            _write_draft(draft, (before.mark + text).encode(), before)
            if _bytes_of(before.path) != before.data:
                raise Changed(str(before.path))
            draft.replace(before.path)
        finally:
            draft.unlink(missing_ok=True)
        _sync_folder(folder)
    except OSError as error:
        raise _refused(error, before.path) from error
    return made


def remove(before: FileSnapshot) -> None:
    try:
        if _bytes_of(before.path) != before.data:
            raise Changed(str(before.path))
        before.path.unlink()
        _sync_folder(before.path.parent)
    except OSError as error:
        raise _refused(error, before.path) from error


def back_up(before: FileSnapshot) -> Path | None:
    """Beside the file, under a name that is free; a backup with the same content serves as well."""
    if before.data is None:
        return None
    for backup in _backups(before.path):
        if not backup.exists():
            try:
                _write_draft(backup, before.data, before)
            except OSError as error:
                raise _refused(error, backup) from error
            return backup
        if backup.is_file() and backup.read_bytes() == before.data:
            return backup
    raise AssertionError("numbers do not end")


def drop_backup(before: FileSnapshot, data: bytes | None) -> None:
    """Remove the backups whose content the file has again: they keep nothing any more."""
    for backup in _backups(before.path):
        if not backup.exists():
            return
        if backup.is_file() and backup.read_bytes() == data:
            backup.unlink()
            return


def _refused(error: OSError, path: Path) -> HostFileError:
    return HostFileError(f"it cannot be written ({error.strerror or error})").at(str(path))


def _backups(path: Path) -> itertools.chain[Path]:
    numbered = (path.with_name(f"{path.name}{BACKUP}-{number}") for number in itertools.count(2))
    return itertools.chain([path.with_name(path.name + BACKUP)], numbered)


def _bytes_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def make_folders(folder: Path) -> list[Path]:
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for parent in reversed(missing):
        parent.mkdir()
    return missing[::-1]


def _write_draft(path: Path, data: bytes, like: FileSnapshot) -> None:
    """With the mode and the owner of the file that it stands for; a secret in it stays as hidden as it was."""
    info = like.path.stat() if like.exists else None
    mode = 0o666 if info is None else stat.S_IMODE(info.st_mode)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
        file.flush()
        if info is not None and sys.platform != "win32":
            with contextlib.suppress(PermissionError):
                os.fchown(fd, info.st_uid, info.st_gid)
            os.fchmod(fd, mode)
        sync_file(fd)


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":  # a folder cannot be opened there
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
