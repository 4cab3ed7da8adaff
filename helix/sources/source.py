"""A source: a folder of this machine, whose it is, and who sees what is in it.

It is filed as a memory is, so that one condition decides who sees memories and who sees sources.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from helix.vault.times import parse_time


@dataclass(frozen=True)
class SourceFolder:
    id: str
    name: str
    folder: Path
    project: str | None
    owner: str | None
    visibility: str
    created_at: str

    kind: ClassVar[str] = "source"
    status: ClassVar[str] = "active"
    session: ClassVar[None] = None
    tags: ClassVar[Collection[str]] = ()

    @property
    def scope(self) -> str:
        return "global" if self.project is None else "project"

    @property
    def created(self) -> datetime | None:
        return parse_time(self.created_at)
