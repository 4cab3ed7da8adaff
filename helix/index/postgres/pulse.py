"""A thread that holds one connection to the database and listens: to which version the index has come, and who keeps
it. Over the same connection a keeper says that it lives."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable

import psycopg
from psycopg import sql

from helix.errors import HelixError
from helix.index.postgres.connection import Connection, connect, reason
from helix.index.postgres.keepers import beat, find_keeper
from helix.index.station import Keeper

log = logging.getLogger(__name__)

_LOOK_EVERY = 1.0
_CONNECT_AGAIN = 1.0


class Pulse:
    def __init__(
        self,
        url: str,
        schema: str,
        epoch: Callable[[], int | None],
        on_version: Callable[[Keeper, int], None],
    ) -> None:
        """`epoch` is that of this process while it keeps the index; `on_version` hears of every further version, and up
        to which it heard before; it takes in what came before anybody is told that it is there."""
        self.keeper: Keeper | None = None
        """as it was last seen"""
        self.trouble: str | None = None
        """why it cannot be listened to, or be told that the keeper lives"""
        self.away: str | None = None
        """why the database does not answer at all"""
        self.version = 0
        """up to which everything was taken in"""
        self._url = url
        self._schema = schema
        self._epoch = epoch
        self._on_version = on_version
        self._came = threading.Condition()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="helix-pulse", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        with self._came:
            self._came.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def wait_for(self, version: int, seconds: float) -> bool:
        """Whether everything up to this version is there."""
        with self._came:
            return self._came.wait_for(lambda: self.version >= version or self._stopped.is_set(), seconds)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with connect(self._url) as connection:
                    self.away = None  # before what is new is read
                    self._listen(connection)
            except (psycopg.Error, HelixError, OSError, sqlite3.Error) as error:
                if self.trouble is None:
                    log.warning("the database of the index does not answer: %s", reason(error))
                self.trouble = reason(error)
                self.away = self.trouble if isinstance(error, psycopg.OperationalError) else None
                self._stopped.wait(_CONNECT_AGAIN)

    def _listen(self, connection: Connection) -> None:
        connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._schema)))
        while not self._stopped.is_set():
            self._look(connection)
            self.trouble = None
            # What arrives meanwhile is looked at as one.
            for _ in connection.notifies(timeout=_LOOK_EVERY, stop_after=1):
                break

    def _look(self, connection: Connection) -> None:
        if (epoch := self._epoch()) is not None:
            beat(connection, self._schema, epoch)
        keeper = find_keeper(connection, self._schema)
        before, self.keeper = self.keeper, keeper
        if keeper is None:
            return
        is_another = before is None or before.era != keeper.era
        if is_another or keeper.version > self.version:
            if is_another:
                self.version = 0
            self._on_version(keeper, self.version)
            with self._came:
                self.version = keeper.version
                self._came.notify_all()
