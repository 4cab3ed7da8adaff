"""The door to the vault: every write that Helix makes to a memory goes through here."""

from __future__ import annotations

import contextlib
import functools
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from helix.errors import (
    BadValue,
    EditRefused,
    MemoryErased,
    NoteError,
    StaleHash,
    StateUnwritable,
    StorageError,
    VaultError,
    VaultUnavailable,
)
from helix.vault import file_standing, frontmatter, ids, revision
from helix.vault.ancestry import Ancestry
from helix.vault.file_standing import Standing
from helix.vault.files import Files, Write, Written
from helix.vault.frontmatter import Document
from helix.vault.ignore import Ignore, IgnoreFiles
from helix.vault.leftovers import AT_ONCE, State
from helix.vault.merge import erased_record, settle_registers, with_ancestors
from helix.vault.new_memory import NewMemory, home_of, to_meta
from helix.vault.note import Note, is_later, status_of
from helix.vault.ownership import RULES_FILE, FolderRule, FolderRules
from helix.vault.paths import MAX_NOTE_BYTES, Root
from helix.vault.revision import Edit
from helix.vault.times import Clock, format_time, stamp_after, utc_now
from helix.vault.tombstones import settle
from helix.vault.vault_id import read_identity
from helix.vault.walk import Walk, walk
from helix.vault.yaml_load import Value

__all__ = ["Edit", "Standing", "Vault"]

log = logging.getLogger(__name__)

