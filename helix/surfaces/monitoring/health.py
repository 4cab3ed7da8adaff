"""How the daemon is: starting, ready, or degraded, with reasons that a program can read and a person too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from helix.follow.follower import Follower, FollowerHealth
from helix.memory.followed_vault import FollowedVault
from helix.memory.maintenance.worker import Upkeep
from helix.memory.replica import Replica
from helix.memory.search_engine import RecallSoon
from helix.memory.tokens import Payload

if TYPE_CHECKING:
    from helix.index.engine import IndexHealth

# Probes have threads of their own, and do not wait for long: they are asked for when everything else is busy.
_PROBES = 4
_PATIENCE = 1.0


class DaemonHealth:
    def __init__(
        self,
        followed: FollowedVault,
        follower: Follower | Replica,
        recall: RecallSoon,
        upkeep: Upkeep,
        version: str,
    ) -> None:
        self._followed = followed
        self._follower = follower
        self._recall = recall
        self._upkeep = upkeep
        self._version = version
        self._started = time.monotonic()
        self._probes = anyio.CapacityLimiter(_PROBES)
        self._last: Payload | None = None

    async def look_soon(self) -> Payload:
        """Within a second: what was seen last, while the catalog is busy with a large change."""
        with anyio.move_on_after(_PATIENCE):
            return await anyio.to_thread.run_sync(self.look, limiter=self._probes, abandon_on_cancel=True)
        return self._last or self._nothing_yet()

    def look(self) -> Payload:
        self._last = self._look()
        return self._last

    def _look(self) -> Payload:
        following, index = self._follower.health(), self._recall.health()
        reasons = list(self._reasons(following, index))
        is_searched = index is not None and not index.is_starting
        starting = following.state == "starting" or not (is_searched or self._recall.failure)
        state = "degraded" if reasons else "starting" if starting else "ready"
        return self._report(state, reasons, following, index)

    def _report(
        self, state: str, reasons: list[Payload], following: FollowerHealth, index: IndexHealth | None
    ) -> Payload:
        figures = asdict(following)
        error = figures.pop("watcher_error")
        figures["watcher"] = error or following.watcher
        del figures["state"], figures["reason"]
        return {
            "state": state,
            "reasons": reasons,
            "version": self._version,
            "vault": self._followed.vault.root.path,
            "uptime_seconds": round(time.monotonic() - self._started, 1),
            **figures,
            "index": None if index is None else asdict(index),
            "consolidation": self._upkeep.health(),
        }

    def _nothing_yet(self) -> Payload:
        following = FollowerHealth("starting", None, {}, 0, 0, 0, "starting", None, 0, None, None)
        return self._report("starting", [], following, None)

    def _reasons(self, following: FollowerHealth, index: IndexHealth | None) -> Iterator[Payload]:
        trouble = self._followed.state_trouble
        if not self._followed.vault.is_there():
            yield {
                "code": "vault-missing",
                "message": following.reason
                or f"the vault folder {self._followed.vault.root.path} is not there",
            }
        elif (reason := self._followed.reconciler.brake.reason) is not None:
            yield {"code": "brake-pulled", "message": reason}
        elif trouble is None and following.reason is not None:
            yield {"code": "not-following", "message": following.reason}
        if trouble is not None:
            yield {"code": "state-unwritable", "message": trouble}
        if following.watcher_error is not None:
            yield {
                "code": "watcher-restarting",
                "message": f"{following.watcher_error}; full scans see changes meanwhile",
            }
        if index is None:
            if self._recall.failure:
                yield {"code": "search-unavailable", "message": self._recall.failure}
        elif index.degraded is not None:
            yield from self._index_reasons(index, index.degraded)

    def _index_reasons(self, index: IndexHealth, why: str) -> Iterator[Payload]:
        if index.indexing is not None:  # to be under way is no reason to worry anybody
            return
        if index.model is None and index.is_kept:
            if self._followed.config.model != "none":  # somebody who wants no model is not told so every day
                yield {"code": "embedder-unavailable", "message": why}
        else:
            yield {"code": "search-degraded", "message": why}


def can_serve(health: Payload) -> bool:
    return all(reason["code"] != "vault-missing" for reason in health["reasons"])
