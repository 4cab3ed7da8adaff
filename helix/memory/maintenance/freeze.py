"""Freezing a vault: what would change memories is refused, with the reason, until somebody thaws it. Reading goes on.

That it is frozen stands in a file of the state folder, so that it survives a restart, and commands that run without a
daemon see it too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from helix.errors import Frozen
from helix.memory import answers
from helix.memory.request import Request, verb
from helix.vault.times import format_time, utc_now

FREEZE_FILE = "frozen.json"
_USUAL = "no reason was given"
_OWNER = "the owner of the machine"


class Freeze:
    def __init__(self, state: Path) -> None:
        self._path = state / FREEZE_FILE

    def find(self) -> answers.FrozenState | None:
        """Since when, by whom and why; None when it is not frozen. A file that cannot be read freezes too."""
        try:
            text = self._path.read_text("utf-8")
        except FileNotFoundError:
            return None
        except OSError:
            text = ""
        try:
            kept = json.loads(text)
            return {"since": str(kept["since"]), "by": str(kept["by"]), "reason": str(kept["reason"])}
        except (ValueError, KeyError, TypeError):
            return {"since": "", "by": "", "reason": f"{self._path} cannot be read; `helix thaw` removes it"}

    def check(self) -> None:
        """Raises Frozen."""
        if (state := self.find()) is not None:
            raise Frozen(f"nothing can be changed for now: {state['reason']}. Reading goes on")

    def begin(self, by: str, reason: str) -> answers.FrozenState:
        state: answers.FrozenState = {"since": format_time(utc_now()), "by": by, "reason": reason}
        draft = self._path.with_name(f".{FREEZE_FILE}.{os.getpid()}")
        with open(draft, "w", encoding="utf-8") as file:
            file.write(json.dumps(state, ensure_ascii=False))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path)
        return state

    def end(self) -> None:
        self._path.unlink(missing_ok=True)


@verb("freeze")
def freeze(request: Request, reason: str = "") -> answers.Freezing:
    """From now on nothing is changed; what is under way is completed. Frozen again, it says the newer reason."""
    by = request.principal.user or _OWNER
    return {"frozen": request.freeze.begin(by, " ".join(reason.split()).rstrip(".") or _USUAL)}


@verb("thaw")
def thaw(request: Request) -> answers.Freezing:
    """Changes are taken again."""
    request.freeze.end()
    return {"frozen": None}
