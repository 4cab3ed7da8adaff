"""Words that look like another word: what somebody may have meant by a query that found nothing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from helix.index.analyze import tokens

_LONGEST = 24  # what is longer is an identifier that was pasted, not typed
_FORM = re.compile(r"\w[\w'-]*\w|\w")
_SHORT = 4  # in a short word two wrong letters are another word


class Vocabulary:
    """Words by length, as rows of letters, so that one pass of numpy compares a word with all of them."""

    def __init__(self, words: Iterable[str]) -> None:
        by_length: defaultdict[int, list[str]] = defaultdict(list)
        for word in words:
            if 0 < len(word) <= _LONGEST:
                by_length[len(word)].append(word)
        self._words = {length: np.array(found, dtype=f"U{length}") for length, found in by_length.items()}

    def near(self, word: str) -> dict[str, int]:
        """Other words within two edits (one in a short word), with the number of edits."""
        limit = 1 if len(word) <= _SHORT else 2
        found: dict[str, int] = {}
        for length in range(len(word) - limit, len(word) + limit + 1):
            if length in self._words:
                words = self._words[length]
                edits = _edits(word, words.view(np.uint32).reshape(len(words), length))
                for row in np.flatnonzero((edits > 0) & (edits <= limit)).tolist():
                    found[str(words[row])] = int(edits[row])
        return found


def as_written(word: str, texts: Iterable[str]) -> str | None:
    """A word of the index as people write it in these texts, in its commonest form: stems are no words."""
    forms: Counter[str] = Counter()
    for text in texts:
        forms.update(form for form in _FORM.findall(text) if word in tokens(form))
    return min(forms, key=lambda form: (-forms[form], form)) if forms else None


def _edits(word: str, rows: NDArray[np.uint32]) -> NDArray[np.int8]:
    """Edit distances, two swapped neighbours being one edit: the textbook table, for all rows at once."""
    count, length = rows.shape
    before = last = np.empty((0, 0), dtype=np.int8)
    line = np.broadcast_to(np.arange(length + 1, dtype=np.int8), (count, length + 1)).copy()
    for at, letter in enumerate(map(ord, word)):
        before, last, line = last, line, np.empty_like(line)
        line[:, 0] = at + 1
        differs = rows != letter
        for column in range(length):
            cost = np.minimum(last[:, column] + differs[:, column], last[:, column + 1] + 1)
            line[:, column + 1] = np.minimum(cost, line[:, column] + 1)
            if at and column:
                swapped = (rows[:, column - 1] == letter) & (rows[:, column] == ord(word[at - 1]))
                better = swapped & (before[:, column - 1] + 1 < line[:, column + 1])
                line[better, column + 1] = before[better, column - 1] + 1
    return line[:, length]
