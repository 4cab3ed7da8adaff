"""Files that are their owner's alone, whatever the umask says: they hold the texts of memories, or what tells of them.

Libraries make files of their own in the state folder, with the rights that the umask leaves. So the folder itself is
closed, which keeps others from all that is in it, and what lies in it is closed when the daemon starts and ends.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
_OTHERS = 0o077
# What Helix makes in its state folder. Somebody may have named a folder that holds other things too.
_OURS = ("vaults", "models", "hooks", "hosts", "embeddings.db", "helixd.log", "start.lock", "vocabulary")


def make_folder(path: Path) -> None:
    path.mkdir(parents=True, exist_ok=True, mode=FOLDER)
    _close(path, FOLDER)


def make_file(path: Path) -> None:
    """An empty file where there is none: SQLite gives a database that it makes the rights that the umask leaves."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE))
    _close(path, FILE)


def close_state(state_dir: Path) -> None:
    """Close what earlier versions, or libraries, left open in the state folder."""
    if sys.platform == "win32":
        return  # the rights of the user's own folder hold there
    names = _names(state_dir)
    if all(_is_ours(name) for name in names):
        make_folder(state_dir)
    for name in filter(_is_ours, names):
        _close_all(state_dir / name)


def _is_ours(name: str) -> bool:
    return name.startswith(_OURS)


def _close_all(path: Path) -> None:
    if not path.is_dir() or path.is_symlink():
        _close(path, FILE)
        return
    _close(path, FOLDER)
    for folder, folders, files in os.walk(path):
        for name in folders:
            _close(Path(folder, name), FOLDER)
        for name in files:
            _close(Path(folder, name), FILE)


def _close(path: Path, mode: int) -> None:
    if sys.platform == "win32":
        return
    with suppress(OSError):  # gone meanwhile, or another user's
        info = os.lstat(path)
        if not stat.S_ISLNK(info.st_mode) and info.st_mode & _OTHERS and info.st_uid == os.geteuid():
            os.chmod(path, mode)


def _names(folder: Path) -> list[str]:
    with suppress(OSError):
        return os.listdir(folder)
    return []
