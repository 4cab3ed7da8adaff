"""Where a daemon is asked by the others over the same database, and what they show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class Station:
    address: str = ""
    """empty for a process that nobody asks, such as a command"""
    secret: str = field(default="", repr=False)
    """made anew with every start"""


@dataclass(frozen=True)
class Keeper:
    """Who keeps the index of a vault in the database, as the others see it there."""

    epoch: int
    """another one for every keeper"""
    era: str
    """made with the first of them: versions of another database say nothing"""
    version: int
    station: Station
    is_beating: bool
    """whether it was heard of lately"""


@runtime_checkable
class SharedEngine(Protocol):
    """An engine that several daemons share: one keeps it, the others read."""

    @property
    def keeps(self) -> bool:
        """Whether this daemon keeps it."""

    def keeper(self) -> Keeper | None:
        """Who keeps it, as far as that is known."""

    def written(self) -> str:
        """Up to where it has come with what this daemon wrote or saw last: `reached` takes it, at any daemon."""

    def reached(self, mark: str, seconds: float) -> bool:
        """Whether everything is there that was there at that mark; waits for it."""
