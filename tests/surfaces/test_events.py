"""The stream of what happens: live, resumed where it broke off, and no reason for a daemon not to stop."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from helix.errors import BadValue
from helix.memory.activity.event import Event
from helix.memory.activity.journal import Journal
from helix.memory.activity.narrowed_activity import AllActivity
from helix.memory.tokens import Payload
from helix.surfaces.monitoring.events import Events, TooMany
from tests.surfaces.conftest import Served, serving
from tests.waiting import wait_for

Told = list[dict[str, Any]]


class Ear:
    """Listens on a thread until the stream ends."""

    def __init__(self, url: str, heard: int | None = None) -> None:
        self.told: Told = []
        self.has_ended = threading.Event()
        self.headers: httpx.Headers | None = None
        self._asked = {} if heard is None else {"Last-Event-ID": str(heard)}
        self._url = url
        self._client = httpx.Client(timeout=60)
        self.thread = threading.Thread(target=self._listen, daemon=True)

    def changes(self) -> Told:
        return [one for one in list(self.told) if one["event"] == "change"]

    def of(self, memory_id: str) -> list[str]:
        return [one["data"]["what"] for one in self.changes() if one["data"]["id"] == memory_id]

    def _listen(self) -> None:
        try:
            with self._client.stream("GET", f"{self._url}/events", headers=self._asked) as answer:
                self.headers = answer.headers
                said: dict[str, Any] = {}
                for line in answer.iter_lines():
                    name, _, value = line.partition(": ")
                    if name in ("event", "id", "data"):
                        said[name] = json.loads(value) if name == "data" else value
                    elif not line and "event" in said:
                        self.told.append(said)
                        said = {}
        except httpx.HTTPError:
            pass
        finally:
            self.has_ended.set()


@contextmanager
def listening(url: str, heard: int | None = None) -> Iterator[Ear]:
    ear = Ear(url, heard)
    ear.thread.start()
    wait_for(lambda: ear.told)  # how the daemon is comes first
    try:
        yield ear
    finally:
        ear._client.close()


def test_what_happens_is_told_as_it_happens_and_again_to_who_missed_it(served: Served) -> None:
    with listening(served.url) as ear:
        assert ear.headers is not None
        assert ear.headers["content-type"].startswith("text/event-stream")
        assert (ear.told[0]["event"], ear.told[0]["data"]["vault"]) == ("health", str(served.vault))
        first = served.remember("Sanderlings run from the waves")
        wait_for(lambda: ear.of(first) == ["learned"])
        heard = int(ear.changes()[-1]["id"])
    missed = served.remember("Sanderlings turn at the pier")
    served.http.post("/forget", json={"id": missed})
    with listening(served.url, heard) as again:
        wait_for(lambda: again.of(missed) == ["learned", "forgotten"])
        assert again.of(first) == []
        listed = served.http.get("/timeline", params={"limit": 1}).json()["events"]
        assert again.changes()[-1]["data"] == listed[0]


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_a_page_from_elsewhere_hears_nothing(served: Served, headers: dict[str, str]) -> None:
    assert served.http.get("/events", headers=headers).status_code == 403


def test_a_number_that_is_none_is_refused(served: Served) -> None:
    refused = served.http.get("/events", headers={"Last-Event-ID": "yesterday"})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad-value")


def test_a_change_of_health_is_told_and_a_daemon_stops_at_once_though_many_listen(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        daemon = served.daemon
        ears = [Ear(daemon.url) for _ in range(10)]
        for ear in ears:
            ear.thread.start()
        for ear in ears:
            wait_for(lambda ear=ear: ear.told)  # type: ignore[misc]
        (tmp_path / "vault").rename(tmp_path / "away")
        wait_for(
            lambda: any(
                one["event"] == "health" and one["data"]["state"] == "degraded" for one in ears[0].told
            ),
            seconds=30,
        )
        (tmp_path / "away").rename(tmp_path / "vault")
        daemon.process.terminate()
        for ear in ears:
            assert ear.has_ended.wait(15)
        said = daemon.last_words()
        assert "graceful" not in said  # what uvicorn says when it waited for somebody in vain


async def _well() -> Payload:
    return {"state": "ready", "reasons": []}


def test_one_who_does_not_read_is_let_go_and_hears_the_rest_later(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db")

    def happen(count: int) -> None:
        for number in range(count):
            journal.record([Event("2026-11-16T12:00:00Z", "learned", f"mem_{number}")], {})

    async def story() -> None:
        events = Events(journal, _well, keep_alive=0.05)
        async with events.run():
            slow = events.listen(AllActivity(journal), None)
            assert "event: health" in await anext(slow)
            happen(1000)
            await asyncio.sleep(0)  # the loop hears of them
            assert [said async for said in slow] == []
            happen(1)
            heard = [said async for said in _until(events.listen(AllActivity(journal), "0"), 1001)]
            assert len([said for said in heard if said.startswith("event: change")]) == 1001
            with pytest.raises(BadValue):
                events.listen(AllActivity(journal), "x")
            waiting = events.listen(AllActivity(journal), None)
            await anext(waiting)
            assert (await anext(waiting)).startswith(":")

    asyncio.run(story())
    journal.close()


async def _until(said: Any, changes: int) -> Any:
    async for one in said:
        yield one
        changes -= one.startswith("event: change")
        if not changes:
            return


def test_those_who_come_at_the_same_moment_are_told_when_what_they_were_told_has_changed(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path / "journal.db")
    state = "degraded"

    async def health() -> Payload:
        await asyncio.sleep(0)  # others come meanwhile
        return {"state": state, "reasons": []}

    async def both(events: Events) -> list[Any]:
        ears = [events.listen(AllActivity(journal), None) for _ in range(2)]
        for said in await asyncio.gather(*(anext(ear) for ear in ears)):
            assert f'"state":"{state}"' in said
        return ears

    async def told(ears: list[Any]) -> None:
        for said in await asyncio.gather(*(asyncio.wait_for(anext(ear), 10) for ear in ears)):
            assert f'"state":"{state}"' in said

    async def story() -> None:
        nonlocal state
        events = Events(journal, health, look_every=0.01)
        async with events.run():
            ears = await both(events)
            state = "ready"
            await told(ears)
            state = "degraded"
            await told(ears)
            for ear in ears:
                await ear.aclose()
            state = "ready"
            ears = await both(events)
            state = "degraded"  # before anybody looked again: as it was when the last ones left
            await told(ears)

    asyncio.run(story())
    journal.close()


def test_there_is_an_end_to_how_many_may_listen(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db")

    async def story() -> None:
        events = Events(journal, _well)
        async with events.run():
            ears = [events.listen(AllActivity(journal), None) for _ in range(64)]
            for ear in ears:
                await anext(ear)
            with pytest.raises(TooMany):
                events.listen(AllActivity(journal), None)
            await ears[0].aclose()  # type: ignore[attr-defined]
            events.listen(AllActivity(journal), None)

    asyncio.run(story())
    journal.close()


def test_the_limit_of_listeners_is_exact_also_for_those_that_come_at_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db")

    async def health() -> Payload:
        return {"state": "ready", "reasons": []}

    async def story() -> None:
        events = Events(journal, health)
        async with events.run():
            ears = []
            refused = 0
            for _ in range(200):  # none of them has heard anything yet
                try:
                    ears.append(events.listen(AllActivity(journal), None))
                except TooMany:
                    refused += 1
            assert (len(ears), refused, events.count()) == (64, 136, 64)
            del ears[32:]  # gone before their streams began
            assert events.count() == 32
            assert await anext(ears[0])
            for ear in ears:
                await ear.aclose()  # type: ignore[attr-defined]
            ears.clear()
            assert events.count() == 0

    asyncio.run(story())
    journal.close()
