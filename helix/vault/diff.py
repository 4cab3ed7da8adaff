"""What changed: between two listings of the vault, and so in its memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from helix.vault.note import Note
from helix.vault.walk import Signature


@dataclass(frozen=True)
class Difference:
    """Paths in order, so that every run over the same vault works in the same sequence."""

    new: list[str]
    changed: list[str]
    gone: list[str]


class Origin(Enum):
    """Where the bytes of a note come from, as far as its own ancestry says."""

    HERE = "a Helix on this machine wrote them"
    ELSEWHERE = "a Helix on another machine wrote them"
    EDITED = "somebody changed the file after any Helix"


@dataclass(frozen=True)
class Change:
    """One memory as it is now; without a note it has left the vault."""

    memory_id: str
    path: str
    note: Note | None
    was: str | None = None
    """the path where it stood before; None for a memory that is new here"""
    origin: Origin = Origin.EDITED


def diff(disk: Mapping[str, Signature], catalog: Mapping[str, Signature]) -> Difference:
    return Difference(
        new=sorted(disk.keys() - catalog.keys()),
        changed=sorted(path for path, seen in catalog.items() if disk.get(path, seen) != seen),
        gone=sorted(catalog.keys() - disk.keys()),
    )
