"""The brake against mass disappearance.

A vault that is unmounted, or whose sync folder was logged out, looks like a vault whose owner deleted every
note. So when many notes vanish nothing is dropped until they come back or a person says that they are gone on
purpose. A sync client carries out a mass deletion file by file, over minutes: what was dropped lately counts too.
"""

from __future__ import annotations

from collections.abc import Iterable

from helix.config import FollowConfig


class Brake:
    def __init__(self, config: FollowConfig) -> None:
        self._config = config
        self._dropped: dict[str, float] = {}
        """the files whose memories left the answers lately, and when"""
        self.reason: str | None = None

    def look(self, missing: int, known: int, now: float) -> None:
        """`missing` of the `known` files are gone; lets go by itself when enough of them are back."""
        if self.reason is None:  # else time does not make a disappearance smaller
            begin = now - self._config.brake_window
            self._dropped = {path: at for path, at in self._dropped.items() if at > begin}
        gone, before = missing + len(self._dropped), known + len(self._dropped)
        if missing and gone >= self._config.brake_least and gone > before * self._config.brake_share:
            when = f"within {self._config.brake_window / 60:g} minutes" if self._dropped else "at once"
            stopped = "no more were dropped" if self._dropped else "nothing was dropped"
            self.reason = (
                f"{gone} of {before} notes disappeared {when}; {stopped}. If the folder is unmounted or "
                "logged out, bring it back; if they are gone on purpose, run `helix reindex --accept-missing`"
            )
        else:
            self.reason = None

    def dropped(self, paths: Iterable[str], now: float) -> None:
        """These were believed to be gone, and their memories have left the answers."""
        self._dropped.update(dict.fromkeys(paths, now))

    def returned(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._dropped.pop(path, None)

    def pull(self, reason: str) -> None:
        self.reason = reason

    def release(self) -> None:
        self.reason = None
        self._dropped.clear()
