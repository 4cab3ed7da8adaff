"""Who keeps the index of which vault: a row for each, in a schema that outlives those of the vaults.

Every write of an index raises the version in its row, and finds the row by the epoch of the keeper that writes: one
that has been replaced finds none, and its write is rolled back. So there are two fences: the advisory lock, which ends
with a connection, and the epoch, which holds also where something between daemon and database keeps connections alive.
"""

from __future__ import annotations

import secrets
from typing import cast

from helix.index.postgres.connection import Connection, Cursor
from helix.index.station import Keeper, Station

SILENT_SECONDS = 8
"""a keeper that was not heard of for longer has stopped, even if its connection stands"""

_TABLE = """
CREATE SCHEMA IF NOT EXISTS helix;
CREATE TABLE IF NOT EXISTS helix.keepers (
    vault text PRIMARY KEY,
    name text NOT NULL,
    era text NOT NULL,
    epoch bigint NOT NULL,
    version bigint NOT NULL,
    address text NOT NULL,
    secret text NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS helix.beats (
    vault text PRIMARY KEY, epoch bigint NOT NULL, backend integer NOT NULL, at timestamptz NOT NULL
) WITH (fillfactor = 50)
"""
# In a row of its own: a long write holds the other one until it is done.
_BEATS = f"at > now() - interval '{SILENT_SECONDS} seconds'"


def make_table(connection: Connection) -> None:
    found = connection.execute("SELECT to_regclass('helix.keepers') IS NOT NULL").fetchone()
    if found == (True,):
        return
    with connection.transaction():
        # Two that begin at once would both find nothing, and one of them fail.
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('helix.keepers', 0))")
        for statement in _TABLE.split(";\n"):
            connection.execute(statement)


def begin_epoch(connection: Connection, vault: str, name: str, station: Station) -> int:
    """Of who holds the lock. It waits for what the keeper before has under way, and ends its right to write."""
    with connection.transaction():
        row = connection.execute(
            """
            INSERT INTO helix.keepers AS known (vault, name, era, epoch, version, address, secret)
            VALUES (%s, %s, %s, 1, 0, %s, %s)
            ON CONFLICT (vault) DO UPDATE SET epoch = known.epoch + 1, name = excluded.name,
                address = excluded.address, secret = excluded.secret
            RETURNING epoch, pg_notify(vault, version::text)
            """,
            [vault, name, secrets.token_hex(6), station.address, station.secret],
        ).fetchone()
        epoch = cast(int, (row or (0,))[0])
        connection.execute(
            "INSERT INTO helix.beats VALUES (%s, %s, pg_backend_pid(), now()) ON CONFLICT (vault) "
            "DO UPDATE SET epoch = excluded.epoch, backend = excluded.backend, at = excluded.at",
            [vault, epoch],
        )
    return epoch


def raise_version(cursor: Cursor, vault: str, epoch: int) -> int | None:
    """The version that this transaction makes; None for a keeper that has been replaced."""
    row = cursor.execute(
        "UPDATE helix.keepers SET version = version + 1 WHERE vault = %s AND epoch = %s "
        "RETURNING version, pg_notify(vault, version::text)",
        [vault, epoch],
    ).fetchone()
    return None if row is None else cast(int, row[0])


def beat(connection: Connection, vault: str, epoch: int) -> None:
    connection.execute("UPDATE helix.beats SET at = now() WHERE vault = %s AND epoch = %s", [vault, epoch])


def end_silent(connection: Connection, vault: str) -> None:
    """Take the connection, and with it the lock, from a keeper that has stopped without ending."""
    connection.execute(
        f"SELECT pg_terminate_backend(backend) FROM helix.beats WHERE vault = %s AND NOT {_BEATS}"
        " AND backend IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)",
        [vault],
    )


def find_keeper(connection: Connection, vault: str) -> Keeper | None:
    row = connection.execute(
        f"SELECT k.epoch, era, version, address, secret, {_BEATS} "
        "FROM helix.keepers AS k JOIN helix.beats USING (vault) WHERE vault = %s",
        [vault],
    ).fetchone()
    if row is None:
        return None
    epoch, era, version, address, secret, beats = row
    station = Station(str(address), str(secret))
    return Keeper(cast(int, epoch), str(era), cast(int, version), station, bool(beats))


def vaults(connection: Connection) -> dict[str, str]:
    """The schemas of all that were ever kept here, by the ids of their vaults."""
    found = connection.execute("SELECT to_regclass('helix.keepers') IS NOT NULL").fetchone()
    if found != (True,):
        return {}
    rows = connection.execute("SELECT name, vault FROM helix.keepers ORDER BY name").fetchall()
    return {str(name): str(vault) for name, vault in rows}
