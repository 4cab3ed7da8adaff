"""Records that come from elsewhere: each finds a place of its own, or is merged with the record that has its id.

The merge is the one that folds conflict copies. It depends on the two records (and their last common state)
alone, so two vaults that take in each other's records end with the same bytes.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, Protocol

from helix.errors import (
    AlreadyExists,
    EditRefused,
    HelixError,
    NoteError,
    OutsideVault,
    StaleHash,
    StateUnwritable,
    StorageError,
    VaultUnavailable,
)
from helix.vault import frontmatter
from helix.vault.conflict_names import choose_best, is_note_name
from helix.vault.edit import edit
from helix.vault.files import Write
from helix.vault.frontmatter import Document
from helix.vault.hashes import content_hash
from helix.vault.merge import is_erased, merge, settle_registers, with_ancestors
from helix.vault.normalize import normalize
from helix.vault.note import Note, is_later, status_of
from helix.vault.paths import check, slug
from helix.vault.times import format_time, parse_time
from helix.vault.vault import Vault
from helix.vault.yaml_load import Value

Outcome = Literal["made", "updated", "merged", "unchanged", "refused"]

_TRIES = 5
_REGISTERS = ("deleted_at", "restored_at")
_BARE = frozenset({"id", "status", *_REGISTERS})


class KnownRecord(Protocol):
    """What a catalog knows of a record that is in the vault."""

    @property
    def id(self) -> str: ...
    @property
    def path(self) -> str: ...


Find = Callable[[str], KnownRecord | None]
"""the record with an id, also when it differs in case"""


@dataclass(frozen=True)
class Arrival:
    path: str
    """where it lay; it goes there again when that name is free"""
    data: bytes
    copies: Mapping[str, bytes] | None = None
    """further files with the same id, by path: they become one record"""


@dataclass(frozen=True)
class Arrived:
    path: str
    outcome: Outcome
    memory_id: str = ""
    reason: str = ""


@dataclass(frozen=True)
class _Plan:
    arrival: Arrival
    arrived: Arrived
    write: Write | None = None
    states: Sequence[Document] = ()
    """texts that a later merge may need"""
    erases: str | None = None
    """the date of an erasure that reaches a text in this vault"""


def tombstone(meta: Mapping[str, Value]) -> bytes:
    """A deletion without the text that was deleted."""
    stamped = {**meta, **settle_registers(meta)}
    registers = {key: stamped[key] for key in _REGISTERS if parse_time(stamped.get(key)) is not None}
    return frontmatter.create({"id": meta.get("id"), "status": "deleted", **registers}, "")


def is_tombstone(note: Note) -> bool:
    bare = note.meta.keys() <= _BARE and not note.document.body.strip()
    return bare and note.has_id and status_of(note.meta) == "deleted"


def bring(vault: Vault, arrivals: Sequence[Arrival], find: Find, *, rehearse: bool = False) -> list[Arrived]:
    """Take records in, durable when this returns; a batch shares its directory syncs.

    One that cannot be taken in is refused with its reason, and the others are not. With `rehearse` nothing is
    written and the answer says what would be.
    """
    if not vault.is_there():
        raise VaultUnavailable(f"the vault folder {vault.root.path} is not there; nothing was written")
    batch = _Batch(vault, find)
    plans = [batch.plan(arrival) for arrival in arrivals]
    if rehearse:
        return [plan.arrived for plan in plans]
    due = dict(enumerate(plans))
    for _ in range(_TRIES):
        ended = _carry_out(vault, due)
        for number, error in ended.items():
            plans[number] = _refuse(plans[number].arrival, error.message, plans[number].arrived.memory_id)
        # A file changed between reading and writing: work it out again on what it says now.
        busy = [number for number, error in ended.items() if isinstance(error, StaleHash | AlreadyExists)]
        due = {number: batch.plan(plans[number].arrival) for number in busy}
        if not due:
            break
        plans = [due.get(number, plan) for number, plan in enumerate(plans)]
    for number, plan in due.items():
        plans[number] = _refuse(plan.arrival, "its file keeps changing; try again when it is quiet")
    return [plan.arrived for plan in plans]


def _carry_out(vault: Vault, plans: Mapping[int, _Plan]) -> dict[int, HelixError]:
    """Do what is planned; the failures, by the place of the plan."""
    failed: dict[int, HelixError] = {}
    with suppress(StateUnwritable):  # the files matter more
        vault.ancestry.remember_all(
            (plan.arrived.memory_id, document)
            for plan in plans.values()
            if plan.write is not None
            for document in plan.states
        )
    writes = {number: plan.write for number, plan in plans.items() if plan.write is not None}
    for number, outcome in zip(writes, vault.files.commit(list(writes.values())), strict=True):
        if isinstance(outcome, StorageError) and outcome.code == "disk-full":
            raise outcome  # the rest would fail alike
        if isinstance(outcome, HelixError):
            failed[number] = outcome
    for number, plan in plans.items():
        if plan.erases is not None:
            # First the fact, then the file: after a crash the follower erases the text that is still there.
            with suppress(StateUnwritable):
                vault.ancestry.forget_texts(plan.arrived.memory_id, plan.erases)
            try:
                vault.erase(plan.arrived.path, plan.arrived.memory_id)
            except HelixError as error:
                failed[number] = error
    return failed


def _refuse(arrival: Arrival, reason: str, memory_id: str = "") -> _Plan:
    return _Plan(arrival, Arrived(arrival.path, "refused", memory_id, reason))


class _Batch:
    def __init__(self, vault: Vault, find: Find) -> None:
        self._vault = vault
        self._find = find
        self._ignore = vault.ignore()
        self._given: set[str] = set()
        self._new: dict[str, Arrival] = {}

    def plan(self, arrival: Arrival) -> _Plan:
        try:
            note = self._folded(arrival)
            if len(arrival.data) > self._vault.max_note_bytes:
                return _refuse(
                    arrival, f"has {len(arrival.data)} bytes, more than {self._vault.max_note_bytes}"
                )
            if note.is_stub:
                return _refuse(arrival, "is what is left of a folded conflict copy, not a memory")
            return self._plan_record(arrival, note) if note.has_id else self._plan_without_id(arrival, note)
        except (NoteError, EditRefused, OutsideVault, StorageError) as error:
            return _refuse(arrival, error.message)

    def _folded(self, arrival: Arrival) -> Note:
        note = Note.parse(arrival.path, arrival.data)
        if not arrival.copies:
            return note
        files = {
            arrival.path: note,
            **{path: Note.parse(path, data) for path, data in arrival.copies.items()},
        }
        if any(one.id != note.id for one in files.values()):
            raise EditRefused("its copies have other ids")
        find = functools.partial(self._vault.ancestry.find, note.id)
        documents = sorted((one.document for one in files.values()), key=frontmatter.emit)
        folded = functools.reduce(lambda left, right: merge(left, right, find), documents)
        return Note.parse(choose_best(note.id, list(files)), frontmatter.emit(folded))

    def _plan_record(self, arrival: Arrival, note: Note) -> _Plan:
        known = self._find(note.id)
        if known is None:
            return self._plan_new(arrival, note)
        if known.id != note.id:
            return _refuse(arrival, f"its id differs from {known.id} only in case", note.id)
        try:
            here = self._vault.read_file(known.path)
        except (FileNotFoundError, NoteError):
            return _refuse(arrival, f"{known.path} has the same id and cannot be read now", note.id)
        if here.id != note.id or not here.has_id:
            return _refuse(arrival, f"{known.path} was moved or changed a moment ago; try again", note.id)
        merged = self._merged(here, note)
        data = frontmatter.emit(merged)
        if content_hash(data) == here.hash:
            return _Plan(arrival, Arrived(here.path, "unchanged", note.id))
        if len(data) > self._vault.max_note_bytes:
            return _refuse(arrival, "would be too large together with what is here", note.id)
        outcome: Outcome = "updated" if data == frontmatter.emit(note.document) else "merged"
        arrived = Arrived(here.path, outcome, note.id)
        if is_erased(merged):
            if here.is_erased:
                return _Plan(arrival, arrived, Write(here.path, data, here.hash))
            at = merged.meta.get("deleted_at")
            return _Plan(
                arrival, arrived, erases=str(at) if parse_time(at) else format_time(self._vault.clock())
            )
        states = (here.document, note.document, merged)
        return _Plan(arrival, arrived, Write(here.path, data, here.hash), states)

    def _plan_new(self, arrival: Arrival, note: Note) -> _Plan:
        if not note.is_erased and self._vault.ancestry.erased_at(note.id) is not None:
            return _refuse(arrival, "was erased in this vault for good", note.id)
        path = next(filter(self._is_free, self._places(note)), None)
        if path is None:
            return _refuse(arrival, "there is no free name for it in this vault", note.id)
        if self._new.setdefault(note.id.casefold(), arrival) is not arrival:
            return _refuse(arrival, "its id comes twice; import again to merge the two", note.id)
        self._given.add(_folded_name(path))
        write = Write(path, frontmatter.emit(note.document), None)
        states = () if note.is_erased else (note.document,)
        return _Plan(arrival, Arrived(path, "made", note.id), write, states)

    def _plan_without_id(self, arrival: Arrival, note: Note) -> _Plan:
        """Only its path says which note it is, and that is too little to merge two texts upon."""
        if self._is_free(note.path):
            self._given.add(_folded_name(note.path))
            return _Plan(arrival, Arrived(note.path, "made", note.id), Write(note.path, arrival.data, None))
        try:
            here = self._vault.read_file(note.path)
        except (FileNotFoundError, NoteError):
            return _refuse(arrival, "has no id, and its path cannot be used in this vault")
        if note.state in (here.state, *here.ancestors):
            return _Plan(arrival, Arrived(here.path, "unchanged", here.id))
        return _refuse(arrival, "has no id, and another text lies at its path here; `helix adopt` gives ids")

    def _merged(self, here: Note, note: Note) -> Document:
        if note.hash == here.hash:
            return here.document
        if is_tombstone(note):
            return here.document if status_of(here.meta) == "erased" else _with_deletion(here, note)
        return merge(here.document, note.document, functools.partial(self._vault.ancestry.find, note.id))

    def _places(self, note: Note) -> Sequence[str]:
        digest = hashlib.sha256(note.id.encode()).hexdigest()[:8]
        return note.path, f"imported/{slug(note.id, 80)}-{digest}.md"

    def _is_free(self, path: str) -> bool:
        try:
            check(path)
            return (
                is_note_name(path.rpartition("/")[2])
                and _folded_name(path) not in self._given
                and not self._ignore.skips(path)
                and not self._vault.root.exists(path)
            )
        except (OutsideVault, StorageError):
            return False


def _with_deletion(here: Note, gone: Note) -> Document:
    """The record as it is here, with the registers of a deletion that came without its text."""
    settled = {**here.meta, **settle_registers(here.meta)}
    registers: dict[str, Value] = {}
    for key in _REGISTERS:
        mine, theirs = settled.get(key), gone.meta.get(key)
        registers[key] = theirs if is_later(theirs, mine) else mine
    changed = {key: value for key, value in registers.items() if value != settled.get(key)}
    if not changed:
        return here.document
    if is_tombstone(here):
        return frontmatter.parse(tombstone({**here.meta, **registers}))
    if is_later(registers["deleted_at"], registers["restored_at"]):
        changed["status"] = "deleted"
    if here.meta.get("updated_at") and is_later(registers["deleted_at"], here.meta["updated_at"]):
        changed["updated_at"] = registers["deleted_at"]
    meta = {**here.meta, **changed}
    rev = with_ancestors(meta, here.document.body, (here.state, *here.ancestors))
    return edit(here.document, {**changed, "rev": rev})


def _folded_name(path: str) -> str:
    """As macOS and Windows compare names."""
    return normalize("NFC", path).casefold()
