"""How often one caller may ask for what: a moving window of a minute, in memory. Off for one person."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from helix.config import LimitsConfig
from helix.errors import ConfigError, RateLimited
from helix.memory.verbs.verb import Verb

if TYPE_CHECKING:
    from limits import RateLimitItem

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
            from limits.storage import MemoryStorage
            from limits.strategies import MovingWindowRateLimiter
        except ImportError as error:
            raise ConfigError(
                "to serve a team, how often somebody asks is counted by a library that is not installed: "
                "pip install 'helix-memory[team]'"
            ) from error
        self.figures: Mapping[str, int] = asdict(config)
        self._items: dict[str, RateLimitItem] = {
            name: RateLimitItemPerMinute(most) for name, most in self.figures.items() if most
        }
        self._window = MovingWindowRateLimiter(MemoryStorage())

    def count(self, kind: str, caller: str) -> None:
        """One more of this kind. Raises RateLimited when that is one too many; what is refused does not count."""
        item = self._items.get(kind)
        if item is not None and not self._window.hit(item, kind, caller):
            raise self._refusal(kind, caller, item)

    def check(self, kind: str, caller: str) -> None:
        """Whether one more would be too many. Raises RateLimited; counts nothing."""
        item = self._items.get(kind)
        if item is not None and not self._window.test(item, kind, caller):
            raise self._refusal(kind, caller, item)

    def _refusal(self, kind: str, caller: str, item: RateLimitItem) -> RateLimited:
        seconds = self._window.get_window_stats(item, kind, caller).reset_time - time.time()
        wait = max(1, math.ceil(seconds))
        return RateLimited(
            f"more than {item.amount} of the kind `{kind}` in a minute; ask again in {wait} s", wait
        )
