"""The keeper dies: another daemon with access to the folder takes over, and nothing that was acknowledged is lost."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

from tests.cli.commands import helix
from tests.flows.daemon import Daemon, running_daemon
from tests.index.postgres.server import Server, needs_server
from tests.replicas.daemons import ask, machine, reading, recall, remember
from tests.waiting import wait_for

pytestmark = needs_server
WRITES = 60


class Writer(threading.Thread):
    """Says one thing after the other, each again with its key until somebody says that it is kept."""

    def __init__(self, name: str, daemons: list[Daemon]) -> None:
        super().__init__(daemon=True)
        self.kept: dict[str, str] = {}
        """by key, the id that was acknowledged"""
        self.longest = 0.0
        """seconds in which nothing was acknowledged"""
        self._name = name
        self._daemons = daemons
        self._stopped = threading.Event()

    def run(self) -> None:
        last = time.monotonic()
        for number in range(WRITES):
            key = f"{self._name}-{number}"
            text = (
                f"Crate {key} of the harbour holds {number * 7919 % 1000} bolts of kind {self._name}{number}x"
            )
            for attempt in range(1_000):
                if self._stopped.is_set():
                    return
                daemon = self._daemons[attempt % len(self._daemons)]
                try:
                    answered = remember(daemon, text, idempotency_key=key, force=True)
                except OSError:
                    continue  # it is dead: the next one
                if answered.status == 200:
                    self.kept[key] = answered.body["id"]
                    break
            self.longest = max(self.longest, time.monotonic() - last)
            last = time.monotonic()

    def stop(self) -> None:
        self._stopped.set()


def test_a_keeper_that_is_killed_under_writes_is_replaced_and_nothing_is_lost_or_done_twice(
    server: Server, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    first_env, second_env = (machine(tmp_path / name, server, vault) for name in ("first", "second"))
    helix("init", env=first_env)
    with (
        running_daemon(first_env) as first,
        running_daemon(second_env) as second,
        reading(tmp_path / "third", server, vault) as reader,
    ):
        wait_for(lambda: ask(second, "/status").body.get("role") == "standby")
        assert ask(first, "/status").body["role"] == "keeper"
        writers = [Writer("a", [first, second]), Writer("b", [reader]), Writer("c", [second])]
        for writer in writers:
            writer.start()
        wait_for(lambda: all(len(writer.kept) > 10 for writer in writers), 60)
        killed_at = time.monotonic()
        first.process.kill()
        wait_for(lambda: ask(second, "/status").body["role"] == "keeper", 10)
        taken_over_in = time.monotonic() - killed_at
        for writer in writers:
            writer.join(120)
        try:
            assert all(len(writer.kept) == WRITES for writer in writers)
        finally:
            for writer in writers:
                writer.stop()
        kept = {key: memory_id for writer in writers for key, memory_id in writer.kept.items()}
        in_files = Counter(
            line.partition(": ")[2].strip().strip("'\"")
            for file in vault.rglob("*.md")
            for line in file.read_text().splitlines()
            if line.startswith("idempotency_key:")
        )
        assert {key: in_files[key] for key in kept} == dict.fromkeys(kept, 1)
        assert len(set(kept.values())) == len(kept)
        for one in (second, reader):
            answered = recall(one, "bolts b59x")
            assert any("b59x" in text for text in answered), answered
        print(
            f"taken over in {taken_over_in:.1f} s; longest without an acknowledgement {[w.longest for w in writers]}"
        )
        assert taken_over_in < 10


def test_a_reader_goes_on_while_there_is_no_keeper_and_says_so_to_who_writes(
    server: Server, tmp_path: Path
) -> None:
    env = machine(tmp_path / "first", server, tmp_path / "vault")
    helix("init", env=env)
    with running_daemon(env) as keeper:
        remember(keeper, "The archive is in the cellar of the old mill")
        with reading(tmp_path / "second", server, tmp_path / "vault") as reader:
            assert recall(reader, "archive cellar") == ["The archive is in the cellar of the old mill"]
            keeper.process.kill()
            keeper.process.wait(20)
            assert recall(reader, "archive cellar") == ["The archive is in the cellar of the old mill"]
            refused = remember(reader, "The mill burns down")
            assert (refused.status, refused.body["code"]) == (503, "keeper-unreachable")
            assert keeper.url in refused.body["error"]
            with running_daemon(env):
                assert remember(reader, "The mill was built again").body["status"] == "created"
                assert recall(reader, "built again") == ["The mill was built again"]


def test_a_keeper_that_hangs_is_replaced_and_is_a_standby_when_it_wakes_up(
    server: Server, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    first_env, second_env = (machine(tmp_path / name, server, vault) for name in ("first", "second"))
    helix("init", env=first_env)
    with running_daemon(first_env) as first, running_daemon(second_env) as second:
        wait_for(lambda: ask(second, "/status").body.get("role") == "standby")
        first.process.send_signal(signal.SIGSTOP)
        try:
            wait_for(lambda: ask(second, "/status").body["role"] == "keeper", 20)
            written = remember(second, "The barge was repainted in green")
            assert written.body["status"] == "created"
        finally:
            first.process.send_signal(signal.SIGCONT)
        wait_for(lambda: ask(first, "/status").body.get("role") == "standby", 20)
        assert remember(first, "The barge was sold in spring").body["status"] == "created"
        assert ask(second, "/status").body["role"] == "keeper"
        for one in (first, second):
            wait_for(partial(_finds, one, "barge sold"), 20)


def _finds(daemon: Daemon, words: str) -> bool:
    return bool(recall(daemon, words))
