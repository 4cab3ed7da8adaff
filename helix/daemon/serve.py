"""`helixd`: follows one vault and serves it on loopback."""

from __future__ import annotations

import argparse
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

from helix.compose import Helix, RecallSoon, open_helix, open_service
from helix.config import Config, from_process
from helix.errors import ConfigError, HelixError
from helix.follow.follower import Follower
from helix.memory.service import Service
from helix.surfaces.access import is_loopback
from helix.surfaces.mcp.surface import McpSurface
from helix.surfaces.rest import make_app

# How long a question waits for a daemon that has just started.
_PATIENCE = 20.0
# How long answers under way may take when the daemon is asked to stop.
_LAST_ANSWERS = 5


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _parse(argv)
    logging.basicConfig(level=arguments.log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    try:
        config = from_process(vault=arguments.vault, host=arguments.host, port=arguments.port)
        with open_helix(_checked(config), must_follow=True) as helix:
            _serve(helix, arguments.log_level)
    except HelixError as error:
        sys.exit(f"helixd: {error.message}")


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="helixd", description="Follow a vault and serve it on this machine."
    )
    parser.add_argument("--vault", type=Path, help="the vault folder (HELIX_VAULT)")
    parser.add_argument("--host", help="a loopback address to listen on (HELIX_HOST, 127.0.0.1)")
    parser.add_argument("--port", type=int, help="the port (HELIX_PORT, 7878)")
    parser.add_argument("--log-level", default="warning", choices=("debug", "info", "warning", "error"))
    parser.add_argument("--version", action="version", version=f"helixd {version('helix-memory')}")
    return parser.parse_args(argv)


def _checked(config: Config) -> Config:
    if not is_loopback(config.host):
        raise ConfigError(
            f"{config.host} is not a loopback address; helixd serves this machine only, on 127.0.0.1"
        )
    if config.require_token and not config.token:
        raise ConfigError("require_token is set but there is no token; set HELIX_TOKEN")
    return config


def _serve(helix: Helix, log_level: str) -> None:
    follower = helix.follower()
    recall = RecallSoon(helix)
    with open_service(helix, lambda: recall.get(_PATIENCE)) as service:
        _run(helix, follower, recall, service, log_level)


def _run(helix: Helix, follower: Follower, recall: RecallSoon, service: Service, log_level: str) -> None:
    mcp = McpSurface(service, version("helix-memory"), is_ready=recall.is_settled)
    helix.on_change(mcp.memories_changed)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        follower.start()
        recall.start()
        try:
            async with mcp.run():
                yield
        finally:
            follower.stop()
            recall.stop()

    app = make_app(helix, follower, recall, service, mcp, version("helix-memory"), lifespan)
    listener = _listen(helix.config)
    sys.stderr.write(f"helixd follows {helix.vault.root.path} and serves {helix.config.base_url}/\n")
    settings = uvicorn.Config(
        app, log_level=log_level, timeout_graceful_shutdown=_LAST_ANSWERS, access_log=False
    )
    _Server(settings, mcp.end_streams).run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, settings: uvicorn.Config, on_stop: Callable[[], None]) -> None:
        super().__init__(settings)
        self._on_stop = on_stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._on_stop()
        super().handle_exit(sig, frame)


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
