"""Archived sessions: the same files in another folder, where nothing reads them until they are brought back.

Only moved, never packed and never unlinked: a person finds them with any file manager, and a sync tool carries the move
as it carries any other.
"""

from __future__ import annotations

import contextlib
import os

from helix.errors import OutsideVault
from helix.vault.folder import Folder
from helix.vault.log.log_paths import ARCHIVED, FOLDER
from helix.vault.paths import Root


def is_archived(root: Root, session: str) -> bool:
    """A folder with nothing in it is what a sync tool left behind."""
    try:
        with root.folder(f"{ARCHIVED}/{session}") as folder:
            return bool(folder.names())
    except (FileNotFoundError, NotADirectoryError, OutsideVault):
        return False


def archived_sessions(root: Root) -> list[str]:
    try:
        with root.folder(ARCHIVED) as folder:
            names = sorted(name for name in folder.names() if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError, OutsideVault):
        return []
    return [name for name in names if is_archived(root, name)]


def put_away(root: Root, session: str) -> None:
    _move(root, FOLDER, ARCHIVED, session)


def bring_back(root: Root, session: str) -> None:
    _move(root, ARCHIVED, FOLDER, session)


def _move(root: Root, start: str, end: str, session: str) -> None:
    root.make_dirs(end)
    with root.folder(start) as old, root.folder(end) as new:
        try:
            new.stat(session)
        except FileNotFoundError:
            _rename(old, session, new, session)
        else:
            # Two machines archived it, or it went on at one while another archived it. Events are told apart by their
            # hashes, so both files may stand beside each other.
            with old.enter(session) as left, new.enter(session) as there:
                for name in left.names():
                    _rename(left, name, there, _free_name(there, name))
                there.sync()
            with contextlib.suppress(OSError):
                os.rmdir(old.at(session), dir_fd=old.fd)
        new.sync()
        old.sync()


def _free_name(folder: Folder, name: str) -> str:
    taken = set(folder.names())
    stem, dot, ending = name.partition(".")
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}{dot}{ending}"
    return name


def _rename(old: Folder, name: str, new: Folder, other: str) -> None:
    os.rename(old.at(name), new.at(other), src_dir_fd=old.fd, dst_dir_fd=new.fd)
