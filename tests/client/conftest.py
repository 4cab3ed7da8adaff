"""A real helixd for the tests of the SDK, and the bad line before it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.commands import helix
from tests.flows.daemon import Daemon, running_daemon
from tests.surfaces.conftest import surroundings

FAULT_SERVER = Path(__file__).parent.parent / "faults" / "server.py"
NO_HELIX = ("HELIX_URL", "HELIX_TOKEN", "HELIX_HOST", "HELIX_PORT", "HELIX_PROJECT", "HELIX_SESSION")


@dataclass(frozen=True)
class Running:
    daemon: Daemon
    place: Path
    env: Mapping[str, str]

    @property
    def url(self) -> str:
        return self.daemon.url

    @property
    def vault(self) -> Path:
        return self.place / "vault"

    def commit(self, message: str) -> None:
        name = ["-c", "user.name=Keeper", "-c", "user.email=keeper@harbour.example"]
        for command in (["add", "-A"], [*name, "commit", "-q", "-m", message]):
            subprocess.run(["git", "-C", str(self.vault), *command], env=self.env, check=True)


@contextmanager
def daemon_at(
    place: Path, files: Mapping[str, str] | None = None, settings: str = "", **more: str
) -> Iterator[Running]:
    """A daemon on a new vault in git, with these files in it."""
    env = {**surroundings(place), **more}
    for path, text in (files or {}).items():
        (place / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (place / "vault" / path).write_text(text, "utf-8")
    (place / "config").mkdir()
    (place / "config" / "config.toml").write_text(settings)
    helix("init", "--git", env=env)
    with running_daemon(env) as daemon:
        yield Running(daemon, place, env)


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with daemon_at(tmp_path_factory.mktemp("running")) as running:
        yield running


class BadLine:
    """The daemon as it is reached through `tests/faults/server.py`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._names = count()

    def to(self, *faults: str) -> Faulty:
        return Faulty(self._url, ",".join(faults), f"t{next(self._names)}")


@dataclass(frozen=True)
class Faulty:
    server: str
    script: str
    name: str

    @property
    def url(self) -> str:
        return f"{self.server}/faults/{self.script}/{self.name}"

    def seen(self) -> list[dict[str, Any]]:
        """The requests that came in."""
        return list(httpx.get(f"{self.server}/seen/{self.name}").json())


@pytest.fixture(scope="session")
def bad_line(running: Running) -> Iterator[BadLine]:
    command = [sys.executable, str(FAULT_SERVER), "--upstream", running.url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        try:
            yield BadLine(json.loads(server.stdout.readline())["url"])
        finally:
            server.stdin.close()  # it ends when its input does


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the developer's own Helix, nor of the repository that the tests lie in."""
    for name in NO_HELIX:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HELIX_CONFIG_DIR", str(tmp_path / "own-config"))
    # With a token for the address that a test names, what stands between client and daemon need not prove anything;
    # whoever does is in tests/shim/test_proof.py.
    monkeypatch.setenv("HELIX_TOKEN", "of-the-test")
    monkeypatch.chdir(tmp_path)
