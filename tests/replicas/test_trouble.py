"""The database is away, slow or read-only: what still works says how it is, and the rest follows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.flows.daemon import Daemon
from tests.index.postgres.server import needs_server, started
from tests.replicas.daemons import Keeping, ask, keeping, recall, remember
from tests.waiting import wait_for

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: PostgreSQL is not tested")
pytestmark = needs_server


@pytest.fixture
def troubled(tmp_path: Path) -> Iterator[Keeping]:
    """With a server of its own, which is stopped."""
    with started() as server, keeping(tmp_path, server) as daemons:
        yield daemons


def test_while_the_database_is_away_files_take_what_is_written_and_it_is_found_when_it_is_back(
    troubled: Keeping,
) -> None:
    first = remember(troubled.keeper, "The lighthouse blinks twice a minute")
    wait_for(lambda: recall(troubled.reader, "lighthouse"))
    troubled.server.stop()
    wait_for(lambda: ask(troubled.reader, "/healthz").body["state"] == "degraded")
    assert "does not answer" in str(ask(troubled.reader, "/healthz").body["reasons"])
    # What the reader has a copy of, it goes on answering.
    listed = ask(troubled.reader, "/recent?scope=all")
    assert first.body["id"] in str(listed.body)
    assert ask(troubled.reader, f"/memory/{first.body['id']}").status == 200
    refused = ask(troubled.reader, "/recall?q=foghorn&scope=all")
    assert (refused.status, refused.body["code"]) == (503, "index-not-ready")
    # A write goes to the keeper, whose address is known, and from there to a file.
    written = remember(troubled.reader, "The foghorn is tested on Mondays", idempotency_key="fog")
    assert written.body["status"] == "created", written.body
    assert "the database of the index" in written.body["degraded"]
    troubled.server.start()
    for daemon in (troubled.keeper, troubled.reader):
        wait_for(partial(_found, daemon, "foghorn"), 40)
    wait_for(lambda: ask(troubled.reader, "/healthz").body["state"] == "ready", 20)
    assert (
        remember(troubled.reader, "The foghorn is tested on Mondays", idempotency_key="fog").body["status"]
        == "noop"
    )


def test_a_database_that_takes_no_writes_answers_what_it_has(kept: Keeping) -> None:
    remember(kept.keeper, "The anchor weighs four hundred kilos")
    wait_for(lambda: recall(kept.reader, "anchor"))
    with psycopg.connect(kept.server.url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        connection.execute("SELECT pg_reload_conf()")
        try:
            wait_for(lambda: ask(kept.keeper, "/healthz").body["state"] == "degraded", 20)
            written = remember(kept.keeper, "The chain of the anchor is forty metres long")
            assert written.body["status"] == "created"
            assert "the database of the index" in written.body["degraded"]
            assert recall(kept.reader, "anchor kilos") == ["The anchor weighs four hundred kilos"]
        finally:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute("ALTER SYSTEM RESET default_transaction_read_only")
            connection.execute("SELECT pg_reload_conf()")
    wait_for(lambda: _found(kept.reader, "chain metres"), 40)


def test_a_table_that_somebody_holds_delays_a_write_by_seconds_and_loses_nothing(kept: Keeping) -> None:
    with psycopg.connect(kept.server.url) as connection:
        [schema] = connection.execute("SELECT vault FROM helix.keepers").fetchone() or ("",)
        connection.execute(f'LOCK TABLE "{schema}".memories IN ACCESS EXCLUSIVE MODE')
        written = remember(kept.keeper, "The tide table hangs beside the door")
        assert written.body["status"] == "created"
        assert "the database of the index" in written.body["degraded"]
        connection.rollback()
    wait_for(lambda: _found(kept.reader, "tide table"), 40)


def test_many_who_ask_at_once_get_no_more_connections_than_there_are(kept: Keeping) -> None:
    from concurrent.futures import ThreadPoolExecutor

    remember(kept.keeper, "The rope locker is under the stern")
    wait_for(lambda: recall(kept.reader, "rope locker"))
    with psycopg.connect(kept.server.url, autocommit=True) as connection, ThreadPoolExecutor(40) as pool:
        asked = [pool.submit(recall, kept.reader, f"rope locker {number}") for number in range(200)]
        most = 0
        while not all(one.done() for one in asked):
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            ).fetchone()
            most = max(most, row[0] if row else 0)
        for one in asked:
            one.result()
    # Eight to read for each of the two, one to write, one to listen for each, and ours.
    assert most <= 2 * 8 + 1 + 2 + 1


def _found(daemon: Daemon, words: str) -> bool:
    answered = ask(daemon, f"/recall?q={words.replace(' ', '+')}&scope=all")
    return answered.status == 200 and bool(answered.body["results"])
