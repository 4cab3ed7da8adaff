"""A text to as many tokens as o200k_base makes of it: cut into words, then each word's bytes merged pair by pair."""

from __future__ import annotations

import functools
import heapq
import re
from collections.abc import Callable, Sequence
from unicodedata import category

from helix.memory.token_vocabulary import TokenVocabulary

# Letters that are neither upper nor lower case, and marks, in a text whose other letters stand for their kind.
_CASELESS, _MARK = "\xaa", "\xad"
_SPACES = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_KINDS = {
    **dict.fromkeys(("Lu", "Lt"), "A"),
    **dict.fromkeys(("Lm", "Lo"), _CASELESS),
    **dict.fromkeys(("Mn", "Mc", "Me"), _MARK),
    **dict.fromkeys(("Nd", "Nl", "No"), "0"),
    "Ll": "a",
}
_IDEOGRAPHS = range(0x20000, 0x40000)
"""planes of letters without case, of which Unicode assigns more from time to time"""

_UPPER, _LOWER = rf"[A-Z{_CASELESS}{_MARK}]", rf"[a-z{_CASELESS}{_MARK}]"
_BEFORE = rf"[^\r\nA-Za-z0-9{_CASELESS}]?"
_SPACE = r"[\t-\r ]"
_ENDING = r"(?:'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?"
_WORD = re.compile(
    rf"{_BEFORE}{_UPPER}*{_LOWER}+{_ENDING}|{_BEFORE}{_UPPER}+{_LOWER}*{_ENDING}|[0-9]{{1,3}}"
    rf"| ?[^\t-\r A-Za-z0-9{_CASELESS}]+[\r\n/]*|{_SPACE}*[\r\n]+|{_SPACE}+(?![^\t-\r ])|{_SPACE}+"
)
# Some 2 MB of words and 1 MB of pairs, at the most.
_REMEMBERED_WORDS, _LONGEST_REMEMBERED, _REMEMBERED_PAIRS = 16_384, 64, 8_192


class _Kinds(dict[int, str]):
    """What stands for a character: one of its kind that is no letter of ASCII's by chance."""

    def __missing__(self, code: int) -> str:
        if code < 0x80:
            kind = chr(code)
        elif chr(code) in _SPACES:
            kind = "\v"
        elif code == 0x17F:  # the long s is an s to who does not mind the case
            kind = "s"
        else:
            kind = _KINDS.get(category(chr(code)), _CASELESS if code in _IDEOGRAPHS else "!")
        self[code] = kind
        return kind


class _Counts(dict[str, int]):
    """Words that were counted lately."""

    def __init__(self, count: Callable[[str], int]) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, word: str) -> int:
        found = self._count(word)
        if len(word) <= _LONGEST_REMEMBERED:
            if len(self) >= _REMEMBERED_WORDS:
                self.clear()
            self[word] = found
        return found


class TokenCounter:
    """For many threads at once."""

    def __init__(self, vocabulary: TokenVocabulary) -> None:
        self._vocabulary = vocabulary
        self._rank = functools.lru_cache(_REMEMBERED_PAIRS)(vocabulary.rank)
        self._kinds = _Kinds()
        self._counts = _Counts(self._tokens)

    def count(self, text: str) -> int:
        words = _WORD.findall(text if text.isascii() else text.translate(self._kinds))
        return sum(map(self._counts.__getitem__, words if text.isascii() else _cut(text, words)))

    def _tokens(self, word: str) -> int:
        written = word.encode()
        return 1 if self._vocabulary.rank(written) is not None else _merged(written, self._rank)


def _cut(text: str, like: Sequence[str]) -> list[str]:
    """Every character is part of a word, so the lengths say where each begins."""
    words, start = [], 0
    for word in like:
        end = start + len(word)
        words.append(text[start:end])
        start = end
    return words


def _merged(word: bytes, rank_of: Callable[[bytes], int | None]) -> int:
    """How many are left when no pair of neighbours is a token: those of the lowest rank are merged first."""
    size = len(word)
    after = list(range(1, size + 1))  # where the part that starts here ends
    before = list(range(-1, size - 1))  # where the part before it starts
    is_start = [True] * size
    pairs = [
        (rank, start, start + 2)
        for start in range(size - 1)
        if (rank := rank_of(word[start : start + 2])) is not None
    ]
    heapq.heapify(pairs)

    def offer(start: int) -> None:
        middle = after[start]
        if middle < size and (rank := rank_of(word[start : after[middle]])) is not None:
            heapq.heappush(pairs, (rank, start, after[middle]))

    left = size
    while pairs:
        _, start, end = heapq.heappop(pairs)
        middle = after[start] if is_start[start] else size
        if middle == size or after[middle] != end:
            continue  # one of the two was merged with another meanwhile
        is_start[middle] = False
        after[start] = end
        if end < size:
            before[end] = start
        left -= 1
        offer(start)
        if before[start] >= 0:
            offer(before[start])
    return left
