"""What is known of memories that were taken out of the answers, and what an older file of one still counts for.

A sync tool that lets the newer time of change win, a restored backup, a phone that was offline: each can put an old
file where a tombstone stood. That is no edit. The tombstone descends from what the file says, or is later by every
register that the file carries. A person's own restoration is made in the tombstone, and so carries both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from helix.vault.edit import edit
from helix.vault.frontmatter import Document
from helix.vault.merge import (
    FindState,
    erased_record,
    merge,
    settle_registers,
    state_of,
    with_ancestors,
)
from helix.vault.note import Note, ancestors_of, is_later, status_of
from helix.vault.times import stamp_after
from helix.vault.yaml_load import Value

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_SHOWN = ("active", "superseded")
"""statuses that a tombstone may overrule; one that somebody typed (`erased`, with a text) hides by itself"""


@dataclass(frozen=True)
class Tombstone:
    """The last that was seen of a memory which was taken out of the answers at some time."""

    status: str
    """erased | deleted | superseded; active when it was brought back since"""
    deleted_at: str | None = None
    restored_at: str | None = None
    path: str = ""
    record: Document | None = None
    """the file that said so, as far as its text is still known"""


def overrule(note: Note, known: Tombstone, find_state: FindState) -> Document | None:
    """What the memory is, when this file of it turns up; None when the file speaks for itself.

    The same from the same file and the same tombstone on every machine. Raises EditRefused for frontmatter that
    cannot be changed without harm.
    """
    if known.status == "erased":
        return None if note.is_erased else erased_record(note.id, known.deleted_at)
    record = known.record
    if status_of(note.meta) not in _SHOWN or (record is not None and state_of(record) in note.ancestors):
        return None
    if known.status == "superseded":
        # No register tells a late flip from a missed one here, so only a state that surely came before counts as old.
        is_old = record is not None and note.state in ancestors_of(record.meta)
        return record if is_old and status_of(note.meta) == "active" else None
    registers = {**note.meta, **settle_registers(note.meta)}
    if known.status != "deleted" or is_later(registers.get("restored_at"), known.deleted_at):
        return None
    merged = None if record is None else merge(record, note.document, find_state)
    return merged if merged is not None and status_of(merged.meta) == "deleted" else _flipped(note, known)


def overrule_without_id(note: Note, known: Tombstone) -> Document | None:
    """The same for a file that has no id, at the path of a tombstone. Any other text there is another note."""
    record = known.record
    is_old = record is not None and known.status in ("deleted", "superseded") and note.document.body.strip()
    return record if is_old and record is not None and note.state in ancestors_of(record.meta) else None


def learn(known: Tombstone | None, note: Note) -> Tombstone | None:
    """What is known after a file that speaks for itself was seen; None when there is nothing to keep of it."""
    status = status_of(note.meta)
    if status == "erased" or settle_registers(note.meta):
        return known  # typed by a person: first it gets its register
    if known is None and status == "active":
        return None
    before = known or Tombstone("active")
    after = replace(
        before,
        status=status,
        deleted_at=_later(before.deleted_at, note.memory.deleted_at),
        restored_at=_later(before.restored_at, note.memory.restored_at),
        path=note.path,
        record=None if status == "active" else note.document,
    )
    if status == "deleted" and not is_later(after.deleted_at, after.restored_at):
        return replace(after, status="active", record=None)  # a late tombstone: it was restored since
    if status == before.status and before.record is not None and _is_older(note, before):
        return replace(after, record=before.record)
    return None if status == "active" and after.deleted_at is None else after


def settle(
    meta: Mapping[str, Value], known: Tombstone | None, now: datetime | None = None
) -> dict[str, Value]:
    """The registers that a flipped status asks for; also when the person took the old register out."""
    if registers := settle_registers(meta, now):
        return registers
    if known is None or known.status == "erased" or status_of(meta) not in _SHOWN:
        return {}
    if not is_later(known.deleted_at, known.restored_at) or is_later(
        meta.get("restored_at"), known.deleted_at
    ):
        return {}
    restored_at = stamp_after(now or _LONG_AGO, known.deleted_at)
    if not is_later(restored_at, known.deleted_at):
        return {}  # no readable time is left after it
    return {"deleted_at": known.deleted_at, "restored_at": restored_at}


def _flipped(note: Note, known: Tombstone) -> Document:
    """The file as a tombstone, where the text of the tombstone it had is not known any more."""
    changes: dict[str, Value] = {"status": "deleted", "deleted_at": known.deleted_at}
    rev = with_ancestors({**note.meta, **changes}, note.document.body, (note.state, *note.ancestors))
    return edit(note.document, {**changes, "rev": rev})


def _is_older(note: Note, known: Tombstone) -> bool:
    listed = [] if known.record is None else ancestors_of(known.record.meta)
    return note.state in listed or is_later(known.deleted_at, note.memory.deleted_at)


def _later(left: str | None, right: str | None) -> str | None:
    return right if is_later(right, left) else left
