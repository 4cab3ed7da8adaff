"""Analysis of developers' language: text to the words that are searched, the same for notes and for queries.

A word of prose becomes its English stem, lower-cased and without accents. An identifier is found whole and in its
parts: `src/auth/tokenStore.py:12` is itself, `tokenstore.py`, `tokenstore`, `token`, `store`, `src`, `auth`, … Scripts
that write without spaces become overlapping pairs of characters.

Everything made of plain letters is stemmed, identifiers included: whoever types `econnreset` in lower case, or
`username` for `userName`, has to arrive at the same word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from py_rust_stemmers import SnowballStemmer

from helix.vault.normalize import normalize

VERSION = 1
"""another number means other words for the same text: what was indexed before is rebuilt"""
TOKEN_LENGTH = 64
"""longer ones (base64, minified code) are cut: nobody types them"""
TOKEN_COUNT = 100_000
"""per text; what comes later in a book of a note is not indexed"""


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_WORDS = _listed(
    "a an and are as at be been but by for from had has have he her his i in into is it its me my of on or our she"
    " so such than that the their them then there these they this those to was we were will with you your"
)
# Words of questions: they say nothing about what is looked for, but they may be the subject of a note.
ASKING = _listed("am can could did do does how should us what when where which who whom whose why would")
# Words that join others: they count when somebody searches, but nothing is about them.
JOINING = _listed(
    "about after again all also always any because before between both each every few first last least less many more"
    " most much must never next no not now off once one only other out over per same since some still take two under"
    " until up use used uses using via while within without"
)

_EDGES = ".,;:!?()[]{}<>\"'`*_-"
_CACHED_LENGTH = 40
_CACHE_SIZE = 50_000

# Between these, things are separate; what is left holds letters, digits and the joints _ - . / : @ + # $
_BREAKS = re.compile(r"[^\w\-./:@+#$']+", re.ASCII)
_LANGUAGE = re.compile(r"([A-Za-z]{1,12})(?:\+\+|#)")  # C++, C#, F#, notepad++
_LINE_NUMBER = re.compile(r"(?<=\w)(?::\d+){1,2}$")  # paths.py:12:5
_SCHEME = re.compile(r"[A-Za-z][A-Za-z+-]*://")
_VERSION = re.compile(r"[vV]?(\d+(?:\.\d+)+)(?!\w)")
_HASH = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}")
_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SEGMENTS = re.compile(r"[/:@+#$]+")
_JOINTS = re.compile(r"[_-]+")

# Chinese, Japanese, Korean; Thai, Lao, Burmese, Khmer.
_UNSPACED = (
    r"\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
    r"\u0e01-\u0e4e\u0e81-\u0ecd\u1000-\u1049\u1780-\u17d3"
)
# Vowel signs are no \w for Python, and without them the words of India fall apart. (The danda ends a sentence.)
_MARKS = r"\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0f71-\u0fbc"
_RUNS = re.compile(rf"([{_UNSPACED}]+)|((?:(?![{_UNSPACED}])[!-~\w{_MARKS}])+)")
_WORDS = re.compile(rf"[\w{_MARKS}]+")
# Accents of Latin, Greek and Cyrillic; the points of Hebrew; the vowels of Arabic.
_ACCENTS = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640]")

# Letters that are no accented ones for Unicode, but are for people.
_LETTERS = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"đ": "d", "Đ": "D", "ı": "i", "þ": "th", "Þ": "TH", "ð": "d", "Ð": "D", "\u2019": "'"}
)

_stem = SnowballStemmer("english").stem_word


class _Analysed(dict[str, tuple[str, ...]]):
    """What stands between two spaces, by what it comes to."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        found = tuple(_analyse(chunk, STOP_WORDS))
        if len(chunk) <= _CACHED_LENGTH:
            if len(self) >= _CACHE_SIZE:
                self.clear()
            self[chunk] = found
        return found


_analysed = _Analysed()


def tokens(text: str) -> list[str]:
    """The words of a text, in order and with repetitions. Stop words are dropped, unless there is nothing else."""
    each = map(_analysed.__getitem__, text.split())
    found = list(islice(chain.from_iterable(each), TOKEN_COUNT))
    return found or [word for chunk in text[:TOKEN_COUNT].split() for word in _analyse(chunk, frozenset())]


