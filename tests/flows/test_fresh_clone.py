"""What a new user does: clone, `make run`, remember, edit, forget, stop, run again. Everything as README says it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from helix.config import ENVIRONMENT
from tests.flows.daemon import free_port
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parent.parent.parent
_INSTALL_PATIENCE = 600.0  # a new virtual environment, on a machine that runs the other tests as well
_NO_NETWORK = (
    "No matching distribution found",
    "Temporary failure in name resolution",
    "Network is unreachable",
)

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="NOT PROVED HERE: there is no make")


def clone(place: Path) -> Path:
    """The repository as it is in the working tree, so that what is tested is what is being changed."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(place)], check=True, capture_output=True)
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
        else:
            (place / name).unlink(missing_ok=True)
    return place


def newcomer(home: Path) -> dict[str, str]:
    """The environment of somebody who has nothing of Helix; how the machine gets its packages stays as it is."""
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if key not in {*ENVIRONMENT, "VIRTUAL_ENV"}}
    for name in [one for one in kept if one.startswith(("XDG_", "PYTEST_"))]:
        del kept[name]
    pip = Path.home() / ".config" / "pip" / "pip.conf"
    cache = subprocess.run(
        [sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True
    ).stdout.strip()
    return {
        **kept,
        **({"PIP_CONFIG_FILE": str(pip)} if pip.exists() else {}),
        **({"PIP_CACHE_DIR": cache} if cache else {}),
        "HOME": str(home),
        "HELIX_PORT": str(free_port()),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


@contextmanager
def make_run(folder: Path, env: Mapping[str, str], log: Path) -> Iterator[None]:
    """`make run` in the foreground of a terminal of its own; Ctrl-C at the end."""
    with log.open("w") as said:
        process = subprocess.Popen(
            ["make", "run"],
            cwd=folder,
            env=env,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            wait_for(lambda: _is_ready(process, env["HELIX_PORT"], log), _INSTALL_PATIENCE)
            yield
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=60)


def _is_ready(process: subprocess.Popen[bytes], port: str, log: Path) -> bool:
    if process.poll() is not None:
        said = log.read_text()
        if any(sign in said for sign in _NO_NETWORK):
            pytest.skip(
                "NOT PROVED HERE: no packages can be fetched, so nothing was installed from a fresh clone"
            )
        raise AssertionError(said[-4000:])
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return bool(json.load(answer)["state"] == "ready")
    except OSError:
        return False


@pytest.mark.long
def test_a_memory_lives_from_a_fresh_clone_to_after_a_restart(tmp_path: Path) -> None:
    folder = clone(tmp_path / "helix")
    env = newcomer(tmp_path / "home")
    log = tmp_path / "make-run.log"

    def helix(*arguments: str) -> Any:
        command = [str(folder / ".venv" / "bin" / "helix"), *arguments, "--json"]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    def found(question: str) -> str:
        return " ".join(one["text"] for one in helix("recall", question)["results"])

    question = "when does the warehouse export run?"
    with make_run(folder, env, log):
        made = helix("remember", "The warehouse export runs at 02:40 on host heron", "--kind", "fact")
        assert "02:40" in found(question)
        file = tmp_path / "home" / "helix-vault" / helix("get", made["id"])["path"]
        subprocess.run(["sed", "-i", "s/02:40/03:15/", str(file)], check=True)
        wait_for(lambda: "03:15" in found(question))
        assert "02:40" not in found(question)
        helix("forget", made["id"])
        assert "03:15" not in found(question)
    said = log.read_text()
    assert f"http://127.0.0.1:{env['HELIX_PORT']}/" in said
    assert "helix connect" in said

    before = {one: one.read_bytes() for one in (tmp_path / "home" / "helix-vault").rglob("*.md")}
    with make_run(folder, env, log):
        assert "03:15" not in found(question)
        assert helix("status")
    assert {one: one.read_bytes() for one in (tmp_path / "home" / "helix-vault").rglob("*.md")} == before
    assert file.exists()
