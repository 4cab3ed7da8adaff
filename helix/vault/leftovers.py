"""Temp files that a write left beside a note, and what is inside them.

While it is being written a temp is called `.~helix-<random>.tmp`. Once it is complete it is renamed to
`.~helix-<new>-<old>-<random>.tmp`, with the first twelve digits of the hashes of the new and of the old
content, and then swapped with the note. From then on the old file lies under that name, and an editor that
had it open may still write into it: what is then neither the new nor the old content is a person's late save.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from helix.errors import BadValue, OutsideVault, StorageError
from helix.vault.folder import Folder, NotRegular, close, read_all
from helix.vault.hashes import content_hash
from helix.vault.paths import MAX_NOTE_BYTES, TEMP_PREFIX, Root, split
from helix.vault.syscalls import without_writers

# A write takes milliseconds; one that is a minute old was cut short by a crash.
UNFINISHED_AFTER = 60.0
AT_ONCE = -1.0
"""a lingering time that is over already, whatever the clock of the disk says"""

_TEMP = re.compile(re.escape(TEMP_PREFIX) + r"(?:([0-9a-f]{12})-([0-9a-f]{12})-)?[0-9a-f]{16}\.tmp")


def unfinished_name() -> str:
    return f"{TEMP_PREFIX}{secrets.token_hex(8)}.tmp"


def complete_name(new: str, old: str) -> str:
    return f"{TEMP_PREFIX}{new[:12]}-{old[:12]}-{secrets.token_hex(8)}.tmp"


@dataclass(frozen=True)
class Leftover:
    path: str
    new: str | None  # twelve digits each; None while the temp is unfinished
    old: str | None

    @classmethod
    def find(cls, rel_dir: str, name: str) -> Leftover | None:
        match = _TEMP.fullmatch(name)
        if match is None:
            return None
        return cls(f"{rel_dir}/{name}" if rel_dir else name, match[1], match[2])


class State(Enum):
    PENDING = "pending"  # too young to judge, or somebody still writes into it
    GARBAGE = "garbage"  # nothing in it that is not elsewhere, or was never acknowledged
    LATE_SAVE = "late_save"  # a person's text that is nowhere else
    TOO_LARGE = (
        "too_large"  # larger than any note, so that no write of ours left it: never read, never removed
    )


@dataclass(frozen=True)
class LeftoverFinding:
    leftover: Leftover
    state: State
    hash: str = ""
    data: bytes = b""


def leftovers(root: Root, rel_dir: str) -> list[Leftover]:
    try:
        with root.folder(rel_dir) as folder:
            names = folder.names()
    except (FileNotFoundError, NotADirectoryError, OutsideVault):
        return []
    except OSError as error:
        raise StorageError.from_os(error, f"list {rel_dir or 'the vault'}") from error
    found = (Leftover.find(rel_dir, name) for name in sorted(names))
    return [leftover for leftover in found if leftover is not None]


def examine(
    root: Root, leftover: Leftover, now: float, linger: float, limit: int = MAX_NOTE_BYTES
) -> LeftoverFinding:
    pending = LeftoverFinding(leftover, State.PENDING)
    try:
        with _open(root, leftover) as (_, _, fd), without_writers(fd) as alone:
            before = os.fstat(fd)
            # A file may grow between the look and the reading: both are bounded.
            data = b"" if before.st_size > limit else read_all(fd, limit)
            if max(before.st_size, len(data)) > limit:
                return LeftoverFinding(leftover, State.TOO_LARGE)
            os.lseek(fd, 0, os.SEEK_SET)
            steady = data == read_all(fd, limit) and _stamps(before) == _stamps(os.fstat(fd))
    except FileNotFoundError:
        return LeftoverFinding(leftover, State.GARBAGE)
    except NotRegular:
        return pending
    except OSError as error:
        raise StorageError.from_os(error, f"examine {leftover.path}") from error

    if not (alone and steady):
        return pending
    age = now - _last_touched(before, now)
    digest = content_hash(data)
    known = leftover.new is not None and digest[:12] in (leftover.new, leftover.old)
    if known:
        state = State.GARBAGE if age > linger else State.PENDING
    elif leftover.new is None or not data:
        # An empty file is an editor that has truncated and not written yet; no text is lost with it.
        state = State.GARBAGE if age > UNFINISHED_AFTER else State.PENDING
    else:
        state = State.LATE_SAVE if age > linger else State.PENDING
    return LeftoverFinding(leftover, state, digest, data)


def discard(root: Root, finding: LeftoverFinding, limit: int = MAX_NOTE_BYTES) -> bool:
    """Unlink what was examined, garbage or a late save that has been merged, unless it changed since."""
    if finding.state in (State.PENDING, State.TOO_LARGE):
        raise BadValue(f"{finding.leftover.path} is {finding.state.value}; it is not removed")
    try:
        with _open(root, finding.leftover) as (folder, name, fd), without_writers(fd) as alone:
            if not alone or content_hash(read_all(fd, limit)) != finding.hash:
                return False
            folder.unlink(name)
    except FileNotFoundError:
        return True
    except NotRegular:
        return False
    except OSError as error:
        raise StorageError.from_os(error, f"remove {finding.leftover.path}") from error
    return True


@contextlib.contextmanager
def _open(root: Root, leftover: Leftover) -> Iterator[tuple[Folder, str, int]]:
    rel_dir, name = split(leftover.path)
    if Leftover.find(rel_dir, name) != leftover:
        raise BadValue(f"{leftover.path!r} is not a temp file of Helix")
    with root.folder(rel_dir) as folder:
        fd, _ = folder.open_regular(name)
        try:
            yield folder, name, fd
        finally:
            close(fd)


def _stamps(info: os.stat_result) -> tuple[int, int, int]:
    return info.st_size, info.st_mtime_ns, info.st_ctime_ns


def _last_touched(info: os.stat_result, now: float) -> float:
    # A tool may set mtime to a day in the future, and every write moves ctime along anyway.
    if info.st_mtime > now:
        return info.st_ctime
    return max(info.st_mtime, info.st_ctime)
