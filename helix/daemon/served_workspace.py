"""One workspace as it is served: its vault followed, its search, its surfaces, and the doors that lead to them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from helix.compose import open_workspace
from helix.config import is_database
from helix.daemon.archiving import ArchiveSoon
from helix.daemon.capturing import CaptureSoon
from helix.daemon.distilling import DistillSoon
from helix.daemon.relearning import RelearnSoon
from helix.follow.follower import Follower
from helix.index.station import SharedEngine
from helix.memory.followed_vault import FollowedVault
from helix.memory.maintenance.worker import Upkeep
from helix.memory.replica import Replica
from helix.memory.search_engine import RecallSoon
from helix.memory.shared_models import Models
from helix.memory.workspace import Workspace
from helix.surfaces.app import Admission
from helix.surfaces.doors import Doors
from helix.surfaces.mcp.deferred_package import leave_out_client
from helix.surfaces.mcp.lazy_surface import McpSoon
from helix.surfaces.monitoring.clients import Clients
from helix.surfaces.monitoring.events import Events
from helix.surfaces.monitoring.health import DaemonHealth
from helix.surfaces.monitoring.metrics import Metrics
from helix.surfaces.monitoring.status import DaemonStatus

if TYPE_CHECKING:
    from helix.surfaces.mcp.surface import McpSurface

# How long a question waits for a workspace that has just been opened.
_PATIENCE = 20.0

Admits = Callable[[Workspace], AbstractContextManager[Admission]]


@dataclass(frozen=True)
class ServedWorkspace:
    followed: FollowedVault
    doors: Doors
    admission: Admission
    follower: Follower | Replica
    before: Sequence[Callable[[], None]]
    """what is stopped first"""

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """As long as it is served: its threads, its live events, its MCP."""
        doors = self.doors
        async with AsyncExitStack() as stack:
            upkeep = doors.workspace.upkeep
            await stack.enter_async_context(_following(self.follower, doors.recall, upkeep, self.before))
            await stack.enter_async_context(doors.events.run())
            await stack.enter_async_context(doors.mcp.run())
            yield

    def end_streams(self) -> None:
        """From any thread: who listens would be waited for."""
        self.doors.mcp.end_streams()
        self.doors.events.end()

    def is_at_work(self) -> bool:
        """Whether something goes on that nobody waits for: closing it would put it off."""
        index = self.doors.recall.health()
        return self.doors.mcp.sessions() > 0 or (index is not None and index.indexing is not None)


@contextmanager
def served_workspace(
    followed: FollowedVault, models: Models, release: str, admits: Admits, *, is_main: bool = True
) -> Iterator[ServedWorkspace]:
    """`admits` lets people into it, and says what that takes."""
    recall = RecallSoon(followed, models, somebody_waits=lambda: mcp.is_loading)
    with open_workspace(followed, lambda: recall.get(_PATIENCE)) as workspace, admits(workspace) as admission:
        find_engine = partial(_find_engine, recall)
        if is_database(followed.config.index):
            # Here and not above: what only several daemons need.
            from helix.daemon.passing import PassingGate

            workspace.gate = PassingGate(
                workspace.gate, find_engine, has_folder=followed.replica is None, is_settled=recall.is_settled
            )
        clients = Clients(followed.vault.clock)
        mcp = McpSoon(partial(_make_mcp, workspace, release, recall, clients, followed.config.max_body_bytes))
        followed.on_change(mcp.memories_changed)
        follower = followed.replica or followed.follower()
        capture = CaptureSoon(workspace)
        on_scans = (capture, DistillSoon(followed), RelearnSoon(workspace), ArchiveSoon(followed))
        followed.reconciler.on_scan += [*(one.look for one in on_scans), workspace.jobs.start]
        health = DaemonHealth(followed, follower, recall, workspace.upkeep, release)
        metrics = Metrics(health.look, of_process=is_main)
        workspace.tell_answers(metrics.hear)
        events = Events(workspace.journal, health.look_soon)
        status = DaemonStatus(
            workspace,
            recall,
            health,
            metrics,
            clients,
            mcp_sessions=mcp.sessions,
            listeners=events.count,
            served=admission.status,
            role=lambda: role_of(followed, find_engine()),
        )
        doors = Doors(
            workspace, recall, health, metrics, events, clients, status, capture.look, mcp,
            admission.audit, is_main, find_engine,
        )  # fmt: skip
        before = [workspace.jobs.stop, *(one.stop for one in on_scans)]
        yield ServedWorkspace(followed, doors, admission, follower, before)


def _find_engine(recall: RecallSoon) -> SharedEngine | None:
    index = recall.find()
    return index if isinstance(index, SharedEngine) else None


def role_of(followed: FollowedVault, engine: SharedEngine | None) -> str | None:
    """None for a daemon that shares its index with nobody."""
    if followed.replica is not None:
        return "reader"
    if engine is None:
        return None
    return "keeper" if engine.keeps else "standby"


def _make_mcp(
    workspace: Workspace, release: str, recall: RecallSoon, clients: Clients, max_body_bytes: int
) -> McpSurface:
    # Here and not above: a second, which only a daemon with an agent has to pay.
    leave_out_client()
    from helix.surfaces.mcp.surface import McpSurface

    return McpSurface(
        workspace,
        release,
        is_ready=recall.is_settled,
        on_call=lambda place: clients.saw(place, "mcp"),
        max_body_bytes=max_body_bytes,
    )


@asynccontextmanager
async def _following(
    follower: Follower | Replica, recall: RecallSoon, upkeep: Upkeep, before: Sequence[Callable[[], None]]
) -> AsyncIterator[None]:
    for worker in (follower, recall, upkeep):
        worker.start()
    try:
        yield
    finally:
        for stop in (*before, upkeep.stop, follower.stop, recall.stop):
            await anyio.to_thread.run_sync(stop)
