"""How often one caller may ask for what: a moving window of a minute. Off for one person.

It is counted in memory; daemons that share a Redis count together in it. Where that does not answer, each goes on
counting what it is asked itself: a limit that is too wide for a while is better than a team that cannot work.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

from helix.config import LimitsConfig, without_password
from helix.errors import ConfigError, RateLimited
from helix.memory.verbs.verb import Verb

if TYPE_CHECKING:
    from limits import RateLimitItem
    from limits.strategies import RateLimiter

T = TypeVar("T")

log = logging.getLogger("helix.access")

# Who is asked waits no longer than this for the count, and not again before some seconds have passed.
_PATIENCE = 0.5
_ASK_AGAIN = 10.0
_OF_PERMISSION = {
    "recall": "recall", "remember": "write", "modify": "change", "forget": "change", "recover": "change",
    "admin": "admin", "secrets": "admin",
}  # fmt: skip
_BATCHES = frozenset({"session_ingest", "file", "consolidate"})
"""verbs that do many things at once"""


def class_of(verb: Verb) -> str:
    """What a call counts as: the name of a limit."""
    return "batch" if verb.name in _BATCHES else class_of_permission(verb.permission)


def class_of_permission(permission: str) -> str:
    return _OF_PERMISSION.get(permission, "other")


class Rates:
    def __init__(self, config: LimitsConfig) -> None:
        try:
            # Here and not above: one person needs no such library.
            from limits import RateLimitItemPerMinute
            from limits.errors import StorageError
            from limits.storage import MemoryStorage
            from limits.strategies import MovingWindowRateLimiter
        except ImportError as error:
            raise ConfigError(
                "to serve a team, how often somebody asks is counted by a library that is not installed: "
                "pip install 'helix-memory[team]'"
            ) from error
        self.figures: Mapping[str, int] = {
            name: most for name, most in asdict(config).items() if name != "redis"
        }
        self._items: dict[str, RateLimitItem] = {
            name: RateLimitItemPerMinute(most) for name, most in self.figures.items() if most
        }
        self._own: RateLimiter = MovingWindowRateLimiter(MemoryStorage())
        self._shared = _counted_in(config.redis) if config.redis else None
        self._address = without_password(config.redis)
        self._unreachable: type[Exception] = StorageError
        self._ask_shared_at = 0.0

    def count(self, kind: str, caller: str) -> None:
        """One more of this kind. Raises RateLimited when that is one too many; what is refused does not count."""
        item = self._items.get(kind)
        if item is not None and not self._ask(lambda window: window.hit(item, kind, caller)):
            raise self._refusal(kind, caller, item)

    def check(self, kind: str, caller: str) -> None:
        """Whether one more would be too many. Raises RateLimited; counts nothing."""
        item = self._items.get(kind)
        if item is not None and not self._ask(lambda window: window.test(item, kind, caller)):
            raise self._refusal(kind, caller, item)

    def _ask(self, question: Callable[[RateLimiter], T]) -> T:
        if self._shared is not None and time.monotonic() >= self._ask_shared_at:
            try:
                return question(self._shared)
            except self._unreachable as error:
                self._ask_shared_at = time.monotonic() + _ASK_AGAIN
                log.warning("%s does not count (%s); this daemon counts by itself", self._address, error)
        return question(self._own)

    def _refusal(self, kind: str, caller: str, item: RateLimitItem) -> RateLimited:
        seconds = (
            self._ask(lambda window: window.get_window_stats(item, kind, caller)).reset_time - time.time()
        )
        wait = max(1, math.ceil(seconds))
        return RateLimited(
            f"more than {item.amount} of the kind `{kind}` in a minute; ask again in {wait} s", wait
        )


def _counted_in(address: str) -> RateLimiter:
    from limits.errors import ConfigurationError
    from limits.storage import storage_from_string
    from limits.strategies import MovingWindowRateLimiter

    patience = {"socket_timeout": _PATIENCE, "socket_connect_timeout": _PATIENCE}
    try:
        storage = storage_from_string(address, key_prefix="helix", wrap_exceptions=True, **patience)
    except ConfigurationError as error:
        raise ConfigError(
            f"limits.redis needs a library that is not installed ({error}): pip install 'helix-memory[team]'"
        ) from error
    except ValueError as error:
        raise ConfigError(f"limits.redis is no address of a Redis: {error}") from error
    return MovingWindowRateLimiter(storage)
