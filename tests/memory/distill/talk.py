"""Sessions as capture leaves them in the log, and the inbox of who owns the vault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helix.memory.tokens import Payload
from helix.sessions import append
from tests.memory.world import World


class Talk:
    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = folder

    def start(self, session: str = "s") -> None:
        self.add("hook.session_started", "claude-code", {"workspace": str(self.folder)}, session)

    def say(self, text: str, role: str = "user", session: str = "s") -> Any:
        return self.add("transcript.turn", role, {"role": role, "content": text}, session)

    def run(self, command: str, code: int = 0) -> Any:
        return self.add("command.completed", "claude-code", {"command": command, "exit_code": code})

    def edit(self, path: str) -> Any:
        return self.add("file.edit.applied", "claude-code", {"path": path, "operation": "modified"})

    def add(self, kind: str, actor: str, payload: dict[str, Any], session: str = "s") -> Any:
        request = self.world.service.request()
        return append.append(request, session_id=session, event_type=kind, actor=actor, payload=payload)

    def erase(self, seq: int, session: str = "s") -> None:
        append.erase(self.world.service.request(), session_id=session, seq=seq)

    def proposed(self) -> list[Payload]:
        found: list[Payload] = []
        cursor: str | None = None
        while True:
            page = self.world.service.inbox(limit=50, max_tokens=20_000, cursor=cursor)
            found += [item for item in page["items"] if item["what"] == "proposed"]
            if (cursor := page["next_cursor"]) is None:
                return found

    def texts(self) -> list[str]:
        return [item["proposal"]["text"] for item in self.proposed()]
