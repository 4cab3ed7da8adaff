"""How a call is carried through: tries, pauses and one deadline for all of it. Whoever drives it does the sending.

A generator: it yields `Send` and is sent the `Reply`, or has the error thrown in; it yields `Wait` and is resumed
later. So the rules stand here once, for threads and for event loops.

- What does no harm when it is sent twice (reads, and changes under an idempotency key) is tried again when the
  connection failed or broke, and on 408, 429, 502, 503 and 504.
- Pauses double and are jittered; `Retry-After` is waited for in full, unless the deadline comes first: then the
  error is raised at once, with `retry_after` in it.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

from helix.client.answer_shape import Result
from helix.client.call import Call, Reply
from helix.client.errors import STATUSES_TRIED_AGAIN, BadSettings, DaemonUnreachable, HelixError

T = TypeVar("T", bound=Result)

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0


@dataclass(frozen=True)
class Send:
    seconds: float
    """how long the answer may take"""


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class RetryPolicy:
    timeout: float = 30.0
    """seconds for the whole call, with every try and pause"""
    retries: int = 3
    """how many tries come after the first"""

    def __post_init__(self) -> None:
        if not 0 < self.timeout < math.inf:
            raise BadSettings(f"timeout is {self.timeout!r}; give a number of seconds above 0")
        if self.retries < 0:
            raise BadSettings(f"retries is {self.retries!r}; give 0 to try once")


def exchange(
    call: Call[T],
    policy: RetryPolicy,
    *,
    clock: Callable[[], float] = time.monotonic,
    chance: Callable[[], float] = random.random,
) -> Generator[Send | Wait, Reply | None, T]:
    deadline = clock() + policy.timeout
    turn = 0
    while True:
        try:
            reply = yield Send(max(deadline - clock(), 0.001))
            if reply is None:
                raise RuntimeError("a sent call must be answered with a Reply or an error")
            return call.read(reply)
        except HelixError as error:
            pause = pause_after(error, turn, chance())
            if not is_tried_again(call, error) or turn == policy.retries or pause > deadline - clock():
                raise
        yield Wait(pause)
        turn += 1


def is_tried_again(call: Call[T], error: HelixError) -> bool:
    return call.is_repeatable and (
        isinstance(error, DaemonUnreachable) or error.status in STATUSES_TRIED_AGAIN
    )


def pause_after(error: HelixError, turn: int, chance: float) -> float:
    """Jittered also after `Retry-After`: many clients are told the same time."""
    pause: float = min(_FIRST_PAUSE * 2**turn, _LONGEST_PAUSE)
    return (error.retry_after or 0.0) + pause * (0.5 + chance / 2)
