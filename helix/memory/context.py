"""context: the pack that an agent reads before a task, grouped, cited, within its budget, and fenced as data.

The same vault and the same task give the same pack, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from helix.index.where import Reach
from helix.memory.fit import Budget, cut
from helix.memory.links import Links
from helix.memory.pack import Piece, pack, words_of
from helix.memory.present import check_format, passage
from helix.memory.reader import NOW, Reader, When
from helix.memory.recall import ask, check_scope
from helix.memory.tokens import Payload
from helix.memory.view import Caller, View, changed_at, reaches, row_is_within
from helix.vault.note import Note
from helix.vault.times import parse_time

if TYPE_CHECKING:
    from helix.index.search import Hit

_DEPTH = 40
_STANDING = 5  # preferences that hold for whatever is done in this place
_SAME_WORDS = 0.8  # shared words of two texts from which on the second repeats the first
_WHOLE_TEXT = 1_600  # characters; of a longer memory the best passage is packed


@dataclass(frozen=True)
class Chosen:
    """A memory that goes into the pack, with what has to be said beside it."""

    note: Note
    ordinal: int | None
    score: float
    remarks: tuple[str, ...] = ()


@dataclass
class Selection:
    chosen: list[Chosen] = field(default_factory=list)
    left_out: int = 0


def context(
    reader: Reader,
    task: str,
    *,
    caller: Caller,
    scope: str = "project",
    filters: Mapping[str, str] | None = None,
    max_tokens: int = 4000,
    response_format: str = "concise",
    rerank: bool = False,
    when: When = NOW,
) -> Payload:
    detailed = check_format(response_format)
    budget = Budget(max_tokens, reader.count)
    view = reader.view(when)
    found = ask(
        view,
        task,
        caller=caller,
        scope=scope,
        filters=filters,
        limit=_DEPTH,
        include_deleted=True,
        rerank=rerank,
    )
    seen = reaches(check_scope(scope), caller)
    selection = _resolve(view, found.hits, seen)
    if not filters:
        _add_standing(view, selection, seen)
    pieces = [_piece(one, detailed) for one in selection.chosen]
    notices = {key: value for key, value in (("note", found.note), ("degraded", found.degraded)) if value}
    return pack(pieces, budget, notices, left_out=selection.left_out)


def _resolve(view: View, hits: Sequence[Hit], seen: tuple[Reach, ...] | None) -> Selection:
    """The current one for each that was superseded, one of two that contradict each other, no repetition."""
    links = view.links()
    newer = {edge.target: edge.source for edge in links.edges if edge.rel == "supersedes"}
    selection = Selection()
    by_id: dict[str, Chosen] = {}
    for hit in hits:
        current, replaced = _current(links, newer, hit.memory_id)
        if current is None or not row_is_within(links.rows[current], seen):
            continue  # forgotten, or superseded by something that is, or that lies where the asker does not look
        note = view.find(current)
        if note is None or not note.memory.visible:
            continue
        remarks = tuple(f"replaces {one}" for one in replaced)
        if note.id in by_id:
            before = by_id[note.id]
            by_id[note.id] = replace(before, remarks=tuple(dict.fromkeys((*before.remarks, *remarks))))
        else:
            ordinal = hit.ordinal if note.id == hit.memory_id else None
            by_id[note.id] = Chosen(note, ordinal, hit.score, remarks)
    settled = _without_contradictions(links, by_id)
    selection.chosen = list(_without_repetition(settled))
    selection.left_out = len(by_id) - len(selection.chosen)
    return selection


def _current(links: Links, newer: Mapping[str, str], memory_id: str) -> tuple[str | None, list[str]]:
    """The memory that holds today in the place of this one, and those on the way that it replaced."""
    passed: list[str] = []
    here = memory_id
    while (row := links.rows.get(here)) is not None:
        if row.status == "active":
            return here, passed
        if row.status != "superseded" or here not in newer or here in passed:
            return None, passed
        passed.append(here)
        here = newer[here]
    return None, passed


def _without_contradictions(links: Links, chosen: Mapping[str, Chosen]) -> list[Chosen]:
    """Of two that contradict each other the one that was changed last stands, and says that it does."""
    against: dict[str, set[str]] = {}
    for edge in links.edges:
        if edge.rel == "contradicts" and not edge.is_dangling:
            against.setdefault(edge.source, set()).add(edge.target)
            against.setdefault(edge.target, set()).add(edge.source)
    settled = []
    for memory_id, one in chosen.items():
        others = [links.rows[other] for other in sorted(against.get(memory_id, ())) if other in links.rows]
        standing = [row for row in others if row.status == "active"]
        if any(row.id in chosen and changed_at(row) > changed_at(links.rows[memory_id]) for row in standing):
            continue
        remarks = tuple(f"contradicts {row.id}, which is older" for row in standing if row.id in chosen)
        settled.append(replace(one, remarks=(*one.remarks, *remarks)))
    return settled


def _without_repetition(chosen: Iterable[Chosen]) -> Iterable[Chosen]:
    seen: list[frozenset[str]] = []
    for one in chosen:
        words = words_of(f"{one.note.memory.title} {one.note.memory.body}")
        if not any(len(words & other) >= _SAME_WORDS * len(words | other) for other in seen):
            seen.append(words)
            yield one


def _add_standing(view: View, selection: Selection, seen: tuple[Reach, ...] | None) -> None:
    """Preferences hold whatever the task is; the most important and then the latest come first."""
    there = {one.note.id for one in selection.chosen}
    rows = [
        row
        for row in view.everything()
        if row.meta["kind"] == "preference"
        and row.status == "active"
        and row.id not in there
        and row_is_within(row, seen)
    ]
    rows.sort(key=lambda row: (-(row.meta.get("importance") or 0.5), -changed_at(row), row.id))
    for row in rows[:_STANDING]:
        note = view.find(row.id)
        if note is not None and note.memory.visible and not _is_over(view, note):
            selection.chosen.append(Chosen(note, 0, 0.0))


def _is_over(view: View, note: Note) -> bool:
    until = parse_time(note.memory.valid_until)
    return until is not None and until < view.now()


def _piece(one: Chosen, detailed: bool) -> Piece:
    memory = one.note.memory
    facts = {
        "project": memory.project or "",
        "tags": " ".join(memory.tags),
        "from": " ".join(str(value) for value in (memory.source or {}).values()),
        "score": f"{one.score:.2f}",
    }
    return to_piece(one.note, one.ordinal, facts if detailed else {}, one.remarks)


def to_piece(
    note: Note,
    ordinal: int | None = None,
    facts: Mapping[str, str] | None = None,
    remarks: tuple[str, ...] = (),
) -> Piece:
    memory = note.memory
    body, best = memory.body.strip(), passage(note, ordinal)
    is_whole = len(body) <= _WHOLE_TEXT
    said = {"updated": (memory.updated_at or memory.created_at or "")[:10], **(facts or {})}
    return Piece(
        memory.id,
        memory.kind,
        memory.title,
        body if is_whole else best,
        cut(best, _WHOLE_TEXT // 4),
        {name: value for name, value in said.items() if value},
        remarks,
        is_cut=not is_whole,
    )
