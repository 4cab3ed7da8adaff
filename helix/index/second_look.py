"""A second look at a close ranking: the cross-encoder reads short passages of the best few, and orders them anew.

Only where the fifth hit is nearly as good as the first. Of what reading every question again gains for recall among the
first five, those 40 % of the questions have all (docs/decisions/034-plain-notes.md). Pure: who asks brings the scores.
"""

from __future__ import annotations

from collections.abc import Sequence

from helix.index.ranking import PARTS, Ranked

READ = 12
PASSAGE = 400  # characters, about 100 tokens
SECONDS = 0.12
"""how long a search waits; then the first ranking is the answer"""

_CLOSE = 0.25
_SHARE = 0.3  # of the cross-encoder in the new order; the rest is the place before


def is_close(ranked: Sequence[Ranked]) -> bool:
    """Whether it is anybody's guess which five come first."""
    return len(ranked) > 5 and ranked[0].score - ranked[4].score < _CLOSE


def look_again(ranked: Sequence[Ranked], scores: Sequence[float]) -> list[Ranked]:
    """The first few, of which each has a score of the cross-encoder, in their new order; all others behind them.

    The places keep their scores: how far the best is ahead of the tenth is still what the first ranking says.
    """
    head = ranked[: len(scores)]
    before, again = _scaled([row.score for row in head]), _scaled(scores)
    mixed = [_SHARE * fine + (1 - _SHARE) * first for first, fine in zip(before, again, strict=True)]
    order = sorted(range(len(head)), key=lambda at: (-mixed[at], at))
    placed = [_moved(head[at], place.score) for at, place in zip(order, head, strict=True)]
    return [*placed, *ranked[len(scores) :]]


def _scaled(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 1.0 for value in values]


def _moved(row: Ranked, score: float) -> Ranked:
    unlinked = (0.0,) * (len(PARTS) - 1 - len(row.parts))
    return Ranked(row.memory_id, score, (*row.parts, *unlinked, score - row.score))
