from __future__ import annotations

import os
from pathlib import Path

import pytest

from helix.config import ENVIRONMENT


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place of its own for vault, state and config, which every command in this test uses."""
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HELIX_VAULT", str(tmp_path / "vault"))
    monkeypatch.setenv("HELIX_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HELIX_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("HELIX_PROJECT", raising=False)
    monkeypatch.chdir(tmp_path)  # in no repository, and so in no project
    return tmp_path
