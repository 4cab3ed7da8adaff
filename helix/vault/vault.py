"""The door to the vault: every write that Helix makes to a memory goes through here."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from helix.errors import (
    AlreadyExists,
    BadValue,
    EditRefused,
    HelixError,
    MemoryErased,
    NoteError,
    StaleHash,
    StateUnwritable,
    StorageError,
    VaultUnavailable,
)
from helix.vault import frontmatter, ids
from helix.vault.ancestry import Ancestry
from helix.vault.conflict_names import are_named_alike, choose_best, choose_survivor
from helix.vault.edit import REMOVE, Remove, edit
from helix.vault.files import Files, Finding, Write, Written, content_hash
from helix.vault.frontmatter import Document
from helix.vault.identity import id_in_frontmatter
from helix.vault.ignore import Ignore, read_ignore
from helix.vault.leftovers import AT_ONCE, State
from helix.vault.links import to_link
from helix.vault.load import Value
from helix.vault.merge import (
    erased_record,
    fold,
    lacks_base,
    merge,
    settle_registers,
    state_of,
    with_ancestors,
)
from helix.vault.new_memory import NewMemory, home_of, to_meta
from helix.vault.note import HIDDEN, Note, ancestors_of, is_later, status_of
from helix.vault.paths import MAX_NOTE_BYTES, Root
from helix.vault.text_merge import COLLISION
from helix.vault.times import Clock, format_time, parse_time, stamp_after, utc_now
from helix.vault.tombstones import overrule, overrule_without_id, settle
from helix.vault.vault_id import read_identity
from helix.vault.walk import Walk, is_note, walk

_TRIES = 20
_PAUSE = 0.05

Changes = dict[str, Value | Remove]


@dataclass(frozen=True)
class Edit:
    """What to change in a note: keys, and the body when it is not None."""

    changes: Mapping[str, Value | Remove] = field(default_factory=dict)
    body: str | None = None


@dataclass(frozen=True)
class Standing:
    """What a file counts for, given what is known of its memory."""

    note: Note
    """what the memory says; its hash is that of the file only when the file speaks for itself"""
    needs: str = ""
    """what Helix has to write into the file: `stamp`, the register of a flip; `erase` or `bury`, the end of an
    erased or hidden memory whose old file came back"""


@dataclass(frozen=True)
class MergePlan:
    """What a merge of files would write: worked out from what they say, which may take a while."""

    notes: Sequence[Note]
    merged: Document
    erased_at: str | None


@dataclass(frozen=True)
class Merged:
    survivor: Note
    absorbed: list[str]


class Vault:
    def __init__(
        self,
        root: Root,
        ancestry: Ancestry,
        *,
        clock: Clock = utc_now,
        pause: Callable[[float], None] = time.sleep,
        max_note_bytes: int = MAX_NOTE_BYTES,
    ) -> None:
        self.root = root
        self.files = Files(root, max_note_bytes)
        self.ancestry = ancestry
        self.clock = clock
        self._pause = pause
        self.max_note_bytes = max_note_bytes
        self.identity = read_identity(Path(root.path))

    # Reading

    def is_there(self) -> bool:
        """Whether the vault's folder is in its place; the same vault put back there is opened again."""
        if self.root.alive():
            return True
        known = self.identity is not None and read_identity(Path(self.root.path)) == self.identity
        return known and self.root.reopen()

    def read(self, path: str) -> Note:
        """The memory in a file: what the file says, unless it is an old one of a memory that was hidden since."""
        return self.stand(self.read_file(path)).note

    def read_file(self, path: str) -> Note:
        try:
            return Note.parse(path, self.root.read(path, self.max_note_bytes))
        except NoteError as error:
            raise error.at(path) from None

    def read_leniently(self, path: str) -> Note:
        """The same for an answer: also a note whose properties cannot be read, by its text."""
        data = self.root.read(path, self.max_note_bytes)
        try:
            note = Note.parse_leniently(path, data)
        except NoteError as error:
            raise error.at(path) from None
        if note.unread is not None and self.may_be_hidden(note):
            raise note.unread
        return self.stand(note).note

    def may_be_hidden(self, note: Note) -> bool:
        """Of a note whose properties cannot be read: whether it may be an old file of a memory that was hidden."""
        memory_id = id_in_frontmatter(frontmatter.emit(note.document))
        known = None if memory_id is None else self.ancestry.tombstone_of(memory_id)
        return any(
            one is not None and one.status in HIDDEN for one in (known, self.ancestry.tombstone_at(note.path))
        )

    def stand(self, note: Note) -> Standing:
        """What a file that was read counts for. Decided before anybody is told of its text, not mended afterwards."""
        if note.is_stub:
            return Standing(note)
        try:
            document = self._overruled(note)
        except EditRefused:
            # Its frontmatter cannot be changed. The answers do not need that; the writing refuses, and is reported.
            known = self.ancestry.tombstone_of(note.id)
            document = None if known is None else known.record or _bare_tombstone(note.id, known.deleted_at)
        if document is None:
            known = self.ancestry.tombstone_of(note.id)
            return Standing(note, "stamp" if settle(note.meta, known) else "")
        stands = _note(note.path, document)
        return Standing(stands, "erase" if stands.is_erased else "bury")

    def learn(self, notes: Sequence[Note]) -> set[str]:
        """Take in what these files say of memories that were forgotten, superseded, erased or brought back.

        Returns the memories of which other files may count for something else now.
        """
        news = set()
        for note in notes:
            if note.is_erased:  # here or on another machine: late arrivals of its text are erased too
                known = self.ancestry.tombstone_of(note.id)
                if known is None or known.status != "erased":
                    news.add(note.id)
                self.ancestry.forget_texts(note.id, note.memory.deleted_at or format_time(self.clock()))
        told = [note for note in notes if note.has_id and not note.is_stub and not note.is_erased]
        told = [one for one in told if status_of(one.meta) != "active" or self.ancestry.tombstone_of(one.id)]
        if told:
            with self.ancestry.at_once():
                # Those that hide their memory first: what lies beside them may be older.
                for note in sorted(told, key=lambda one: status_of(one.meta) == "active"):
                    if self.stand(note).note is note and self.ancestry.learn(note):
                        news.add(note.id)
        return news

    def walk(self, below: str = "", follows: Callable[[str], bool] = is_note) -> Walk:
        return walk(self.root.path, self.ignore(), below, follows)

    def ignore(self) -> Ignore:
        return read_ignore(self.root)

    def read_settings(self, path: str) -> str | None:
        """A text file by which the vault itself says how it is to be treated; None when it has none."""
        data = self.root.read_settings(path)
        return None if data is None else data.decode("utf-8", "replace")

    # Writing

    def create(self, memories: Sequence[NewMemory], taken: Callable[[str], bool]) -> list[Note]:
        """New memories, durable on disk when this returns; a batch shares its directory syncs.

        `taken` knows the ids in use, case-folded.
        """
        self._check_alive()
        given: set[str] = set()
        notes = []
        for new in memories:
            now = self.clock()
            memory_id = ids.new_id(new.title, now, lambda one: one in given or taken(one))
            given.add(memory_id.casefold())
            meta = to_meta(memory_id, new, format_time(now))
            body = new.body if new.body.endswith("\n") else new.body + "\n"
            notes.append(self._new_note(f"{home_of(new)}/{memory_id}.md", meta, body))
        for folder in {note.path.rpartition("/")[0] for note in notes}:
            self.root.make_dirs(folder)
        for note in notes:
            self.ancestry.remember(note.id, note.document)
        outcomes = self.files.commit(
            [Write(note.path, frontmatter.emit(note.document), None) for note in notes]
        )
        for outcome in outcomes:
            if not isinstance(outcome, Written):
                raise outcome
        return notes

    def edit(self, path: str, memory_id: str, change: Callable[[Note], Edit | None]) -> Note:
        """Apply a change to a memory's file as it is now; `change` returns None when nothing is to do.

        When the file changes between reading and writing, the change is worked out again on the new text.
        """
        self._check_alive()
        for _ in range(_TRIES):
            file = self._read_as(path, memory_id)
            if file is None:
                self._pause(
                    _PAUSE
                )  # an editor is in the middle of a save: empty, half written or renamed away
                continue
            note = self.stand(file).note
            if note.is_erased:
                raise MemoryErased(f"{memory_id} was erased; nothing of it is left to change")
            wanted = change(note)
            if wanted is None:
                return note
            after = self._next(note, wanted)
            if after.hash == file.hash or self._replace(file, after):
                return after
        raise StaleHash(f"{path} keeps changing or no longer holds {memory_id}; try again when it is quiet")

    def update(
        self,
        path: str,
        memory_id: str,
        wanted: Edit,
        *,
        based_on: str,
        may_merge: bool = True,
        on_merge: Callable[[], None] = lambda: None,
    ) -> Note:
        """Change what the caller has read under the content hash `based_on`.

        If the file says something else by now, the text that was read is still known and the two changes fit
        together, they are merged, and `on_merge` is told; otherwise the change is refused. Text that nobody has read
        is never overwritten. Unlike two files that met, a caller can be asked: so nothing that a caller decided
        against is put beside what it wrote.
        """

        def rebase(note: Note) -> Edit:
            if note.hash == based_on:
                return wanted
            base = self.ancestry.find_by_hash(memory_id, based_on) if may_merge else None
            if base is None:
                raise StaleHash(f"{memory_id} changed since it was read; read it again and repeat the change")
            # What was read may have been a conflict copy, or a sync client may have put another version in its
            # place: the change is a version of its own, and only its ancestors say what it shares with the file.
            version = self._next(_note(path, base), wanted).document
            merged = self._take_in(note, version)
            if not _fits(base, version, note.document, wanted, merged):
                raise StaleHash(
                    f"{memory_id} was changed in the same place since it was read; "
                    "read it again and repeat the change"
                )
            on_merge()
            return merged

        return self.edit(path, memory_id, rebase)

    def revise(self, path: str, memory_id: str, text: Document, *, based_on: Document) -> Note:
        """Put a person's whole text, frontmatter and all, in place of what they were shown.

        If the file says something else by now, the two are merged: nothing that either of them wrote is lost.
        """
        self._check_alive()
        base = _note(path, based_on)
        if {base.id, _note(path, text).id} != {memory_id}:
            raise BadValue(f"the text is not of {memory_id}; nothing was written")
        self.ancestry.remember(memory_id, based_on)
        for _ in range(_TRIES):
            file = self._read_as(path, memory_id)
            if file is None:
                self._pause(_PAUSE)
                continue
            note = self.stand(file).note
            if note.is_erased:
                raise MemoryErased(f"{memory_id} was erased; nothing of it is left to change")
            revised = self._next(_note(path, text), Edit({"rev": [base.state, *base.ancestors]}))
            after = (
                revised if note.hash == base.hash else self._next(note, self._take_in(note, revised.document))
            )
            if self._replace(file, after):
                return after
        raise StaleHash(f"{path} keeps changing or no longer holds {memory_id}; try again when it is quiet")

    def forget(self, path: str, memory_id: str) -> Note:
        def flip(note: Note) -> Edit | None:
            known, restored_at = self.ancestry.tombstone_of(memory_id), note.meta.get("restored_at")
            if known is not None and is_later(known.restored_at, restored_at):
                restored_at = known.restored_at  # the file is a tombstone from before
            is_settled = not settle_registers({**note.meta, "restored_at": restored_at})
            if status_of(note.meta) == "deleted" and is_settled:
                return None
            stamp = stamp_after(self.clock(), restored_at)
            return Edit({"status": "deleted", "deleted_at": stamp})

        return self.edit(path, memory_id, flip)

    def restore(self, path: str, memory_id: str, *, status: str = "active") -> Note:
        def flip(note: Note) -> Edit | None:
            if status_of(note.meta) != "deleted":
                return None if status_of(note.meta) == status else Edit({"status": status})
            return Edit(
                {"status": status, "restored_at": stamp_after(self.clock(), note.meta.get("deleted_at"))}
            )

        return self.edit(path, memory_id, flip)

    def supersede(self, path: str, memory_id: str) -> Note:
        """Flip the old memory; the new one names it in its `supersedes`."""
        return self.edit(
            path,
            memory_id,
            lambda note: (
                None if status_of(note.meta) in ("superseded", "deleted") else Edit({"status": "superseded"})
            ),
        )

    def adopt(self, path: str, memory_id: str) -> Note:
        """Give a file that has no id of its own a real one."""
        return self.edit(path, memory_id, lambda note: None if note.has_id else Edit())

    def settle_status(self, path: str, memory_id: str) -> Note:
        """Stamp the register that a person's flip of the status line asks for."""

        def stamp(note: Note) -> Edit | None:
            known = self.ancestry.tombstone_of(memory_id)
            registers = {} if note.is_stub else settle(note.meta, known, self.clock())
            return Edit(dict(registers)) if registers else None

        return self.edit(path, memory_id, stamp)

    def bury(self, path: str, memory_id: str) -> Note:
        """Write a hidden memory again over an old file of it; text in the old one that nobody has seen is kept."""
        self._check_alive()
        for _ in range(_TRIES):
            file = self._read_as(path, memory_id)
            if file is None:
                self._pause(_PAUSE)
                continue
            document = self._overruled(file)
            if document is None:
                return file
            after = _note(path, document)
            if self._replace(file, after):
                return after
        raise StaleHash(f"{path} keeps changing; it is looked at again when it is quiet")

    def erase(self, path: str, memory_id: str) -> Note:
        """Remove every word of a memory for good; the id, the status and the date stay."""
        self._check_alive()
        for _ in range(_TRIES):
            note = self._read_as(path, memory_id)
            if note is None:
                self._pause(_PAUSE)
                continue
            if note.is_erased:
                return note
            earlier = self.ancestry.erased_at(memory_id)
            stamp = earlier or stamp_after(self.clock(), note.meta.get("restored_at"))
            # An id that comes from the path would erase whatever a person puts there next.
            erased_id = (
                memory_id
                if self.stand(note).note.has_id
                else ids.new_id("erased", self.clock(), lambda _: False)
            )
            after = _note(path, erased_record(erased_id, stamp))
            if self._swap(note, after):
                self._discard_texts(memory_id, [after])
                # The file is erased. Where the rest cannot be written it is known in memory, and written later.
                with contextlib.suppress(StateUnwritable):
                    self.ancestry.forget_texts(erased_id, stamp)
                if erased_id != memory_id and note.document.body.strip():
                    with contextlib.suppress(StateUnwritable):
                        self.ancestry.mark_erased_text(path, note.state, erased_id)
                return after
        raise StaleHash(f"{path} keeps changing; nothing was erased, try again when it is quiet")

    # Files that other programs made

    def lacks_base(self, memory_id: str, paths: Sequence[str]) -> bool:
        """Whether a merge of these files would miss a text that another machine may know."""
        try:
            documents = [self.read_file(path).document for path in paths]
            find = functools.partial(self.ancestry.find, memory_id)
            return lacks_base(sorted(documents, key=frontmatter.emit), find)
        except (FileNotFoundError, HelixError):
            return False  # the merge itself says what is wrong

    def plan_merge(self, memory_id: str, paths: Sequence[str]) -> MergePlan:
        """Work out the merge of all files that carry one id. Nothing is written, so nobody need wait for it."""
        notes = [self.read_file(path) for path in sorted(paths)]
        if any(note.id != memory_id for note in notes):
            raise StaleHash(f"the copies of {memory_id} changed while they were read")
        self._check_one_memory(memory_id, notes)
        erased_at = self.ancestry.erased_at(memory_id)
        documents = sorted((note.document for note in notes), key=frontmatter.emit)
        here = {note.state: note.document for note in notes}
        if erased_at is not None:
            documents.append(erased_record(memory_id, erased_at))

        def find(state: str) -> Document | None:
            return here.get(state) or self.ancestry.find(memory_id, state)

        merged = fold(functools.reduce(lambda left, right: merge(left, right, find), documents), documents)
        return MergePlan(notes, merged, erased_at)

    def merge_copies(self, memory_id: str, paths: Sequence[str], planned: MergePlan | None = None) -> Merged:
        """Fold all files that carry one id into one. Raises NoteError or StaleHash and has then lost nothing.

        What was planned is written only if every file still says what it said then.
        """
        self._check_alive()
        plan = planned or self.plan_merge(memory_id, paths)
        notes, merged = plan.notes, plan.merged
        is_current = all(self.read_file(note.path).hash == note.hash for note in notes)
        if not is_current or self.ancestry.erased_at(memory_id) != plan.erased_at:
            raise StaleHash(f"the copies of {memory_id} changed while they were merged")
        if plan.erased_at is None:
            self.ancestry.remember(memory_id, *(note.document for note in notes))
        home = choose_survivor(memory_id, [note.path for note in notes])
        if home not in paths and self.root.exists(home):
            home = choose_best(
                memory_id, [note.path for note in notes]
            )  # its own name is taken by another file
        survivor = _note(home, merged)
        self._check_size(frontmatter.emit(merged))
        if not survivor.is_erased:
            self.ancestry.remember(memory_id, merged)
        before = next((note for note in notes if note.path == home), None)
        if before is None:
            self.files.write(Write(home, frontmatter.emit(merged), None))
        else:
            self.files.write(Write(home, frontmatter.emit(merged), before.hash))
        absorbed = [note for note in notes if note.path != home]
        stubs = [Write(note.path, _stub(memory_id, note.path), note.hash) for note in absorbed]
        for outcome in self.files.commit(stubs):
            if not isinstance(outcome, Written):
                raise outcome
        if survivor.is_erased:
            written = [Note.parse(stub.path, stub.data) for stub in stubs]
            self._discard_texts(memory_id, [survivor, *written])
            with contextlib.suppress(StateUnwritable):
                self.ancestry.forget_texts(memory_id, str(merged.meta.get("deleted_at")))
        return Merged(survivor, [note.path for note in absorbed])

    def recover(
        self,
        late: Finding,
        locate: Callable[[str], str | None],
        is_erased_record: Callable[[str], bool] = lambda _: False,
    ) -> str:
        """Merge back what a person saved into a file at the moment Helix swapped it. Returns the path.

        `is_erased_record` is asked whether an erased record's content hash begins so.
        """
        # Asked before anything is kept: erased wins for good, also over a save that cannot be read.
        if self.is_of_erased(late, is_erased_record):
            self.files.discard(late)
            return late.leftover.path
        memory_id = self.ancestry.memory_with_hash(late.leftover.new or "?")
        try:
            saved = frontmatter.parse(late.data)
        except NoteError:
            return self._set_aside(late)
        memory_id = memory_id or (str(saved.meta["id"]) if ids.is_usable(saved.meta.get("id")) else None)
        path = None if memory_id is None else locate(memory_id)
        if memory_id is None or path is None:
            return self._set_aside(late)
        base = self.ancestry.find_by_hash(memory_id, late.leftover.old or "?")
        # An editor that had the file open before it was given an id saves it without one.
        known: Changes = {} if ids.is_usable(saved.meta.get("id")) else {"id": memory_id}
        if base is not None:
            known["rev"] = [state_of(base), *ancestors_of(base.meta)]
        try:
            saved = edit(saved, known)
            self.edit(path, memory_id, lambda note: self._take_in(note, saved))
        except MemoryErased:
            pass  # erased wins for good, over a late save too
        except (NoteError, EditRefused):
            return self._set_aside(late)
        self.files.discard(late)
        return path

    def is_of_erased(self, found: Finding, is_erased_record: Callable[[str], bool]) -> bool:
        """Whether a swapped-out file holds what an erased memory once said."""
        written = found.leftover.new or "?"
        memory_id = self.ancestry.memory_with_hash(written) or id_in_frontmatter(found.data)
        return is_erased_record(written) or (
            memory_id is not None and self.ancestry.erased_at(memory_id) is not None
        )

    # Parts

    def _new_note(self, path: str, meta: dict[str, Value], body: str) -> Note:
        """A note that every reader will take; what none could read must not be acknowledged."""
        try:
            meta["rev"] = with_ancestors(meta, body, ())
            data = frontmatter.create(meta, body)
            note = Note.parse(path, data)
        except UnicodeEncodeError as error:
            raise BadValue("the text is not UTF-8; nothing was written") from error
        except NoteError as error:
            raise BadValue(f"this cannot be kept as a note: {error.message}; nothing was written") from error
        self._check_size(data)
        return note

    def _check_size(self, data: bytes) -> None:
        if len(data) > self.max_note_bytes:
            raise EditRefused(
                f"a note has at most {self.max_note_bytes} bytes, this would have {len(data)}; "
                "nothing was written. Split the text"
            )

    def _check_one_memory(self, memory_id: str, notes: Sequence[Note]) -> None:
        """Refuse to merge files that Helix gave no id to nor wrote to: it may be a word of another tool."""
        is_ours = memory_id.startswith(ids.PREFIX) or any(note.ancestors for note in notes)
        paths = [note.path for note in notes]
        if not is_ours and not are_named_alike(paths):
            raise EditRefused(
                f"{', '.join(paths)} all have the id {memory_id!r}, which seems to be of another tool; "
                "they are not merged. Give each an id of its own, or remove the lines"
            )

    def _set_aside(self, late: Finding) -> str:
        """Keep a late save that cannot be merged as a file of its own, which the follower then reports."""
        folder = late.leftover.path.rpartition("/")[0]
        name = f"note (helix late save {late.hash[:8]}).md"
        path = f"{folder}/{name}" if folder else name
        with contextlib.suppress(AlreadyExists):  # a crash came between the writing and the discarding
            self.files.write(Write(path, late.data, None))
        self.files.discard(late)
        return path

    def _check_alive(self) -> None:
        if not self.is_there():
            raise VaultUnavailable(
                f"the vault folder {self.root.path} is not there (unmounted, moved or replaced); nothing was written. "
                "Bring it back and try again"
            )

    def _read_as(self, path: str, memory_id: str) -> Note | None:
        try:
            note = self.read_file(path)
        except FileNotFoundError:
            return None
        return note if memory_id in (note.id, self.stand(note).note.id) else None

    def _overruled(self, note: Note) -> Document | None:
        """What the memory of a file says, when that is not what the file says."""
        if not note.has_id:  # only its path and its very text say which memory it was
            if (erased_id := self.ancestry.find_erased_text(note.path, note.state)) is not None:
                return erased_record(erased_id, self.ancestry.erased_at(erased_id))
            buried = self.ancestry.tombstone_at(note.path)
            return None if buried is None else overrule_without_id(note, buried)
        known = self.ancestry.tombstone_of(note.id)
        if known is None:
            return None
        return overrule(note, known, functools.partial(self.ancestry.find, note.id))

    def _next(self, note: Note, wanted: Edit) -> Note:
        """The note after an edit, with its new time and ancestry."""
        now = self.clock()
        last = parse_time(note.meta.get("updated_at"))
        changes: Changes = {}
        if not note.has_id:
            changes["id"] = ids.new_id(note.memory.title, now, lambda _: False)
        changes.update(wanted.changes)
        changes.setdefault("updated_at", format_time(max(now, last) if last else now))
        body = note.document.body if wanted.body is None else wanted.body
        meta: dict[str, Value] = {
            key: value for key, value in {**note.meta, **changes}.items() if value is not REMOVE
        }
        taken_in = ancestors_of(meta) if "rev" in wanted.changes else note.ancestors
        changes["rev"] = with_ancestors(meta, body, (note.state, *taken_in))
        after = _note(note.path, edit(note.document, changes, wanted.body))
        self._check_size(frontmatter.emit(after.document))
        return after

    def _take_in(self, note: Note, version: Document) -> Edit:
        """What makes of a note the merge of it with another version of the same memory."""
        merged = merge(note.document, version, functools.partial(self.ancestry.find, note.id))
        return _edit_between(note.document, merged)

    def _replace(self, before: Note, after: Note) -> bool:
        # First the texts, then the file: after a crash the base of a late save must be known.
        self.ancestry.remember(after.id, before.document, after.document)
        return self._swap(before, after)

    def _discard_texts(self, memory_id: str, written: Sequence[Note]) -> None:
        """Remove the swapped-out texts of an erased memory now: not even a late save into one may be kept.

        One that is being written at this moment is left to the follower, which discards it too.
        """
        hashes = {note.hash[:12] for note in written}
        with contextlib.suppress(StorageError):
            for folder in {note.path.rpartition("/")[0] for note in written}:
                for leftover in self.files.leftovers(folder):
                    new = leftover.new or "?"
                    if new in hashes or self.ancestry.memory_with_hash(new) == memory_id:
                        finding = self.files.examine(leftover, time.time(), AT_ONCE)
                        if finding.state not in (State.PENDING, State.TOO_LARGE):
                            self.files.discard(finding)

    def _swap(self, before: Note, after: Note) -> bool:
        try:
            self.files.write(Write(after.path, frontmatter.emit(after.document), before.hash))
        except StaleHash:
            return False
        return True


