"""Nothing outside the vault can be named or reached.

A path is a `str` with forward slashes, relative to the vault: `projects/billing/retry-policy.md`. Existing
names are taken as they are: macOS and Linux disagree on Unicode forms, and renaming is not ours to do.
"""

from __future__ import annotations

import contextlib
import os
import re
import unicodedata
from collections.abc import Iterator

from helix.errors import NoteError, OutsideVault, StorageError, TooLarge, VaultError, VaultMissing
from helix.vault.folder import Folder, NotRegular, close, read_all
from helix.vault.normalize import normalize

TEMP_PREFIX = ".~helix-"
MAX_NOTE_BYTES = 4 * 1024 * 1024
MAX_SETTINGS_BYTES = 64 * 1024

_DRIVE = re.compile(r"[A-Za-z]:")
_RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
# Letters that Unicode does not take apart into a plain one and an accent.
_FOLDED = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})


def check(rel: str) -> str:
    """The same path when it can only name a note inside the vault, else OutsideVault."""
    if not rel or "\0" in rel or "\\" in rel or _DRIVE.match(rel):
        raise OutsideVault(f"{rel!r} is not a path inside the vault")
    if os.name == "nt" and ":" in rel:
        raise OutsideVault(f"{rel!r} names a hidden stream of a file")
    for part in rel.split("/"):
        if part in ("", ".", ".."):
            raise OutsideVault(f"{rel!r} is not a plain path inside the vault")
        if part.startswith(TEMP_PREFIX):
            raise OutsideVault(f"{rel!r} is a name that Helix keeps for unfinished writes")
    try:
        os.fsencode(rel)
    except UnicodeEncodeError as error:
        raise OutsideVault(f"{rel!r} cannot be a file name") from error
    return rel


def split(rel: str) -> tuple[str, str]:
    """Folder and name; the folder of a note at the top is the empty string."""
    folder, _, name = rel.rpartition("/")
    return folder, name


class Root:
    """The vault's folder, held open. Every path is walked from it, one part at a time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.realpath(path)
        try:
            self._top = Folder.at_path(self.path)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise VaultMissing(f"there is no folder at {self.path}") from error
        except OSError as error:
            raise StorageError.from_os(error, f"open {self.path}") from error
        self._identity = _identity(os.stat(self.path if self._top.fd is None else self._top.fd))

    def alive(self) -> bool:
        """Whether the path still leads to the folder that was opened.

        It does not after an unmount, or when a sync client put a fresh folder in its place. Our open
        descriptor keeps the inode number from being given to another folder.
        """
        try:
            return _identity(os.stat(self.path)) == self._identity
        except OSError:
            return False

    def reopen(self) -> bool:
        """Take the folder that the path leads to now: a drive that was mounted again, a vault put back.

        Whether it is the same vault is for the caller to know. The old descriptor stays open: another thread may
        be using it, and this happens too rarely to count.
        """
        try:
            top = Folder.at_path(self.path)
        except OSError:
            return False
        self._top = top
        self._identity = _identity(os.stat(self.path if top.fd is None else top.fd))
        return True

    def folder(self, rel_dir: str) -> Folder:
        """Open a folder beneath the root; the empty string is the root itself."""
        return self._walk(rel_dir, make=False)

    def make_dirs(self, rel_dir: str) -> None:
        """Create the folders that are missing, durably."""
        with _typed(f"make the folder {rel_dir}"):
            self._walk(rel_dir, make=True).close()

    def read(self, rel: str, limit: int) -> bytes:
        """The bytes of a regular file. FileNotFoundError when there is none."""
        parent, name = split(check(rel))
        with _typed(f"read {rel}"), self.folder(parent) as folder:
            fd, info = folder.open_regular(name)
            try:
                # A file may grow between the look and the reading: both are bounded.
                data = b"" if info.st_size > limit else read_all(fd, limit)
            finally:
                close(fd)
        if max(info.st_size, len(data)) > limit:
            raise TooLarge(
                f"{rel} has {max(info.st_size, len(data))} bytes, more than {limit}",
                remedy="split the note, or move it out of the vault",
            )
        return data

    def read_settings(self, rel: str, limit: int = MAX_SETTINGS_BYTES) -> bytes | None:
        """A small file by which a vault says how it is to be treated; None when there is none.

        It came from whoever shares the vault: a link, a fifo, a device or a large file is refused as VaultError.
        """
        try:
            return self.read(rel, limit)
        except FileNotFoundError:
            return None
        except TooLarge as error:
            raise VaultError(f"{rel} has more than {limit} bytes; shorten it") from error
        except NoteError as error:
            raise VaultError(f"{rel} is not a regular file; remove it") from error
        except OutsideVault as error:
            raise VaultError(f"{rel} is a link, or lies behind one, and links are not followed") from error

    def stat(self, rel: str) -> os.stat_result:
        """What the name itself is: a link is reported, not followed."""
        parent, name = split(check(rel))
        with _typed(f"look at {rel}"), self.folder(parent) as folder:
            return folder.stat(name)

    def exists(self, rel: str) -> bool:
        """Whether the name is taken, by whatever."""
        try:
            self.stat(rel)
        except FileNotFoundError:
            return False
        return True

    def close(self) -> None:
        self._top.close()

    def _walk(self, rel_dir: str, *, make: bool) -> Folder:
        parts = check(rel_dir).split("/") if rel_dir else []
        folder = self._top.again()
        for part in parts:
            with folder:
                if make:
                    folder.make(part)
                folder = folder.enter(part)
        return folder


def read_settings(folder: str | os.PathLike[str], rel: str, limit: int = MAX_SETTINGS_BYTES) -> bytes | None:
    """The same for a folder that nobody holds open. VaultMissing when there is none."""
    root = Root(folder)
    try:
        return root.read_settings(rel, limit)
    finally:
        root.close()


def _identity(info: os.stat_result) -> tuple[int, int]:
    return info.st_dev, info.st_ino


@contextlib.contextmanager
def _typed(doing: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except NotADirectoryError as error:
        raise FileNotFoundError(error.errno, "a part of the path is a file", error.filename) from error
    except NotRegular as error:
        raise NoteError(f"{doing}: not a regular file", remedy="move it out of the vault") from error
    except OSError as error:
        raise StorageError.from_os(error, doing) from error


def slug(title: str, limit: int = 48) -> str:
    """A title as a part of a file name that every file system and sync tool accepts."""
    return _fold(title, limit) or "note"


def folder_name(name: str) -> str:
    """A project's name as the name of its folder."""
    folded = _fold(name, 48) or "unnamed"
    # Windows keeps these for devices, in any folder.
    return f"{folded}-x" if _RESERVED.fullmatch(folded) else folded


def _fold(text: str, limit: int) -> str:
    plain = normalize("NFKD", text).casefold().translate(_FOLDED)
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:limit].rstrip("-")
