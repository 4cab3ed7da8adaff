"""After anything that may happen to a vault, the catalog equals one that is built afresh.

Edits, renames, moves, deletes, conflict copies, broken files, missed events, crashes and restarts, in random
sequences. A sequence that fails is cut down to the steps it needs before it is shown.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from helix.errors import HelixError
from helix.index.catalog import Catalog
from helix.index.embed import EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.filters import Where
from helix.index.local_engine import LocalEngine
from helix.index.search import Question, Searcher
from helix.vault.conflict_names import is_note_name
from helix.vault.diff import Change
from helix.vault.new_memory import NewMemory
from helix.vault.note import Note
from tests.follow.rig import Crash, Index, Rig, in_catalog, memory_folder, record
from tests.index.memories import HashEmbedder
from tests.scale import scaled

STEPS = 40
FOLDERS = ("", "a", "a/deep", "b", "hidden")
COPY_NAMES = (
    "{stem} (Ann's conflicted copy 2026-09-25).md",
    "{stem}.sync-conflict-20261116-020741-PEVKUMX.md",
    "{stem} 2.md",
    "{stem}.md.conflict1",
    "copied/{stem}.md",
)
BROKEN = (
    b"---\ntitle: [never closed\n---\ntext\n",
    b"---\nid: x\nid: y\n---\n",
    b"---\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> c\n---\n",
    b"\xff\xfe not text",
)
RULES = ("", "hidden/\n", "*.tmp.md\n/b\n", "!\n[z-a]\nhidden/\n", "a/*\n")

QUESTIONS = ("line", "told", "more", "plain frontmatter", "copied 7", "status:deleted", "kind:fact more")

Step = tuple[str, int, int]


class World(Rig):
    """A vault with a person, sync tools, a daemon that crashes, and what must be true of them."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.made = 0
        self.untold: set[str] = set()
        self.deleted: list[tuple[str, bytes]] = []
        self.own: dict[str, bytes] = {}
        """files without an id, as the person wrote them"""

    def do(self, step: Step) -> None:
        verb, pick, twist = step
        getattr(self, f"do_{verb}")(pick, twist)

    # What a person and the sync tools do

    def do_new(self, pick: int, twist: int) -> None:
        self.made += 1
        path = _join(FOLDERS[pick % len(FOLDERS)], f"note{self.made}.md")
        if twist % 3 == 0:
            self._put(path, f"# Plain {self.made}\n\nNo frontmatter, #tag{self.made}.\n".encode())
        else:
            self._put(path, record(f"mem_{self.made}", f"Line {self.made}.\n", status="active").encode())

    def do_edit(self, pick: int, twist: int) -> None:
        if path := self._some(pick):
            self.made += 1
            data = self._bytes(path) + f"More {self.made}.\n".encode()
            if twist % 3 == 0:
                self._put(path, data)
            elif twist % 3 == 1:
                self._put(path, data, by_rename=True)
            else:
                was = os.stat(self.folder / path)
                self._put(path, data)
                os.utime(self.folder / path, ns=(was.st_atime_ns, was.st_mtime_ns))

    def do_flip(self, pick: int, twist: int) -> None:
        if path := self._some(pick):
            old, new = [(b"active", b"deleted"), (b"deleted", b"active"), (b"active", b"superseded")][
                twist % 3
            ]
            data = self._bytes(path)
            if b"\nstatus: " + old in data:
                self._put(path, data.replace(b"\nstatus: " + old, b"\nstatus: " + new, 1))

    def do_rename(self, pick: int, twist: int) -> None:
        if path := self._some(pick):
            self.made += 1
            self._move(path, _join(FOLDERS[twist % len(FOLDERS)], f"renamed{self.made}.md"))

    def do_move_folder(self, pick: int, twist: int) -> None:
        source, target = FOLDERS[1 + pick % 4], ("moved", "a/inner", "b")[twist % 3]
        if (self.folder / source).is_dir() and not (self.folder / target).exists() and source != "a":
            (self.folder / target).parent.mkdir(parents=True, exist_ok=True)
            os.rename(self.folder / source, self.folder / target)
            self.own = {_moved(path, source, target): data for path, data in self.own.items()}
            self.untold |= {source, target}

    def do_delete(self, pick: int, twist: int) -> None:
        if path := self._some(pick):
            self.deleted.append((path, self._bytes(path)))
            os.unlink(self.folder / path)
            self._changed(path)

    def do_recreate(self, pick: int, twist: int) -> None:
        if self.deleted:
            path, data = self.deleted[pick % len(self.deleted)]
            if twist % 2:
                self.made += 1
                path = f"back{self.made}.md"
            if not os.path.lexists(self.folder / path):
                self._put(path, data)

    def do_copy(self, pick: int, twist: int) -> None:
        """A conflict copy, or a copy that a person makes; with a change of its own or without."""
        if path := self._some(pick):
            folder, _, name = path.rpartition("/")
            target = _join(folder, COPY_NAMES[twist % len(COPY_NAMES)].format(stem=name.removesuffix(".md")))
            if not os.path.lexists(self.folder / target):
                self.made += 1
                more = b"" if twist % 2 else f"Copied {self.made}.\n".encode()
                self._put(target, self._bytes(path) + more)

    def do_break(self, pick: int, twist: int) -> None:
        if path := self._some(pick):
            self.deleted.append((path, self._bytes(path)))
            self._put(path, BROKEN[twist % len(BROKEN)])

    def do_mend_by_hand(self, pick: int, twist: int) -> None:
        """The old text of a file is put back over whatever is there."""
        if self.deleted:
            path, data = self.deleted[pick % len(self.deleted)]
            if (self.folder / path).is_file():
                self._put(path, data)

    def do_ignore(self, pick: int, twist: int) -> None:
        (self.folder / ".helixignore").write_text(RULES[pick % len(RULES)])

    def do_link_folder(self, pick: int, twist: int) -> None:
        """A folder becomes a link to somewhere else, or a real folder again."""
        folder, away = self.folder / "b", self.folder.parent / "away"
        if folder.is_symlink():
            folder.unlink()
            os.rename(away, folder)
        elif folder.is_dir() and not away.exists():
            os.rename(folder, away)
            folder.symlink_to(away)
        self.own = {path: data for path, data in self.own.items() if not path.startswith("b/")}
        self.untold.add("b")

    # What an agent asks of Helix

    def do_add(self, pick: int, twist: int) -> None:
        self.made += 1
        self._ask(lambda: self.memories.add(NewMemory(f"Told {self.made}.", f"Told {self.made}")).note)

    def do_forget(self, pick: int, twist: int) -> None:
        self._ask_about(pick, self.memories.forget)

    def do_restore(self, pick: int, twist: int) -> None:
        self._ask_about(pick, self.memories.restore)

    def do_erase(self, pick: int, twist: int) -> None:
        self._ask_about(pick, self.memories.erase)

    def do_adopt(self, pick: int, twist: int) -> None:
        self._ask_about(pick, self.memories.adopt)

    # What the daemon does, and what befalls it

    def do_tell(self, pick: int, twist: int) -> None:
        """Events arrive: for all that happened, or only for a part; the rest is never told."""
        told = sorted(self.untold)
        self.untold.clear()
        chosen = [path for number, path in enumerate(told) if twist % 4 or (number + pick) % 2]
        if chosen:
            self._helix(lambda: self.follow(*chosen))

    def do_scan(self, pick: int, twist: int) -> None:
        self._helix(self.follow)

    def do_wait(self, pick: int, twist: int) -> None:
        self.advance((0.5, 1, 3, 10, 40)[twist % 5])
        self._helix(lambda: self.reconciler.reconcile([]))
        self._helix(self.mender.mend)

    def do_crash(self, pick: int, twist: int) -> None:
        """The next time that the index is told something, the process ends: just before or just after."""
        self.index.crash_before, self.index.crash_after = twist % 2 == 0, twist % 2 == 1

    def do_restart(self, pick: int, twist: int) -> None:
        self.restart()

    # What must be true at the end

    def check(self) -> None:
        self.index.crash_before = self.index.crash_after = False
        self._helix(self.settle_down)
        if self.reconciler.brake.reason is not None:
            self._helix(lambda: self.reconciler.rebuild(accept_missing=True))
            self._helix(self.settle_down)
        self._check_own_files()
        assert self.index.memories == in_catalog(self.catalog), "the index and the catalog differ"
        before = self.snapshot()
        fresh = Catalog(self.state / "fresh" / "catalog.db")
        try:
            index = Index()
            reconciler = self.reconciler_of(fresh, index)
            mender = self.mender_of(reconciler)
            for _ in range(3):
                reconciler.reconcile()
                mender.mend()
                self.advance(65)
            assert self.snapshot() == before, "a fresh catalog made Helix write"
            assert index.memories == in_catalog(fresh)
            broken = {
                problem.path
                for problem in fresh.problems()
                if (row := fresh.at(problem.path)) is None or row.is_unread
            }
            old, new = self.catalog.dump(), fresh.dump()
            # A file that cannot be read any more keeps its last good row, which a fresh catalog cannot know: it has
            # none, or what the text alone says.
            for dump in (old, new):
                dump["notes"] = [row for row in dump["notes"] if row[0] not in broken]
            assert old == new
        finally:
            fresh.close()
            shutil.rmtree(self.state / "fresh")

    def _check_own_files(self) -> None:
        for path, data in self.own.items():
            if (self.folder / path).is_file():
                assert self._bytes(path) == data, f"{path} was rewritten uninvited"

    # Parts

    def _ask_about(self, pick: int, ask: Callable[[str], object]) -> None:
        if rows := self.catalog.memories(include_hidden=True):
            row = rows[pick % len(rows)]
            for path in {row.path, *(copy.path for copy in self.catalog.rows_of(row.id))}:
                self.own.pop(path, None)
            self._ask(lambda: ask(row.id))

    def _ask(self, ask: Callable[[], object]) -> None:
        def run() -> None:
            # The answer may be an error; what counts is what is on disk.
            with contextlib.suppress(HelixError, FileNotFoundError):
                ask()

        self._helix(run)

    def _helix(self, run: Callable[[], object]) -> None:
        """Helix at work: it may crash, and it never takes a file away."""
        before = self._notes()
        try:
            run()
        except Crash:
            self.restart()
        assert before <= self._notes(), f"unlinked: {before - self._notes()}"

    def _notes(self) -> set[str]:
        return {
            os.path.relpath(os.path.join(folder, name), self.folder)
            for folder, _, names in os.walk(self.folder)
            for name in names
            if is_note_name(name) and not name.startswith(".")
        }

    def _some(self, pick: int) -> str | None:
        paths = sorted(self._notes())
        return paths[pick % len(paths)] if paths else None

    def _bytes(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()

    def _put(self, path: str, data: bytes, *, by_rename: bool = False) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if by_rename:
            temp = file.with_name(f"{file.name}~")
            temp.write_bytes(data)
            os.replace(temp, file)
        else:
            file.write_bytes(data)
        self._changed(path)
        if b"\nid:" not in data and b"\nstatus:" not in data:
            self.own[path] = data

    def _move(self, source: str, target: str) -> None:
        data = self.own.get(source)
        (self.folder / target).parent.mkdir(parents=True, exist_ok=True)
        os.rename(self.folder / source, self.folder / target)
        self._changed(source)
        self._changed(target)
        if data is not None:
            self.own[target] = data

    def _changed(self, path: str) -> None:
        self.untold.add(path)
        self.own.pop(path, None)


class SearchedWorld(World):
    """The same with the real search index behind the catalog: words and vectors, on disk.

    At a restart nobody closes the index: what it had in memory only is lost.
    """

    def open(self) -> None:
        super().open()
        self.search = self._search_in(self.state / "search")
        told = self.reconciler.tail

        def tell(changes: Sequence[Change]) -> None:
            self.search.apply(changes)
            told(changes)  # which may end the process

        self.reconciler.tail = tell
        self.search.catch_up(self.catalog, self._note_at)

    def do_tend(self, pick: int, twist: int) -> None:
        self.search.tend(tidy=twist % 3 == 0)

    def check(self) -> None:
        super().check()
        # What a file that cannot be read any more last said is in this index, and in none that is built afresh.
        for row in self.catalog.memories(include_hidden=True):
            if row.is_stale:
                (self.folder / row.path).unlink()
        self.settle_down()
        if self.reconciler.brake.reason is not None:
            self.reconciler.rebuild(accept_missing=True)
            self.settle_down()
        fresh = self._search_in(self.state / "afresh")
        fresh.catch_up(self.catalog, self._note_at)
        answers, expected = self._answers(self.search), self._answers(fresh)
        fresh.close()
        self.search.close()
        assert answers == expected, "the index answers otherwise than one that is built afresh"

    def _search_in(self, place: Path) -> LocalEngine:
        cache = EmbedCache(place / "embeddings.db")
        return LocalEngine(place, cache, "bundled", lambda _: EmbedderChoice(HashEmbedder(), ""))

    def _note_at(self, path: str) -> Note | None:
        try:
            return self.vault.read(path)
        except (FileNotFoundError, HelixError):
            return None

    def _answers(self, index: LocalEngine) -> list[list[tuple[str, float]]]:
        assert index.wait_until_embedded(30)
        searcher = Searcher(index, self.clock, lambda _: None)
        questions = [*QUESTIONS, *(f"line {number}" for number in range(1, self.made + 1, 5))]
        return [
            [(hit.memory_id, round(hit.score, 5)) for hit in searcher.search(asked).hits]
            for text in questions
            for asked in (Question(text, limit=30), Question(text, limit=30, where=Where()))
        ]


VERBS = [name.removeprefix("do_") for name in dir(World) if name.startswith("do_")]
WEIGHTS = {"new": 4, "edit": 3, "tell": 5, "scan": 2, "wait": 4, "rename": 2, "copy": 2, "flip": 2}


def test_after_any_sequence_the_catalog_equals_one_that_is_built_afresh() -> None:
    weights = [WEIGHTS.get(verb, 1) for verb in VERBS]
    for seed in range(scaled(100)):
        rng = random.Random(seed)
        verbs = rng.choices(VERBS, weights, k=STEPS)
        steps = [(verb, rng.randrange(1000), rng.randrange(1000)) for verb in verbs]
        if (error := _failure(steps)) is not None:
            steps, error = _cut_down(steps, error)
            pytest.fail(f"seed {seed}: {error}\nsteps = {steps}")


def test_after_any_sequence_search_answers_as_from_an_index_that_is_built_afresh() -> None:
    verbs = [*VERBS, "tend"]
    weights = [WEIGHTS.get(verb, 1) for verb in verbs]
    for seed in range(1_000, 1_000 + scaled(12)):
        rng = random.Random(seed)
        chosen = rng.choices(verbs, weights, k=STEPS)
        steps = [(verb, rng.randrange(1000), rng.randrange(1000)) for verb in chosen]
        if (error := _failure(steps, SearchedWorld)) is not None:
            steps, error = _cut_down(steps, error, SearchedWorld)
            pytest.fail(f"seed {seed}: {error}\nsteps = {steps}")


def _failure(steps: list[Step], kind: type[World] = World) -> str | None:
    with memory_folder() as place:
        world = kind(place)
        try:
            for step in steps:
                world.do(step)
            world.check()
        except Exception as error:  # noqa: BLE001  whatever it is, it is cut down and shown
            return "".join(traceback.format_exception(error))
        finally:
            world.close()
    return None


def _cut_down(steps: list[Step], error: str, kind: type[World] = World) -> tuple[list[Step], str]:
    at = 0
    while at < len(steps):
        fewer = steps[:at] + steps[at + 1 :]
        if (still := _failure(fewer, kind)) is not None:
            steps, error = fewer, still
        else:
            at += 1
    return steps, error


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _moved(path: str, source: str, target: str) -> str:
    return target + path[len(source) :] if path.startswith(f"{source}/") else path
