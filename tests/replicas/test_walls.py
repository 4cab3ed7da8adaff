"""Two people through a reader: each sees what is theirs, and a key that is revoked opens nothing there either."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from helix import Helix
from helix.access.credentials import Credentials
from helix.config import LimitsConfig
from tests.access.team import PEOPLE, id_of, make_people
from tests.cli.commands import helix
from tests.flows.daemon import Daemon, running_daemon
from tests.index.postgres.server import Server, needs_server
from tests.replicas.daemons import ask, machine, reading, recall, remember
from tests.replicas.switch import Switch
from tests.waiting import wait_for

pytestmark = needs_server


@dataclass(frozen=True)
class SharedTeam:
    switch: Switch
    keeper: Daemon
    reader: Daemon
    keys: dict[str, str]
    config_dir: Path


@pytest.fixture(scope="module")
def team(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedTeam]:
    place = tmp_path_factory.mktemp("team")
    switch = Switch()
    env = machine(place / "first", server, place / "vault", HELIX_MODE="team")
    helix("init", env=env)
    for name in ("first", "second"):  # tests ask more often than people do
        config = place / name / "config"
        config.mkdir(parents=True, exist_ok=True)
        limits = "".join(f"{limit} = 0\n" for limit, most in asdict(LimitsConfig()).items() if most)
        (config / "config.toml").write_text(f'public_url = "{switch.url}"\n[limits]\n{limits}')
    keys = make_people(place / "first")
    with ExitStack() as stack:
        stack.enter_context(switch)
        keeper = stack.enter_context(running_daemon(env))
        reader = stack.enter_context(reading(place / "second", server, place / "vault", HELIX_MODE="team"))
        wait_for(lambda: ask(reader, "/recall?q=x&scope=all", key=keys["ann"]).status == 200)
        yield SharedTeam(switch, keeper, reader, keys, place / "first" / "config")


def test_a_memory_of_one_is_not_there_for_the_other(team: SharedTeam) -> None:
    written = remember(team.reader, "My ring is hidden under the third step", key=team.keys["ann"])
    memory_id = written.body["id"]
    assert recall(team.reader, "ring hidden", key=team.keys["ann"])
    for path in ("/recall?q=ring+hidden&scope=all", "/recent?scope=all", "/graph?scope=all"):
        answered = ask(team.reader, path, key=team.keys["bob"])
        assert answered.status == 200, answered.body
        assert memory_id not in str(answered.body), path
    unseen = ask(team.reader, f"/memory/{memory_id}", key=team.keys["bob"])
    nowhere = ask(team.reader, "/memory/mem_2026-01-01_never-written_0000", key=team.keys["bob"])
    assert (
        (unseen.status, unseen.body["code"]) == (nowhere.status, nowhere.body["code"]) == (404, "not-found")
    )
    assert ask(team.reader, f"/memory/{memory_id}/neighbors", key=team.keys["bob"]).status == 404
    refused = ask(team.reader, "/forget", {"id": memory_id}, key=team.keys["bob"])
    assert (refused.status, refused.body["code"]) == (404, "not-found")
    assert ask(team.reader, f"/memory/{memory_id}", key=team.keys["ann"]).status == 200


def test_what_is_written_for_the_team_is_read_by_both_and_owned_by_who_wrote_it(team: SharedTeam) -> None:
    written = remember(
        team.reader, "The gate code changes on the first of May", key=team.keys["ann"], visibility="team"
    )
    assert written.status == 200, written.body
    assert recall(team.reader, "gate code", key=team.keys["bob"])
    refused = ask(team.reader, "/forget", {"id": written.body["id"]}, key=team.keys["bob"])
    assert (refused.status, refused.body["code"]) == (403, "not-yours")


def test_who_may_only_read_writes_nothing_by_way_of_a_reader(team: SharedTeam) -> None:
    refused = remember(team.reader, "I was here", key=team.keys["rea"])
    assert (refused.status, refused.body["code"]) == (403, "forbidden")
    assert ask(team.reader, "/recall?q=x").status == 401


def test_a_key_that_is_revoked_opens_no_reader_either(team: SharedTeam) -> None:
    credentials = Credentials(team.config_dir)
    try:
        assert PEOPLE["olga"] == "operator"
        key = credentials.create_key("olga")[1]
        wait_for(lambda: ask(team.reader, "/recent?scope=all", key=key).status == 200, 10)
        credentials.revoke_key(id_of(key))
    finally:
        credentials.close()
    wait_for(lambda: ask(team.reader, "/recent?scope=all", key=key).status == 401, 10)


def test_both_daemons_write_down_who_did_what(team: SharedTeam) -> None:
    remember(team.reader, "The audit has a line of this", key=team.keys["ann"], idempotency_key="audit-1")
    for daemon in (team.reader, team.keeper):
        lines = ask(daemon, "/audit?limit=50", key=team.keys["root"]).body
        assert "ann" in str(lines)
        assert "write" in str(lines)


def test_a_client_that_is_sent_to_another_daemon_finds_what_it_wrote(team: SharedTeam) -> None:
    with Helix(team.switch.url, token=team.keys["ann"]) as memory:
        for number in range(5):
            team.switch.leads_to(team.keeper.url)
            memory.write(f"Locker number {number} belongs to the crew of the boat{number}x", scope="global")
            team.switch.leads_to(team.reader.url)
            [hit, *_] = memory.search(f"boat{number}x", scope="all")
            assert f"boat{number}x" in hit.text
