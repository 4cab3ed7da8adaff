"""`helixd`: follows a vault and serves it on loopback; other workspaces when somebody asks for them."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

from helix.access.workspaces import ListedWorkspace, Workspaces
from helix.compose import open_vault
from helix.config import MODES, Config, from_process
from helix.daemon.allocator import share_arenas
from helix.daemon.connections import BoundedConnection
from helix.daemon.exposure import check_exposure, local_url
from helix.daemon.logs import LEVELS, announce, start_logging
from helix.daemon.open_workspaces import OpenWorkspaces
from helix.daemon.served_workspace import ServedWorkspace, served_workspace
from helix.dialects.registry import enabled
from helix.errors import ConfigError, HelixError, VaultLocked
from helix.follow.daemon_address import Whereabouts
from helix.memory.followed_vault import FollowedVault
from helix.memory.shared_models import Models
from helix.memory.workspace import Workspace
from helix.state.permissions import close_state
from helix.surfaces.app import Admission, Plugged, make_app
from helix.surfaces.daemon_proof import routes as proof
from helix.surfaces.dashboard.routes import routes as dashboard
from helix.surfaces.doors import doors_in
from helix.surfaces.in_workspace import PREFIX
from helix.surfaces.local_access import LocalAccess
from helix.surfaces.mcp.lazy_surface import mcp_routes
from helix.surfaces.rest.dialects import dialect_rest
from helix.surfaces.rest.workspaces import routes as workspace_routes
from helix.token_file import TokenFile
from helix.vault.vault_id import state_folder

log = logging.getLogger(__name__)

# How long whoever asks for a workspace waits for a command that is at work in its vault.
_WORKSPACE_PATIENCE = 5.0
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
    parser.add_argument("--host", help="the address to listen on (HELIX_HOST, 127.0.0.1)")
    parser.add_argument("--port", type=int, help="the port (HELIX_PORT, 7878); 0 takes any that is free")
    parser.add_argument(
        "--mode",
        choices=MODES,
        help="whom to serve: this machine's owner, a team with keys, or both (HELIX_MODE, local)",
    )
    parser.add_argument(
        "--log-level", choices=LEVELS, help="warning; info adds a line per request (HELIX_LOG_LEVEL)"
    )
    parser.add_argument("--version", action="version", version=f"helixd {version('helix-memory')}")
    return parser.parse_args(argv)


def _checked(config: Config) -> Config:
    check_exposure(config)
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
    here = Whereabouts(local_url(config, port), os.getpid(), release)
    models = Models(config.state_dir, config.embed_threads)
    token = TokenFile(config).get
    admits = partial(_admission, port, token)
    with models, served_workspace(followed, models, release, admits) as main:
        _make_token(token)
        admission = main.admission
        workspaces = OpenWorkspaces(
            config.workspaces,
            Workspaces(config.config_dir, config.vault),
            main,
            partial(_open_another, config, models, release, here, admission),
        )
        plugged = [
            Plugged(lifespans=[main.run, workspaces.run]),
            Plugged(mcp_routes(lambda scope: doors_in(scope).mcp, dialects)),
            Plugged(dialect_rest(dialects)),
            Plugged(dashboard(config.mode)),
            Plugged(proof(token)),
            Plugged(workspace_routes(workspaces.states)),
            *admission.plugged,
        ]
        app = make_app(
            main.doors,
            admission.policy,
            release,
            workspaces,
            plugged,
            admission.layers,
            workspaces.figures,
        )
        server = _Server(app, [main.end_streams, workspaces.end_streams], config)
        _leave_quietly(server)
        with _findable(followed, here):
            announce(
                f"helixd follows {followed.vault.root.path} and serves {here.url}/",
                url=here.url,
                pid=here.pid,
            )
            server.run(sockets=[listener])
    announce("helixd stopped; everything acknowledged is on disk")


@contextmanager
def _open_another(
    config: Config,
    models: Models,
    release: str,
    here: Whereabouts,
    admission: Admission,
    listed: ListedWorkspace,
) -> Iterator[ServedWorkspace]:
    """A workspace besides the daemon's own one: a vault, a state folder, a lock and an index of its own."""

    @contextmanager
    def admits(workspace: Workspace) -> Iterator[Admission]:
        with admission.joins(workspace) as audit:
            yield replace(admission, audit=audit)

    own = replace(config, vault=listed.vault)
    with (
        open_vault(own, must_follow=True, patience=_WORKSPACE_PATIENCE) as followed,
        models.beside(followed.state) as own_models,
        served_workspace(followed, own_models, release, admits, is_main=False) as served,
        _findable(followed, replace(here, url=f"{here.url}{PREFIX}{listed.full_name}")),
    ):
        yield served


@contextmanager
def _admission(port: int, token: Callable[[], str], workspace: Workspace) -> Iterator[Admission]:
    """Whom the daemon serves, and what that takes."""
    config = workspace.followed.config
    if config.mode == "local":
        yield Admission(LocalAccess(config.host, port, token, require_token=config.require_token))
        return
    # Here and not above: one person pays for nothing that a team needs.
    from helix.daemon.team import opened_team

    with opened_team(workspace, port, token) as admission:
        yield admission


@contextmanager
def _findable(followed: FollowedVault, here: Whereabouts) -> Iterator[None]:
    """As long as it serves, clients find it where the state folder says."""
    state = followed.state
    here.record(state)
    followed.reconciler.on_scan.append(partial(here.record_again, state))
    try:
        yield
    finally:
        Whereabouts.forget(state)


def _make_token(token: Callable[[], str]) -> None:
    """Clients know their daemon by it: it should be there before the first of them asks."""
    try:
        token()
    except ConfigError as error:
        log.warning("clients cannot tell that this is your daemon, and keep away from it: %s", error.message)


class _Server(uvicorn.Server):
    def __init__(self, app: FastAPI, on_stop: Sequence[Callable[[], None]], config: Config) -> None:
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
                ssl_certfile=config.tls_certificate or None,
                ssl_keyfile=config.tls_key or None,
                timeout_keep_alive=_KEEP_ALIVE,
                timeout_graceful_shutdown=_LAST_ANSWERS,
            )
        )
        self._on_stop = on_stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        for end in self._on_stop:
            end()
        super().handle_exit(sig, frame)


def _leave_quietly(server: uvicorn.Server) -> None:
    """uvicorn raises the signal again once it has stopped; by default that would end the process before the
    databases and the lock are let go."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, partial(_stop, server))


def _stop(server: uvicorn.Server, *_: object) -> None:
    server.should_exit = True


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
