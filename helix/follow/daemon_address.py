"""Where the daemon of a vault answers: a small file beside its lock, for those who look for it."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from helix.vault.vault_id import DAEMON_FILE


@dataclass(frozen=True)
class Whereabouts:
    url: str
    pid: int
    version: str

    def record(self, state_folder: Path) -> None:
        draft = state_folder / f"{DAEMON_FILE}.{os.getpid()}"
        draft.write_text(json.dumps(asdict(self)), "utf-8")
        draft.replace(state_folder / DAEMON_FILE)

    def record_again(self, state_folder: Path) -> None:
        """After somebody deleted the state folder, or this file, under a running daemon."""
        if self.find(state_folder) != self:
            with suppress(OSError):  # no room, or no permission: the next look tries again
                self.record(state_folder)

    @classmethod
    def find(cls, state_folder: Path) -> Whereabouts | None:
        """What the last daemon said of itself. Whether it still runs, only the lock knows."""
        try:
            fields = json.loads((state_folder / DAEMON_FILE).read_text("utf-8"))
            return cls(str(fields["url"]), int(fields["pid"]), str(fields["version"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @staticmethod
    def forget(state_folder: Path) -> None:
        (state_folder / DAEMON_FILE).unlink(missing_ok=True)
