"""The tables of one vault. All of it is derived: of another version it is dropped and made again from the notes."""

from __future__ import annotations

import hashlib

from helix.index.analyze import VERSION as WORDS_VERSION
from helix.index.chunk import CHUNK_FORMAT
from helix.index.filters import ALL_FIELDS
from helix.index.postgres.database import Database

FILED = tuple((field.name, "text[]" if field.is_list else "text") for field in ALL_FIELDS)
"""a column for each field that is filtered by"""

_TABLES = f"""
CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE totals (memories bigint NOT NULL, length bigint NOT NULL);
INSERT INTO totals VALUES (0, 0);
CREATE SEQUENCE numbers AS integer;
CREATE TABLE memories (
    no integer PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    hash text NOT NULL,
    length integer NOT NULL,
    words integer[] NOT NULL,
    facets text NOT NULL,
    title_words text[] NOT NULL,
    links text[] NOT NULL,
    created bigint,
    changed bigint,
    valid_from bigint,
    valid_until bigint,
    importance double precision,
    telling integer NOT NULL,
    day integer,
    {", ".join(f'"{name}" {kind} NOT NULL' for name, kind in FILED)}
);
CREATE INDEX memories_sitting ON memories (session, project, coalesce(created, 0), id) WHERE session <> '';
CREATE INDEX memories_links ON memories USING gin (links);
CREATE TABLE words (
    no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    word text COLLATE "C" NOT NULL UNIQUE,
    frequency integer NOT NULL
) WITH (fillfactor = 70);
CREATE TABLE postings (
    word integer, memory integer, weight integer NOT NULL, length integer NOT NULL,
    PRIMARY KEY (word, memory) INCLUDE (weight, length)
)
"""
_FINGERPRINT = hashlib.sha256(f"{_TABLES}{WORDS_VERSION}.{CHUNK_FORMAT}".encode()).hexdigest()


def make_tables(database: Database) -> None:
    """Unless they are there, of this version."""
    with database.writing() as cursor:
        known = cursor.execute("SELECT to_regclass('meta')").fetchone()
        if known is not None and known[0] is not None:
            row = cursor.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
            if row == (_FINGERPRINT,):
                return
        cursor.execute(f'DROP SCHEMA IF EXISTS "{database.schema}" CASCADE')
        cursor.execute(f'CREATE SCHEMA "{database.schema}"')
        for statement in _TABLES.split(";\n"):
            cursor.execute(statement)
        cursor.execute("INSERT INTO meta VALUES ('schema', %s)", [_FINGERPRINT])
