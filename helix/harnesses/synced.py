"""Which projects have been given their rules, kept in the state folder: so that somebody can see what has drifted."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = "harnesses"


@dataclass(frozen=True)
class SyncedProject:
    folder: str
    vault: str
    project: str | None
    harnesses: list[str]


class SyncedProjects:
    def __init__(self, state_dir: Path) -> None:
        self._folder = state_dir / FOLDER

    def find(self, folder: Path) -> SyncedProject | None:
        return _read(self._path(folder))

    def all(self) -> Iterator[SyncedProject]:
        found = map(_read, sorted(self._folder.glob("*.json")))
        return (project for project in found if project is not None)

    def keep(self, project: SyncedProject) -> None:
        path = self._path(Path(project.folder))
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        draft.write_text(json.dumps(asdict(project)), "utf-8")
        draft.replace(path)

    def forget(self, folder: Path) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._path(folder).unlink()

    def _path(self, folder: Path) -> Path:
        return (
            self._folder / f"{hashlib.sha256(str(folder).encode('utf-8', 'replace')).hexdigest()[:24]}.json"
        )


def _read(path: Path) -> SyncedProject | None:
    try:
        return SyncedProject(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None  # the files themselves say what is ours in them
