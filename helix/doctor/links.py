"""How memories hang together: ids, links, and what supersedes what."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.doctor.lines import line_in_body, line_of
from helix.vault.conflict_names import original_name
from helix.vault.note import Note

COPY = Kind(
    "conflict-copy",
    Severity.WARNING,
    "a conflict copy of a sync tool waits to be merged",
    "It is no second memory in any answer, but what it says is not in the first one yet.",
    "The daemon merges it once both files are quiet; `helix doctor --fix` merges it now.",
)
DUPLICATE = Kind(
    "duplicate-id",
    Severity.WARNING,
    "two notes have the same id",
    "They are one memory to Helix, and will be merged into one file.",
    "If the second is a memory of its own, remove its `id` line. Otherwise `helix doctor --fix` merges them.",
)
CASE = Kind(
    "ids-differ-by-case",
    Severity.WARNING,
    "two ids differ only in upper and lower case",
    "On macOS and Windows a file of one name takes the place of the other.",
    "Change one of the two ids, and the links to it.",
)
EDGE = Kind(
    "dangling-edge",
    Severity.WARNING,
    "a property links to a memory that is not there",
    "What was superseded, or depended on, cannot be followed. It may not be synced yet.",
    "Correct the link, or remove the line.",
)
LINK = Kind(
    "dangling-link",
    Severity.NOTE,
    "a link in a text leads nowhere",
    "Obsidian shows it as a note that you may still write.",
    "Correct it, or write the note.",
)
ORPHAN = Kind(
    "superseded-by-nothing",
    Severity.WARNING,
    "a memory is superseded and nothing supersedes it",
    "It is in no answer, and neither is what should have taken its place.",
    "Set its status to active, or name it in `supersedes` of the newer one.",
)
STILL_ACTIVE = Kind(
    "superseded-still-active",
    Severity.WARNING,
    "a memory that another supersedes is still active",
    "Agents get both answers, the old one and the new one.",
    "Set the status of the older one to superseded, or remove the link in the newer one.",
)
CIRCLE = Kind(
    "supersedes-circle",
    Severity.WARNING,
    "memories supersede each other in a circle",
    "Each of them says that it replaces the other, so none can be relied on.",
    "Remove one of the links.",
)


def check_copies(examined: Examined) -> Iterator[Finding]:
    by_id: dict[str, list[Note]] = defaultdict(list)
    by_folded: dict[str, set[str]] = defaultdict(set)
    for note in examined.memories:
        if note.has_id:
            by_id[note.id].append(note)
            by_folded[note.id.casefold()].add(note.id)
    for memory_id, notes in by_id.items():
        if len(notes) > 1:
            copy = next((note.path for note in notes if original_name(note.path)), None)
            others = ", ".join(note.path for note in notes if note.path != (copy or notes[-1].path))
            kind = COPY if copy else DUPLICATE
            yield kind.at(copy or notes[-1].path, f"{memory_id} stands in {others} too")
    for ids in by_folded.values():
        if len(ids) > 1:
            yield CASE.at(by_id[max(ids)][0].path, " and ".join(sorted(ids)))


def check_targets(examined: Examined) -> Iterator[Finding]:
    # A text may link to a picture or a view, which are files and no memories.
    files = {name.casefold() for entry in examined.entries.files for name in (entry.path, entry.name)}
    files |= {os.path.splitext(name)[0] for name in files}
    at = {note.id: note for note in examined.memories}
    for edge in examined.links.edges:
        if not edge.is_dangling or edge.target.casefold() in files:
            continue
        note = at[edge.source]
        if edge.target in _typed(note, edge.rel):
            yield EDGE.at(note.path, f"{edge.rel}: [[{edge.target}]]", line=line_of(note, edge.rel))
        else:
            written = f"[[{edge.target}"
            if written not in note.document.body:  # a markdown link, of which the name is all that is certain
                written = edge.target.rpartition("/")[2]
            yield LINK.at(note.path, f"[[{edge.target}]]", line=line_in_body(note, written))


def _typed(note: Note, rel: str) -> str:
    """What stands in the property itself: `relates_to` also holds the links of the text."""
    return str(note.meta.get(rel) or "")


def check_succession(examined: Examined) -> Iterator[Finding]:
    at = {note.id: note for note in examined.memories}
    older: dict[str, list[str]] = defaultdict(list)
    newer: dict[str, str] = {}
    for edge in examined.links.edges:
        if edge.rel == "supersedes" and not edge.is_dangling:
            older[edge.source].append(edge.target)
            newer.setdefault(edge.target, edge.source)
    for note in examined.memories:
        status = note.memory.status
        if note.id in older and _leads_back(note.id, older):
            what = "it supersedes itself, through others"
            yield CIRCLE.at(note.path, what, line=line_of(note, "supersedes"))
        elif status == "superseded" and note.id not in newer:
            yield ORPHAN.at(note.path, "no memory names it in `supersedes`", line=line_of(note, "status"))
        elif status == "active" and note.id in newer and at[newer[note.id]].memory.status == "active":
            what = f"{at[newer[note.id]].path} supersedes it"
            yield STILL_ACTIVE.at(note.path, what, line=line_of(note, "status"))


def _leads_back(start: str, older: dict[str, list[str]]) -> bool:
    seen: set[str] = set()
    pending = list(older[start])
    while pending:
        current = pending.pop()
        if current == start:
            return True
        if current not in seen:
            seen.add(current)
            pending += older.get(current, ())
    return False


AREA = Area(
    "Ids and links",
    (COPY, DUPLICATE, CASE, EDGE, LINK, ORPHAN, STILL_ACTIVE, CIRCLE),
    (check_copies, check_targets, check_succession),
)
