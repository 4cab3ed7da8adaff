"""The passages of several sources that answer a question: by their words, with how much of the question they hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from helix.index.query import ParsedQuery
from helix.sources.passages import Span
from helix.sources.reading import NoText, read_text
from helix.sources.source import SourceFolder
from helix.sources.source_index import MatchedPassage, SourceIndex

_GATE = 0.3
"""of what the words of a question weigh, what a passage must hold"""
_OF_A_FILE = 2
"""passages of one file at most"""
_USUAL = 220
"""words of a passage"""
_IN_PATH = 1.5
_SHOWN_LINES = 14

IndexOf = Callable[[SourceFolder], SourceIndex]


@dataclass(frozen=True)
class Hit:
    source: SourceFolder
    passage: int
    score: float


@dataclass(frozen=True)
class Shown:
    """Lines of a file as they are now."""

    source: SourceFolder
    path: str
    span: Span
    text: str
    commit: str | None
    """at which they stand there; None when the file differs from the commit, or there is none"""


def find(sources: Sequence[SourceFolder], index_of: IndexOf, query: ParsedQuery, limit: int) -> list[Hit]:
    words = query.words
    indexes = [(source, index_of(source)) for source in sources]
    weights = _weights(words, [index for _, index in indexes])
    whole = sum(weights.values())
    if not whole:
        return []
    hits: list[Hit] = []
    for source, index in indexes:
        for candidate in index.candidates([word for word in words if weights[word]]):
            held = sum(
                weights[word] for word in words if word in candidate.words or word in candidate.in_path
            )
            if held >= _GATE * whole and not _has_unwanted(index, candidate, query):
                hits.append(Hit(source, candidate.passage, round(_score(candidate, weights, whole), 4)))
    hits.sort(key=lambda hit: (-hit.score, hit.source.id, hit.passage))
    return _spread(hits, index_of, query, limit)


def _weights(words: Sequence[str], indexes: Sequence[SourceIndex]) -> dict[str, float]:
    """What a word says, by how rare it is in all of them; nothing where it stands nowhere and was not asked alone."""
    total, counts = 0, dict.fromkeys(words, 0)
    for index in indexes:
        found, passages = index.frequencies(words)
        total += passages
        for word, count in found.items():
            counts[word] += count
    if not any(counts.values()):
        return dict.fromkeys(words, 0.0)
    return {word: math.log(1 + (total - count + 0.5) / (count + 0.5)) for word, count in counts.items()}


def _score(candidate: MatchedPassage, weights: Mapping[str, float], whole: float) -> float:
    norm = 0.25 + 0.75 * candidate.length / _USUAL
    score = 0.0
    for word, weight in weights.items():
        often = candidate.words.get(word, 0) + (_IN_PATH if word in candidate.in_path else 0)
        score += weight * often / (often + 0.6 * norm)
    return score / whole


def _has_unwanted(index: SourceIndex, candidate: MatchedPassage, query: ParsedQuery) -> bool:
    return bool(query.without) and index.has_any(candidate.passage, query.without)


def _spread(hits: Sequence[Hit], index_of: IndexOf, query: ParsedQuery, limit: int) -> list[Hit]:
    """The best of each file first; phrases are looked for in the text itself."""
    needs_text = bool(query.phrases or query.without_phrases)
    chosen: list[Hit] = []
    of_file: dict[tuple[str, str], int] = {}
    for hit in hits:
        place = index_of(hit.source).place(hit.passage)
        if place is None:
            continue
        key = (hit.source.id, place.path)
        if of_file.get(key, 0) >= _OF_A_FILE:
            continue
        if needs_text:
            shown = show(hit.source, index_of(hit.source), hit.passage, (), whole=True)
            if shown is None or not query.fits(shown.text):
                continue
        of_file[key] = of_file.get(key, 0) + 1
        chosen.append(hit)
        if len(chosen) >= limit:
            break
    return chosen


def show(
    source: SourceFolder, index: SourceIndex, passage: int, words: Sequence[str], *, whole: bool = False
) -> Shown | None:
    """None when the file has changed since it was looked at, and will be found anew."""
    if (place := index.place(passage)) is None:
        return None
    try:
        file = read_text(source.folder, place.path)
    except (NoText, FileNotFoundError, NotADirectoryError):
        return None
    if file.signature != place.signature:
        return None
    lines = file.lines[place.span.first - 1 : place.span.last]
    span = place.span if whole else _best_lines(lines, place.span, words)
    text = "\n".join(lines[span.first - place.span.first : span.last - place.span.first + 1])
    commit = index.about().get("commit") if place.is_committed else None
    return Shown(source, place.path, span, text, commit)


def _best_lines(lines: Sequence[str], span: Span, words: Sequence[str]) -> Span:
    """Where most of the words stand together."""
    from helix.index.analyze import tokens

    if len(lines) <= _SHOWN_LINES:
        return _trimmed(lines, span)
    wanted = frozenset(words)
    held = [wanted.intersection(tokens(line)) if line.strip() else frozenset[str]() for line in lines]
    best, best_at = (-1, -1), 0
    for at in range(len(lines) - _SHOWN_LINES + 1):
        window = held[at : at + _SHOWN_LINES]
        counted = (len(frozenset[str]().union(*window)), sum(map(len, window)))
        # Of equal ones the one that begins with a line that has a word in it, as a definition does.
        if counted > best or (counted == best and held[at] and not held[best_at]):
            best, best_at = counted, at
    first = span.first + best_at
    return _trimmed(lines[best_at : best_at + _SHOWN_LINES], Span(first, first + _SHOWN_LINES - 1))


def _trimmed(lines: Sequence[str], span: Span) -> Span:
    first, last = span
    start, end = 0, len(lines)
    while start < end - 1 and not lines[start].strip():
        start += 1
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return Span(first + start, first + end - 1) if lines else Span(first, last)
