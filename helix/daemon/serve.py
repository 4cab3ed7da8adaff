"""`helixd`: follows one vault and serves it on loopback."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import anyio.to_thread
import uvicorn
from fastapi import FastAPI
from helix_mcp.address import is_loopback

from helix.compose import open_vault, open_workspace
from helix.config import Config, from_process
from helix.daemon.allocator import share_arenas
from helix.daemon.capturing import CaptureSoon
from helix.daemon.connections import BoundedConnection
from helix.daemon.logs import LEVELS, announce, start_logging
from helix.daemon.relearning import RelearnSoon
from helix.dialects.registry import enabled
from helix.errors import ConfigError, HelixError, VaultLocked
from helix.follow.daemon_address import Whereabouts
from helix.follow.follower import Follower
from helix.memory.followed_vault import FollowedVault
from helix.memory.maintenance.worker import Upkeep
from helix.memory.search_engine import RecallSoon
from helix.memory.shared_models import Models
from helix.memory.workspace import Workspace
from helix.state.permissions import close_state
from helix.surfaces.app import Doors, Plugged, make_app
from helix.surfaces.daemon_proof import routes as proof
from helix.surfaces.dashboard.routes import routes as dashboard
from helix.surfaces.local_access import LocalAccess
from helix.surfaces.mcp.deferred_package import leave_out_client
from helix.surfaces.mcp.lazy_surface import McpSoon
from helix.surfaces.monitoring.clients import Clients
from helix.surfaces.monitoring.events import Events
from helix.surfaces.monitoring.health import DaemonHealth
from helix.surfaces.monitoring.metrics import Metrics
from helix.surfaces.monitoring.status import DaemonStatus
from helix.token_file import TokenFile
from helix.vault.vault_id import state_folder

if TYPE_CHECKING:
    from helix.surfaces.mcp.surface import McpSurface

log = logging.getLogger(__name__)

# How long a question waits for a daemon that has just started.
_PATIENCE = 20.0
# How long answers under way may take when the daemon is asked to stop.
_LAST_ANSWERS = 5
# Programs on this machine ask again and again; a new connection each time would cost more than the answer.
_KEEP_ALIVE = 60


def main(argv: Sequence[str] | None = None) -> None:
    flags = vars(_parse(argv))
    share_arenas()
    try:
        config = from_process(**flags)
        start_logging(_checked(config).log_level)
        with _opened(config) as followed:
            _serve(followed)
    except HelixError as error:
        sys.exit(f"helixd: {error.message}")


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="helixd", description="Follow a vault and serve it on this machine."
    )
    parser.add_argument("--vault", type=Path, help="the vault folder (HELIX_VAULT)")
    parser.add_argument("--host", help="a loopback address to listen on (HELIX_HOST, 127.0.0.1)")
    parser.add_argument("--port", type=int, help="the port (HELIX_PORT, 7878); 0 takes any that is free")
    parser.add_argument(
        "--log-level", choices=LEVELS, help="warning; info adds a line per request (HELIX_LOG_LEVEL)"
    )
    parser.add_argument("--version", action="version", version=f"helixd {version('helix-memory')}")
    return parser.parse_args(argv)


def _checked(config: Config) -> Config:
    if not is_loopback(config.host):
        raise ConfigError(
            f"{config.host} is not a loopback address; helixd serves this machine only, on 127.0.0.1"
        )
    if config.log_level not in LEVELS:
        raise ConfigError(f"log_level is {config.log_level!r}; give one of {', '.join(LEVELS)}")
    enabled(config.dialects.enabled)  # one that there is not is said before anything is opened
    return config


@contextmanager
def _opened(config: Config) -> Iterator[FollowedVault]:
    close_state(config.state_dir)
    try:
        with open_vault(config, must_follow=True) as followed:
            yield followed
        close_state(config.state_dir)
    except VaultLocked as error:
        first = Whereabouts.find(state_folder(config.state_dir, config.vault))
        if first is None:
            raise
        raise VaultLocked(
            f"a daemon already follows this vault: process {first.pid}, at {first.url}; use that one, or stop it first"
        ) from error


def _serve(followed: FollowedVault) -> None:
    config, release = followed.config, version("helix-memory")
    dialects = enabled(config.dialects.enabled)
    listener = _listen(config)
    port = int(listener.getsockname()[1])
    here = Whereabouts(_url(config.host, port), os.getpid(), release)
    models = Models(config.state_dir, config.embed_threads)
    recall = RecallSoon(followed, models, somebody_waits=lambda: mcp.is_loading)
    with models, open_workspace(followed, lambda: recall.get(_PATIENCE)) as workspace:
        token = TokenFile(config).get
        _make_token(token)
        clients = Clients(followed.vault.clock)
        mcp = McpSoon(
            partial(_make_mcp, workspace, release, recall, clients, config.max_body_bytes), dialects
        )
        followed.on_change(mcp.memories_changed)
        follower = followed.follower()
        on_scans = (CaptureSoon(workspace), RelearnSoon(workspace))
        followed.reconciler.on_scan += [on_scan.look for on_scan in on_scans]
        doors = _make_doors(workspace, follower, recall, clients, mcp, release)
        plugged = [
            Plugged(
                lifespans=[
                    partial(_following, follower, recall, workspace.upkeep, on_scans),
                    doors.events.run,
                ]
            ),
            Plugged(mcp.routes(), [mcp.run]),
            Plugged(dashboard()),
            Plugged(proof(token)),
        ]
        policy = LocalAccess(config.host, port, token, require_token=config.require_token)
        server = _Server(make_app(doors, policy, release, plugged), [mcp.end_streams, doors.events.end])
        _leave_quietly(server)
        with _findable(followed, here):
            server.run(sockets=[listener])
    announce("helixd stopped; everything acknowledged is on disk")


@contextmanager
def _findable(followed: FollowedVault, here: Whereabouts) -> Iterator[None]:
    """As long as it serves, clients find it where the state folder says."""
    state = followed.state
    here.record(state)
    followed.reconciler.on_scan.append(partial(here.record_again, state))
    announce(f"helixd follows {followed.vault.root.path} and serves {here.url}/", url=here.url, pid=here.pid)
    try:
        yield
    finally:
        Whereabouts.forget(state)


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


def _make_token(token: Callable[[], str]) -> None:
    """Clients know their daemon by it: it should be there before the first of them asks."""
    try:
        token()
    except ConfigError as error:
        log.warning("clients cannot tell that this is your daemon, and keep away from it: %s", error.message)


class _Server(uvicorn.Server):
    def __init__(self, app: FastAPI, on_stop: Sequence[Callable[[], None]]) -> None:
        """`on_stop` ends the streams of those who listen: the server would wait for them."""
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                ws="none",
                proxy_headers=False,
                server_header=False,
                http=BoundedConnection,
                timeout_keep_alive=_KEEP_ALIVE,
                timeout_graceful_shutdown=_LAST_ANSWERS,
            )
        )
        self._on_stop = on_stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        for end in self._on_stop:
            end()
        super().handle_exit(sig, frame)


def _make_doors(
    workspace: Workspace,
    follower: Follower,
    recall: RecallSoon,
    clients: Clients,
    mcp: McpSoon,
    release: str,
) -> Doors:
    followed = workspace.followed
    health = DaemonHealth(followed, follower, recall, workspace.upkeep, release)
    metrics = Metrics(health.look)
    workspace.tell_answers(metrics.hear)
    events = Events(workspace.journal, health.look_soon)
    status = DaemonStatus(
        followed, recall, health, metrics, clients, mcp_sessions=mcp.sessions, listeners=events.count
    )
    return Doors(workspace, recall, health, metrics, events, clients, status)


@asynccontextmanager
async def _following(
    follower: Follower, recall: RecallSoon, upkeep: Upkeep, on_scans: Sequence[CaptureSoon | RelearnSoon]
) -> AsyncIterator[None]:
    for worker in (follower, recall, upkeep):
        worker.start()
    try:
        yield
    finally:
        for stop in (*(on_scan.stop for on_scan in on_scans), upkeep.stop, follower.stop, recall.stop):
            await anyio.to_thread.run_sync(stop)


def _leave_quietly(server: uvicorn.Server) -> None:
    """uvicorn raises the signal again once it has stopped; by default that would end the process before the
    databases and the lock are let go."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, partial(_stop, server))


def _stop(server: uvicorn.Server, *_: object) -> None:
    server.should_exit = True


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _listen(config: Config) -> socket.socket:
    """Bind before anything is promised, so that a port in use is one clear sentence."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((config.host, config.port))
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"cannot listen on {config.host}:{config.port} ({error.strerror}); stop what uses it or set HELIX_PORT"
        ) from error
    return listener
