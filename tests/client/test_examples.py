"""The examples of the Python SDK: the commands of their pages run, and do what the pages say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from helix import Helix
from tests.cli.commands import BIN
from tests.client.conftest import Running

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WHO = ("AUTHOR", "COMMITTER")


def run_page(name: str, place: Path, running: Running) -> list[str]:
    """What the commands of an example's page print, in a copy of its folder."""
    folder = place / name
    shutil.copytree(EXAMPLES / name, folder)
    page = (folder / "README.md").read_text("utf-8")
    [script] = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    return run(["sh", "-ec", script], folder, running).stdout.splitlines()


def run(
    command: list[str], folder: Path, running: Running, code: int = 0
) -> subprocess.CompletedProcess[str]:
    who = {
        f"GIT_{one}_{what}": said
        for one in WHO
        for what, said in (("NAME", "Ana"), ("EMAIL", "ana@shop.example"))
    }
    env = {
        **os.environ,
        **running.env,
        **who,
        "HELIX_URL": running.url,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def test_the_agent_finds_what_it_decided(running: Running, tmp_path: Path) -> None:
    printed = run_page("python-agent", tmp_path, running)
    asked = printed.index("# How does the auth client retry?")
    assert "kept created: mem_" in printed[asked - 2]
    answer = "\n".join(printed[asked:])
    assert "The auth client retries three times, with full jitter between the tries." in answer
    assert "kept nothing" in answer
    with Helix(running.url) as mem:
        [kept] = [one for one in mem.recent_all(filters={"tag": "agent"}) if "half to even" in one.text]
        assert mem.get(kept.id).kind == "decision"


def test_the_bot_keeps_the_decisions_of_a_log_once(running: Running, tmp_path: Path) -> None:
    printed = run_page("ci-bot", tmp_path, running)
    said = [line.split()[1] for line in printed]
    assert said == ["created", "created", "created", "noop", "noop", "noop"]
    before = {file: file.read_bytes() for file in (running.vault / "projects" / "shop").rglob("*.md")}
    assert len(before) == 3
    script = str(tmp_path / "ci-bot" / "decisions.py")
    run([sys.executable, script], tmp_path / "ci-bot" / "shop", running)
    after = {file: file.read_bytes() for file in (running.vault / "projects" / "shop").rglob("*.md")}
    assert after == before


def test_the_bot_names_what_git_cannot_find(running: Running, tmp_path: Path) -> None:
    run(["git", "init", "-q"], tmp_path, running)
    done = run(
        [sys.executable, str(EXAMPLES / "ci-bot" / "decisions.py"), "no-such-branch"],
        tmp_path,
        running,
        code=1,
    )
    assert "ci-bot: " in done.stderr
    assert "Traceback" not in done.stderr
