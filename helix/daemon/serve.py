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
from helix.compose import open_replica, open_vault
from helix.config import MODES, Config, from_process, is_database
from helix.daemon.allocator import share_arenas
from helix.daemon.certificate import HEADERS, Certificate
from helix.daemon.connections import BoundedConnection
from helix.daemon.exposure import check_exposure, local_url
from helix.daemon.logs import LEVELS, announce, start_logging
from helix.daemon.open_workspaces import OpenWorkspaces
from helix.daemon.served_workspace import ServedWorkspace, served_workspace
from helix.daemon.shared import Shared
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
    reads_only, vault_id = flags.pop("reader"), flags.pop("vault_id")
    share_arenas()
    try:
        config = from_process(**flags)
        start_logging(_checked(config).log_level)
        with _opened_to_read(config, vault_id) if reads_only else _opened(config) as followed:
            _serve(followed, config)
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
    parser.add_argument(
        "--reader",
        action="store_true",
        help="answer from the database of `index`, without a vault folder, and pass changes to the daemon that has it",
    )
    parser.add_argument(
        "--vault-id",
        default="",
        help="which vault of the database a reader answers for, where it has several",
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


@contextmanager
def _opened_to_read(config: Config, vault_id: str) -> Iterator[FollowedVault]:
    if not is_database(config.index):
        raise ConfigError("a reader needs `index` with the address of the database: set HELIX_INDEX")
    with open_replica(config, vault_id) as followed:
        yield followed


def _serve(followed: FollowedVault, config: Config) -> None:
    release = version("helix-memory")
    dialects = enabled(config.dialects.enabled)
    listener = _listen(config)
    port = int(listener.getsockname()[1])
    here = Whereabouts(local_url(config, port), os.getpid(), release)
    models = Models(config.state_dir, config.embed_threads)
    token = TokenFile(config).get
    shared = Shared(config, here.url) if is_database(config.index) else None
    if shared is not None:
        followed.station = shared.station
    admits = partial(_admission, port, token)
    with models, served_workspace(followed, models, release, admits) as main:
        _make_token(token)
        admission = main.admission
        workspaces = OpenWorkspaces(
            config.workspaces,
            Workspaces(followed.config.config_dir, followed.config.vault),
            main,
            partial(_open_another, config, models, release, here, admission, shared),
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
        certificate = _certificate(config)
        if certificate is not None:
            plugged.append(Plugged(lifespans=[certificate.run]))
        policy, layers = admission.policy, list(admission.layers)
        if shared is not None:
            policy = shared.policy(policy)
            plugged.append(Plugged(shared.routes()))
            layers += shared.layers(is_reader=followed.replica is not None)
        app = make_app(
            main.doors,
            policy,
            release,
            workspaces,
            plugged,
            layers,
            workspaces.figures,
        )
        server = _Server(app, [main.end_streams, workspaces.end_streams], config)
        if certificate is not None:
            server.config.load()
            certificate.context = server.config.ssl
        _leave_quietly(server)
        with _findable(followed, here):
            what = "reads from its database" if followed.replica else f"follows {followed.vault.root.path}"
            announce(
                f"helixd {what} and serves {here.url}/",
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
    shared: Shared | None,
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
        _stationed(followed, shared, f"{PREFIX}{listed.full_name}"),
        served_workspace(followed, own_models, release, admits, is_main=False) as served,
        _findable(followed, replace(here, url=f"{here.url}{PREFIX}{listed.full_name}")),
    ):
        yield served


@contextmanager
def _stationed(followed: FollowedVault, shared: Shared | None, path: str) -> Iterator[None]:
    if shared is not None:
        followed.station = shared.at(path)
    yield


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


def _certificate(config: Config) -> Certificate | None:
    return Certificate(config.tls_certificate, config.tls_key) if config.tls_certificate else None


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
                headers=HEADERS if config.tls_certificate else None,
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
