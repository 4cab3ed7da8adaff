"""The built package, a real daemon to ask, and a bad line to it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.commands import helix
from tests.flows.daemon import running_daemon
from tests.sdk.package import ROOT, Package, find_package
from tests.surfaces.conftest import surroundings


@pytest.fixture(scope="session")
def package() -> Package:
    return find_package()


@pytest.fixture(scope="session")
def asked(package: Package, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with asking(tmp_path_factory.mktemp("asked")) as env:
        yield env


@contextmanager
def asking(place: Path) -> Iterator[dict[str, str]]:
    """The environment of a program that asks a daemon, straight (HELIX_URL) or over a bad line (HELIX_FAULTS)."""
    env = surroundings(place)
    (place / "config").mkdir()
    (place / "config" / "config.toml").write_text('[secrets]\nprograms = ["env"]\n')
    helix("init", "--git", env=env)
    with running_daemon(env) as daemon:
        faults = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "faults" / "server.py"), "--upstream", daemon.url],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert faults.stdout is not None
            yield {"HELIX_URL": daemon.url, "HELIX_FAULTS": json.loads(faults.stdout.readline())["url"]}
        finally:
            faults.communicate("")


@pytest.fixture(scope="session")
def strict(package: Package, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A daemon that asks everybody for its token."""
    place = tmp_path_factory.mktemp("strict")
    env = {**surroundings(place), "HELIX_TOKEN": "only-for-those-who-know"}
    (place / "config").mkdir()
    (place / "config" / "config.toml").write_text("require_token = true\n")
    helix("init", env=env)
    with running_daemon(env) as daemon:
        yield {"HELIX_STRICT_URL": daemon.url, "HELIX_STRICT_TOKEN": env["HELIX_TOKEN"]}
