"""The database goes and comes back, and somebody else takes over: nothing is lost, and nothing is done twice."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.errors import ConfigError, IndexNotReady
from helix.index.embed import EmbedderChoice
from helix.index.embed_cache import EmbedCache
from tests.flows.daemon import free_port, running_daemon
from tests.follow.rig import Rig
from tests.index.engine_suite import ask, ids, read_note, write
from tests.index.memories import HashEmbedder
from tests.index.postgres.server import Server, needs_server, started
from tests.waiting import wait_for

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: PostgreSQL is not tested")

from helix.index.postgres.engine import PostgresEngine  # noqa: E402  # it needs psycopg

pytestmark = needs_server


@pytest.fixture
def server() -> Iterator[Server]:
    with started() as one:
        yield one


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[EmbedCache]:
    cache = EmbedCache(tmp_path / "embeddings.db")
    yield cache
    cache.close()


def opened(server: Server, cache: EmbedCache, rig: Rig) -> PostgresEngine:
    choice = EmbedderChoice(HashEmbedder(), "")
    engine = PostgresEngine(server.url, "away", cache, "bundled", lambda _: choice)
    rig.reconciler.tail = engine.apply
    engine.catch_up(rig.catalog, lambda path: read_note(rig, path))
    return engine


def test_what_was_written_while_the_database_was_away_is_found_when_it_is_back(
    server: Server, cache: EmbedCache, tmp_path: Path
) -> None:
    rig = Rig(tmp_path)
    engine = opened(server, cache, rig)
    try:
        write(rig, "one", "The broker drops messages")
        rig.follow()
        assert ids(ask(rig, engine, "broker")) == ["one"]
        server.stop()
        write(rig, "two", "The broker retries")
        with pytest.raises(IndexNotReady, match="memories are safe in their files"):
            rig.follow()
        with pytest.raises(IndexNotReady, match="does not answer"):
            ask(rig, engine, "broker")
        assert "does not answer" in str(engine.health().degraded)
        server.start()
        engine.tend(tidy=False)
        assert sorted(ids(ask(rig, engine, "broker"))) == ["one", "two"]
        wait_for(lambda: engine.health().degraded is None)
    finally:
        engine.close()


def test_what_the_database_lost_without_anybody_writing_is_put_again(
    server: Server, cache: EmbedCache, tmp_path: Path
) -> None:
    rig = Rig(tmp_path)
    engine = opened(server, cache, rig)
    try:
        write(rig, "one", "The broker drops messages")
        rig.follow()
        with psycopg.connect(server.url, autocommit=True) as connection:
            # As after a backup was restored that is older than the memory.
            connection.execute("TRUNCATE away.memories, away.postings, away.words")
            connection.execute("UPDATE away.totals SET memories = 0, length = 0")
            connection.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'"
            )
        engine.tend(tidy=False)
        assert ids(ask(rig, engine, "broker")) == ["one"]
    finally:
        engine.close()


def cut_off(server: Server) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'")


def test_one_keeps_the_index_and_who_was_cut_off_writes_no_more_when_another_has_taken_over(
    server: Server, cache: EmbedCache, tmp_path: Path
) -> None:
    rig = Rig(tmp_path)
    first = opened(server, cache, rig)
    second = opened(server, cache, rig)
    try:
        assert (first.keeps, second.keeps) == (True, False)
        rig.reconciler.tail = first.apply
        write(rig, "one", "The broker drops messages")
        rig.follow()
        assert ids(ask(rig, second, "broker")) == ["one"]  # it answers from what the first one puts
        cut_off(server)
        second.tend(tidy=False)
        assert second.keeps
        write(rig, "two", "The broker retries")
        with pytest.raises(IndexNotReady):
            rig.follow()
        first.tend(tidy=False)
        assert not first.keeps
        assert first.hashes() == second.hashes() == {"one": rig.catalog.find("one").hash}  # type: ignore[union-attr]
    finally:
        second.close()
        first.close()


def test_a_keeper_whose_connection_stands_and_that_was_replaced_all_the_same_writes_nothing(
    server: Server, cache: EmbedCache, tmp_path: Path
) -> None:
    rig = Rig(tmp_path)
    engine = opened(server, cache, rig)
    try:
        with psycopg.connect(server.url, autocommit=True) as connection:
            # As if a proxy had kept the connection, and given the lock to somebody else.
            connection.execute("UPDATE helix.keepers SET epoch = epoch + 1")
        write(rig, "one", "The broker drops messages")
        with pytest.raises(IndexNotReady, match="another daemon keeps the index"):
            rig.follow()
        assert engine.hashes() == {}
        engine.tend(tidy=False)  # nobody else is there, so that it is the keeper again, of a further epoch
        assert ids(ask(rig, engine, "broker")) == ["one"]
    finally:
        engine.close()


def test_a_database_without_the_extension_says_what_to_do(server: Server, cache: EmbedCache) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
        connection.execute("CREATE DATABASE bare")
    url = server.url.replace("postgres:@", "guest:@").replace("/postgres?", "/bare?")
    with pytest.raises(ConfigError, match="CREATE EXTENSION vector"):
        PostgresEngine(url, "away", cache, "bundled", lambda _: EmbedderChoice(None, "no model"))


def test_a_daemon_remembers_and_recalls_over_it_and_a_write_is_safe_while_it_is_away(
    server: Server, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    env = {
        "HELIX_VAULT": str(vault),
        "HELIX_STATE_DIR": str(tmp_path / "state"),
        "HELIX_CONFIG_DIR": str(tmp_path / "config"),
        "HELIX_PORT": str(free_port()),
        "HELIX_MODEL": "none",
        "HELIX_INDEX": server.url,
    }

    def remember(text: str) -> dict[str, object]:
        body = json.dumps({"text": text, "scope": "global"}).encode()
        request = urllib.request.Request(f"{daemon.url}/remember", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return dict(json.loads(answer.read()))

    def recall(words: str) -> list[str]:
        status, answer = daemon.get(f"/recall?q={words}&scope=all")
        return [one["text"] for one in json.loads(answer)["results"]] if status == 200 else []

    with running_daemon(env) as daemon:
        remember("The auth client retries 3 times, with jitter")
        assert recall("auth+jitter") == ["The auth client retries 3 times, with jitter"]
        server.stop()
        written = remember("The gateway drops bursts of more than 50")
        assert written["status"] == "created"
        assert "memories are safe in their files" in str(written["degraded"])
        status, answer = daemon.get(f"/memory/{written['id']}")
        assert (status, json.loads(answer)["id"]) == (200, written["id"])
        assert daemon.get("/recall?q=auth&scope=all")[0] == 503
        server.start()
        wait_for(lambda: recall("gateway+bursts") == ["The gateway drops bursts of more than 50"], 60)