def query_tokens(text: str) -> list[str]:
    """The words to look for, each once. What only makes it a question is dropped, unless there is nothing else."""
    asked = [chunk for chunk in text.split() if chunk.strip("?!.,").lower() not in ASKING]
    return list(dict.fromkeys(tokens(" ".join(asked)) or tokens(text)))


def fold(text: str) -> str:
    """For comparing texts as a reader would: without case, accents and the difference between kinds of spaces."""
    return " ".join(_without_accents(text).casefold().split())


def _analyse(chunk: str, stop: frozenset[str]) -> list[str]:
    if chunk.isascii():
        return _ascii(chunk, stop)
    found: list[str] = []
    for unspaced, spaced in _RUNS.findall(_without_accents(chunk)):
        if unspaced:
            found += [unspaced[at : at + 2] for at in range(max(1, len(unspaced) - 1))]
        elif spaced.isascii():
            found += _ascii(spaced, stop)
        else:
            for word in _WORDS.findall(spaced):
                found += _ascii(word, stop) if word.isascii() else [word.casefold()[:TOKEN_LENGTH]]
    return found


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    apart = normalize("NFKD", text.translate(_LETTERS))
    return normalize("NFC", _ACCENTS.sub("", apart))


def _ascii(chunk: str, stop: frozenset[str]) -> list[str]:
    bare = chunk.strip(_EDGES)
    if bare.isalpha() and (bare[1:].islower() or bare.isupper() or len(bare) == 1):  # most of prose, quickly
        word = bare.lower()
        return [] if word in stop else [_word(word)]
    found: list[str] = []
    for piece in _BREAKS.split(chunk.replace("\\", "/")):
        if piece:
            found += dict.fromkeys(_atom(piece, stop) if piece.isalnum() else _piece(piece, stop))
    return found


def _piece(piece: str, stop: frozenset[str]) -> Iterator[str]:
    piece = piece.strip("'").removesuffix("'s").replace("'", "").rstrip(".:/@$-_")
    if language := _LANGUAGE.fullmatch(piece):
        yield piece.lower()
        piece = language[1] if len(language[1]) > 1 else ""
    piece = piece.strip("-_+#$:/@")
    if len(piece) > 4 * TOKEN_LENGTH:
        yield piece[:TOKEN_LENGTH].lower()
        return
    if scheme := _SCHEME.match(piece):
        piece = piece[scheme.end() :]
    path = _LINE_NUMBER.sub("", piece)
    if _SEGMENTS.search(path):
        yield _word(path.lower())
    segments = [segment for segment in _SEGMENTS.split(piece) if segment]
    for segment in segments:
        yield from _segment(segment.strip("-_").rstrip("."), stop)


def _segment(segment: str, stop: frozenset[str]) -> Iterator[str]:
    """Between slashes, colons and at signs: a file name, a dotted path, a version, a word."""
    if version := _VERSION.match(segment):
        yield version[1][:TOKEN_LENGTH]
        yield ".".join(version[1].split(".")[:2])  # who looks for 2.14 means 2.14.3 too
        segment = segment[version.end() :]
    names = [name for name in segment.split(".") if name]
    if len(names) > 1 or segment.startswith("."):
        yield _word(segment.lower())
    for name in names:
        atoms = [atom for atom in _JOINTS.split(name) if atom]
        if len(atoms) > 1:
            yield _word(name.lower().strip("-_"))
        for atom in atoms:
            yield from _atom(atom, stop)


def _atom(atom: str, stop: frozenset[str]) -> list[str]:
    """Letters and digits only: a word, `camelCase`, `E1007`, `sha256`, a commit."""
    if len(atom) >= 7 and not atom.isalpha() and _HASH.fullmatch(atom):
        return [atom, atom[:7]]  # as git abbreviates it
    humps = _HUMPS.findall(atom)
    words = [atom.lower()]
    if len(humps) > 1:
        words += [hump.lower() for hump in humps if len(hump) > 1 or hump.isdigit()]
    return [_word(word) for word in words if word not in stop]


def _word(word: str) -> str:
    return _stem(word[:TOKEN_LENGTH]) if word.isalpha() else word[:TOKEN_LENGTH]
