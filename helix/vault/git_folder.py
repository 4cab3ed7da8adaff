"""The vault's git folder as plain files: found and read by us, each file with a bound. No git is run here.

Whoever shares a vault may have written every byte of this folder. So a file is read only if it is a regular one
and no larger than its kind ever is, and what it says is only ever taken for the name of a commit, a ref or a folder.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from helix.errors import HistoryError
from helix.vault.folder import close, read_all

SMALL_BYTES = 4096
PACKED_REFS_BYTES = 16 * 1024 * 1024
MOST_REFS = 50_000
_DEEPEST_REF = 32
_SYMREF_STEPS = 5
_LONGEST_REF = 1024

_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# As `git check-ref-format` has it: none of these can be mistaken for anything else in a file of names.
_REF = re.compile(r"refs/[^\x00-\x20\x7f~^:?*\[\\]+")
_BAD_IN_REF = ("..", "//", "@{", "/.", ".lock/")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BAD_END = ("/", ".", ".lock")


@dataclass(frozen=True)
class Refs:
    """The names of commits, as they were when they were read."""

    head: str
    """a branch (`refs/heads/main`), or a commit where none is checked out"""
    commits: dict[str, str]

    @property
    def head_commit(self) -> str | None:
        """None before the first commit."""
        return self.head if _OBJECT_ID.fullmatch(self.head) else self.commits.get(self.head)

    @property
    def is_detached(self) -> bool:
        return not self.head.startswith("refs/")

    @property
    def is_sha256(self) -> bool:
        """Told from the names: nobody has to ask the settings."""
        known = self.head_commit or next(iter(self.commits.values()), "")
        return len(known) == 64


@dataclass(frozen=True)
class GitFolder:
    top: Path
    """the folder with the `.git` in it: the top of the work tree"""
    own: Path
    """HEAD, the index, merges and rebases: of a linked worktree its own"""
    shared: Path
    """objects, refs and settings: one for all worktrees"""

    @classmethod
    def look_for(cls, folder: Path) -> GitFolder | str:
        """The `.git` of this folder or of the nearest one above it; or a sentence that says why there is none.

        Only what is called `.git` counts, or what a file of that name points to. Git itself also takes any folder
        with a HEAD, objects and refs in it for a repository, and those can be ordinary files of somebody's notes.
        """
        try:
            here = Path(os.path.realpath(folder))
            device = os.stat(here).st_dev
        except OSError:
            return f"There is no folder {folder}."
        ceilings = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
        unusable = ""
        for candidate in (here, *here.parents):
            # Git does not look beyond a mount point either.
            if candidate != here and (str(candidate) in ceilings or not _is_on(candidate, device)):
                break
            found = _git_of(candidate)
            if isinstance(found, GitFolder):
                if here.is_relative_to(found.own) or here.is_relative_to(found.shared):
                    return (
                        f"{folder} is inside a git folder without a work tree, so its files have no history."
                    )
                return found
            unusable = unusable or found
        return unusable or (
            f"{folder} is not in a git repository; run git init there to keep a history of your memories."
        )

    def belongs_to_another_user(self) -> bool:
        """As git asks: a repository of somebody else may be one that was put there for us to fall into."""
        if not hasattr(os, "geteuid"):
            return False  # Windows: git itself asks there, before it commits
        mine = {os.geteuid()}
        if 0 in mine and os.environ.get("SUDO_UID", "").isdigit():
            mine.add(int(os.environ["SUDO_UID"]))
        return any(os.lstat(path).st_uid not in mine for path in (self.top, self.top / ".git", self.own))

    def read_refs(self) -> Refs:
        head = _first_line(self.own / "HEAD")
        if head is None:
            raise HistoryError(f"{self.own / 'HEAD'} cannot be read", code="git-failed")
        if (self.shared / "reftable").is_dir():
            raise HistoryError(
                f"{self.shared} keeps its names of commits as a reftable, which Helix does not read; "
                "`git refs migrate --ref-format=files` makes files of them",
                code="git-failed",
            )
        refs = {**_packed(self.shared / "packed-refs"), **_loose(self.shared / "refs")}
        if self.own != self.shared:
            refs |= _loose(self.own / "refs")
        commits = {name: commit for name in refs if (commit := _resolve(name, refs))}
        branch = head.removeprefix("ref:").strip() if head.startswith("ref:") else ""
        if branch and is_ref(branch):
            return Refs(branch, commits)
        if _OBJECT_ID.fullmatch(head):
            return Refs(head, commits)
        raise HistoryError(f"{self.own / 'HEAD'} names neither a branch nor a commit", code="git-failed")


def read_regular(path: Path, most: int) -> bytes | None:
    """The file's bytes; None where there is no regular file, or one that is larger than any of its kind."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None  # opening a fifo would wait, and opening a device may do something
        fd = os.open(path, _OPEN)
    except (OSError, ValueError):
        return None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_size > most:
            return None
        data = read_all(fd, most)
    except OSError:
        return None
    finally:
        close(fd)
    return data if len(data) <= most else None


