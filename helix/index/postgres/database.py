"""The one door to the tables of a vault: connections, and whose turn it is to write.

Whoever keeps the index writes over one connection, and holds an advisory lock with that very connection. So a keeper
that was cut off and wakes up again cannot write: with its connection it has lost the lock, and a new one gets the lock
only when nobody else has it. `keepers` has the second fence. All others read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg_pool import ConnectionPool

from helix.errors import ConfigError, IndexNotReady
from helix.index.postgres.connection import (
    CONNECT_SECONDS,
    KEEPALIVE,
    Connection,
    Cursor,
    connect,
    reason,
    reported,
)
from helix.index.postgres.keepers import begin_epoch, end_silent, make_table, raise_version, vaults
from helix.index.station import Station

_READERS = 8
_READ_MILLISECONDS = 20_000
# A process that stops in the middle of a write must not hold its place for ever.
_IDLE_IN_WRITE = "15s"
# Somebody else holds the tables, such as a backup or a migration: a memory that is safe in its file waits no longer.
_LOCKED = "5s"
_ANOTHER = "another daemon keeps the index of this vault in the database; this one takes over when that ends"


class Database:
    """One schema of a database, for one vault."""

    def __init__(
        self, url: str, schema: str, name: str = "", station: Station | None = None, *, may_keep: bool = True
    ) -> None:
        """`name` is the id of the vault. Unless it may not, or somebody else has it, this takes the place of the
        keeper. IndexNotReady while the database does not answer."""
        self.schema = schema
        self.url = url
        self.epoch = 0
        """that of our last turn as the keeper"""
        self.version = 0
        """that of our last write"""
        self.writes = 0
        """that which the transaction of this moment makes"""
        self.may_keep = may_keep
        self.why_away: Callable[[], str | None] = lambda: None
        """why it does not answer, as far as somebody knows who looks all the time"""
        self._name = name
        self._station = station or Station()
        self._writer: Connection | None = None
        self._turn = threading.RLock()
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            kwargs=KEEPALIVE,
            min_size=0,
            max_size=_READERS,
            timeout=CONNECT_SECONDS,
            configure=self._for_reading,
            open=False,
            name="helix-postgres",
        )
        self._pool.open()
        try:
            if may_keep:
                self.try_to_keep()
        except BaseException:
            self._pool.close()
            raise

    def close(self) -> None:
        self._pool.close()
        with self._turn:
            self._let_go()

    @property
    def keeps(self) -> bool:
        """Whether this process writes, as far as it knows."""
        writer = self._writer
        return writer is not None and not writer.closed

    def try_to_keep(self) -> bool:
        """Be the keeper, unless another one is."""
        with self._turn, reported("nothing was written to it"):
            try:
                self._keeper()
            except IndexNotReady:
                return False
            return True

    @contextmanager
    def writing(self) -> Iterator[Cursor]:
        """A transaction. One at a time, and only of who keeps the index."""
        with self._turn, reported("nothing was written to it"):
            connection = self._keeper()
            try:
                with connection.transaction(), connection.cursor() as cursor:
                    version = raise_version(cursor, self.schema, self.epoch)
                    if version is None:
                        raise IndexNotReady(_ANOTHER)
                    self.writes = version
                    yield cursor
                self.version = version
            except (psycopg.OperationalError, IndexNotReady):
                self._let_go()  # whatever state it is in: the next one begins anew
                raise

    def run_alone(self, *commands: sql.SQL | sql.Composed) -> None:
        """Commands that no transaction may hold, such as VACUUM."""
        with self._turn, reported("it was not tidied"):
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
        if (why := self.why_away()) is not None:
            # An answer reads twenty notes, and would wait for a connection for each of them.
            raise IndexNotReady(
                f"the database of the index does not answer ({why}); it was not asked, and memories are safe in "
                "their files"
            )
        with reported("it was not asked"), ExitStack() as stack:
            connection = stack.enter_context(self._pool.connection())
            yield stack.enter_context(connection.cursor())

    def is_held(self) -> bool:
        """Whether the connection that keeps the index still stands."""
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
            if not self.may_keep:
                raise IndexNotReady("this daemon only reads: the one that keeps the index writes")
            connection = connect(self.url)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._writer = connection
        return self._writer

    def _prepare(self, connection: Connection) -> None:
        try:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.Error as error:
            raise ConfigError(
                "the database of `index` lacks the extension `vector` (pgvector), and it cannot be made: "
                f"{reason(error)}. Have its owner install pgvector, then run CREATE EXTENSION vector"
            ) from error
        make_table(connection)
        got = connection.execute(
            "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [self.schema]
        ).fetchone()
        if got != (True,):
            end_silent(connection, self.schema)
            raise IndexNotReady(_ANOTHER)
        name = sql.Identifier(self.schema)
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
        connection.execute(sql.SQL("SET search_path TO {}, public").format(name))
        connection.execute(f"SET idle_in_transaction_session_timeout TO '{_IDLE_IN_WRITE}'")
        connection.execute(f"SET lock_timeout TO '{_LOCKED}'")
        # What a crash of the server takes with it is found by comparing hashes, as soon as the connection is seen to be
        # gone; and a flush to its disk for each memory would make everything wait.
        connection.execute("SET synchronous_commit TO off")
        register_vector(connection)
        self.epoch = begin_epoch(connection, self.schema, self._name, self._station)

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


def find_vaults(url: str) -> dict[str, str]:
    """The schemas of all vaults of a database, by their ids."""
    with reported("no vault was found in it"), connect(url) as connection:
        return vaults(connection)
