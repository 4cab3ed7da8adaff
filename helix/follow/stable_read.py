"""Reading files that somebody may be writing at this moment."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from helix.errors import NoteError, StorageError
from helix.vault.conflict_names import original_name
from helix.vault.frontmatter import Document
from helix.vault.git_conflict_markers import GitConflict, find_conflict
from helix.vault.identity import id_in_frontmatter
from helix.vault.note import Note
from helix.vault.ownership import FolderRule
from helix.vault.problem import Problem
from helix.vault.vault import Vault
from helix.vault.walk import Signature

log = logging.getLogger(__name__)

# VS Code and Obsidian truncate and write in place: a file touched this recently may be half of itself.
_RECENT_NS = 2_000_000_000


@dataclass(frozen=True)
class Looked:
    """A settled file: what it holds, or what is wrong with it, or both."""

    signature: Signature
    note: Note | None
    problem: Problem | None


class Looker:
    def __init__(
        self,
        vault: Vault,
        settle: float,
        wall: Callable[[], float] = time.time,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._vault = vault
        self._settle = settle
        self._wall = wall
        self._pause = pause

    def look(
        self, disk: Mapping[str, Signature], paths: Sequence[str], *, settled: bool
    ) -> dict[str, Looked | None]:
        """Each file as it is; None for one that is still being written (or has just gone).

        Files touched a moment ago are read twice, a settling time apart: the two must agree, and not be empty.
        """
        now = int(self._wall() * 1e9)
        found = {path: self._load(path) for path in paths}
        young = [] if settled else [path for path in paths if now - _touched(disk[path], now) < _RECENT_NS]
        if young:
            self._pause(self._settle)
        for path in young:
            if found[path] == b"" or self._load(path) != found[path]:
                found[path] = None
        return {
            path: None if data is None else self._looked(path, disk[path], data)
            for path, data in found.items()
        }

    def _looked(self, path: str, signature: Signature, data: bytes | Problem) -> Looked:
        if isinstance(data, Problem):
            return Looked(signature, None, data)
        looked = examine_note(path, signature, data, self._vault.folder_of(path))
        if (
            looked.note is not None
            and looked.note.unread is not None
            and self._vault.may_be_hidden(looked.note)
        ):
            looked = replace(looked, note=None)
        if looked.note is None and looked.problem is not None and self._is_erased(data):
            return replace(looked, problem=replace(looked.problem, detail=""))  # it would quote the text
        return looked

    def _is_erased(self, data: bytes) -> bool:
        memory_id = id_in_frontmatter(data)
        return memory_id is not None and self._vault.ancestry.erased_at(memory_id) is not None

    def _load(self, path: str) -> bytes | Problem | None:
        try:
            return self._vault.root.read(path, self._vault.max_note_bytes)
        except FileNotFoundError:
            return None
        except (NoteError, StorageError) as error:
            return Problem.of(path, error)


def examine_note(path: str, signature: Signature, data: bytes, folder: FolderRule | None = None) -> Looked:
    """What a file with these bytes holds, or what is wrong with it, or both."""
    try:
        note = Note.parse_leniently(path, data, folder)
        _ = note.memory, note.state
        problem = _doubtful(note) if note.unread is None else _unreadable(path, note.unread, data)
        return Looked(signature, note, problem)
    except NoteError as error:
        return Looked(signature, None, _unreadable(path, error, data))
    except Exception as error:  # one file that Helix does not understand must not stop all the others
        log.exception("%s cannot be taken in", path)
        reason = f"Helix failed on this file ({type(error).__name__}: {error})"
        return Looked(signature, None, Problem(path, "unexpected", reason, "please report it as a bug"))


def _touched(signature: Signature, now: int) -> int:
    # A tool may set mtime to a day in the future, and every write moves ctime along anyway.
    return max(signature.mtime_ns if signature.mtime_ns <= now else 0, signature.ctime_ns)


def _unreadable(path: str, error: NoteError, data: bytes) -> Problem:
    detail = ""
    if error.code == "conflict-markers" and (conflict := find_conflict(data.decode("utf-8", "replace"))):
        detail = _both_sides(conflict)
    elif original := original_name(path):
        detail = f"by its name a conflict copy of {original}; it is merged as soon as it can be read"
    return Problem(path, error.code, error.reason, error.remedy, error.line, detail)


def _doubtful(note: Note) -> Problem | None:
    """What a person should know about a note that can be read all the same."""
    if conflict := find_conflict(note.document.body):
        return Problem(
            note.path,
            "git-conflict",
            "the text holds an unresolved git conflict",
            "keep one of the two sides and delete the marker lines",
            conflict.line + _lines_above_body(note.document),
            _both_sides(conflict),
        )
    if note.meta.get("id") is not None and not note.has_id:
        return Problem(
            note.path,
            "bad-id",
            f"the id {str(note.meta['id'])[:60]!r} cannot be used; the note is read under {note.id}",
            "use letters, digits, dashes and underscores, or remove the line and run `helix adopt`",
        )
    return None


def _both_sides(conflict: GitConflict) -> str:
    return (
        f"ours ({conflict.ours_label or 'unnamed'}):\n{conflict.ours}"
        f"theirs ({conflict.theirs_label or 'unnamed'}):\n{conflict.theirs}"
    )


def _lines_above_body(document: Document) -> int:
    return (document.opening + document.yaml + document.closing).count("\n")
