"""What is on disk of all that is followed, and what a person should know about the names there."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Sequence

from helix.errors import OutsideVault, StorageError
from helix.index.catalog import Catalog
from helix.vault.ignore import IGNORE_FILE, MAX_RULES, Ignore
from helix.vault.paths import Root
from helix.vault.problem import Problem
from helix.vault.walk import Signature, Walk, walk

_CODES = ("unreadable-folder", "odd-file-name", "bad-ignore-rule", "ignore-file-unread")


def list_files(
    root: Root, paths: Sequence[str] | None, ignore: Ignore, follows: Callable[[str], bool]
) -> Walk:
    """The files at these paths (files or folders), or all."""
    if paths is None:
        return walk(root.path, ignore, follows=follows)
    found = Walk()
    for path in paths:
        try:
            info = root.stat(path)
        except (FileNotFoundError, OutsideVault):
            continue
        except StorageError:
            found.unreadable.append(path)
            continue
        if stat.S_ISREG(info.st_mode) and follows(path) and not ignore.hides(path):
            found.files[path] = Signature.of(info)
        elif stat.S_ISDIR(info.st_mode) and not ignore.skips_below(path):
            # The watcher tells of a folder that was moved in, not of the files in it.
            found.add(walk(root.path, ignore, path, follows))
    return found


def report_names(catalog: Catalog, disk: Walk, ignore: Ignore) -> None:
    """List what a full look found wrong with names and rules, in place of what the last one did."""
    with catalog.transaction():
        for code in _CODES:
            catalog.clear_problems(code)
        for problem in _problems(disk, ignore):
            catalog.put_problem(problem)


def _problems(disk: Walk, ignore: Ignore) -> Iterator[Problem]:
    for folder in disk.unreadable:
        reason = "the folder cannot be listed; its memories stay as they were last seen"
        yield Problem(folder or ".", "unreadable-folder", reason, "check its permissions")
    for name in disk.odd_names:
        reason = "the file name is not UTF-8, so the file is not followed"
        yield Problem(name, "odd-file-name", reason, "rename the file")
    if ignore.why_unread:
        reason = f"{ignore.why_unread}: its rules hide nothing"
        remedy = "put a regular file of at most 64 KiB in its place"
        yield Problem(IGNORE_FILE, "ignore-file-unread", reason, remedy)
    elif ignore.first_unread is not None:
        reason = "from this line on the rules hide nothing: there are too many"
        remedy = f"say the same with at most {MAX_RULES} rules"
        yield Problem(IGNORE_FILE, "ignore-file-unread", reason, remedy, ignore.first_unread)
    for line in ignore.bad_lines[:1]:
        reason, remedy = "the line is no pattern and hides nothing", "correct the line, or delete it"
        yield Problem(IGNORE_FILE, "bad-ignore-rule", reason, remedy, line)