_TRIES = 20
_PAUSE = 0.05


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
        self._ignore_files = IgnoreFiles(root)
        self.ancestry = ancestry
        self.clock = clock
        self._pause = pause
        self.max_note_bytes = max_note_bytes
        self.identity = read_identity(Path(root.path))
        self._folder_rules: FolderRules | None = None

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
            return Note.parse(path, self.root.read(path, self.max_note_bytes), self.folder_of(path))
        except NoteError as error:
            raise error.at(path) from None

    def read_leniently(self, path: str) -> Note:
        """The same for an answer: also a note whose properties cannot be read, by its text."""
        return self.as_it_counts(self.parse_leniently(path))

    def parse_leniently(self, path: str) -> Note:
        """What the file says by itself, whatever else is known of its memory."""
        data = self.root.read(path, self.max_note_bytes)
        try:
            return Note.parse_leniently(path, data, self.folder_of(path))
        except NoteError as error:
            raise error.at(path) from None

    def as_it_counts(self, note: Note) -> Note:
        """What its memory says, given what is known of it by now."""
        if note.unread is not None and self.may_be_hidden(note):
            raise note.unread
        return self.stand(note).note

    def may_be_hidden(self, note: Note) -> bool:
        return file_standing.may_be_hidden(note, self.ancestry)

    def stand(self, note: Note) -> Standing:
        return file_standing.stand(note, self.ancestry)

    def learn(self, notes: Sequence[Note]) -> set[str]:
        return file_standing.learn(notes, self.ancestry, self.clock)

    def walk(self, below: str = "") -> Walk:
        return walk(self.root.path, self.ignore(), below)

    def ignore(self) -> Ignore:
        return self._ignore_files.read()

    def read_settings(self, path: str) -> str | None:
        """A text file by which the vault itself says how it is to be treated; None when it has none."""
        data = self.root.read_settings(path)
        return None if data is None else data.decode("utf-8", "replace")

    def folder_of(self, path: str) -> FolderRule | None:
        """Whose a note at this path is, by the vault's own rules, if it does not say so itself."""
        if self._folder_rules is None:
            self.read_folder_rules()
        return None if self._folder_rules is None else self._folder_rules.find(path)

    def read_folder_rules(self) -> str:
        """Read them anew, and return what they say. Where they cannot be meant there are none: whoever a folder was
        opened for sees nothing of it until somebody has put them right."""
        self._folder_rules = FolderRules(None)
        try:
            text = self.read_settings(RULES_FILE)
            self._folder_rules = FolderRules(text)
        except (NoteError, VaultError, StorageError) as error:
            log.warning("%s is not followed: %s", RULES_FILE, error)
            return ""
        return text or ""

    # Writing

    def create(self, memories: Sequence[NewMemory], taken: Callable[[str], bool]) -> list[Note]:
        """New memories, durable on disk when this returns; a batch shares its directory syncs.

        `taken` knows the ids in use, case-folded.
        """
        self.check_alive()
        given: set[str] = set()
        notes = []
        for new in memories:
            now = self.clock()
            memory_id = ids.new_id(new.title, now, lambda folded: folded in given or taken(folded))
            given.add(memory_id.casefold())
            meta = to_meta(memory_id, new, format_time(now))
            body = new.body if new.body.endswith("\n") else new.body + "\n"
            notes.append(self._new_note(f"{home_of(new)}/{memory_id}.md", meta, body))
        for note in notes:
            self.ancestry.remember(note.id, note.document)
        outcomes = self.files.commit([Write(note.path, note.document.data, None) for note in notes])
        for outcome in outcomes:
            if not isinstance(outcome, Written):
                raise outcome
        return notes

    def edit(self, path: str, memory_id: str, change: Callable[[Note], Edit | None]) -> Note:
        """Apply a change to a memory's file as it is now; `change` returns None when nothing is to do.

        When the file changes between reading and writing, the change is worked out again on the new text.
        """

        def step(file: Note) -> Note | None:
            note = self._text_of(file, memory_id)
            wanted = change(note)
            if wanted is None:
                return note
            after = self._next(note, wanted)
            return after if after.hash == file.hash or self._replace(file, after) else None

        return self._until_quiet(path, memory_id, step)

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
            version = self._next(Note(path, base), wanted).document
            merged = self.take_in(note, version)
            if not revision.fits(base, version, note.document, wanted, merged):
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
        base, whole = Note(path, based_on), Note(path, text)
        if {base.id, whole.id} != {memory_id}:
            raise BadValue(f"the text is not of {memory_id}; nothing was written")
        self.ancestry.remember(memory_id, based_on)

        def step(file: Note) -> Note | None:
            note = self._text_of(file, memory_id)
            revised = self._next(whole, Edit({"rev": [base.state, *base.ancestors]}))
            is_as_shown = note.hash == base.hash
            after = revised if is_as_shown else self._next(note, self.take_in(note, revised.document))
            return after if self._replace(file, after) else None

        return self._until_quiet(path, memory_id, step)

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

        def step(file: Note) -> Note | None:
            document = file_standing.overruled(file, self.ancestry)
            if document is None:
                return file
            after = Note(path, document, folder=file.folder)
            return after if self._replace(file, after) else None

        return self._until_quiet(path, memory_id, step, "it is looked at again when it is quiet")

    def erase(self, path: str, memory_id: str) -> Note:
        """Remove every word of a memory for good; the id, the status and the date stay."""

        def step(note: Note) -> Note | None:
            if note.is_erased:
                return note
            stamp = self.ancestry.erased_at(memory_id) or stamp_after(
                self.clock(), note.meta.get("restored_at")
            )
            erased_id = memory_id
            if not self.stand(note).note.has_id:
                # An id that comes from the path would erase whatever a person puts there next.
                erased_id = ids.new_id("erased", self.clock(), lambda _: False)
            after = Note(path, erased_record(erased_id, stamp))
            if not self._swap(note, after):
                return None
            self.discard_texts(memory_id, {path: after.hash})
            # The file is erased. Where the rest cannot be written it is known in memory, and written later.
            with contextlib.suppress(StateUnwritable):
                self.ancestry.forget_texts(erased_id, stamp)
            if erased_id != memory_id and note.document.body.strip():
                with contextlib.suppress(StateUnwritable):
                    self.ancestry.mark_erased_text(path, note.state, erased_id)
            return after

        return self._until_quiet(path, memory_id, step, "nothing was erased, try again when it is quiet")

    # What every write is made of, those of `folding` and `late_saves` too

    def check_alive(self) -> None:
        if not self.is_there():
            raise VaultUnavailable(
                f"the vault folder {self.root.path} is not there (unmounted, moved or replaced); nothing was written. "
                "Bring it back and try again"
            )

    def check_size(self, data: bytes) -> None:
        if len(data) > self.max_note_bytes:
            raise EditRefused(
                f"a note has at most {self.max_note_bytes} bytes, this would have {len(data)}; "
                "nothing was written. Split the text"
            )

    def take_in(self, note: Note, version: Document) -> Edit:
        """What makes of a note the merge of it with another version of the same memory."""
        return revision.take_in(note, version, functools.partial(self.ancestry.find, note.id))

    def discard_texts(self, memory_id: str, written: Mapping[str, str]) -> None:
        """Remove the swapped-out texts of an erased memory now: not even a late save into one may be kept.

        `written` are the hashes of what stands there now, by path. A text that is being written at this moment is
        left to the follower, which discards it too.
        """
        hashes = {digest[:12] for digest in written.values()}
        with contextlib.suppress(StorageError):
            for folder in {path.rpartition("/")[0] for path in written}:
                for leftover in self.files.leftovers(folder):
                    new = leftover.new or "?"
                    if new in hashes or self.ancestry.memory_with_hash(new) == memory_id:
                        finding = self.files.examine(leftover, time.time(), AT_ONCE)
                        if finding.state not in (State.PENDING, State.TOO_LARGE):
                            self.files.discard(finding)

    def _until_quiet(
        self,
        path: str,
        memory_id: str,
        step: Callable[[Note], Note | None],
        otherwise: str = "try again when it is quiet",
    ) -> Note:
        """Let `step` write over the file as it is now, and again as long as somebody else writes there too.

        It returns the note that stands there then, or None when the file changed under it.
        """
        self.check_alive()
        for _ in range(_TRIES):
            file = self._read_as(path, memory_id)
            if file is None:
                # An editor is in the middle of a save: empty, half written or renamed away.
                self._pause(_PAUSE)
            elif (after := step(file)) is not None:
                return after
        raise StaleHash(f"{path} keeps changing or no longer holds {memory_id}; {otherwise}")

    def _read_as(self, path: str, memory_id: str) -> Note | None:
        try:
            note = self.read_file(path)
        except FileNotFoundError:
            return None
        return note if memory_id in (note.id, self.stand(note).note.id) else None

    def _text_of(self, file: Note, memory_id: str) -> Note:
        """What there is to change."""
        note = self.stand(file).note
        if note.is_erased:
            raise MemoryErased(f"{memory_id} was erased; nothing of it is left to change")
        return note

    def _new_note(self, path: str, meta: dict[str, Value], body: str) -> Note:
        """A note that every reader will take; what none could read must not be acknowledged."""
        try:
            meta["rev"] = with_ancestors(meta, body, ())
        except UnicodeEncodeError as error:
            raise BadValue("the text is not UTF-8; nothing was written") from error
        document = frontmatter.new_document(meta, body)
        self.check_size(document.data)
        return Note(path, document, folder=self.folder_of(path))

    def _next(self, note: Note, wanted: Edit) -> Note:
        after = revision.revise(note, wanted, self.clock())
        self.check_size(after.document.data)
        return after

    def _replace(self, before: Note, after: Note) -> bool:
        # First the texts, then the file: after a crash the base of a late save must be known.
        self.ancestry.remember(after.id, before.document, after.document)
        return self._swap(before, after)

    def _swap(self, before: Note, after: Note) -> bool:
        try:
            self.files.write(Write(after.path, after.document.data, before.hash))
        except StaleHash:
            return False
        return True
