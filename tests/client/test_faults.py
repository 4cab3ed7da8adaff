"""What a program sees when the line is bad: through `tests/faults/server.py`, on real sockets, to a real daemon."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any

import pytest

from helix import (
    AsyncHelix,
    BadAnswer,
    BadRequest,
    DaemonUnreachable,
    Helix,
    RateLimited,
    ServerError,
    Timeout,
    Unavailable,
)
from tests.client.conftest import BadLine, Faulty, Running
from tests.flows.daemon import free_port
from tests.waiting import wait_for

Act = Callable[[Any], Any]
Speak = Callable[..., Any]


@pytest.fixture(params=["threads", "event loop"])
def speak(request: pytest.FixtureRequest) -> Speak:
    """Does one thing with a client at an address, with `Helix` or with `AsyncHelix`."""

    def with_threads(url: str, act: Act, **options: Any) -> Any:
        with Helix(url, **options) as mem:
            said = act(mem)
            return list(said) if inspect.isgenerator(said) else said

    def with_an_event_loop(url: str, act: Act, **options: Any) -> Any:
        async def run() -> Any:
            async with AsyncHelix(url, **options) as mem:
                said = act(mem)
                return [one async for one in said] if inspect.isasyncgen(said) else await said

        return asyncio.run(run())

    return with_threads if request.param == "threads" else with_an_event_loop


def tries(line: Faulty) -> list[str]:
    return [one["fault"] for one in line.seen()]


@pytest.mark.parametrize("fault", ["drop", "reset", "lose", "cut", "502", "503:0", "429:0"])
def test_a_read_comes_through_when_the_line_fails_twice(bad_line: BadLine, speak: Speak, fault: str) -> None:
    line = bad_line.to(fault, fault)
    assert speak(line.url, lambda mem: mem.stats()).memories >= 0
    assert tries(line) == [fault, fault, "pass"]


@pytest.mark.parametrize("fault", ["drop", "503:0"])
def test_a_context_pack_is_a_read_although_it_is_posted(bad_line: BadLine, speak: Speak, fault: str) -> None:
    line = bad_line.to(fault)
    assert speak(line.url, lambda mem: mem.context("mend the ferry")).tokens_used > 0
    assert tries(line) == [fault, "pass"]


@pytest.mark.parametrize("fault", ["drop", "lose", "cut", "503:0", "429:0", "502"])
def test_a_write_whose_answer_is_lost_is_asked_for_again_and_done_once(
    bad_line: BadLine, speak: Speak, running: Running, fault: str, request: pytest.FixtureRequest
) -> None:
    line = bad_line.to(fault, fault)
    text = f"The ferry of {request.node.name} has a deep draught"
    made = speak(line.url, lambda mem: mem.write(text, force=True))
    assert made.status == ("noop" if fault in ("lose", "cut") else "created")
    assert len([file for file in running.vault.rglob("*.md") if text in file.read_text("utf-8")]) == 1
    keys = [one["key"] for one in line.seen()]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert keys[0]


def test_every_change_goes_under_a_key_and_a_given_one_is_kept(bad_line: BadLine, speak: Speak) -> None:
    line = bad_line.to("pass")

    made = speak(line.url, lambda mem: mem.write("The tug pulls at low water", idempotency_key="tug-1"))
    speak(line.url, lambda mem: mem.update(made.id, title="Tug"))
    speak(line.url, lambda mem: mem.forget(made.id))
    speak(line.url, lambda mem: mem.restore(made.id, idempotency_key="tug-2"))
    first, update, forget, restore = (one["key"] for one in line.seen())
    assert (first, restore) == ("tug-1", "tug-2")
    assert update
    assert forget
    assert update != forget


def test_a_change_without_a_key_is_never_sent_twice(bad_line: BadLine, speak: Speak) -> None:
    line = bad_line.to("drop")
    with pytest.raises(DaemonUnreachable, match="broke during POST /consolidate"):
        speak(line.url, lambda mem: mem.consolidate())
    assert tries(line) == ["drop"]


@pytest.mark.parametrize("fault", ["429:1", "503:1", "503:date"])
def test_retry_after_is_waited_for(bad_line: BadLine, speak: Speak, fault: str) -> None:
    line = bad_line.to(fault)
    speak(line.url, lambda mem: mem.stats())
    first, second = (one["at"] for one in line.seen())
    # A date has whole seconds, so that the wait may be almost nothing.
    assert second - first >= (0.04 if fault.endswith("date") else 1.0)


def test_a_retry_after_beyond_the_deadline_is_told_at_once(bad_line: BadLine, speak: Speak) -> None:
    line = bad_line.to("429:3600")
    with pytest.raises(RateLimited) as caught:
        speak(line.url, lambda mem: mem.stats())
    assert (caught.value.retry_after, caught.value.status, caught.value.code) == (3600.0, 429, "rate-limited")
    assert len(line.seen()) == 1


def test_after_the_last_try_the_error_is_the_daemons(bad_line: BadLine, speak: Speak) -> None:
    line = bad_line.to("503:0*")
    with pytest.raises(Unavailable) as caught:
        speak(line.url, lambda mem: mem.stats(), retries=2)
    assert (caught.value.code, caught.value.retry_after) == ("busy", 0.0)
    assert len(line.seen()) == 3


@pytest.mark.parametrize(
    ("faults", "act", "kind"),
    [
        (["500"], lambda mem: mem.stats(), ServerError),
        (["garbage"], lambda mem: mem.stats(), BadAnswer),
        (["pass"], lambda mem: mem.search("ferry", limit=0), BadRequest),
    ],
)
def test_what_will_not_get_better_is_not_tried_again(
    bad_line: BadLine, speak: Speak, faults: list[str], act: Act, kind: type[Exception]
) -> None:
    line = bad_line.to(*faults)
    with pytest.raises(kind):
        speak(line.url, act)
    assert len(line.seen()) == 1


@pytest.mark.parametrize(
    ("fault", "act"),
    [
        ("stall", lambda mem: mem.stats()),
        ("stall", lambda mem: mem.write("The pilot sleeps", force=True)),
        ("delay:5", lambda mem: mem.stats()),
        ("trickle", lambda mem: mem.stats()),
        ("trickle-head", lambda mem: mem.stats()),
    ],
)
def test_a_call_has_one_deadline_whatever_the_other_side_does(
    bad_line: BadLine, speak: Speak, fault: str, act: Act
) -> None:
    line, began = bad_line.to(fault), time.monotonic()
    with pytest.raises(Timeout, match="did not answer") as caught:
        speak(line.url, act, timeout=0.5)
    assert time.monotonic() - began < 60, "each byte came in time, and the deadline is for all of them"
    assert isinstance(caught.value, TimeoutError)
    assert wait_for(lambda: tries(line)) == [fault]


def test_a_slow_answer_within_the_deadline_is_an_answer(bad_line: BadLine, speak: Speak) -> None:
    line = bad_line.to("delay:0.3")
    assert speak(line.url, lambda mem: mem.health()).state in ("ready", "degraded")
    assert tries(line) == ["delay:0.3"]


def test_nothing_there_says_how_to_start_it(speak: Speak) -> None:
    with pytest.raises(DaemonUnreachable, match="start the daemon with `helixd`") as caught:
        speak(f"http://127.0.0.1:{free_port()}", lambda mem: mem.search("ferry"), retries=1)
    assert isinstance(caught.value, ConnectionError)
    assert (caught.value.code, caught.value.status) == ("daemon-unreachable", None)


def test_a_walk_over_a_bad_line_neither_repeats_nor_skips(
    bad_line: BadLine, speak: Speak, running: Running
) -> None:
    with Helix(running.url) as mem:
        wanted = [one.id for one in mem.recent_all(scope="all", limit=50)]
    line = bad_line.to("pass", "drop", "cut", "pass", "503:0", "lose", "pass")
    found = speak(line.url, lambda mem: mem.recent_all(scope="all", limit=2))
    assert [one.id for one in found] == wanted
    assert len(wanted) > 4


def test_the_headers_say_who_asks_and_from_where(bad_line: BadLine, speak: Speak) -> None:
    line = bad_line.to("pass")
    speak(line.url, lambda mem: mem.stats(), project="Größe 7", session="s 1", client="Ana's agent")
    [headers] = [{name.lower(): value for name, value in one["headers"].items()} for one in line.seen()]
    assert headers["helix-project"] == "Gr%C3%B6%C3%9Fe%207"
    assert headers["helix-session"] == "s%201"
    assert headers["helix-client"] == "Ana%27s%20agent"
    assert headers["user-agent"].startswith("helix-python/")
    assert "authorization" not in headers
