"""How the local engine finds candidates: by words, by meaning, and around the best of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from helix.errors import HelixError
from helix.index.analyze import query_tokens
from helix.index.bm25 import best_possible
from helix.index.engine import ANCHORS, BESIDE, Candidates, Spelling, Wording
from helix.index.facet_index import FacetIndex
from helix.index.keywords import Keywords
from helix.index.meaning import Meaning
from helix.index.vector_matrix import VectorHit
from helix.index.where import Where, to_predicate

_TELLING_WORDS = 40  # of a text that is compared with what is there
_UNKNOWN_WORDS = 3  # for which others are suggested
_VERY_MANY = 20_000
_FEW, _FEW_SHARE = 2_000, 8  # memories of one place, and a part of all: they are named rather than asked
_SPELLED_BY = 3  # memories that show how a suggestion is spelled


class Stores(NamedTuple):
    """As they are at one moment: an index that was deleted is made anew, and a model takes over from another."""

    facets: FacetIndex
    keywords: Keywords
    meaning: Meaning | None


def find_candidates(stores: Stores, wording: Wording, where: Where, limit: int) -> Candidates:
    within = None if _is_wide(stores.facets, where) else _within(stores.facets, where)
    allowed = _allowed(stores.facets, where, within)
    by_words = stores.keywords.search(
        wording.words, limit, without=wording.without, allowed=allowed, within=within
    )
    by_meaning, trouble = _nearest(stores.meaning, wording.text, where, within, limit)
    by_meaning = [hit for hit in by_meaning if allowed(hit.memory_id)]
    scores, nearest = dict(by_words), {hit.memory_id: hit for hit in by_meaning}
    pool = scores.keys() | nearest.keys()
    if not wording.text.strip():
        pool |= (
            {memory_id for memory_id in stores.facets.ids() if allowed(memory_id)}
            if within is None
            else within
        )
    anchors = [memory_id for memory_id, _ in by_words[:ANCHORS]]
    anchors += [hit.memory_id for hit in by_meaning[:ANCHORS]]
    pool |= {other for other in _around(stores.facets, anchors) if allowed(other)}
    found = stores.facets.candidates(sorted(pool), scores, nearest)
    return Candidates(found, by_words.rarities, best_possible(by_words.rarities), trouble)


def find_alike(stores: Stores, text: str, limit: int, where: Where) -> list[str]:
    keywords = stores.keywords
    known = {word: keywords.document_frequency(word) for word in set(query_tokens(text))}
    rarest = sorted((word for word in known if known[word]), key=lambda word: (known[word], word))
    # To name a few is cheapest. Of many the best are asked: a set of all would grow with the vault, for every write.
    few = stores.facets.find_few(where, max(_FEW, len(stores.facets) // _FEW_SHARE))
    passes = to_predicate(where)

    def allowed(memory_id: str) -> bool:
        row = stores.facets.find(memory_id)
        return row is not None and passes(row)

    hits = keywords.search(
        rarest[:_TELLING_WORDS], limit, allowed=allowed if few is None else None, within=few
    )
    return [memory_id for memory_id, _ in hits]


def find_spellings(stores: Stores, words: Sequence[str], where: Where) -> list[Spelling]:
    keywords = stores.keywords
    allowed = _allowed(stores.facets, where, _within(stores.facets, where))
    unknown = [word for word in words if not keywords.document_frequency(word)]
    alike = dict.fromkeys(like for word in unknown[:_UNKNOWN_WORDS] for like in keywords.terms_like(word))
    return [
        Spelling(like, [memory_id for memory_id, _ in keywords.search([like], _SPELLED_BY, allowed=allowed)])
        for like in alike
    ]


def _within(facets: FacetIndex, where: Where) -> set[str] | None:
    """What may be found, when filters or a narrow view leave things out; None for all, or all that is active."""
    if not where.names_fields and where.reaches is None and where.among is None:
        return None
    return facets.within(where)


def _is_wide(facets: FacetIndex, where: Where) -> bool:
    """Whether most of very many may be found: to ask of the few that are is faster than to name all."""
    if len(facets) < _VERY_MANY or where.names_fields or where.among is not None or where.reaches is None:
        return False
    return all(reach.projects is None and reach.session is None for reach in where.reaches)


def _allowed(facets: FacetIndex, where: Where, within: set[str] | None) -> Callable[[str], bool]:
    if within is not None:
        return within.__contains__
    if where.reaches is not None:
        passes = to_predicate(where)
        return lambda memory_id: (row := facets.find(memory_id)) is not None and passes(row)
    return facets.is_active if where.active_only else facets.__contains__


def _nearest(
    meaning: Meaning | None, text: str, where: Where, within: set[str] | None, limit: int
) -> tuple[list[VectorHit], str | None]:
    """And why it could not be looked for by meaning, if so."""
    if meaning is None or not text.strip():
        return [], None
    # By the vectors' own columns where they say it all, else by name: they may be of a state before the last.
    if within is not None and (where.names_fields or where.among is not None):
        where = Where(among=frozenset(within))
    try:
        return meaning.search(text, limit, where), None
    except HelixError as error:  # a model that fails on this text, a store that was damaged a moment ago
        return [], f"this question was searched by its words only: {error.message}"


def _around(facets: FacetIndex, anchors: Iterable[str]) -> Iterable[str]:
    for anchor in anchors:
        yield from facets.neighbours(anchor, BESIDE)
        yield from facets.linked(anchor)
