"""The one door to the database: connections, whose turn it is to write, and errors in our own words.

Whoever keeps the index writes over one connection, and holds an advisory lock with that very connection. So a keeper
that was cut off and wakes up again cannot write: with its connection it has lost the lock, and a new one gets the lock
only when nobody else has it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg_pool import ConnectionPool, PoolTimeout

from helix.errors import ConfigError, IndexNotReady

_CONNECT_SECONDS = 5
_READERS = 8
_READ_MILLISECONDS = 20_000

Connection = psycopg.Connection[tuple[object, ...]]
Cursor = psycopg.Cursor[tuple[object, ...]]


class Database:
    """One schema of a database, for one vault."""

    def __init__(self, url: str, schema: str) -> None:
        """Takes the place of the keeper. IndexNotReady where it cannot be had now."""
        self.schema = schema
        self._url = url
        self._writer: Connection | None = None
        self._turn = threading.RLock()
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            kwargs={"connect_timeout": _CONNECT_SECONDS},
            min_size=0,
            max_size=_READERS,
            timeout=_CONNECT_SECONDS,
            configure=self._for_reading,
            open=False,
            name="helix-postgres",
        )
        with self.writing():
            pass
        self._pool.open()

    def close(self) -> None:
        self._pool.close()
        with self._turn:
            self._let_go()

    @contextmanager
    def writing(self) -> Iterator[Cursor]:
        """A transaction. One at a time, and only of who keeps the index."""
        with self._turn, self._reported("nothing was written to it"):
            connection = self._keeper()
            try:
                with connection.transaction(), connection.cursor() as cursor:
                    yield cursor
            except psycopg.OperationalError:
                self._let_go()  # whatever state it is in: the next one begins anew
                raise

    def run_alone(self, *commands: sql.SQL | sql.Composed) -> None:
        """Commands that no transaction may hold, such as VACUUM."""
        with self._turn, self._reported("it was not tidied"):
            connection = self._keeper()
            try:
                for command in commands:
                    connection.execute(command)
            except psycopg.OperationalError:
                self._let_go()
                raise

    @contextmanager
    def reading(self) -> Iterator[Cursor]:
        """Everything that is asked in it is of one moment."""
        with self._reported("it was not asked"), ExitStack() as stack:
            connection = stack.enter_context(self._pool.connection())
            yield stack.enter_context(connection.cursor())

    def is_held(self) -> bool:
        """Whether the connection that keeps the index is the one that it was: else something may be missing."""
        with self._turn:
            if self._writer is None:
                return False
            try:
                self._writer.execute("SELECT 1")
            except psycopg.Error:
                self._let_go()
                return False
            return True

    def _keeper(self) -> Connection:
        if self._writer is None or self._writer.closed:
            connection: Connection = psycopg.connect(
                self._url, autocommit=True, connect_timeout=_CONNECT_SECONDS
            )
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._writer = connection
        return self._writer

    def _prepare(self, connection: Connection) -> None:
        got = connection.execute(
            "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [self.schema]
        ).fetchone()
        if got != (True,):
            raise IndexNotReady(
                "another daemon keeps the index of this vault in the database; this one takes over when that ends"
            )
        name = sql.Identifier(self.schema)
        try:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.Error as error:
            raise ConfigError(
                "the database of `index` lacks the extension `vector` (pgvector), and it cannot be made: "
                f"{_reason(error)}. Have its owner install pgvector, then run CREATE EXTENSION vector"
            ) from error
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
        connection.execute(sql.SQL("SET search_path TO {}, public").format(name))
        # What a crash of the server takes with it is found by comparing hashes, as soon as the connection is seen to be
        # gone; and a flush to its disk for each memory would make everything wait.
        connection.execute("SET synchronous_commit TO off")
        register_vector(connection)

    def _for_reading(self, connection: Connection) -> None:
        name = sql.Identifier(self.schema)
        with connection.transaction():
            connection.execute(sql.SQL("SET search_path TO {}, public").format(name))
            connection.execute(f"SET statement_timeout = {_READ_MILLISECONDS}")
            register_vector(connection)
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ

    def _let_go(self) -> None:
        if self._writer is not None:
            with suppress(psycopg.Error):
                self._writer.close()
            self._writer = None

    @contextmanager
    def _reported(self, consequence: str) -> Iterator[None]:
        try:
            yield
        except (psycopg.OperationalError, PoolTimeout) as error:
            raise IndexNotReady(
                f"the database of the index does not answer ({_reason(error)}); {consequence}, and memories are "
                "safe in their files"
            ) from error
        except psycopg.Error as error:
            raise IndexNotReady(
                f"the database of the index refused ({_reason(error)}); {consequence}, and memories are safe in "
                "their files"
            ) from error


def _reason(error: Exception) -> str:
    """Its first line: the rest quotes what was asked."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def storable(text: str) -> str:
    """PostgreSQL keeps neither NUL nor halves of characters."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode()
    return text
