"""The index moves into the database and back, while the daemon answers."""

from __future__ import annotations

import json
import threading
from functools import partial
from pathlib import Path

from tests.cli.commands import helix
from tests.flows.daemon import Daemon, running_daemon
from tests.index.postgres.server import Server, needs_server
from tests.replicas.daemons import ask, recall, remember
from tests.surfaces.conftest import surroundings
from tests.waiting import wait_for

pytestmark = needs_server


class Asker(threading.Thread):
    """Asks all the time, and tries again where nobody listens."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__(daemon=True)
        self.refused: list[object] = []
        self.answered = 0
        self._daemon = daemon
        self._stopped = threading.Event()

    def run(self) -> None:
        while not self._stopped.is_set():
            try:
                answer = ask(self._daemon, "/recall?q=chimney&scope=all")
            except OSError:
                continue  # it is being started again
            if answer.status == 200:
                self.answered += 1
                assert len(answer.body["results"]) == 1, answer.body
            else:
                self.refused.append(answer.body)

    def has_more_than(self, count: int) -> bool:
        return self.answered > count

    def stop(self) -> None:
        self._stopped.set()
        self.join(30)


def test_the_index_moves_to_the_database_and_back_and_answers_stay(server: Server, tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    helix("init", env=env)
    with running_daemon(env) as daemon:
        remember(daemon, "The chimney is swept before the first frost")
        asker = Asker(daemon)
        asker.start()
        try:
            for place in (server.url, "local"):
                before = asker.answered
                done = helix("reindex", "--to", place, "--json", env=env)
                assert done.returncode == 0, done.stderr
                moved = json.loads(done.stdout)
                assert moved["restarted"]
                assert moved["memories"]["active"] > 1
                assert recall(daemon, "chimney") == ["The chimney is swept before the first frost"]
                role = ask(daemon, "/status").body.get("role")
                assert role == (None if place == "local" else "keeper")
                wait_for(partial(asker.has_more_than, before))
                shown = json.loads(helix("config", "get", "index", "--json", env=env).stdout)
                assert place in str(shown) or "postgresql" in str(shown)
            assert asker.refused == []
        finally:
            asker.stop()
            helix("down", env=env)
