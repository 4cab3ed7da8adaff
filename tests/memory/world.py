"""The verbs on a real vault with a real index, as a daemon has it; by words only unless a model is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from helix.compose import open_vault, open_workspace
from helix.config import Config, FollowConfig
from helix.memory.followed_vault import FollowedVault
from helix.memory.place import Place
from helix.memory.principal import Visibility
from helix.memory.search_engine import Recall, open_recall
from helix.memory.tokens import Payload
from helix.memory.workspace import Workspace
from helix.memory.writing.write import NewText
from tests.memory.asking import Verbs

ME = Place("billing", "s-1", "tester")
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


class World:
    def __init__(self, folder: Path, recall: Recall, workspace: Workspace) -> None:
        self.folder = folder
        self.helix: FollowedVault = workspace.followed
        self.recall = recall
        self.workspace = workspace
        self.service = Verbs(workspace)

    def add(self, text: str, caller: Place = ME, **wish: Any) -> Payload:
        return self.service.write(NewText(text, **wish), caller)

    def put(self, path: str, text: str) -> Path:
        """As a person would: a file, seen by the follower."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        self.helix.reconciler.reconcile([path], settled=True)
        return file

    def read(self, memory_id: str) -> str:
        row = self.helix.catalog.find(memory_id)
        assert row is not None
        return (self.folder / row.path).read_text("utf-8")

    def files(self) -> dict[str, bytes]:
        return {
            str(file.relative_to(self.folder)): file.read_bytes()
            for file in sorted(self.folder.rglob("*.md"))
            if ".git" not in file.parts
        }

    def found(self, query: str, caller: Place = ME, **how: Any) -> list[str]:
        answer = self.service.search(query, caller=caller, limit=50, max_tokens=25_000, **how)
        return [one["id"] for one in answer["results"]]


@contextmanager
def opened(
    place: Path, *, model: str = "none", now: datetime | None = NOW, visibility: Visibility | None = None
) -> Iterator[World]:
    folder = place / "vault"
    folder.mkdir(parents=True, exist_ok=True)
    config = Config(
        vault=folder,
        state_dir=place / "state",
        config_dir=place / "config",
        model=model,
        follow=FollowConfig(vanish_grace=0.0),
    )
    with open_vault(config, must_follow=True) as helix:
        if now is not None:
            helix.vault.clock = lambda: now
        helix.catch_up()
        with open_recall(helix) as recall, open_workspace(helix, lambda: recall, visibility) as workspace:
            yield World(folder, recall, workspace)


def record(memory_id: str, body: str, **meta: Any) -> str:
    said = {"id": memory_id, "title": memory_id, "kind": "fact", "scope": "global", **meta}
    lines = [f"{key}: {value}" for key, value in said.items()]
    return "\n".join(["---", *lines, "---", body]) + "\n"
