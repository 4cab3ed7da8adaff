"""How sure the index is that the vault speaks of what was asked, so that it need not fill a limit with junk.

Two signals tell a question about something else from one about the vault's subjects: how near the nearest memory is
in meaning, and how much of the question's words the best match by words holds. They do not tell an answer from
a near miss on the same subject; no score that was tried does (docs/search.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

# A logistic fit for the bundled model: half of the team's answerable questions against half of 188 questions about
# other things, put to the same vault. On the other halves 97 % of the latter are below LOW and 2 % of the former.
_COSINE, _WORDS, _BIAS = 45.4, 2.75, -28.2
_WORDS_ALONE, _BIAS_ALONE = 8.0, -3.0
LOW = 0.5
"""below this the answer says that it is not sure"""
NOTHING = 0.1
"""below this there is no answer"""


@dataclass(frozen=True)
class Signals:
    cosine: float | None
    """of the nearest memory; None without an embedder, and with one whose cosines nobody has calibrated"""
    words: float
    """the best word score as a share of the best possible for this question"""
    has_neighbours: bool = False
    """the vectors found something, whatever its cosine means"""


@dataclass(frozen=True)
class Verdict:
    confidence: float
    worth_showing: bool
    note: str


def judge(signals: Signals) -> Verdict:
    if signals.cosine is None:
        strength = _WORDS_ALONE * signals.words + _BIAS_ALONE
    else:
        strength = _COSINE * signals.cosine + _WORDS * signals.words + _BIAS
    confidence = 1 / (1 + exp(-strength))
    if confidence < NOTHING and not (signals.cosine is None and signals.has_neighbours):
        return Verdict(confidence, False, "nothing in memory fits this question")
    if confidence < LOW:
        return Verdict(confidence, True, "low confidence: these are near, but may not be the answer")
    return Verdict(confidence, True, "")
