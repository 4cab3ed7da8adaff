"""How sure the index is that the vault answers a question, so that it need not fill a limit with junk.

Two looks. Is the question about the vault's subjects at all? How near the nearest memory is in meaning, and how much
of the question's words the best match by words holds, tell that well: where it is not, nothing fits, and a full page of
neighbours would only cost the reader. And does the best hit answer it, or is it a near
miss on the same subject? How many of the question's words the hit lacks tells that only somewhat (docs/search.md), so
this look never hides anything: it adds a word of doubt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

# A logistic fit for the bundled model: half of the team's answerable questions against half of 188 questions about
# other things, put to the same vault. On the other halves 97 % of the latter are below LOW and 2 % of the former.
_COSINE, _WORDS, _BIAS = 45.4, 2.75, -28.2
_WORDS_ALONE, _BIAS_ALONE = 8.0, -3.0
LOW = 0.5
"""below this the answer says that it is not sure"""
FITS = 0.5
"""below this, at the first look, nothing fits well and the answer is short (other limits: docs/search.md)"""
FAR = 0.15
"""below this it is shorter still: of the answerable questions there, none had its answer among the hits"""
NOTHING = 0.1
"""below this there is no answer"""

# Another one: the team's answerable questions against those that no memory answers, on the half for tuning. The limit
# is where a tenth of that half's answerable questions lie below it.
_MISS_COSINE, _MISS_COVERED, _MISS_LACKING, _MISS_BIAS = 5.45, 6.53, 0.84, -9.81
_MISS_LIMIT = -0.74


@dataclass(frozen=True)
class Coverage:
    """How much of the question stands in the best hit."""

    share: float
    """of the question's words, the rare ones counting for more"""
    lacking: float
    """how many words that leaves out: the longer a question, the less a missing word says"""


@dataclass(frozen=True)
class Signals:
    cosine: float | None
    """of the nearest memory; None without an embedder, and with one whose cosines nobody has calibrated"""
    words: float
    """the best word score as a share of the best possible for this question"""
    has_neighbours: bool = False
    """the vectors found something, whatever its cosine means"""
    coverage: Coverage | None = None
    """None when nobody looked"""


@dataclass(frozen=True)
class GateVerdict:
    confidence: float
    worth_showing: bool
    note: str
    fits: bool = True
    """whether it is about the vault's subjects; if not, what is shown is merely nearest"""


def cover(rarities: Mapping[str, float], words: frozenset[str]) -> Coverage:
    """Of a question, whose words have these rarities, by a text of these words."""
    whole = sum(rarities.values())
    share = sum(rarity for word, rarity in rarities.items() if word in words) / whole if whole else 1.0
    return Coverage(share, (1 - share) * len(rarities))


def judge(signals: Signals) -> GateVerdict:
    if signals.cosine is None:
        strength = _WORDS_ALONE * signals.words + _BIAS_ALONE
    else:
        strength = _COSINE * signals.cosine + _WORDS * signals.words + _BIAS
    confidence = 1 / (1 + exp(-strength))
    if confidence < NOTHING and not (signals.cosine is None and signals.has_neighbours):
        return GateVerdict(confidence, False, "nothing in memory fits this question", fits=False)
    if confidence < FITS and signals.cosine is not None:
        return GateVerdict(
            confidence, True, "nothing in memory fits this question well; this is the nearest", fits=False
        )
    if confidence >= LOW and (miss := _near_miss(signals)) is not None:
        confidence = min(confidence, miss)
    if confidence < LOW:
        return GateVerdict(confidence, True, "low confidence: these are near, but may not be the answer")
    return GateVerdict(confidence, True, "")


def _near_miss(signals: Signals) -> float | None:
    """How likely the hit is the answer, scaled so that the limit is at LOW; None when nothing can be said."""
    if signals.cosine is None or signals.coverage is None:
        return None
    strength = (
        _MISS_COSINE * signals.cosine
        + _MISS_COVERED * signals.coverage.share
        + _MISS_LACKING * signals.coverage.lacking
        + _MISS_BIAS
    )
    return 1 / (1 + exp(_MISS_LIMIT - strength))
