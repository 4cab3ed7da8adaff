"""Running the commands as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cli.forked import run_forked

BIN = Path(sys.executable).parent


def helix(
    *arguments: str, ok: bool = True, feed: str = "", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / "helix"), *arguments]
    done = run_forked(command, env=env or os.environ, cwd=os.getcwd(), feed=feed, timeout=60)
    assert (done.returncode == 0) is ok, f"helix {arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def remembered(text: str, *options: str) -> Any:
    """A new memory, as `helix get` shows it; kept whatever it says."""
    made = helix_json("remember", text, "--force", *options)
    return helix_json("get", made["id"])


def listed(*options: str) -> list[Any]:
    """Every memory of every project, the last changed first."""
    where = () if "--project" in options else ("--all",)
    return list(helix_json("recent", "--limit", "1000", *where, *options)["results"])


def helix_json(*arguments: str, ok: bool = True) -> Any:
    return json.loads(helix(*arguments, "--json", ok=ok).stdout)
