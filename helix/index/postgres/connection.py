"""One connection to the database: how it is made, and its errors in our own words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg_pool import PoolTimeout

from helix.errors import IndexNotReady

CONNECT_SECONDS = 5
# A host that is gone without a word is noticed within some seconds: without that, by nobody for two hours.
KEEPALIVE: dict[str, Any] = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives": 1,
    "keepalives_idle": 3,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 8_000,
}
_SERVER_KEEPALIVE = ("tcp_keepalives_idle = 3", "tcp_keepalives_interval = 2", "tcp_keepalives_count = 2")

Connection = psycopg.Connection[tuple[object, ...]]
Cursor = psycopg.Cursor[tuple[object, ...]]


def connect(url: str) -> Connection:
    """One on which every command is a transaction of its own, unless one is begun."""
    connection: Connection = psycopg.connect(url, autocommit=True, **KEEPALIVE)
    try:
        for setting in _SERVER_KEEPALIVE:
            connection.execute(f"SET {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def reported(consequence: str) -> Iterator[None]:
    try:
        yield
    except (psycopg.OperationalError, PoolTimeout) as error:
        raise IndexNotReady(
            f"the database of the index does not answer ({reason(error)}); {consequence}, and memories are "
            "safe in their files"
        ) from error
    except psycopg.Error as error:
        raise IndexNotReady(
            f"the database of the index refused ({reason(error)}); {consequence}, and memories are safe in "
            "their files"
        ) from error


def reason(error: Exception) -> str:
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
