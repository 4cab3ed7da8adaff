"""What a file counts for, given what is known of its memory. Decided before anybody is told of its text."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from helix.errors import EditRefused
from helix.vault import frontmatter
from helix.vault.ancestry import Ancestry
from helix.vault.frontmatter import Document
from helix.vault.identity import id_in_frontmatter
from helix.vault.merge import erased_record
from helix.vault.note import HIDDEN, Note, status_of
from helix.vault.times import Clock, format_time
from helix.vault.tombstones import overrule, overrule_without_id, settle
from helix.vault.yaml_load import Value


@dataclass(frozen=True)
class Standing:
    note: Note
    """what the memory says; its hash is that of the file only when the file speaks for itself"""
    needs: str = ""
    """what Helix has to write into the file: `stamp`, the register of a flip; `erase` or `bury`, the end of an
    erased or hidden memory whose old file came back"""


def stand(note: Note, ancestry: Ancestry) -> Standing:
    """What a file that was read counts for."""
    if note.is_stub:
        return Standing(note)
    try:
        document = overruled(note, ancestry)
    except EditRefused:
        # Its frontmatter cannot be changed. The answers do not need that; the writing refuses, and is reported.
        known = ancestry.tombstone_of(note.id)
        document = None if known is None else known.record or _bare_tombstone(note.id, known.deleted_at)
    if document is None:
        known = ancestry.tombstone_of(note.id)
        return Standing(note, "stamp" if settle(note.meta, known) else "")
    stands = Note(note.path, document, folder=note.folder)
    return Standing(stands, "erase" if stands.is_erased else "bury")


def overruled(note: Note, ancestry: Ancestry) -> Document | None:
    """What the memory of a file says, when that is not what the file says."""
    if not note.has_id:  # only its path and its very text say which memory it was
        # Its state is worked out only where some such text is known: this is asked whenever a note is read.
        if (
            ancestry.has_erased_texts
            and (erased_id := ancestry.find_erased_text(note.path, note.state)) is not None
        ):
            return erased_record(erased_id, ancestry.erased_at(erased_id))
        buried = ancestry.tombstone_at(note.path)
        return None if buried is None else overrule_without_id(note, buried)
    known = ancestry.tombstone_of(note.id)
    if known is None:
        return None
    return overrule(note, known, functools.partial(ancestry.find, note.id))


def may_be_hidden(note: Note, ancestry: Ancestry) -> bool:
    """Of a note whose properties cannot be read: whether it may be an old file of a memory that was hidden."""
    memory_id = id_in_frontmatter(note.document.data)
    by_id = None if memory_id is None else ancestry.tombstone_of(memory_id)
    tombstones = (by_id, ancestry.tombstone_at(note.path))
    return any(known is not None and known.status in HIDDEN for known in tombstones)


def learn(notes: Sequence[Note], ancestry: Ancestry, clock: Clock) -> set[str]:
    """Take in what these files say of memories that were forgotten, superseded, erased or brought back.

    Returns the memories of which other files may count for something else now.
    """
    news = set()
    for note in notes:
        if note.is_erased:  # here or on another machine: late arrivals of its text are erased too
            known = ancestry.tombstone_of(note.id)
            if known is None or known.status != "erased":
                news.add(note.id)
            ancestry.forget_texts(note.id, note.memory.deleted_at or format_time(clock()))
    records = [note for note in notes if note.has_id and not note.is_stub and not note.is_erased]
    telling = [note for note in records if status_of(note.meta) != "active" or ancestry.tombstone_of(note.id)]
    if telling:
        with ancestry.at_once():
            # Those that hide their memory first: what lies beside them may be older.
            for note in sorted(telling, key=lambda note: status_of(note.meta) == "active"):
                if stand(note, ancestry).note is note and ancestry.learn(note):
                    news.add(note.id)
    return news


def _bare_tombstone(memory_id: str, deleted_at: str | None) -> Document:
    meta: dict[str, Value] = {"id": memory_id, "status": "deleted", "deleted_at": deleted_at}
    return frontmatter.new_document(meta, "")
