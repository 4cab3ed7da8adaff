from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from helix.config import ENVIRONMENT

SEED = "HELIX_TEST_SEED"
_UNPROVED = "NOT PROVED HERE"

# How long an example takes says how busy the machine is, and nothing about Helix.
settings.register_profile("busy neighbours", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy neighbours")


def pytest_configure(config: pytest.Config) -> None:
    # The keyring of whoever runs the tests is none of their business. A test that needs one brings it.
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    # In the environment, because the workers of a run must all put their tests into the same order.
    os.environ.setdefault(SEED, str(random.SystemRandom().randrange(1, 100_000)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A new order in each run, so that a test which needs another one before it is found out.

    Modules stay together, for what they share is made once. Only the order comes from the seed: what tests draw by
    themselves, and what hypothesis tries, differs from run to run as before.
    """
    order = random.Random(int(os.environ[SEED]))
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.nodeid.partition("::")[0], []).append(item)
    groups = list(modules.values())
    order.shuffle(groups)
    for group in groups:
        order.shuffle(group)
    shuffled = [item for group in groups for item in group]
    # Those that take a minute come first: begun last, they would keep one worker busy and the others idle.
    items[:] = sorted(shuffled, key=lambda item: item.get_closest_marker("long") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    unproved = Counter(
        str(one.longrepr[2]).removeprefix("Skipped: ")
        for one in terminalreporter.getreports("skipped")
        if isinstance(one.longrepr, tuple) and _UNPROVED in one.longrepr[2]
    )
    if unproved:
        terminalreporter.write_sep(
            "!", "something is missing on this machine, and was not tested", red=True, bold=True
        )
        for reason, count in unproved.most_common():
            terminalreporter.write_line(f"{count} skipped. {reason}", red=True)
    terminalreporter.write_line(f"order of the tests: {SEED}={os.environ[SEED]}")


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place of its own for vault, state and config, which every command in this test uses.

    Words only, unless the test is marked `model`: each command that loads the model takes seconds.
    """
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv("HELIX_MODEL", "none")
    monkeypatch.setenv("HELIX_VAULT", str(tmp_path / "vault"))
    monkeypatch.setenv("HELIX_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HELIX_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("HELIX_PROJECT", raising=False)
    monkeypatch.chdir(tmp_path)  # in no repository, and so in no project
    return tmp_path
