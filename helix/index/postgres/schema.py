"""The tables of one vault. All of it is derived: of another version it is dropped and made again from the notes."""

from __future__ import annotations

import hashlib

from helix.errors import IndexNotReady
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
);
CREATE TABLE notes (
    id text COLLATE "C" PRIMARY KEY,
    path text COLLATE "C" NOT NULL,
    row text NOT NULL,
    body bytea NOT NULL,
    version bigint NOT NULL
);
CREATE INDEX notes_path ON notes (path);
CREATE INDEX notes_version ON notes (version);
CREATE TABLE gone (id text COLLATE "C" PRIMARY KEY, version bigint NOT NULL);
CREATE TABLE shared (name text PRIMARY KEY, data bytea NOT NULL, version bigint NOT NULL)
"""
_FINGERPRINT = hashlib.sha256(f"{_TABLES}{WORDS_VERSION}.{CHUNK_FORMAT}".encode()).hexdigest()


def check_tables(database: Database) -> None:
    """For who does not make them. IndexNotReady unless they are there, of this version."""
    with database.reading() as cursor:
        known = cursor.execute("SELECT to_regclass('meta')").fetchone()
        row = None
        if known is not None and known[0] is not None:
            row = cursor.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    if row is None:
        raise IndexNotReady("the database has no index of this vault yet: a daemon that follows it makes one")
    if row != (_FINGERPRINT,):
        raise IndexNotReady("the index in the database is of another version of Helix than this daemon")


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
