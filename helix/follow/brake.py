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
        self._dropped: dict[str, dict[str, float]] = {}
        """by kind, the files whose memories left the answers lately, and when"""
        self._reasons: dict[str, str] = {}
        """by kind, why nothing is dropped: one kind that disappeared holds all of them"""
        self._away: str | None = None

    @property
    def reason(self) -> str | None:
        return self._away or next(iter(self._reasons.values()), None)

    def look(self, missing: int, known: int, now: float, kind: str = "notes") -> None:
        """`missing` of the `known` files are gone; lets go by itself when enough of them are back."""
        dropped = self._dropped.setdefault(kind, {})
        if self.reason is None:  # else time does not make a disappearance smaller
            begin = now - self._config.brake_window
            for path in [path for path, at in dropped.items() if at <= begin]:
                del dropped[path]
        self._away = None
        self._reasons.pop(kind, None)
        gone, before = missing + len(dropped), known + len(dropped)
        if missing and gone >= self._config.brake_least and gone > before * self._config.brake_share:
            when = f"within {self._config.brake_window / 60:g} minutes" if dropped else "at once"
            stopped = "no more were dropped" if dropped else "nothing was dropped"
            self._reasons[kind] = (
                f"{gone} of {before} {kind} disappeared {when}; {stopped}. If the folder is unmounted or "
                "logged out, bring it back; if they are gone on purpose, run `helix reindex --accept-missing`"
            )

    def dropped(self, paths: Iterable[str], now: float, kind: str = "notes") -> None:
        """These were believed to be gone, and what they said has left the answers."""
        self._dropped.setdefault(kind, {}).update(dict.fromkeys(paths, now))

    def returned(self, paths: Iterable[str]) -> None:
        for path in paths:
            for dropped in self._dropped.values():
                dropped.pop(path, None)

    def pull(self, reason: str) -> None:
        """The vault itself is away: whatever else is known of it says nothing now."""
        self._away = reason

    def release(self) -> None:
        self._away = None
        self._reasons.clear()
        self._dropped.clear()
