"""The brake against mass disappearance.

A vault that is unmounted, or whose sync folder was logged out, looks like a vault whose owner deleted every
note. So when many notes vanish at once nothing is dropped until they come back or a person says that they
are gone on purpose.
"""

from __future__ import annotations

from helix.config import FollowConfig


class Brake:
    def __init__(self, config: FollowConfig) -> None:
        self._config = config
        self.reason: str | None = None

    def look(self, missing: int, known: int) -> None:
        """`missing` of `known` files are gone; lets go by itself when they are back."""
        if missing >= self._config.brake_least and missing > known * self._config.brake_share:
            self.reason = (
                f"{missing} of {known} notes disappeared at once; nothing was dropped. If the folder is unmounted or "
                "logged out, bring it back; if they are gone on purpose, run `helix reindex --accept-missing`"
            )
        else:
            self.reason = None

    def pull(self, reason: str) -> None:
        self.reason = reason

    def release(self) -> None:
        self.reason = None