def read_end(path: Path, most: int) -> bytes:
    """The last bytes of a regular file; none where there is no such file."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return b""
        fd = os.open(path, _OPEN)
    except (OSError, ValueError):
        return b""
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            return b""
        os.lseek(fd, max(0, info.st_size - most), os.SEEK_SET)
        return read_all(fd, most)[:most]
    except OSError:
        return b""
    finally:
        close(fd)


def is_ref(name: str) -> bool:
    return (
        len(name) <= _LONGEST_REF
        and _REF.fullmatch(name) is not None
        and not any(bad in name for bad in _BAD_IN_REF)
        and not name.endswith(_BAD_END)
    )


def _is_on(path: Path, device: int) -> bool:
    try:
        return os.stat(path).st_dev == device
    except OSError:
        return False


def _git_of(folder: Path) -> GitFolder | str:
    """The repository whose work tree begins here, why it cannot be used, or nothing at all."""
    git = folder / ".git"
    try:
        mode = os.stat(git).st_mode
    except (OSError, ValueError):
        return ""
    if stat.S_ISDIR(mode):
        own = git
    elif stat.S_ISREG(mode):  # a linked worktree, or a submodule
        target = _one_path(git, "gitdir: ")
        if target is None:
            return f"Git cannot use {git}: it is a file, and does not say where the repository is."
        own = folder / target
    else:
        return f"Git cannot use {git}: it is neither a folder nor a file that names one."
    shared = own
    if os.path.lexists(own / "commondir"):
        common = _one_path(own / "commondir")
        if common is None:
            return f"Git cannot use {git}: its commondir does not say in one line where the repository is."
        shared = own / common
    own, shared = Path(os.path.realpath(own)), Path(os.path.realpath(shared))
    if _first_line(own / "HEAD") is None:
        return f"Git cannot use {git}: there is no HEAD in it that can be read."
    if not (shared / "objects").is_dir() or not (shared / "refs").is_dir():
        return f"Git cannot use {git}: it has no objects or no refs."
    return GitFolder(folder, own, shared)


def _first_line(path: Path) -> str | None:
    data = read_regular(path, SMALL_BYTES)
    return None if data is None else os.fsdecode(data.split(b"\n", 1)[0]).strip()


def _one_path(path: Path, before: str = "") -> str | None:
    """The path that a file names and git understands in the same way: to git the whole file is the path, line ends too.

    Otherwise we would look at one repository, and git would commit to another.
    """
    data = read_regular(path, SMALL_BYTES)
    text = "" if data is None else os.fsdecode(data).rstrip("\r\n")
    named = text.removeprefix(before)
    is_plain = text.startswith(before) and named == named.strip() and not _CONTROL.search(named)
    return named if named and is_plain else None


def _packed(path: Path) -> dict[str, str]:
    if not os.path.lexists(path):
        return {}
    data = read_regular(path, PACKED_REFS_BYTES)
    if data is None:
        raise HistoryError(f"{path} is no file that can be read", code="git-failed")
    if data.count(b"\n") > 2 * MOST_REFS:  # a tag has a second line for its commit
        raise HistoryError(f"{path} holds more than {MOST_REFS:,} names", code="git-failed")
    refs: dict[str, str] = {}
    for line in data.split(b"\n"):
        commit, _, name = os.fsdecode(line).partition(" ")
        if _OBJECT_ID.fullmatch(commit) and is_ref(name):
            refs[name] = commit
    return refs


def _loose(refs: Path) -> dict[str, str]:
    """What each file below `refs` says: a commit, or another name. No link is followed."""
    names: dict[str, str] = {}
    folders = [(str(refs), "refs", 0)]
    seen = 0
    while folders:
        folder, name, depth = folders.pop()
        try:
            entries = os.scandir(folder)
        except OSError:
            continue
        with entries:
            for entry in entries:
                seen += 1
                if seen > MOST_REFS:
                    raise HistoryError(f"{refs} holds more than {MOST_REFS:,} names", code="git-failed")
                below = f"{name}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if depth < _DEEPEST_REF:
                        folders.append((entry.path, below, depth + 1))
                elif entry.is_file(follow_symlinks=False) and is_ref(below):
                    names[below] = _first_line(Path(entry.path)) or ""
    return names


def _resolve(name: str, refs: dict[str, str]) -> str | None:
    for _ in range(_SYMREF_STEPS):
        says = refs.get(name, "")
        if _OBJECT_ID.fullmatch(says):
            return says
        name = says.removeprefix("ref:").strip()
    return None
