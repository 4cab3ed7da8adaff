"""Machines, agents and people at work on one synced vault, at random but repeatable by a seed.

The vault, the merge, the catalog and the daemon are the real ones, on real folders. Only time, the sync
service and the people are simulated. Some lines of text are written once and never again, so that each can be
followed to the end; around them stand fences, list items and commands that every block has.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unittest import mock

from helix.errors import HelixError
from helix.memory.writing.store import Stored
from helix.vault import ids
from helix.vault import merge as merge_module
from helix.vault import vault as vault_module
from helix.vault.frontmatter import Document
from helix.vault.merge import FindState, state_of
from helix.vault.new_memory import NewMemory
from helix.vault.note import Note, ancestors_of, status_of
from helix.vault.vault import Edit
from tests.flows.cloud import Cloud, Style
from tests.flows.ledger import Intent, Ledger, count_block
from tests.flows.machine import Crash, Machine

_MEMORIES = 8
_ROUNDS_TO_REST = 60


@dataclass
class Outcome:
    seed: int
    operations: int
    conflicts: int
    merges: int
    crashes: int
    rounds: int
    """rounds of sync and daemons until nothing changed any more"""
    lines: int
    blocks: int
    """blocks of several lines that nobody took apart"""
    cut: int
    """of these, how many do not stand whole"""
    doubled: int
    """lines that a merge had to keep twice, and that nobody has tidied up"""
    removed: int
    came_back: Counter[str]
    wrong: list[str]
    story: list[str] = field(default_factory=list)
    """the last operations on the memories that are wrong"""


def simulate(seed: int, machines: int, operations: int, place: Path | None = None) -> Outcome:
    """One run. The folders are in memory where the system has such a place: thousands of syncs cost nothing."""
    parent = Path("/dev/shm") if place is None and os.path.isdir("/dev/shm") else place
    folder = Path(tempfile.mkdtemp(prefix="helix-sim-", dir=parent))
    try:
        simulation = Simulation(seed, machines, folder)
        with simulation.observed():
            simulation.run(operations)
            return simulation.finish()
    finally:
        shutil.rmtree(folder)


class Simulation:
    def __init__(self, seed: int, machines: int, folder: Path) -> None:
        self.rng = Random(seed)
        self.seed = seed
        self.now = 0.0
        self.ledger = Ledger()
        self.cloud = Cloud(self.rng.choice(list(Style)), self.rng)
        self.machines = [
            Machine(f"M{number + 1}", folder, self.cloud, self.rng, lambda: self.now)
            for number in range(machines)
        ]
        self.active = self.machines[0]
        """whose code is running"""
        self.operations = self.merges = self.crashes = 0
        self._pace = self.rng.choice((3, 20, 120))
        """seconds between two operations: busy machines, or daemons that have time for all they wait for"""
        self._written = 0
        self._read_earlier: list[tuple[Machine, Note]] = []
        usual: dict[Callable[[Machine], None], float] = {
            self.create: 3,
            self.agent_edits: 22,
            self.agent_edits_what_it_read_earlier: 5,
            self.person_edits: 25,
            self.person_edits_frontmatter: 5,
            self.person_flips: 2,
            self.person_renames: 3,
            self.person_copies: 0.5,
            self.forget: 3,
            self.restore: 2,
            self.supersede: 1,
            self.erase: 0.7,
        }
        # No two runs are alike: in one people rename a lot, in another agents do nearly everything.
        self._deeds = {deed: weight * self.rng.choice((0.3, 1, 3)) for deed, weight in usual.items()}

    # The run

    def run(self, operations: int) -> None:
        while self.operations < operations:
            self.now += self.rng.expovariate(1 / self._pace)
            machine = self.rng.choice(self.machines)
            self._disturb(machine)
            [deed] = self.rng.choices([*self._deeds], [*self._deeds.values()])
            machine.client.finish_writing()
            self._on(machine, deed, machine)
            self.operations += 1
            for other in self.machines:
                if self.rng.random() < 0.5:
                    other.client.sync(self.rng.choice((0.2, 0.5, 0.9)))
                if self.rng.random() < 0.5:
                    self._on(other, other.follow)

    def finish(self) -> Outcome:
        """Everyone comes online; nothing must change any more after a bounded number of rounds."""
        for machine in self.machines:
            machine.client.online = True
            machine.crash_after = None
        rounds = 0
        before: object = None
        quiet = 0
        while quiet < 3 and rounds < _ROUNDS_TO_REST:
            rounds += 1
            self.now += (
                700 if quiet else 20
            )  # when all is quiet, longer than anything that a daemon waits for
            for machine in self.machines:
                machine.client.sync(1.0)
            for machine in self.machines:
                self._on(machine, machine.follow)
            after = [machine.client.files() for machine in self.machines]
            quiet = quiet + 1 if after == before and all(files == after[0] for files in after) else 0
            before = after
        wrong = [] if quiet >= 3 else [self._divergence()]
        everything = {
            f"{machine.name}: {path.relative_to(machine.folder)}": path.read_bytes()
            for machine in self.machines
            for path in machine.folder.rglob("*")
            if path.is_file()
        }
        files = self.machines[0].client.files()
        wrong += self.ledger.check(files, everything)
        for machine in self.machines:
            machine.stop()
        return Outcome(
            self.seed,
            self.operations,
            self.cloud.conflicts,
            self.merges,
            self.crashes,
            rounds,
            self._written,
            sum(len(intent.blocks - intent.opened) for intent in self.ledger.memories.values()),
            len(self.ledger.cut(files)),
            self.ledger.count_doubled(files),
            self.ledger.removed,
            self.ledger.came_back(files),
            wrong,
            self._story(wrong),
        )

    @contextmanager
    def observed(self) -> Iterator[None]:
        """Ids follow the seed, nobody sleeps, and every merge is noted with what it knew."""
        real = merge_module.merge

        def merge(one: Document, other: Document, find: FindState) -> Document:
            merged = real(one, other, find)
            self.merges += 1
            cause, base = self._cause(one, other, find)
            memory_id = str(merged.meta.get("id"))
            self.ledger.saw_merge(memory_id, cause, (one.body, other.body), base, merged.body)
            self._note(
                self.ledger.of(memory_id),
                f"merge, {cause}: {_brief(one)} + {_brief(other)} = {_brief(merged)}",
            )
            return merged

        with (
            mock.patch.object(vault_module, "merge", merge),
            mock.patch.object(vault_module, "_PAUSE", 0),
            mock.patch.object(ids, "secrets", self.rng),
        ):
            yield

    def _cause(self, one: Document, other: Document, find: FindState) -> tuple[str, str | None]:
        """What a merge knew, and the text of its base."""
        states = [(state_of(side), *ancestors_of(side.meta)) for side in (one, other)]
        if states[0][0] in states[1] or states[1][0] in states[0]:
            return "one side is an ancestor of the other", None
        if not set(states[0]).intersection(states[1]):
            return "no common state listed", None
        older, newer = sorted((one, other), key=merge_module._order)
        shared = merge_module._common_state(newer, older)
        if shared is not None and (base := find(shared)) is not None:
            return "base known", base.body
        return (
            "text of the base lost" if self.active.has_lost_state else "text of the base not known here"
        ), None

    def _on(self, machine: Machine, act: Callable[..., None], *arguments: Machine) -> None:
        self.active = machine
        try:
            act(*arguments)
        except Crash:
            self.crashes += 1
            machine.restart()

    def _disturb(self, machine: Machine) -> None:
        if self.rng.random() < (0.06 if machine.client.online else 0.15):
            machine.client.online = not machine.client.online
        chance = self.rng.random()
        if chance < 0.03:
            machine.crash_after = self.rng.randrange(4)
        elif chance < 0.034:
            machine.restart(lose_state=True)
        elif chance < 0.05:
            machine.restart()
        elif chance < 0.06:
            self.now += 3600

    # What agents do

    def create(self, machine: Machine) -> None:
        if len(self.ledger.memories) >= _MEMORIES:
            return self.agent_edits(machine)
        lines = [line for _ in range(self.rng.randint(1, 4)) for line in self._block(machine)]
        try:
            note = machine.memories.add(NewMemory("\n".join(lines) + "\n", "Note", tags=["first"])).note
        except Crash:
            self._take_what_is_there(machine)
            raise
        self.ledger.of(note.id).lines |= _own(lines)
        self._note(self.ledger.of(note.id), f"{machine.name} creates {lines}")
        return None

    def agent_edits(self, machine: Machine) -> None:
        if note := self._some_note(machine, "active", "superseded", "deleted"):
            if self.rng.random() < 0.3:
                self._read_earlier.append((machine, note))
            self._agent_edit(machine, note)

    def agent_edits_what_it_read_earlier(self, machine: Machine) -> None:
        mine = [item for item in self._read_earlier if item[0] is machine]
        if mine:
            self._read_earlier.remove(mine[0])
            self._agent_edit(*mine[0])

    def _agent_edit(self, machine: Machine, note: Note) -> None:
        body, added, removed, blocks = self._changed(machine, note)
        intent = self.ledger.of(note.id)
        self._note(intent, f"{machine.name} agent edits {note.path}: +{added} -{removed}")
        self.ledger.saw_edit(note.id, note.document.body, body)
        newly_removed = removed - intent.removed
        intent.removed |= newly_removed
        try:
            machine.memories.edit(note.id, Edit(body=body), based_on=note.hash)
        except HelixError as error:
            intent.removed -= newly_removed
            return self._note(intent, f"  refused: {error}")
        except Crash:
            intent.unsure |= {*added, *removed}
            raise
        intent.lines |= added
        intent.blocks |= blocks
        return None

    def forget(self, machine: Machine) -> None:
        if note := self._some_note(machine, "active", "superseded"):
            self._flip(machine, note, machine.memories.forget, "deleted_at")

    def restore(self, machine: Machine) -> None:
        if note := self._some_note(machine, "deleted"):
            self._flip(machine, note, machine.memories.restore, "restored_at")

    def _flip(self, machine: Machine, note: Note, act: Callable[[str], Stored], register: str) -> None:
        intent = self.ledger.of(note.id)
        self._note(intent, f"{machine.name} {register} {note.path}")
        try:
            stamp = str(act(note.id).note.meta.get(register) or "")
        except HelixError as error:
            return self._note(intent, f"  refused: {error}")
        except Crash:
            intent.deletions.append("")
            intent.restorations.append("")
            raise
        (intent.deletions if register == "deleted_at" else intent.restorations).append(stamp)
        return None

    def supersede(self, machine: Machine) -> None:
        if note := self._some_note(machine, "active"):
            self._note(self.ledger.of(note.id), f"{machine.name} supersedes {note.path}")
            self._allowing_refusal(lambda: machine.vault.supersede(note.path, note.id))

    def erase(self, machine: Machine) -> None:
        if note := self._some_note(machine, "active", "superseded", "deleted"):
            intent = self.ledger.of(note.id)
            self._note(intent, f"{machine.name} erases {note.path}")
            try:
                machine.memories.erase(note.id)
                intent.erased = True
            except HelixError as error:
                self._note(intent, f"  refused: {error}")
            except Crash:
                notes = [one for one in machine.notes() if one.id == note.id]
                intent.erased |= any(status_of(one.meta) == "erased" for one in notes)
                raise

    # What people do, in an editor and in a file manager

    def person_edits(self, machine: Machine) -> None:
        if note := self._some_note(machine, "active", "superseded", "deleted"):
            body, added, removed, blocks = self._changed(machine, note)
            self._save(machine, note, machine_text(note).removesuffix(note.document.body) + body)
            intent = self.ledger.of(note.id)
            self.ledger.saw_edit(note.id, note.document.body, body)
            intent.lines |= added
            intent.blocks |= blocks
            intent.removed |= removed
            self._note(intent, f"{machine.name} person edits {note.path}: +{added} -{removed}")

    def person_edits_frontmatter(self, machine: Machine) -> None:
        if note := self._some_note(machine, "active", "superseded", "deleted"):
            intent = self.ledger.of(note.id)
            word, what = self._line(machine), self.rng.choice(("title", "key", "tag"))
            text = machine_text(note)
            if what == "title":
                text = text.replace(f"title: {note.meta['title']}\n", f"title: {word}\n", 1)
            elif what == "key":
                text = text.replace("---\n", f"---\nx-{word}: by hand\n", 1)
                intent.keys.add(f"x-{word}")
            else:
                text = text.replace("tags: [", f"tags: [{word}, ", 1)
                assert f"[{word}, " in text
                intent.tags.add(word)
            self._save(machine, note, text)
            self._note(intent, f"{machine.name} person edits the {what} of {note.path}")

    def person_flips(self, machine: Machine) -> None:
        if note := self._some_note(machine, "active", "deleted"):
            was = status_of(note.meta)
            now = "deleted" if was == "active" else "active"
            intent = self.ledger.of(note.id)
            self._save(machine, note, machine_text(note).replace(f"status: {was}\n", f"status: {now}\n", 1))
            (intent.deletions if now == "deleted" else intent.restorations).append("")
            self._note(intent, f"{machine.name} person flips {note.path} to {now}")

    def person_renames(self, machine: Machine) -> None:
        if note := self._some_note(machine, "active", "superseded", "deleted"):
            target = f"{self.rng.choice(('global', 'moved'))}/{self._line(machine)}.md"
            (machine.folder / target).parent.mkdir(exist_ok=True)
            os.rename(machine.folder / note.path, machine.folder / target)
            self._note(self.ledger.of(note.id), f"{machine.name} person renames {note.path} to {target}")

    def person_copies(self, machine: Machine) -> None:
        if note := self._some_note(machine, "active", "superseded", "deleted"):
            target = f"global/{self._line(machine)}.md"
            (machine.folder / target).parent.mkdir(exist_ok=True)
            shutil.copy(machine.folder / note.path, machine.folder / target)
            self._note(self.ledger.of(note.id), f"{machine.name} person copies {note.path} to {target}")

    # Parts

    def _save(self, machine: Machine, note: Note, text: str) -> None:
        target = machine.folder / note.path
        if self.rng.random() < 0.5:
            target.write_text(text, "utf-8")
        else:
            temp = target.with_name(".saving.tmp")
            temp.write_text(text, "utf-8")
            os.replace(temp, target)

    def _some_note(self, machine: Machine, *statuses: str) -> Note | None:
        notes = [note for note in machine.notes() if status_of(note.meta) in statuses]
        return self.rng.choice(notes) if notes else None

    def _changed(self, machine: Machine, note: Note) -> tuple[str, set[str], set[str], set[tuple[str, ...]]]:
        """A text with lines added, changed or removed; and which, and which of them belong together."""
        lines, blocks, removed = note.document.body.splitlines(), set[tuple[str, ...]](), set[str]()
        known = {line: block for block in self.ledger.of(note.id).blocks for line in _own(block)}
        before = set(lines)
        for _ in range(self.rng.choice((1, 1, 1, 2, 4))):
            what = self.rng.choice(("add", "add", "change", "remove"))
            own = [place for place, line in enumerate(lines) if _own([line])]
            if what == "add" or not own:  # anywhere, and every other time at the end
                at = self.rng.choice((self.rng.randint(0, len(lines)), len(lines)))
                block = self._block(machine)
                lines[at:at] = block
                blocks.add(tuple(block))
                continue
            at = self.rng.choice(own)
            removed.add(lines[at])
            if what == "change":
                lines[at] = self._sentence(machine)
            else:  # nobody takes the heading of a block away and leaves the rest
                block = list(known.get(lines[at], (lines[at],)))
                first = at - block.index(lines[at])
                size = len(block) if lines[first : first + len(block)] == block else 1
                del lines[(first if size > 1 else at) : (first if size > 1 else at) + size]
        added = _own(lines) - before
        whole = {block for block in blocks if len(block) > 1 and count_block(block, lines)}
        # A line that came and went within one edit was never saved; of one that stood twice one is left.
        return "".join(f"{line}\n" for line in lines), added, (removed & before).difference(lines), whole

    def _block(self, machine: Machine) -> list[str]:
        """One line, or several that belong together, most of them like those of any other block."""
        one = self._sentence(machine)
        return self.rng.choice(
            (
                [one],
                [one],
                [one, "", "```sh", "systemctl stop pump", "sleep 30", "systemctl start pump", "```"],
                ["```", "sleep 30", one, "sleep 30", "```"],
                ["- [ ] call Bob", one, "  - [ ] call Bob", "- [ ] call Bob"],
                [one, "while True:", "    step()", "}", "}"],
                [one, "| a | b |", "|---|---|", "| 1 | 2 |", "| 1 | 2 |"],
            )
        )

    def _sentence(self, machine: Machine) -> str:
        """A line of text: a few words, or as long as people's lines are."""
        line = self._line(machine)
        return self.rng.choice((line, f"{line} says what was found out about the pump and its valves"))

    def _line(self, machine: Machine) -> str:
        self._written += 1
        return f"line-{machine.name.lower()}-{self._written:06}"

    def _allowing_refusal(self, act: Callable[[], object]) -> None:
        try:
            act()
        except HelixError:
            return

    def _take_what_is_there(self, machine: Machine) -> None:
        """After a crash in a creation: a memory that nobody was told of, but which may be on disk."""
        for note in machine.notes():
            if note.id not in self.ledger.memories:
                self.ledger.of(note.id).lines |= _own(note.document.body.splitlines())

    def _note(self, intent: Intent, what: str) -> None:
        intent.log.append(f"{self.operations:5} {self.now:9.0f} {self.active.name} {what}")

    def _divergence(self) -> str:
        folders = [machine.client.files() for machine in self.machines]
        paths = sorted({path for files in folders for path in files})
        differing = [path for path in paths if len({files.get(path) for files in folders}) > 1]
        return f"not at rest after {_ROUNDS_TO_REST} rounds; differing: {differing[:5]}"

    def _story(self, wrong: list[str]) -> list[str]:
        concerned = [
            memory_id for memory_id in self.ledger.memories if any(memory_id in item for item in wrong)
        ]
        return [
            line for memory_id in concerned for line in ("", memory_id, *self.ledger.of(memory_id).log[-60:])
        ]


def machine_text(note: Note) -> str:
    document = note.document
    return document.bom + document.opening + document.yaml + document.closing + document.body


def _own(lines: Iterable[str]) -> set[str]:
    """The lines that are written once. The others stand in many blocks; Helix' own warnings are nobody's text."""
    return {line for line in lines if line.startswith("line-")}


def _brief(document: Document) -> str:
    return f"{state_of(document)}({status_of(document.meta)}, {len(document.body.splitlines())} lines)"
