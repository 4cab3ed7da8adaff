"""Many clients at once, each with a connection of its own, that read and write and remember what they wrote."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field

import httpx

_SUBJECTS = ["harbour", "ferry", "lighthouse", "pilot", "crane", "pier", "buoy", "tug", "dock", "barge"]


@dataclass
class Tally:
    """What one client saw."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    """id → a word that only this memory holds"""

    def note(self, verb: str, started: float, answer: httpx.Response) -> None:
        self.seconds.setdefault(verb, []).append(time.perf_counter() - started)
        if answer.status_code != 200:
            self.errors.append(f"{verb}: {answer.status_code} {answer.text[:200]}")


def run_clients(url: str, clients: int, seconds: float, seed: int = 0) -> list[Tally]:
    deadline = time.monotonic() + seconds
    tallies = [Tally() for _ in range(clients)]
    threads = [
        threading.Thread(
            target=_client, args=(url, number, deadline, tally, random.Random(seed * 1000 + number))
        )
        for number, tally in enumerate(tallies)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tallies


def _client(url: str, number: int, deadline: float, tally: Tally, dice: random.Random) -> None:
    with httpx.Client(base_url=url, timeout=60) as http:
        while time.monotonic() < deadline:
            try:
                _step(http, number, tally, dice)
            except httpx.HTTPError as error:
                tally.errors.append(repr(error))


def _step(http: httpx.Client, number: int, tally: Tally, dice: random.Random) -> None:
    kind, subject = dice.random(), dice.choice(_SUBJECTS)
    started = time.perf_counter()
    if kind < 0.2:
        word = f"zq{number}x{len(tally.written)}"
        text = f"Client {number} saw the {subject} under the mark {word} at berth {dice.randrange(10_000)}"
        answer = http.post("/remember", json={"text": text, "title": f"Mark {word}", "force": True})
        tally.note("POST /remember", started, answer)
        if answer.status_code == 200:
            tally.written[answer.json()["id"]] = word
    elif kind < 0.7:
        tally.note("GET /recall", started, http.get("/recall", params={"q": f"what about the {subject}?"}))
    elif kind < 0.9 and tally.written:
        memory_id = dice.choice(list(tally.written))
        tally.note("GET /memory/{id}", started, http.get(f"/memory/{memory_id}"))
    elif kind < 0.95:
        tally.note("GET /recent", started, http.get("/recent"))
    else:
        tally.note("POST /context", started, http.post("/context", json={"task": f"work on the {subject}"}))
