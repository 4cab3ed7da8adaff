"""The next version of a note: what an edit or a merge makes of the one that is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from helix.vault import ids
from helix.vault.edit import REMOVE, Remove, edit
from helix.vault.frontmatter import Document
from helix.vault.merge import FindState, merge, with_ancestors
from helix.vault.note import Note, ancestors_of
from helix.vault.text_merge import COLLISION
from helix.vault.times import format_time, parse_time
from helix.vault.yaml_load import Value

Changes = dict[str, Value | Remove]


@dataclass(frozen=True)
class Edit:
    """What to change in a note: keys, and the body when it is not None."""

    changes: Mapping[str, Value | Remove] = field(default_factory=dict)
    body: str | None = None


def revise(note: Note, wanted: Edit, now: datetime) -> Note:
    """The note after an edit, with its new time and ancestry; one that has no id is given one."""
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
    return Note(note.path, edit(note.document, changes, wanted.body), folder=note.folder)


def take_in(note: Note, version: Document, find_state: FindState) -> Edit:
    """What makes of a note the merge of it with another version of the same memory."""
    before, after = note.document, merge(note.document, version, find_state)
    changes: Changes = {
        key: value for key, value in after.meta.items() if before.meta.get(key, REMOVE) != value
    }
    changes.update({key: REMOVE for key in before.meta if key not in after.meta})
    return Edit(changes, after.body)


def fits(base: Document, mine: Document, theirs: Document, wanted: Edit, merged: Edit) -> bool:
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
    # What the caller took out of the text does not come back into it.
    return both - ours <= others - known
