"""Giving the files of a project their block, taking it back, and saying how it stands."""

from __future__ import annotations

import difflib
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from helix.errors import BadValue, HostFileError
from helix.harnesses.block import RulesBlock, find_block, put_block, without_block
from helix.harnesses.harness import HARNESSES, NAMES, Harness, is_worked_with
from helix.harnesses.rules import digest
from helix.harnesses.synced import SyncedProject, SyncedProjects
from helix.hosts import change, file
from helix.hosts.change import Made
from helix.hosts.record import Records

State = Literal["absent", "current", "outdated", "edited", "damaged"]
"""of a block: not there; as the notes say; as they said before; changed by hand; not to be told"""
_PURPOSE = "rules"


@dataclass(frozen=True)
class FileState:
    file: str
    """from the folder of the project"""
    harnesses: tuple[str, ...]
    state: State
    problem: str = ""


@dataclass(frozen=True)
class FileOutcome(FileState):
    """What was done, or would be."""

    changed: bool = False
    removed: bool = False
    """the file is gone, as it was before"""
    diff: str = ""


@dataclass(frozen=True)
class ProjectFiles:
    """The files of one project, and what is kept about them on this machine."""

    folder: Path
    """as it really is, after following links"""
    state_dir: Path
    synced: SyncedProjects = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "synced", SyncedProjects(self.state_dir))

    @classmethod
    def at(cls, folder: str | Path, state_dir: Path, vault: Path) -> ProjectFiles:
        if "\0" in str(folder) or not Path(folder).is_absolute():
            raise BadValue(f"folder is {str(folder)[:200]!r}; give one from the root, such as /home/me/code")
        place = Path(folder).resolve()
        if not place.is_dir():
            raise BadValue(f"there is no folder {folder}")
        if place.is_relative_to(vault.resolve()):
            raise BadValue(
                f"{folder} lies in the vault, where files are memories; give the folder of a project"
            )
        return cls(place, state_dir)

    def states(self, content: str | None, harnesses: Sequence[Harness] = HARNESSES) -> list[FileState]:
        """`content` is what the notes say now; None when that is not known."""
        found = []
        for path, ours in self._files(harnesses):
            names = tuple(harness.name for harness in ours)
            try:
                block = self._block(path)
            except HostFileError as error:
                found.append(FileState(self._shown(path), names, "damaged", error.message))
            else:
                found.append(FileState(self._shown(path), names, _state(block, content)))
        return found

    def sync(
        self,
        content: str,
        project: str | None,
        vault: Path,
        harnesses: Sequence[Harness] = (),
        *,
        force: bool = False,
        dry_run: bool = False,
    ) -> list[FileOutcome]:
        """Write the block into each file; without names into those that the project has."""
        if not content:
            raise BadValue(
                "no note is marked as a rule; write one with `helix remember TEXT --kind rule`, or give a note the "
                "tag `rule`. `helix harness remove` takes the blocks away"
            )
        known = self.synced.find(self.folder)
        wanted = harnesses or self._present(known)
        if not wanted:
            raise BadValue(f"no file for agents is in {self.folder}; name harnesses: {', '.join(NAMES)}")
        files = list(self._files(wanted))
        for path, _ in files:  # all of them before any is changed
            self._check(path, force)
        done = [self._put(path, ours, content, dry_run) for path, ours in files]
        if not dry_run:
            names = {*(known.harnesses if known else ()), *(harness.name for harness in wanted)}
            listed = [name for name in NAMES if name in names]
            self.synced.keep(SyncedProject(str(self.folder), str(vault.resolve()), project, listed))
        return done

    def remove(
        self, harnesses: Sequence[Harness] = (), *, force: bool = False, dry_run: bool = False
    ) -> list[FileOutcome]:
        """Every file is then what it was before, to the byte; one that was made for the block is gone."""
        wanted = harnesses or HARNESSES
        files = [(path, ours) for path, ours in self._files(wanted) if self._check(path, force) is not None]
        done = [self._take(path, ours, dry_run) for path, ours in files]
        known = self.synced.find(self.folder)
        if not dry_run and known is not None:
            gone = {name for outcome in done for name in outcome.harnesses}
            gone |= {harness.name for harness in wanted}
            left = [name for name in known.harnesses if name not in gone]
            if left:
                self.synced.keep(SyncedProject(known.folder, known.vault, known.project, left))
            else:
                self.synced.forget(self.folder)
        return done

    def _present(self, known: SyncedProject | None) -> tuple[Harness, ...]:
        before = known.harnesses if known else ()
        return tuple(one for one in HARNESSES if one.name in before or is_worked_with(one, self.folder))

    def _files(self, harnesses: Sequence[Harness]) -> Iterator[tuple[Path, list[Harness]]]:
        """Each file once: AGENTS.md is read by several, and is often a link to CLAUDE.md."""
        files: dict[Path, tuple[Path, list[Harness]]] = {}
        for harness in harnesses:
            path = self.folder / harness.file
            try:
                target = path.resolve()
            except (OSError, RuntimeError):  # links that lead in a circle; reading it says so
                target = path
            files.setdefault(target, (path, []))[1].append(harness)
        yield from files.values()

    def _check(self, path: Path, force: bool) -> RulesBlock | None:
        """Raises HostFileError for a file that is not to be written."""
        block = self._block(path)
        if block is not None and block.is_edited and not force:
            raise HostFileError(
                "somebody changed the block of Helix by hand; write it into the notes instead, or say force to lose it"
            ).at(self._shown(path))
        if path.exists() and not path.stat().st_mode & stat.S_IWUSR:
            raise HostFileError("it is not to be written, its permissions say").at(self._shown(path))
        return block

    def _block(self, path: Path) -> RulesBlock | None:
        try:
            if not path.resolve().is_relative_to(self.folder):
                raise HostFileError("it is a link that leads out of the project")
            text = file.read(path).text
            if "\0" in text:
                raise HostFileError("it is a binary file")
            return find_block(text)
        except HostFileError as error:
            raise error.at(self._shown(path)) from None
        except (OSError, RuntimeError) as error:
            raise HostFileError(f"it cannot be read ({error})").at(self._shown(path)) from error

    def _put(self, path: Path, ours: list[Harness], content: str, dry_run: bool) -> FileOutcome:
        before = file.read(path).text
        head = ours[0].head
        after = put_block(before, content, head)
        changed = before != after
        if changed and not dry_run:
            records = Records(self.state_dir)

            def write(text: str, _: list[list[str]]) -> Made | None:
                wanted = put_block(text, content, head)
                return None if wanted == text else Made(wanted, [])

            change.make(path, _PURPOSE, records, write, backs_up=False)
        return self._outcome(path, ours, before, after, "outdated" if changed and dry_run else "current")

    def _take(self, path: Path, ours: list[Harness], dry_run: bool) -> FileOutcome:
        before = file.read(path).text
        if dry_run:
            return self._outcome(path, ours, before, without_block(before), "outdated")
        head = ours[0].head

        def is_undone(text: str, candidate: str) -> bool:
            try:
                has_none = find_block(candidate) is None
            except HostFileError:
                return False
            return has_none and candidate.split() == without_block(text).removeprefix(head).split()

        done = change.undo(
            path,
            _PURPOSE,
            Records(self.state_dir),
            is_undone=is_undone,
            take=lambda text, _: without_block(text),
            is_empty=lambda text: text.strip() in ("", head.strip()),
        )
        after = "" if done.removed else file.read(path).text
        return self._outcome(path, ours, before, after, "absent", removed=done.removed)

    def _outcome(
        self, path: Path, ours: list[Harness], before: str, after: str, state: State, *, removed: bool = False
    ) -> FileOutcome:
        shown, names = self._shown(path), tuple(harness.name for harness in ours)
        lines = difflib.unified_diff(
            before.splitlines(), after.splitlines(), f"{shown} (now)", f"{shown} (then)", lineterm=""
        )
        return FileOutcome(
            shown, names, state, changed=before != after, removed=removed, diff="\n".join(lines)
        )

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()


def _state(block: RulesBlock | None, content: str | None) -> State:
    if block is None:
        return "absent"
    if block.is_edited:
        return "edited"
    return "current" if content is None or block.hash == digest(content) else "outdated"
