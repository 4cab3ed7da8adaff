"""How candidates are found in the database: by words, by meaning, and around the best of both, at one moment.

The arithmetic is that of `helix.index.bm25`, step by step in the same order, so that a word score here is the very
number that it is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple, cast

import numpy as np

from helix.errors import HelixError
from helix.index.analyze import query_tokens
from helix.index.bm25 import K1, B, best_possible, rarity
from helix.index.column_masks import NO_DAY, NO_TIME
from helix.index.engine import ANCHORS, BESIDE, CandidateColumns, Candidates, Spelling, Wording
from helix.index.facets import Facets, from_text
from helix.index.filters import Where
from helix.index.meaning import Meaning
from helix.index.postgres.connection import Cursor, storable
from helix.index.postgres.database import Database
from helix.index.postgres.memories import MemoryTable
from helix.index.postgres.vectors import PostgresVectors, narrowed
from helix.index.vector_matrix import VectorHit

_TELLING_WORDS = 40  # of a text that is compared with what is there
_UNKNOWN_WORDS = 3  # for which others are suggested
_SPELLED_BY = 3  # memories that show how a suggestion is spelled
_NO_SESSION = -1


class AskedWords(NamedTuple):
    """What a word tells, by its number and in the order of the question."""

    numbers: Sequence[int]
    factors: Sequence[float]
    rarities: Mapping[str, float]
    frequencies: Mapping[str, int]


class Asker:
    def __init__(self, database: Database, memories: MemoryTable) -> None:
        self._database = database
        self._memories = memories

    def candidates(self, meaning: Meaning | None, wording: Wording, where: Where, limit: int) -> Candidates:
        vector, trouble = _encoded(meaning, wording.text)
        with self._database.reading() as cursor:
            known = self._known(cursor, wording.words)
            by_words = self._by_words(cursor, known, wording.without, where, limit)
            by_meaning: list[VectorHit] = []
            if meaning is not None and vector is not None:
                store = cast(PostgresVectors, meaning.vectors)
                by_meaning = store.nearest(cursor, vector, limit, where)
            scores, nearest = dict(by_words), {hit.memory_id: hit for hit in by_meaning}
            anchors = [memory_id for memory_id, _ in by_words[:ANCHORS]]
            anchors += [hit.memory_id for hit in by_meaning[:ANCHORS]]
            pool = {*scores, *nearest, *_around(cursor, anchors)}
            wanted = list(pool) if wording.text.strip() else None
            rows = _read(cursor, wanted, where)
        found = self._columns(rows, scores, nearest, frozenset(wording.words))
        return Candidates(found, known.rarities, best_possible(known.rarities), trouble)

    def facets(self, where: Where) -> list[Facets]:
        passing, parameters = narrowed(where)
        with self._database.reading() as cursor:
            rows = cursor.execute(
                f"SELECT id, facets FROM memories WHERE {passing} ORDER BY id",  # its values are parameters
                parameters,
            ).fetchall()
        return [from_text(cast(str, memory_id), cast(str, facets)) for memory_id, facets in rows]

    def alike(self, text: str, limit: int, where: Where) -> list[str]:
        with self._database.reading() as cursor:
            held = self._known(cursor, query_tokens(text)).frequencies
            rarest = sorted((word for word in held if held[word]), key=lambda word: (held[word], word))
            known = self._known(cursor, rarest[:_TELLING_WORDS])
            return [memory_id for memory_id, _ in self._by_words(cursor, known, (), where, limit)]

    def spellings(self, words: Sequence[str], where: Where) -> list[Spelling]:
        with self._database.reading() as cursor:
            held = self._known(cursor, words).frequencies
            unknown = [word for word in words if not held.get(word)]
            alike = dict.fromkeys(
                like for word in unknown[:_UNKNOWN_WORDS] for like in self._memories.terms_like(cursor, word)
            )
            spellings = []
            for like in alike:
                hits = self._by_words(cursor, self._known(cursor, [like]), (), where, _SPELLED_BY)
                spellings.append(Spelling(like, [memory_id for memory_id, _ in hits]))
            return spellings

    def linked(self, memory_id: str) -> AbstractSet[str]:
        """What it names, and what names it."""
        with self._database.reading() as cursor:
            rows = cursor.execute(_LINKED, {"ids": [storable(memory_id)]}).fetchall()
        return {cast(str, row[0]) for row in rows} - {memory_id}

    def _known(self, cursor: Cursor, words: Sequence[str]) -> AskedWords:
        stored = {storable(word): word for word in words}
        rows = cursor.execute(
            "SELECT word, no, frequency FROM words WHERE word = ANY(%s)", [list(stored)]
        ).fetchall()
        numbers = {stored[cast(str, word)]: cast(int, number) for word, number, _ in rows}
        frequencies = {stored[cast(str, word)]: cast(int, frequency) for word, _, frequency in rows}
        count, _ = _totals(cursor)
        distinct = list(dict.fromkeys(words))
        rarities = {word: rarity(count, frequencies.get(word, 0)) for word in distinct}
        held = [word for word in distinct if frequencies.get(word)]
        return AskedWords(
            [numbers[word] for word in held],
            [rarities[word] * (K1 + 1) for word in held],
            rarities,
            {word: frequencies.get(word, 0) for word in distinct},
        )

    def _by_words(
        self, cursor: Cursor, known: AskedWords, without: Sequence[str], where: Where, limit: int
    ) -> list[tuple[str, float]]:
        if not known.numbers or limit < 1:
            return []
        count, length = _totals(cursor)
        average = length / count if count and length else 1.0
        passing, parameters = narrowed(where)
        unwanted = [storable(word) for word in without]
        rows = cursor.execute(
            f"""
            WITH asked AS (
                SELECT word, factor, at
                FROM unnest(%s::integer[], %s::double precision[]) WITH ORDINALITY AS a(word, factor, at)
            ), scored AS (
                SELECT memory, sum(
                    postings.weight / ((%s::double precision + postings.length * %s::double precision)
                    + postings.weight) * factor ORDER BY at
                ) AS score
                FROM asked JOIN postings USING (word) GROUP BY memory
            )
            SELECT id, score FROM scored JOIN memories ON no = memory
            WHERE {passing} AND NOT EXISTS (
                SELECT FROM postings JOIN words ON words.no = postings.word
                WHERE postings.memory = scored.memory AND words.word = ANY(%s)
            )
            ORDER BY score DESC, id LIMIT %s
            """,
            [
                *(list(known.numbers), list(known.factors), K1 * (1 - B), K1 * B / average),
                *(*parameters, unwanted, limit),
            ],
        ).fetchall()
        return [(cast(str, memory_id), cast(float, score)) for memory_id, score in rows]

    def _columns(
        self,
        rows: Sequence[tuple[Any, ...]],
        words: Mapping[str, float],
        nearest: Mapping[str, VectorHit],
        question: AbstractSet[str],
    ) -> CandidateColumns:
        ids = [row[0] for row in rows]
        hits = [nearest.get(one) for one in ids]
        sessions: dict[tuple[str, str], int] = {}
        of_sessions = [
            sessions.setdefault((project, session), len(sessions)) if session else _NO_SESSION
            for _, session, project, *_ in rows
        ]
        asked = {storable(word) for word in question}
        shares = [len(asked.intersection(title)) / max(len(title), 1) for _, _, _, title, *_ in rows]
        positions = [row[4] for row in rows]
        created, changed, valid_from, valid_until = (_times([row[at] for row in rows]) for at in range(5, 9))
        importance, telling = ([row[at] for row in rows] for at in (9, 10))
        days = [NO_DAY if row[11] is None else row[11] for row in rows]
        return CandidateColumns(
            ids,
            np.array([words.get(one, 0.0) for one in ids], np.float64),
            np.array([np.nan if hit is None else hit.score for hit in hits], np.float64),
            np.array([-1 if hit is None else hit.ordinal for hit in hits], np.int64),
            np.array(of_sessions, np.int64),
            np.array(positions, np.int32),
            np.array(shares, np.float64),
            *(created, changed, valid_from, valid_until, np.array(importance, np.float64)),
            *(np.array(telling, np.int32), np.array(days, np.int32)),
            linked=self.linked,
        )


_LINKED = """
SELECT unnest(links) FROM memories WHERE id = ANY(%(ids)s)
UNION SELECT id FROM memories WHERE links && %(ids)s
"""
# Those just before and after in a session, which is of a project; in order of time.
_BESIDE = """
SELECT beside.id FROM memories AS anchor, LATERAL (
    (SELECT id FROM memories AS other
     WHERE other.session = anchor.session AND other.project = anchor.project AND other.session <> ''
       AND (coalesce(other.created, 0), other.id) < (coalesce(anchor.created, 0), anchor.id)
     ORDER BY coalesce(other.created, 0) DESC, other.id DESC LIMIT %(reach)s)
    UNION ALL
    (SELECT id FROM memories AS other
     WHERE other.session = anchor.session AND other.project = anchor.project AND other.session <> ''
       AND (coalesce(other.created, 0), other.id) > (coalesce(anchor.created, 0), anchor.id)
     ORDER BY coalesce(other.created, 0), other.id LIMIT %(reach)s)
) AS beside
WHERE anchor.id = ANY(%(ids)s) AND anchor.session <> ''
"""
_POSITION = """
(SELECT count(*) FROM memories AS other
 WHERE other.session = memories.session AND other.project = memories.project AND other.session <> ''
   AND (coalesce(other.created, 0), other.id) < (coalesce(memories.created, 0), memories.id))
