"""What the text of a memory tells of itself before anybody asks: how much it says, and of which day it is."""

from __future__ import annotations

import re
from datetime import date

from helix.index.analyze import tokens
from helix.index.time_words import written_day
from helix.vault.note import Memory

ENOUGH = 25
"""words; what says more than that is no more likely to answer"""
_LOOKED_AT = 2_000  # characters: an ordinary text has said enough by then
_DATED_BY = 300  # characters: a date further on is seldom that of the note

_SENTENCE_END = re.compile(r"[.!?]+[\"'”’)\]*_`]*(?=\s|$)|[。！？]|\n")


def telling_words(memory: Memory) -> int:
    """How many words it has outside of questions, `ENOUGH` at most: "Thanks!" and "How did it go?" answer nothing,
    whatever words and meaning they share with what somebody asks."""
    count, at, body = len(tokens(memory.title)), 0, memory.body[:_LOOKED_AT]
    for end in _SENTENCE_END.finditer(body):
        if count >= ENOUGH:
            return ENOUGH
        if not {"?", "？"} & set(end[0]):
            count += _words(body[at : end.end()])
        at = end.end()
    return min(ENOUGH, count + _words(body[at:]))


def _words(text: str) -> int:
    return len(tokens(text)) if text.strip() else 0


def day_of(memory: Memory) -> date | None:
    """The day that its title or its beginning names, as pages of a diary and minutes do."""
    return written_day(memory.title) or written_day(memory.body[:_DATED_BY])
