"""context: the pack that an agent reads before a task, grouped, cited, within its budget, and fenced as data.

The same vault and the same task give the same pack, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from helix.index.filters import Reach, Where, to_predicate
from helix.index.query import parse
from helix.memory import answers
from helix.memory.place import Place, reaches
from helix.memory.reading.link_graph import Links
from helix.memory.reading.pack_report import Left
from helix.memory.reading.pack_report import explain as to_explained
from helix.memory.reading.pack_text import Piece, pack, words_of
from helix.memory.reading.passages import find_passage
from helix.memory.reading.presentation import check_format
from helix.memory.reading.search import ask, check_scope, nearest_shown
from helix.memory.reading.view import NOW, Row, View, When, changed_at
from helix.memory.request import Request, verb
from helix.vault.note import Note
from helix.vault.times import parse_time

if TYPE_CHECKING:
    from helix.index.search import SearchHit

_DEPTH = 40
_ELSEWHERE = 10
_STANDING = 5  # preferences that hold for whatever is done in this place
_SAME_WORDS = 0.8  # shared words of two texts from which on the second repeats the first
_NOTHING = "Nothing in memory fits this task."
_NEAREST_REMARK = "merely the nearest; it may have nothing to do with the task"
_SHORT = 400  # bytes of the passage of a memory that does not fit whole
_WHOLE_TEXT = 1_600  # characters; of a longer memory the sentences that answer are packed
_ANSWERING = (
    1_200  # bytes of those, wherever they stand in it (measured: more evidence than one whole chunk has)
)


@dataclass(frozen=True)
class Chosen:
    """A memory that goes into the pack, with what has to be said beside it."""

    note: Note
    ordinal: int | None
    score: float
    remarks: tuple[str, ...] = ()


@dataclass
class PackSelection:
    chosen: list[Chosen] = field(default_factory=list)
    left_out: int = 0
    left: list[Left] = field(default_factory=list)
    """those that were found and not chosen, and why"""

    def leave(self, found: SearchHit | Chosen, reason: answers.LeftOutFor, why: str) -> None:
        memory_id = found.note.id if isinstance(found, Chosen) else found.memory_id
        self.left.append(Left(memory_id, reason, why, found.score))


@verb("context")
def context(
    request: Request,
    task: str,
    *,
    scope: str = "project",
    filters: Mapping[str, str] | None = None,
    max_tokens: int = 4000,
    response_format: str = "concise",
    rerank: bool = False,
    explain: bool = False,
    explain_tokens: int = 4000,
    when: When = NOW,
) -> answers.ExplainedPack:
    """The pack; with `explain` also what each memory in it costs, and what was left out and why.

    The explanation has a budget of its own, `explain_tokens`, so that the pack is the one that an agent would get.
    """
    detailed = check_format(response_format)
    budget = request.budget(max_tokens)
    view = request.view(when)
    found = ask(
        view,
        task,
        place=request.place,
        scope=scope,
        filters=filters,
        limit=_DEPTH,
        include_deleted=True,
        rerank=rerank,
        explain=explain,
    )
    room = request.budget(explain_tokens)
    within = reaches(check_scope(scope), request.place)
    selection = _resolve(view, found.hits, within)
    if not found.fits:
        _keep_nearest(selection, nearest_shown(found))
    if not filters:
        _add_standing(view, selection, within)
    words = frozenset(parse(task).words)
    pieces = [_piece(one, words, detailed) for one in selection.chosen]
    notices: answers.PackNotices = {}
    if found.note:
        notices["note"] = found.note
    if found.degraded:
        notices["degraded"] = found.degraded
    lead = "" if found.fits else _NOTHING
    answer, packed = pack(pieces, budget, notices, left_out=selection.left_out, lead=lead)
    if not explain:
        return cast(answers.ExplainedPack, answer)
    left = [
        *selection.left,
        *(Left(hit.memory_id, "below-gate", "it fits the task too little", hit.score) for hit in found.below),
        *_elsewhere(view, task, request.place, filters, within),
    ]
    scores = {one.note.id: one.score for one in selection.chosen if one.score}
    return to_explained(view, answer, packed, pieces, scores, left, room)


def _keep_nearest(selection: PackSelection, count: int) -> None:
    near, rest = selection.chosen[:count], selection.chosen[count:]
    selection.chosen = [replace(one, remarks=(*one.remarks, _NEAREST_REMARK)) for one in near]
    selection.left_out += len(rest)
    for chosen in rest:
        selection.leave(chosen, "below-gate", "nothing fits the task, and others are nearer to it")


def _elsewhere(
    view: View,
    task: str,
    place: Place,
    filters: Mapping[str, str] | None,
    within: tuple[Reach, ...] | None,
) -> list[Left]:
    """What fits, and lies where the asker does not look."""
    if within is None:
        return []
    found = ask(view, task, place=place, scope="all", filters=filters, limit=_ELSEWHERE)
    is_seen = to_predicate(Where(reaches=within))
    rows = ((hit, view.find_row(hit.memory_id)) for hit in found.hits)
    return [
        Left(
            hit.memory_id, "not-in-scope", f"it is of {_home(row)}, which this scope does not see", hit.score
        )
        for hit, row in rows
        if row is not None and not is_seen(row)
    ]


def _home(row: Row) -> str:
    session = (row.source or {}).get("session")
    if row.scope == "session":
        return f"session {session}" if session else "another session"
    return f"project {row.project}" if row.project else "another project"


def _resolve(view: View, hits: Sequence[SearchHit], within: tuple[Reach, ...] | None) -> PackSelection:
    """The current one for each that was superseded, one of two that contradict each other, no repetition."""
    links = view.links()
    is_seen = to_predicate(Where(reaches=within))
    newer = {edge.target: edge.source for edge in links.edges if edge.rel == "supersedes"}
    selection = PackSelection()
    by_id: dict[str, Chosen] = {}
    for hit in hits:
        current, replaced = _current(links, newer, hit.memory_id)
        if current is None:
            selection.leave(hit, "forgotten", "it was forgotten, or what replaced it was")
            continue
        if not is_seen(links.rows[current]):
            selection.leave(
                hit, "not-in-scope", f"{current} replaced it, and lies where this scope does not see"
            )
            continue
        note = view.find(current)
        if note is None or not note.memory.visible:
            selection.leave(hit, "unreadable", "its file cannot be read at the moment")
            continue
        if current != hit.memory_id:
            selection.leave(hit, "superseded", f"{current} replaced it")
        remarks = tuple(f"replaces {one}" for one in replaced)
        if note.id in by_id:
            before = by_id[note.id]
            by_id[note.id] = replace(before, remarks=tuple(dict.fromkeys((*before.remarks, *remarks))))
        else:
            ordinal = hit.ordinal if note.id == hit.memory_id else None
            by_id[note.id] = Chosen(note, ordinal, hit.score, remarks)
    settled = _without_contradictions(links, by_id, selection)
    selection.chosen = list(_without_repetition(settled, selection))
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


def _without_contradictions(
    links: Links, chosen: Mapping[str, Chosen], selection: PackSelection
) -> list[Chosen]:
    """Of two that contradict each other the one that was changed last stands, and says that it does."""
    against: dict[str, set[str]] = {}
    for edge in links.edges:
        if edge.rel == "contradicts" and not edge.is_dangling:
            against.setdefault(edge.source, set()).add(edge.target)
            against.setdefault(edge.target, set()).add(edge.source)
    settled = []
    for memory_id, candidate in chosen.items():
        others = [links.rows[other] for other in sorted(against.get(memory_id, ())) if other in links.rows]
        standing = [row for row in others if row.status == "active"]
        newer = [
            row
            for row in standing
            if row.id in chosen and changed_at(row) > changed_at(links.rows[memory_id])
        ]
        if newer:
            selection.leave(candidate, "contradicted", f"{newer[0].id} contradicts it and was changed later")
            continue
        remarks = tuple(f"contradicts {row.id}, which is older" for row in standing if row.id in chosen)
        settled.append(replace(candidate, remarks=(*candidate.remarks, *remarks)))
    return settled


def _without_repetition(chosen: Iterable[Chosen], selection: PackSelection) -> Iterable[Chosen]:
    seen: dict[str, frozenset[str]] = {}
    for candidate in chosen:
        words = words_of(f"{candidate.note.memory.title} {candidate.note.memory.body}")
        same = (
            memory_id
            for memory_id, other in seen.items()
            if len(words & other) >= _SAME_WORDS * len(words | other)
        )
        if (first := next(same, None)) is None:
            seen[candidate.note.id] = words
            yield candidate
        else:
            selection.leave(candidate, "says-the-same", f"{first} says the same")


def _add_standing(view: View, selection: PackSelection, within: tuple[Reach, ...] | None) -> None:
    """Preferences hold whatever the task is; the most important and then the latest come first."""
    there = {one.note.id for one in selection.chosen}
    rows = [row for row in view.rows(within) if row.kind == "preference" and row.id not in there]
    rows.sort(key=lambda row: (-(row.importance or 0.5), -changed_at(row), row.id))
    for row in rows[:_STANDING]:
        note = view.find(row.id)
        if note is not None and note.memory.visible and not _is_over(view, note):
            selection.chosen.append(Chosen(note, 0, 0.0))


def _is_over(view: View, note: Note) -> bool:
    until = parse_time(note.memory.valid_until)
    return until is not None and until < view.now()


def _piece(chosen: Chosen, words: frozenset[str], detailed: bool) -> Piece:
    memory = chosen.note.memory
    facts = {
        "project": memory.project or "",
        "tags": " ".join(memory.tags),
        "from": " ".join(str(value) for value in (memory.source or {}).values()),
        "score": f"{chosen.score:.2f}",
    }
    return to_piece(chosen.note, words, chosen.ordinal, facts if detailed else {}, chosen.remarks)


def to_piece(
    note: Note,
    words: frozenset[str] = frozenset(),
    ordinal: int | None = None,
    facts: Mapping[str, str] | None = None,
    remarks: tuple[str, ...] = (),
) -> Piece:
    memory = note.memory
    body = memory.body.strip()
    is_whole = len(body) <= _WHOLE_TEXT
    shown = {"updated": (memory.updated_at or memory.created_at or "")[:10], **(facts or {})}
    return Piece(
        memory.id,
        memory.kind,
        memory.title,
        body if is_whole else find_passage(memory, words, ordinal, _ANSWERING).text,
        find_passage(memory, words, ordinal, _SHORT).text,
        {name: value for name, value in shown.items() if value},
        remarks,
        is_cut=not is_whole,
    )
