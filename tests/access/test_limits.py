"""How often one caller may ask: by who they are and what they ask, over REST and MCP alike."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helix.access.rates import Rates, class_of
from helix.config import LimitsConfig, load
from helix.errors import ConfigError, RateLimited
from helix.verb_table import VERBS
from tests.access.team import TeamServed, serving_team
from tests.access.test_keys import open_session, say
from tests.waiting import wait_for

LIMITS = {"recall": 3, "write": 2, "other": 4, "failures": 3}


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServed]:
    with serving_team(tmp_path_factory.mktemp("limited"), limits=LIMITS) as one:
        yield one


def test_a_caller_who_asks_too_often_waits_and_others_do_not(limited: TeamServed) -> None:
    second = limited.key("ann")
    statuses = [
        limited.ask("GET", "/recent", key).status_code for key in (limited.keys["ann"], second, second)
    ]
    assert statuses == [200, 200, 200]
    answer = limited.ask("GET", "/recall?q=ferry", limited.keys["ann"])
    assert answer.status_code == 429
    assert answer.json()["code"] == "rate-limited"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert limited.ask("GET", "/recent", limited.keys["bob"]).status_code == 200
    assert limited.ask("POST", "/remember", limited.keys["ann"], json={"text": "x"}).status_code != 429
    assert limited.ask("GET", "/recent", limited.owner_token).status_code == 200


def test_calls_of_tools_count_as_their_verbs_do(limited: TeamServed) -> None:
    key = limited.keys["rea"]
    session = open_session(limited, key)
    call = {"name": "memory_search", "arguments": {"query": "ferry"}}
    answers: list[dict[str, Any]] = [
        say(
            limited, key, session, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
        ).json()
        for number in range(4)
    ]
    assert [answer["result"]["isError"] for answer in answers] == [False, False, False, True]
    assert "(rate-limited)" in answers[3]["result"]["content"][0]["text"]


def test_routes_that_are_no_verbs_are_counted_too(limited: TeamServed) -> None:
    statuses = [limited.ask("GET", "/hosts", limited.keys["olga"]).status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 200, 429]


def test_who_tries_keys_is_stopped_and_who_is_known_is_not(tmp_path: Path) -> None:
    with serving_team(tmp_path, limits=LIMITS) as guarded:
        known = guarded.keys["ann"]
        assert guarded.ask("GET", "/recent", known).status_code == 200
        wrong = f"{known[:-3]}abc"
        assert [guarded.ask("GET", "/recent", wrong).status_code for _ in range(4)] == [401, 401, 401, 429]
        assert guarded.ask("GET", "/recent", known).status_code == 200


def test_the_limits_are_told_and_nobody_is_limited_in_local(limited: TeamServed) -> None:
    status = limited.ask("GET", "/status", limited.owner_token).json()
    assert status["mode"] == "team"
    assert {name: status["limits"][name] for name in LIMITS} == LIMITS


def test_every_verb_counts_as_something_that_has_a_limit() -> None:
    assert {class_of(verb) for verb in VERBS.values()} <= set(Rates(LimitsConfig()).figures)
    assert class_of(VERBS["search"]) == "recall"
    assert class_of(VERBS["forget"]) == "change"
    assert class_of(VERBS["session_ingest"]) == "batch"


def test_what_is_refused_does_not_count_and_zero_is_no_limit() -> None:
    rates = Rates(LimitsConfig(recall=1, write=0))
    rates.count("recall", "ann")
    for _ in range(3):
        with pytest.raises(RateLimited):
            rates.count("recall", "ann")
    rates.count("recall", "bob")
    for _ in range(100):
        rates.count("write", "ann")


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Where a Redis of its own is asked, and its process."""
    socket = tmp_path / "redis.sock"
    server = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_for(socket.exists)
        yield f"redis+unix://{socket}", server
    finally:
        server.kill()
        server.wait()


@pytest.mark.skipif(
    shutil.which("redis-server") is None, reason="NOT PROVED HERE: redis-server is not installed"
)
def test_daemons_that_share_a_redis_count_together_and_each_by_itself_without_it(
    redis: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    address, server = redis
    limits: dict[str, int | str] = {**LIMITS, "redis": address}
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with (
        serving_team(tmp_path / "a", limits=limits) as one,
        serving_team(tmp_path / "b", limits=limits) as two,
    ):

        def ask(team: TeamServed) -> int:
            return team.ask("GET", "/recent", team.keys["ann"]).status_code

        assert [ask(one), ask(two), ask(one)] == [200, 200, 200]
        assert [ask(two), ask(one)] == [429, 429]
        assert two.ask("GET", "/recent", two.keys["bob"]).status_code == 200
        server.kill()
        server.wait()
        assert [ask(two), ask(two), ask(two), ask(two)] == [200, 200, 200, 429]


@pytest.mark.parametrize("address", ["http://127.0.0.1:6379", "127.0.0.1:6379"])
def test_an_address_that_is_none_of_a_redis_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="redis://"):
        load({}, Path("/nowhere"), {"limits": {"redis": address}})