"""


def _around(cursor: Cursor, anchors: Sequence[str]) -> set[str]:
    """The memories just before and after these in their sessions, those that they name, and those that name them."""
    named = {"ids": [storable(one) for one in anchors], "reach": BESIDE}
    rows = cursor.execute(_LINKED, named).fetchall()
    rows += cursor.execute(_BESIDE, named).fetchall()
    return {cast(str, row[0]) for row in rows}


def _read(cursor: Cursor, memory_ids: Sequence[str] | None, where: Where) -> list[tuple[Any, ...]]:
    """What ranking needs of those that pass, in the order of their ids; None for all that pass."""
    passing, parameters = narrowed(where)
    named = "true" if memory_ids is None else "id = ANY(%s)"
    names = [] if memory_ids is None else [list(memory_ids)]
    return cursor.execute(
        f"SELECT id, session, project, title_words, {_POSITION}, created, changed, valid_from, valid_until, "
        f"importance, telling, day FROM memories WHERE {named} AND {passing} ORDER BY id",  # its values are parameters
        [*names, *parameters],
    ).fetchall()


def _totals(cursor: Cursor) -> tuple[int, int]:
    row = cursor.execute("SELECT memories, length FROM totals").fetchone()
    return (0, 0) if row is None else cast("tuple[int, int]", row)


def _encoded(meaning: Meaning | None, text: str) -> tuple[np.ndarray | None, str | None]:
    """And why it could not be looked for by meaning, if so."""
    if meaning is None or not text.strip():
        return None, None
    try:
        return meaning.embedder.embed_query(text), None
    except HelixError as error:
        return None, f"this question was searched by its words only: {error.message}"


def _times(moments: Sequence[int | None]) -> np.ndarray:
    return np.array([NO_TIME if moment is None else moment for moment in moments], np.int64)
