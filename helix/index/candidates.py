"""How the local engine finds candidates: by words, by meaning, and around the best of both."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from helix.errors import HelixError
from helix.index.analyze import query_tokens
from helix.index.bm25 import best_possible
from helix.index.engine import ANCHORS, BESIDE, Candidates, Spelling, Wording
from helix.index.facet_index import FacetIndex, Passing
from helix.index.filters import Where
from helix.index.keywords import Keywords
from helix.index.meaning import Meaning
from helix.index.vector_matrix import VectorHit

_TELLING_WORDS = 40  # of a text that is compared with what is there
_UNKNOWN_WORDS = 3  # for which others are suggested
_FEW = 4  # what passes is named when it is one in so many, or rarer
_SPELLED_BY = 3  # memories that show how a suggestion is spelled


class Stores(NamedTuple):
    """As they are at one moment: an index that was deleted is made anew, and a model takes over from another."""

    facets: FacetIndex
    keywords: Keywords
    meaning: Meaning | None


def find_candidates(stores: Stores, wording: Wording, where: Where, limit: int) -> Candidates:
    passing = stores.facets.passing(where)
    by_words = stores.keywords.search(
        wording.words,
        limit,
        without=wording.without,
        allowed=passing.__contains__,
        within=_named_if_few(stores.facets, passing),
    )
    by_meaning, trouble = _nearest(stores.meaning, wording.text, where, passing, limit)
    by_meaning = [hit for hit in by_meaning if hit.memory_id in passing]
    scores, nearest = dict(by_words), {hit.memory_id: hit for hit in by_meaning}
    pool = scores.keys() | nearest.keys()
    if not wording.text.strip():
        pool |= passing.ids
    anchors = [memory_id for memory_id, _ in by_words[:ANCHORS]]
    anchors += [hit.memory_id for hit in by_meaning[:ANCHORS]]
    pool |= set(stores.facets.around(anchors, BESIDE))
    found = stores.facets.candidates(pool, where, scores, nearest, wording.words)
    return Candidates(found, by_words.rarities, best_possible(by_words.rarities), trouble)


def find_alike(stores: Stores, text: str, limit: int, where: Where) -> list[str]:
    keywords = stores.keywords
    known = {word: keywords.document_frequency(word) for word in set(query_tokens(text))}
    rarest = sorted((word for word in known if known[word]), key=lambda word: (known[word], word))
    passing = stores.facets.passing(where)
    within = _named_if_few(stores.facets, passing)
    hits = keywords.search(rarest[:_TELLING_WORDS], limit, allowed=passing.__contains__, within=within)
    return [memory_id for memory_id, _ in hits]


def _named_if_few(facets: FacetIndex, passing: Passing) -> AbstractSet[str] | None:
    """A name costs more than a document: many are cheaper to ask for among the best."""
    return passing.ids if passing.count * _FEW <= len(facets) else None


def find_spellings(stores: Stores, words: Sequence[str], where: Where) -> list[Spelling]:
    keywords = stores.keywords
    allowed = stores.facets.passing(where).__contains__
    unknown = [word for word in words if not keywords.document_frequency(word)]
    alike = dict.fromkeys(like for word in unknown[:_UNKNOWN_WORDS] for like in keywords.terms_like(word))
    return [
        Spelling(like, [memory_id for memory_id, _ in keywords.search([like], _SPELLED_BY, allowed=allowed)])
        for like in alike
    ]


def _nearest(
    meaning: Meaning | None, text: str, where: Where, passing: Passing, limit: int
) -> tuple[list[VectorHit], str | None]:
    """And why it could not be looked for by meaning, if so."""
    if meaning is None or not text.strip():
        return [], None
    # By the vectors' own columns where they say it all, else by name: they may be of a state before the last.
    if where.names_fields or where.among is not None:
        where = Where(among=passing.ids)
    try:
        return meaning.search(text, limit, where), None
    except HelixError as error:  # a model that fails on this text, a store that was damaged a moment ago
        return [], f"this question was searched by its words only: {error.message}"
