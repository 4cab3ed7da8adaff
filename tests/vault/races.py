"""A person saves a note again and again while Helix writes to the same file.

Every save adds a line of its own to what the editor read. Helix carries every line forward that it has read
or found in a late save. At the end one more write by Helix must hold every line: else a save was lost.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from helix.errors import StaleHash
from helix.vault.files import Files, Write
from helix.vault.hashes import content_hash
from helix.vault.leftovers import State
from helix.vault.paths import Root

# Far less than in real life, so that leftovers are judged and removed while the race goes on.
LINGER = 0.1

Save = Callable[[Path, bytes, random.Random], None]


@dataclass
class Tally:
    saves: int = 0
    writes: int = 0
    stale: int = 0
    late_saves: int = 0
    lost: int = 0
    unsettled: int = 0  # leftovers that are neither garbage nor a late save after the editor has gone


def in_place(note: Path, line: bytes, chance: random.Random) -> None:
    data = note.read_bytes() + line
    with note.open("r+b", buffering=0) as file:
        file.write(data)
        file.truncate()


def truncate_and_write(note: Path, line: bytes, chance: random.Random) -> None:
    """VS Code and Obsidian: a reader may find the note empty or half."""
    data = note.read_bytes() + line
    with note.open("wb", buffering=0) as file:
        _pause(chance)
        file.write(data[: len(data) // 2])
        _pause(chance)
        file.write(data[len(data) // 2 :])


def hold_open(note: Path, line: bytes, chance: random.Random) -> None:
    """An editor that reads and, much later, writes through one descriptor."""
    with note.open("r+b", buffering=0) as file:
        data = file.read() + line
        _pause(chance)
        _pause(chance)
        file.seek(0)
        file.truncate()
        file.write(data)


def move_away_and_create(note: Path, line: bytes, chance: random.Random) -> None:
    """vim, neovim and emacs: the note is absent for a moment."""
    data = note.read_bytes() + line
    backup = note.with_name(note.name + "~")
    os.rename(note, backup)
    _pause(chance)
    with note.open("wb", buffering=0) as file:
        _pause(chance)
        file.write(data)
    os.unlink(backup)


def rename_over(note: Path, line: bytes, chance: random.Random) -> None:
    """gedit, sync clients, and other careful programs."""
    fresh = note.with_name(".goutputstream-X")
    fresh.write_bytes(note.read_bytes() + line)
    os.rename(fresh, note)


STYLES: tuple[Save, ...] = (in_place, truncate_and_write, hold_open, move_away_and_create, rename_over)


def run(folder: Path, style: Save, saves: int, seed: int, tally: Tally) -> None:
    """One note, one editor, one Helix; the counts are added to the tally."""
    note = folder / "note.md"
    note.write_bytes(b"start.\n")
    writer = _Writer(folder, tally)
    with _editor(note, style, saves, seed) as finished:
        while not finished():
            writer.write()
            writer.sweep(time.time())
    writer.sweep(time.time() + 5)
    tally.unsettled += len(writer.files.leftovers(""))
    while not writer.write():
        pass
    final = set(note.read_bytes().splitlines(keepends=True))
    tally.saves += saves
    tally.lost += len({_line(number) for number in range(saves)} - final)


@dataclass
class _Writer:
    folder: Path
    tally: Tally
    known: dict[bytes, None] = field(default_factory=dict)  # an ordered set of whole lines

    def __post_init__(self) -> None:
        self.files = Files(Root(self.folder))

    def write(self) -> bool:
        try:
            base = (self.folder / "note.md").read_bytes()
        except FileNotFoundError:
            return False
        self._learn(base)
        self.known[b"helix %06d.\n" % self.tally.writes] = None
        try:
            self.files.write(Write("note.md", b"".join(self.known), content_hash(base)))
        except StaleHash:
            self.tally.stale += 1
            return False
        self.tally.writes += 1
        return True

    def sweep(self, now: float) -> None:
        for leftover in self.files.leftovers(""):
            finding = self.files.examine(leftover, now, LINGER)
            if finding.state is State.LATE_SAVE:
                self.tally.late_saves += 1
                self._learn(finding.data)
            if finding.state is not State.PENDING:
                self.files.discard(finding)

    def _learn(self, data: bytes) -> None:
        lines = data.splitlines(keepends=True)
        self.known.update(dict.fromkeys(line for line in lines if line.endswith(b".\n")))


@contextmanager
def _editor(note: Path, style: Save, saves: int, seed: int) -> Iterator[Callable[[], bool]]:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            chance = random.Random(seed)
            for number in range(saves):
                _pause(chance)
                style(note, _line(number), chance)
            status = 0
        finally:
            os._exit(status)
    outcome: list[int] = []

    def finished() -> bool:
        if not outcome:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                outcome.append(status)
        return bool(outcome)

    yield finished
    assert outcome == [0], "the editor failed"


def _line(number: int) -> bytes:
    return b"person %06d.\n" % number


def _pause(chance: random.Random) -> None:
    time.sleep(chance.uniform(0, 0.002))