def _note(path: str, document: Document) -> Note:
    return Note(path, content_hash(frontmatter.emit(document)), document)


def _bare_tombstone(memory_id: str, deleted_at: str | None) -> Document:
    meta: dict[str, Value] = {"id": memory_id, "status": "deleted", "deleted_at": deleted_at}
    return frontmatter.parse(frontmatter.create(meta, ""))


def _edit_between(before: Document, after: Document) -> Edit:
    changes: Changes = {
        key: value for key, value in after.meta.items() if before.meta.get(key, REMOVE) != value
    }
    changes.update({key: REMOVE for key in before.meta if key not in after.meta})
    return Edit(changes, after.body)


def _fits(base: Document, mine: Document, theirs: Document, wanted: Edit, merged: Edit) -> bool:
    """Whether a merge says what each of two changes to a base says, and nothing else."""
    for key in wanted.changes:
        left, right = mine.meta.get(key, REMOVE), theirs.meta.get(key, REMOVE)
        are_lists = isinstance(left, list) and isinstance(right, list)  # each keeps what the other one added
        if not are_lists and left != right and right != base.meta.get(key, REMOVE):
            return False
    if wanted.body is None:
        return True
    known, ours, others, both = (
        {line for line in body.splitlines() if line.strip()}
        for body in (base.body, mine.body, theirs.body, merged.body or "")
    )
    if COLLISION in both and not (COLLISION in ours and COLLISION in others):
        return False
    return both - ours <= others - known  # what the caller took out of the text does not come back into it


def _stub(memory_id: str, path: str) -> bytes:
    """From the id and the path alone: two machines that fold the same copy write the same stub."""
    meta: dict[str, Value] = {
        "id": ids.stub_id(memory_id, path),
        "status": "deleted",
        "merged_into": to_link(memory_id),
    }
    return frontmatter.create(
        meta, "This conflict copy was folded into its memory. You may delete this file.\n"
    )
