"""Sources in the daemon: followed from the first look at the vault on, where there are any."""

from __future__ import annotations

from helix.memory.workspace import Workspace


class SourcesSoon:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        workspace.serves_sources = True

    def look(self) -> None:
        """With every full scan: whether somebody has connected one since."""
        if self._workspace.has_sources():
            self._workspace.sources().serve()

    def stop(self) -> None:
        if self._workspace.has_sources():
            self._workspace.sources().stop()
