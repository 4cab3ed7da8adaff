"""What a person who looks after a daemon wants to know beyond its health."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

from helix.memory.search_engine import RecallSoon
from helix.memory.tokens import Payload
from helix.memory.workspace import Workspace
from helix.surfaces.monitoring.clients import Clients
from helix.surfaces.monitoring.health import DaemonHealth
from helix.surfaces.monitoring.measurements import CachedMeasurement, disk_use, git_state
from helix.surfaces.monitoring.metrics import Metrics

_DISK_LASTS = 60.0
_GIT_LASTS = 10.0


class DaemonStatus:
    def __init__(
        self,
        workspace: Workspace,
        recall: RecallSoon,
        health: DaemonHealth,
        metrics: Metrics,
        clients: Clients,
        *,
        mcp_sessions: Callable[[], int],
        listeners: Callable[[], int],
        served: Mapping[str, Any] = MappingProxyType({}),
        role: Callable[[], str | None] = lambda: None,
    ) -> None:
        """`served` says of a daemon for several people whom it serves; `role` what it is among several daemons."""
        self._role = role
        self._workspace = workspace
        self._served = served
        self._recall = recall
        self._health = health
        self._metrics = metrics
        self._clients = clients
        self._mcp_sessions = mcp_sessions
        self._listeners = listeners
        followed = workspace.followed
        config = followed.config
        vault, state = Path(followed.vault.root.path), followed.state
        self._disk = CachedMeasurement(lambda: disk_use(vault, state), _DISK_LASTS)
        self._git = CachedMeasurement(lambda: git_state(vault, config.git.autocommit), _GIT_LASTS)

    def look(self) -> Payload:
        health = self._health.look()
        index = self._recall.health()
        embedder: Payload | None = None
        if index is not None:
            known = asdict(index)
            embedder = {
                "model": known["model"],
                "dimensions": self._recall.dimensions(),
                "lag": known["index_lag"],
                "cache_hits": known["cache_hits"],
                "cache_misses": known["cache_misses"],
                "degraded": known["degraded"],
            }
        role = self._role()
        frozen = self._workspace.freeze.find()
        return {
            "state": health["state"],
            "version": health["version"],
            "uptime_seconds": health["uptime_seconds"],
            "routes": self._metrics.routes(),
            "verbs": self._metrics.verbs(),
            "clients": self._clients.lately(),
            "mcp_sessions": self._mcp_sessions(),
            "listeners": self._listeners(),
            "embedder": embedder,
            "watcher": {
                "state": health["watcher"],
                "restarts": health["watcher_restarts"],
                "last_scan_seconds": health["last_scan_seconds"],
                "waiting": health["waiting"],
            },
            "disk": self._disk.get(),
            "git": self._git.get(),
            "consolidation": health["consolidation"],
            **({} if role is None else {"role": role}),
            **({} if frozen is None else {"frozen": frozen}),
            **self._served,
        }
