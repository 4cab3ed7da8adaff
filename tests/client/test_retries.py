"""Tries, pauses and the one deadline, with a clock of the test's own."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from helix.client.call import Call, Reply
from helix.client.errors import DaemonUnreachable, HelixError, NotFound, RateLimited
from helix.client.maintenance_results import Stats
from helix.client.methods import Verbs
from helix.client.retries import RetryPolicy, Send, exchange

VERBS = Verbs("project")
BROKEN = DaemonUnreachable("broken")
DONE = Reply(200, {}, json.dumps({"memories": 7}).encode())


def refusal(status: int, retry_after: str = "") -> Reply:
    headers = {"retry-after": retry_after} if retry_after else {}
    return Reply(status, headers, b'{"error": "no", "code": "no"}')


class Played:
    """A call carried through by hand: what comes back for each try, and how long each takes."""

    def __init__(
        self, call: Call[Stats], coming: Sequence[Reply | HelixError], policy: RetryPolicy, each: float
    ) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self.allowed: list[float] = []
        self.answer: Stats | None = None
        left = list(coming)
        talk = exchange(call, policy, clock=lambda: self.now, chance=lambda: 1.0)
        try:
            step = next(talk)
            while True:
                if isinstance(step, Send):
                    self.allowed.append(step.seconds)
                    self.now += each
                    came = left.pop(0)
                    step = talk.throw(came) if isinstance(came, HelixError) else talk.send(came)
                else:
                    self.pauses.append(step.seconds)
                    self.now += step.seconds
                    step = next(talk)
        except StopIteration as done:
            self.answer = done.value


def play(*coming: Reply | HelixError, timeout: float = 30.0, retries: int = 3, each: float = 0.0) -> Played:
    return Played(VERBS.stats(), coming, RetryPolicy(timeout, retries), each)


def test_pauses_double_and_every_try_gets_what_is_left_of_the_deadline() -> None:
    played = play(BROKEN, BROKEN, BROKEN, DONE, timeout=10.0, each=1.0)
    assert played.pauses == pytest.approx([0.1, 0.2, 0.4])
    assert played.allowed == pytest.approx([10.0, 8.9, 7.7, 6.3])
    assert played.answer is not None
    assert played.answer.memories == 7


def test_jitter_halves_a_pause_at_most() -> None:
    talk = exchange(VERBS.stats(), RetryPolicy(), clock=lambda: 0.0, chance=lambda: 0.0)
    next(talk)
    assert talk.throw(BROKEN).seconds == pytest.approx(0.05)


def test_the_last_error_is_raised_when_tries_or_time_are_used_up() -> None:
    with pytest.raises(DaemonUnreachable):
        play(BROKEN, BROKEN, BROKEN, BROKEN, DONE)
    with pytest.raises(DaemonUnreachable):
        play(BROKEN, BROKEN, DONE, timeout=2.0, each=1.0)
    with pytest.raises(DaemonUnreachable):
        play(BROKEN, DONE, retries=0)


def test_retry_after_is_waited_for_in_full_or_not_at_all() -> None:
    assert play(refusal(503, "4"), DONE).pauses == pytest.approx([4.1])
    with pytest.raises(RateLimited) as caught:
        play(refusal(429, "40"), DONE)
    assert caught.value.retry_after == 40.0


def test_what_is_wrong_with_the_question_is_told_at_once() -> None:
    with pytest.raises(NotFound):
        play(refusal(404), DONE)
