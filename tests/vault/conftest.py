from __future__ import annotations

from pathlib import Path

import pytest

from tests.vault.git_sandbox import Sandbox


@pytest.fixture
def isolated_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for name in ("AUTHOR", "COMMITTER"):
        for fact in ("NAME", "EMAIL", "DATE"):
            monkeypatch.delenv(f"GIT_{name}_{fact}", raising=False)


@pytest.fixture
def sandbox(isolated_git: None, tmp_path: Path) -> Sandbox:
    return Sandbox.create(tmp_path / "vault")
