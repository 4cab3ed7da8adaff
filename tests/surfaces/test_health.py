"""How the daemon says that it is, also while it is busy."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.to_thread

from helix.compose import open_vault, open_workspace
from helix.config import Config
from helix.memory.search_engine import RecallSoon
from helix.memory.tokens import Payload
from helix.surfaces.monitoring.health import DaemonHealth


def with_health(
    place: Path, story: Callable[[DaemonHealth, Callable[[], None], Callable[[], None]], None]
) -> None:
    (place / "vault").mkdir()
    config = Config(place / "vault", place / "state", place / "config")
    with open_vault(config, must_follow=True) as helix:
        recall = RecallSoon(helix)
        with open_workspace(helix, lambda: recall.get(0)) as workspace:
            health = DaemonHealth(helix, helix.follower(), recall, workspace.upkeep, "1")
            begun, done = threading.Event(), threading.Event()

            def work() -> None:
                with helix.catalog.transaction():
                    begun.set()
                    done.wait(30)

            worker = threading.Thread(target=work)

            def busy() -> None:
                worker.start()
                begun.wait(10)

            def rest() -> None:
                done.set()
                worker.join()

            story(health, busy, rest)


async def asked(health: DaemonHealth) -> Payload:
    with anyio.fail_after(10):
        return await health.look_soon()


def test_a_busy_catalog_delays_no_probe(tmp_path: Path) -> None:
    def story(health: DaemonHealth, busy: Callable[[], None], rest: Callable[[], None]) -> None:
        async def run() -> None:
            busy()
            first = await asked(health)
            assert (first["state"], first["memories"]) == ("starting", {})
            rest()
            assert (await asked(health))["state"] == "starting"

        anyio.run(run)

    with_health(tmp_path, story)


def test_what_was_seen_last_is_said_again_while_it_is_busy(tmp_path: Path) -> None:
    def story(health: DaemonHealth, busy: Callable[[], None], rest: Callable[[], None]) -> None:
        async def run() -> None:
            seen = await anyio.to_thread.run_sync(health.look)
            busy()
            again = await asked(health)
            assert again == {**seen, "uptime_seconds": again["uptime_seconds"]}
            rest()

        anyio.run(run)

    with_health(tmp_path, story)
