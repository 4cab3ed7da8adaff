"""Why a pack is as it is: what each memory in it costs, and what was left out for which reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from helix.memory import answers
from helix.memory.budget import Budget
from helix.memory.reading.pack_text import Piece, group_of, grouped
from helix.memory.reading.view import View
from helix.memory.tokens import serialize

_LONGEST_TITLE = 120
_EMPTY = serialize({"": ""})


@dataclass(frozen=True)
class Left:
    """A memory that was looked at and is not in the pack."""

    memory_id: str
    reason: answers.LeftOutFor
    why: str
    score: float | None = None


def explain(
    view: View,
    answer: answers.Pack,
    packed: Sequence[Piece],
    pieces: Sequence[Piece],
    scores: dict[str, float],
    left: Iterable[Left],
    room: Budget,
) -> answers.ExplainedPack:
    """The answer with its explanation beside it. The pack is bounded by its own budget, the explanation by `room`."""
    there = {piece.memory_id for piece in packed}
    parts: list[answers.Part] = [
        {"id": piece.memory_id, "title": _title(view, piece.memory_id), "section": group_of(piece),
         "tokens": _tokens(piece, room), "score": _rounded(scores.get(piece.memory_id))}
        for piece in grouped(packed)
    ]  # fmt: skip
    over = [
        Left(
            piece.memory_id,
            "over-budget",
            "what comes before it fills the budget",
            scores.get(piece.memory_id),
        )
        for piece in pieces
        if piece.memory_id not in there
    ]
    sizes = {piece.memory_id: _tokens(piece, room) for piece in pieces}
    out: list[answers.LeftOut] = [
        {"id": item.memory_id, "title": _title(view, item.memory_id),
         "tokens": sizes.get(item.memory_id) or _size(view, item.memory_id, room),
         "score": _rounded(item.score), "reason": item.reason, "why": item.why}
        for item in dict.fromkeys([*over, *left])
        if item.memory_id not in there
    ]  # fmt: skip
    overhead = answer["tokens_used"] - sum(part["tokens"] for part in parts)
    shown = len(parts) + len(out)
    while True:
        report: answers.PackExplanation = {
            "overhead_tokens": overhead, "parts": parts[:shown], "left_out": out[: max(0, shown - len(parts))],
            "unexplained": len(parts) + len(out) - shown,
        }  # fmt: skip
        used = room.count(serialize(report))
        if used <= room.max_tokens or shown == 0:
            return {**answer, **report}
        shown = min(shown - 1, shown * room.max_tokens // used)


def _title(view: View, memory_id: str) -> str:
    row = view.find_row(memory_id)
    return "" if row is None else row.title[:_LONGEST_TITLE]


def _tokens(piece: Piece, room: Budget) -> int:
    """As the pack holds it: fenced, and as JSON spells it."""
    return room.count(serialize({"": piece.fenced()})) - room.count(_EMPTY)


def _size(view: View, memory_id: str, room: Budget) -> int:
    note = view.find(memory_id)
    return 0 if note is None else room.count(note.memory.body)


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)
