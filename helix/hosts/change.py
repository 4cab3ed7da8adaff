"""Making a change to a host's file, and undoing it: backup, atomic write, record."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from helix.errors import HostFileError, StaleHash
from helix.hosts import file
from helix.hosts.record import ChangeRecord, Purpose, Records

T = TypeVar("T")

_TRIES = 5


@dataclass(frozen=True)
class Made:
    """What a change leaves: the new text, and the containers that came with it. None: there is nothing to do."""

    text: str
    containers: list[list[str]]


@dataclass(frozen=True)
class Done:
    path: Path
    changed: bool
    backup: Path | None = None
    removed: bool = False
    """the file is gone, as it was before"""


def make(
    path: Path,
    purpose: Purpose,
    records: Records,
    change: Callable[[str, list[list[str]]], Made | None],
    *,
    backs_up: bool = True,
) -> Done:
    """Change the file at `path` by what `change` makes of its text, given the containers of an earlier change.

    `backs_up` keeps the file as it was beside it; where the change only adds text the record is enough.
    """

    def once() -> Done:
        before = file.read(path)
        earlier = records.find(before.path, purpose)
        made = _naming_the_file(path, lambda: change(before.text, earlier.made if earlier else []))
        if made is None:
            return Done(before.path, changed=False)
        # Where nothing changed since our last change, the backup of that one holds all there is to keep.
        known = earlier is not None and earlier.is_untouched(before.text)
        backup = file.back_up(before) if backs_up and not known else None
        folders = [str(one) for one in file.write(before, made.text)]
        records.keep(_record(before, purpose, earlier, made, folders))
        return Done(before.path, changed=True, backup=backup)

    return _patiently(path, once)


def parsed(path: Path, parse: Callable[[str], T]) -> T:
    """What the file at `path` says; one that is not there says nothing."""
    text = file.read(path).text
    return _naming_the_file(path, lambda: parse(text))


def undo(
    path: Path,
    purpose: Purpose,
    records: Records,
    *,
    is_undone: Callable[[str, str], bool],
    take: Callable[[str, list[list[str]]], str],
    is_empty: Callable[[str], bool],
) -> Done:
    """Take away what `make` wrote. `is_undone(text, candidate)` says whether nothing else would change;
    `take` does it by structure, where the record does not help any more."""

    def once() -> Done:
        before = file.read(path)
        record = records.find(before.path, purpose)
        after = record.undo(before.text) if record else None
        if after is None or not is_undone(before.text, after):
            after = _naming_the_file(path, lambda: take(before.text, record.made if record else []))
        removed = record is not None and record.file_was_missing and is_empty(after)
        if removed:
            file.remove(before)
            _remove_folders(record.folders if record else [])
        else:
            file.write(before, after)
        file.drop_backup(before, None if removed else (before.mark + after).encode())
        records.forget(before.path, purpose)
        if record is not None:
            for other in records.others(before.path, purpose):
                if (rebased := _rebased(other, record, before.text, after)) is not None:
                    records.keep(rebased)
        return Done(before.path, changed=True, removed=removed)

    return _patiently(path, once)


def _record(
    before: file.FileSnapshot, purpose: Purpose, earlier: ChangeRecord | None, made: Made, folders: list[str]
) -> ChangeRecord:
    """From the state before our first change, if that can still be told: what was ours already is no part of it."""
    base = earlier.undo(before.text) if earlier else None
    if earlier is None or base is None:
        return ChangeRecord.of(
            before.path, purpose, before.text, made.text, made.containers, not before.exists, folders
        )
    return ChangeRecord.of(
        before.path,
        purpose,
        base,
        made.text,
        earlier.made + made.containers,
        earlier.file_was_missing,
        earlier.folders,
    )


def _rebased(other: ChangeRecord, undone: ChangeRecord, before: str, after: str) -> ChangeRecord | None:
    """A change that stays, from the state before both: what came with the other, such as a container, goes with
    it. None when that state can no longer be told."""
    first = other.undo(before)
    base = None if first is None else undone.undo(first)
    if base is None:
        return None
    return ChangeRecord.of(
        Path(other.path),
        other.purpose,
        base,
        after,
        undone.made + other.made,
        undone.file_was_missing or other.file_was_missing,
        [*undone.folders, *other.folders],
    )


def _naming_the_file(path: Path, work: Callable[[], T]) -> T:
    try:
        return work()
    except HostFileError as error:
        raise error.at(str(path)) from None


def _patiently(path: Path, once: Callable[[], Done]) -> Done:
    for _ in range(_TRIES):
        with contextlib.suppress(file.Changed):
            return once()
    raise StaleHash(f"another program keeps writing {path}; close it and try again")


def _remove_folders(folders: list[str]) -> None:
    """Innermost first, as far as nothing else is in them."""
    for folder in reversed(folders):
        try:
            Path(folder).rmdir()
        except OSError:
            return
