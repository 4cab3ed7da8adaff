"""Every ```sh block of README and the pages is run as it is written, page by page, by a new user in a new home."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from helix.config import ENVIRONMENT
from tests.cli.commands import BIN
from tests.flows.daemon import free_port

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Written by hand or from the code: both are read by people, and people paste.
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    if BLOCK.search(page.read_text())
]

# What a script cannot do as a person does it: a daemon in the foreground is stopped once it serves, as with Ctrl-C;
# `make` is what the test of a fresh clone runs.
_PRELUDE = r"""
set -euo pipefail
trap 'helix down >&2 || true' EXIT
helixd() {
  "$(type -P helixd)" "$@" & local daemon=$! port=$HELIX_PORT
  [[ "$*" =~ --port\ ([0-9]+) ]] && port=${BASH_REMATCH[1]}
  until curl --silent --fail --output /dev/null "127.0.0.1:$port/healthz"; do kill -0 $daemon; sleep 0.1; done
  kill -INT $daemon
  wait $daemon
}
make() { :; }
"""
# What a page takes for granted: a vault, a daemon that runs, notes in another folder.
_GRANTED = {
    "assets.md": "helix init",
    "distilling.md": "helix init",
    "doctor.md": "helix init",
    "harnesses.md": "helix init",
    "import-and-export.md": "helix init && mkdir Notes && echo 'Lichen grows slowly.' > Notes/lichen.md",
    "operations.md": "helix init && helix init notes",
    "skills.md": "helix init",
    "rest-api.md": "helix init && helix up",
    "secrets.md": "helix init",
    "security.md": "helix init",
}
# Those that newcomers follow. On the others each command would load the model for nothing.
_BY_MEANING = {"README.md", "quickstart.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_as_they_are_written(page: Path, tmp_path: Path) -> None:
    home, port = tmp_path / "home", str(free_port())
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if key not in ENVIRONMENT and "XDG" not in key}
    env = {
        **kept, "HOME": str(home), "PATH": f"{BIN}:{kept['PATH']}", "HELIX_PORT": port, "EDITOR": "true", "VISUAL": "",
        "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com", "GIT_COMMITTER_NAME": "Ann",
        "GIT_COMMITTER_EMAIL": "ann@example.com", "GIT_CONFIG_GLOBAL": os.devnull, "NO_COLOR": "1",
        "HELIX_MODEL": "bundled" if page.name in _BY_MEANING else "none",
    }  # fmt: skip
    script = (
        "".join(BLOCK.findall(page.read_text("utf-8")))
        .replace("7878", port)
        .replace("7900", str(free_port()))
    )
    (tmp_path / "page.sh").write_text(f"{_PRELUDE}{_GRANTED.get(page.name, '')}\n{script}")
    done = subprocess.run(
        ["bash", "-x", str(tmp_path / "page.sh")],
        cwd=home,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
