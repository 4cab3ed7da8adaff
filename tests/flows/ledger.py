"""What people and agents meant, kept beside the simulation: against this its end is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from helix.vault.note import Note, status_of
from helix.vault.times import parse_time


@dataclass
class Intent:
    """What was done to one memory, on any machine."""

    lines: set[str] = field(default_factory=set)
    """lines that were written once and never again"""
    blocks: set[tuple[str, ...]] = field(default_factory=set)
    """lines that were added together, some of them such as every block has; each block has a line of its own"""
    opened: set[tuple[str, ...]] = field(default_factory=set)
    """blocks that somebody changed, or put a line into"""
    removed: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    """written or removed by an operation that a crash cut short"""
    keys: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    erased: bool = False
    deletions: list[str] = field(default_factory=list)
    """stamps of the deletions; empty for a flip by hand, which the daemon stamps later"""
    restorations: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)


class Ledger:
    def __init__(self) -> None:
        self.memories: dict[str, Intent] = {}
        self.came_back_in: dict[str, str] = {}
        """removed line -> what the first merge that kept it knew"""

    def of(self, memory_id: str) -> Intent:
        return self.memories.setdefault(memory_id, Intent())

    def saw_edit(self, memory_id: str, before: str, after: str) -> None:
        """Somebody who had a text before them made another of it: what they took apart need not stay together."""
        intent = self.of(memory_id)
        old, new = before.splitlines(), after.splitlines()
        intent.opened |= {
            block for block in intent.blocks if count_block(block, old) and not count_block(block, new)
        }

    def saw_merge(
        self, memory_id: str, cause: str, sides: Iterable[str], base: str | None, merged: str
    ) -> None:
        known = set() if base is None else set(base.splitlines())
        in_all = set.intersection(*(set(side.splitlines()) for side in sides))
        for line in self.of(memory_id).removed.intersection(merged.splitlines()) - in_all:
            younger = base is not None and line not in known
            self.came_back_in.setdefault(line, f"{cause}, but older than the line" if younger else cause)

    @property
    def removed(self) -> int:
        return sum(len(i.removed - i.unsure) for i in self.memories.values() if not i.erased)

    def came_back(self, files: Mapping[str, bytes]) -> Counter[str]:
        """The removed lines that are there at the end, by cause."""
        causes: Counter[str] = Counter()
        for memory_id, note in _by_id(files).items():
            intent = self.of(memory_id)
            for line in (intent.removed - intent.unsure).intersection(note.document.body.splitlines()):
                causes[self.came_back_in.get(line, "no merge: brought by the sync service alone")] += 1
        return causes

    def count_doubled(self, files: Mapping[str, bytes]) -> int:
        """Lines that were written once and stand more than once now."""
        doubled = 0
        for note in _by_id(files).values():
            counts = Counter(note.document.body.splitlines())
            doubled += sum(count - 1 for line, count in counts.items() if line in self.of(note.id).lines)
        return doubled

    def cut(self, files: Mapping[str, bytes]) -> list[str]:
        """Blocks that nobody took apart and that do not stand whole any more. Equal lines of two blocks can be read
        either way, so these are counted and not forbidden; their own lines are all there."""
        found: list[str] = []
        for note in _by_id(files).values():
            intent, lines = self.of(note.id), note.document.body.splitlines()
            if not intent.erased:
                found += [
                    f"{note.id}: {block}"
                    for block in sorted(intent.blocks - intent.opened)
                    if not intent.unsure.intersection(block) and not count_block(block, lines)
                ]
        return found

    def check(self, files: Mapping[str, bytes], everything: Mapping[str, bytes]) -> list[str]:
        """What is wrong at the end. `everything` is all that lies in any folder, temp files included."""
        notes = [Note.parse(path, data) for path, data in files.items()]
        live = Counter(note.id for note in notes if not note.is_stub)
        wrong = [f"{memory_id}: {count} files" for memory_id, count in live.items() if count > 1]
        by_id = _by_id(files)
        for memory_id, intent in self.memories.items():
            if memory_id not in by_id:
                wrong.append(f"{memory_id}: no file")
            elif intent.erased:
                wrong += self._check_erased(memory_id, intent, by_id[memory_id], everything)
            else:
                wrong += self._check_kept(memory_id, intent, by_id[memory_id])
        return wrong

    def _check_kept(self, memory_id: str, intent: Intent, note: Note) -> list[str]:
        lost = intent.lines - intent.removed - intent.unsure - set(note.document.body.splitlines())
        wrong = [f"{memory_id}: lost {line}" for line in sorted(lost)]
        wrong += [f"{memory_id}: lost the key {key}" for key in sorted(intent.keys - note.meta.keys())]
        wrong += [
            f"{memory_id}: lost the tag {tag}" for tag in sorted(intent.tags.difference(note.memory.tags))
        ]
        status = status_of(note.meta)
        must = self._must_be_deleted(intent)
        if must is not None and must != (status == "deleted"):
            wrong.append(f"{memory_id}: is {status}, {'resurrected' if must else 'deleted by nobody'}")
        if status == "erased":
            wrong.append(f"{memory_id}: erased by nobody")
        return wrong

    def _check_erased(
        self, memory_id: str, intent: Intent, note: Note, everything: Mapping[str, bytes]
    ) -> list[str]:
        wrong = [] if status_of(note.meta) == "erased" else [f"{memory_id}: erased, but {note.memory.status}"]
        words = [word.encode() for word in (*intent.lines, *intent.keys, *intent.tags)]
        return wrong + [
            f"{memory_id}: erased text in {path}"
            for path, data in everything.items()
            if any(word in data for word in words)
        ]

    def _must_be_deleted(self, intent: Intent) -> bool | None:
        """None where flips by hand went both ways: then the daemons' stamps decide, which are not known here."""
        if not intent.deletions:
            return False
        if not intent.restorations:
            return True
        stamps = [parse_time(stamp) for stamp in (*intent.deletions, *intent.restorations)]
        if None in stamps:
            return None
        deleted, restored = max(intent.deletions), max(intent.restorations)
        return deleted > restored


def _by_id(files: Mapping[str, bytes]) -> dict[str, Note]:
    notes = [Note.parse(path, data) for path, data in files.items()]
    return {note.id: note for note in notes if not note.is_stub}


def count_block(block: Sequence[str], lines: Sequence[str]) -> int:
    """How often a block stands in lines, whole and in order."""
    size, first = len(block), block[0]
    return sum(
        line == first and tuple(lines[at : at + size]) == tuple(block) for at, line in enumerate(lines)
    )
