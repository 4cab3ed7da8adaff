"""What Helix keeps beside the vault is its owner's alone, whatever the umask says and whoever made it."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from helix.state.permissions import close_state
from tests.cli.commands import BIN
from tests.flows.daemon import running_daemon
from tests.surfaces.conftest import surroundings

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")


def open_to_others(folder: Path) -> list[str]:
    return [
        f"{path} {stat.S_IMODE(path.lstat().st_mode):o}"
        for path in (folder, *folder.rglob("*"))
        if stat.S_IMODE(path.lstat().st_mode) & 0o077 and not path.is_symlink()
    ]


def test_the_state_folder_and_all_in_it_is_closed_under_any_umask(tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    (tmp_path / "vault").mkdir()
    before = os.umask(0)
    try:
        with running_daemon(env) as daemon:
            remember = [str(BIN / "helix"), "remember", "Deploys go out on Tuesdays", "--global"]
            subprocess.run(remember, env=env, check=True, capture_output=True)
            subprocess.run([BIN / "helix", "recall", "deploys"], env=env, check=True, capture_output=True)
            databases = list((tmp_path / "state").rglob("*.db"))
            assert databases
            assert [path for path in databases if open_to_others(path)] == []
            assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
            assert daemon.process.poll() is None
        assert open_to_others(tmp_path / "state") == []
        assert stat.S_IMODE((tmp_path / "config" / "token").stat().st_mode) == 0o600
    finally:
        os.umask(before)
    [note] = (tmp_path / "vault" / "global").glob("*.md")
    assert stat.S_IMODE(note.stat().st_mode) == 0o666, "notes keep the rights that the umask gives"


def test_what_an_earlier_version_left_open_is_closed_when_the_daemon_starts(tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    (tmp_path / "vault").mkdir()
    state = tmp_path / "state"
    (state / "models" / "some").mkdir(parents=True)
    state.chmod(0o755)
    for name in ("embeddings.db", "helixd.log.old", "models/some/model.bin"):
        (state / name).write_bytes(b"")
        (state / name).chmod(0o644)
    with running_daemon(env):
        assert stat.S_IMODE(state.stat().st_mode) == 0o700
        assert [
            one for one in open_to_others(state) if "models" in one or "embeddings" in one or ".old" in one
        ] == []


def test_what_is_not_helixs_own_stays_as_it_is(tmp_path: Path) -> None:
    """Somebody keeps the state in a folder with other things."""
    tmp_path.chmod(0o755)
    (tmp_path / "homepage.html").write_text("")
    (tmp_path / "homepage.html").chmod(0o644)
    (tmp_path / "vaults" / "one").mkdir(parents=True)
    (tmp_path / "vaults" / "one" / "link").symlink_to(tmp_path / "homepage.html")
    (tmp_path / "vaults").chmod(0o755)
    close_state(tmp_path)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path, *tmp_path.iterdir())}
    assert modes == {tmp_path.name: 0o755, "homepage.html": 0o644, "vaults": 0o700}
