"""Memories with their words: put and dropped in one transaction, with the counts that BM25 needs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, cast

from psycopg import sql

from helix.index.catalog import Indexed
from helix.index.entries import KeywordDoc, WordEntry, to_entries
from helix.index.facets import facets_of, to_text, to_values
from helix.index.filters import filed
from helix.index.postgres.connection import Cursor, storable
from helix.index.postgres.database import Database
from helix.index.postgres.notes import drop_notes, put_notes
from helix.index.postgres.schema import FILED
from helix.index.spelling import Vocabulary
from helix.index.word_doc import word_doc
from helix.vault.note import Memory, Note

_AT_ONCE = 500
_SUGGESTIONS = 5
_COLUMNS = (
    *("no", "id", "hash", "length", "words", "facets", "title_words", "links"),
    *("created", "changed", "valid_from", "valid_until", "importance", "telling", "day"),
    *(f'"{name}"' for name, _ in FILED),
)


class MemoryTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def hashes(self) -> dict[str, str]:
        with self._database.reading() as cursor:
            rows = cursor.execute("SELECT id, hash FROM memories").fetchall()
        return {cast(str, memory_id): cast(str, hash_) for memory_id, hash_ in rows}

    def states(self) -> dict[str, tuple[str, ...]]:
        """Of each memory the hash of its note, a digest of its facets (whose it is may change without its note), and
        its path."""
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "SELECT id, memories.hash, md5(facets), path FROM memories JOIN notes USING (id)"
            ).fetchall()
        return {str(memory_id): tuple(map(str, state)) for memory_id, *state in rows}

    def find_hash(self, memory_id: str) -> str | None:
        with self._database.reading() as cursor:
            row = cursor.execute("SELECT hash FROM memories WHERE id = %s", [storable(memory_id)]).fetchone()
        return None if row is None else cast(str, row[0])

    def count(self) -> int:
        with self._database.reading() as cursor:
            row = cursor.execute("SELECT memories FROM totals").fetchone()
        return 0 if row is None else cast(int, row[0])

    def disk_bytes(self, schema: str) -> int:
        with self._database.reading() as cursor:
            row = cursor.execute(
                "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
                "WHERE nspname = %s AND relkind = 'r'",
                [schema],
            ).fetchone()
        return 0 if row is None or row[0] is None else int(str(row[0]))

    def change(self, notes: Sequence[Note], gone: Sequence[str], erased: Sequence[Note] = ()) -> None:
        """Puts some in the place of what they were, and drops others, at once. What is left of erased ones is no memory
        any more, and told to who has no folder."""
        entries = list(to_entries((word_doc(note) for note in notes), 1))
        with self._database.writing() as cursor:
            version = self._database.writes
            numbers = _drop(cursor, [*gone, *(note.id for note in notes)], version)
            put_notes(cursor, erased, version)
            if notes:
                _put(cursor, list(zip(notes, entries, strict=True)), numbers, version)

    def drop_texts(self, memory_ids: Sequence[str]) -> None:
        """Of erased memories, whose records stay."""
        with self._database.writing() as cursor:
            _drop(cursor, memory_ids)

    def build(self, notes: Iterable[Note], processes: int) -> Iterator[int]:
        """Many, some hundred at a time; tells how many were put, after each."""
        texts: list[Note] = []

        def docs() -> Iterator[KeywordDoc]:
            for note in notes:
                texts.append(note)
                yield word_doc(note)

        entries = to_entries(docs(), processes)
        while portion := list(islice(entries, _AT_ONCE)):
            both = list(zip(texts[: len(portion)], portion, strict=True))
            del texts[: len(portion)]
            # One that comes twice counts once, as the later says.
            latest = {note.id: (note, entry) for note, entry in both}
            with self._database.writing() as cursor:
                version = self._database.writes
                _put(cursor, list(latest.values()), _drop(cursor, list(latest), version), version)
            yield len(portion)

    def terms_like(self, cursor: Cursor, word: str) -> list[str]:
        """Words that look like this one, the likeliest first."""
        rows = cursor.execute(
            "SELECT word, frequency FROM words WHERE frequency > 0 AND char_length(word) BETWEEN %s AND %s",
            [len(word) - 2, len(word) + 2],
        ).fetchall()
        frequencies = {cast(str, like): cast(int, count) for like, count in rows}
        edits = Vocabulary(frequencies).near(word)
        return sorted(edits, key=lambda like: (edits[like], -frequencies[like], like))[:_SUGGESTIONS]

    def purge(self) -> None:
        """Nothing of what was dropped stays in the files of its tables."""
        with self._database.writing() as cursor:
            cursor.execute("DELETE FROM words WHERE frequency <= 0")
        # Only these three hold texts; a posting is numbers. FULL writes them anew, and takes a moment for each.
        texts = ("memories", "words", "notes")
        self._database.run_alone(
            *(sql.SQL("VACUUM FULL {}").format(sql.Identifier(table)) for table in texts),
            sql.SQL("VACUUM postings"),
        )


def state_of(row: Indexed) -> tuple[str, ...]:
    """As `states` has it."""
    return row.hash, _digest(row.facets_text), storable(row.path)


def _digest(facets_text: str) -> str:
    return hashlib.md5(storable(facets_text).encode(), usedforsecurity=False).hexdigest()


def _drop(cursor: Cursor, memory_ids: Sequence[str], version: int | None = None) -> dict[str, int]:
    """Their numbers, which they keep if they are put again."""
    if version is not None:
        drop_notes(cursor, memory_ids, version)
    rows = cursor.execute(
        """
        WITH gone AS (DELETE FROM memories WHERE id = ANY(%s) RETURNING no, id, length, words),
        counted AS (SELECT word, count(*) AS held FROM gone, unnest(gone.words) AS word GROUP BY word),
        fewer AS (UPDATE words SET frequency = frequency - held FROM counted WHERE words.no = counted.word),
        freed AS (
            DELETE FROM postings USING gone
            WHERE postings.word = ANY(gone.words) AND postings.memory = gone.no
        ),
        total AS (
            UPDATE totals SET memories = memories - (SELECT count(*) FROM gone),
                length = totals.length - (SELECT coalesce(sum(length), 0) FROM gone)
        )
        SELECT id, no FROM gone
        """,
        [[storable(one) for one in memory_ids]],
    ).fetchall()
    return {cast(str, memory_id): cast(int, number) for memory_id, number in rows}


class _Row(NamedTuple):
    number: int
    note: Note
    entry: WordEntry


def _put(
    cursor: Cursor, both: Sequence[tuple[Note, WordEntry]], numbers: Mapping[str, int], version: int
) -> None:
    put_notes(cursor, [note for note, _ in both], version)
    fresh = iter(_numbers(cursor, sum(storable(note.id) not in numbers for note, _ in both)))
    rows = [_Row(numbers.get(storable(note.id)) or next(fresh), note, entry) for note, entry in both]
    words = _count_words(cursor, rows)
    with cursor.copy(f"COPY memories ({', '.join(_COLUMNS)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(_values(row, words))
    with cursor.copy("COPY postings (word, memory, weight, length) FROM STDIN") as copy:
        for row in rows:
            length = row.entry.length
            for word, weight in row.entry.weights.items():
                copy.write_row((words[storable(word)], row.number, weight, length))
    cursor.execute(
        "UPDATE totals SET memories = memories + %s, length = length + %s",
        [len(rows), sum(row.entry.length for row in rows)],
    )


def _numbers(cursor: Cursor, count: int) -> list[int]:
    rows = cursor.execute("SELECT nextval('numbers') FROM generate_series(1, %s)", [count]).fetchall()
    return [cast(int, row[0]) for row in rows]


def _count_words(cursor: Cursor, rows: Sequence[_Row]) -> dict[str, int]:
    """The number of each word, whose frequency has risen."""
    held = Counter(storable(word) for row in rows for word in row.entry.weights)
    known = cursor.execute(
        """
        INSERT INTO words (word, frequency) SELECT * FROM unnest(%s::text[], %s::integer[])
        ON CONFLICT (word) DO UPDATE SET frequency = words.frequency + excluded.frequency
        RETURNING word, no
        """,
        [list(held), list(held.values())],
    ).fetchall()
    return {cast(str, word): cast(int, number) for word, number in known}


def _values(row: _Row, words: Mapping[str, int]) -> list[Any]:
    memory: Memory = row.note.memory
    facets = facets_of(memory)
    values = to_values(facets)
    columns = filed(facets)
    return [
        *(row.number, storable(memory.id), row.note.hash, row.entry.length),
        [words[storable(word)] for word in row.entry.weights],
        storable(to_text(facets)),
        *([storable(one) for one in many] for many in (values.title_words, values.links)),
        *(values.created, values.changed, values.valid_from, values.valid_until),
        *(values.importance, values.telling, values.day),
        *(_clean(columns[name]) for name, _ in FILED),
    ]


def _clean(value: str | list[str]) -> str | list[str]:
    return storable(value) if isinstance(value, str) else [storable(one) for one in value]
