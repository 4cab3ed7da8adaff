"""The picture of a terminal: real commands on a real vault, in 80 columns. `make pictures` runs it."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import urllib.request
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from helix.config import ENVIRONMENT
from tests.cli.commands import BIN
from tests.flows.daemon import free_port
from tests.waiting import wait_for

_COLUMNS, _ROWS = 80, 50
_SHOWN = (
    'helix remember "Tile checks run before publish, and stop it" --kind decision --project fernway-tiles',
    'helix recall "why do we not cache trails in redis?" --limit 2',
    'helix context "raise the rate limit of the API" --max-tokens 350',
    "helix status",
)
_THEME = TerminalTheme(
    (250, 250, 248), (46, 52, 64),
    [
        (59, 66, 82), (176, 52, 52), (58, 125, 68), (150, 110, 20),
        (45, 95, 160), (130, 70, 140), (30, 120, 130), (120, 125, 135),
    ],
)  # fmt: skip
_FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="Helix in a terminal">
<style>
.{unique_id}-matrix {{
  font: {char_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; line-height: {line_height}px;
}}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
<rect width="{width}" height="{height}" rx="8" fill="#fafaf8"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def run_in_terminal(command: str, env: Mapping[str, str], folder: Path) -> str:
    """What a person sees of a command, with its colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    process = subprocess.Popen(
        ["bash", "-c", command], stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=folder
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # Linux tells so that the last writer has gone
            chunk = b""
        if not chunk:
            break
        said += chunk
    os.close(ours)
    if process.wait() != 0:
        sys.exit(f"{command}: {said.decode()}")
    return said.decode().replace("\r\n", "\n")


def _index_lag(port: str) -> int | None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10) as answer:
        index = json.load(answer)["index"]
    return None if index is None else int(index["index_lag"])


def picture() -> str:
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        env = {key: value for key, value in os.environ.items() if key not in ENVIRONMENT and "XDG" not in key}
        env |= {"HOME": place, "PATH": f"{BIN}:{env['PATH']}", "HELIX_PORT": str(free_port())}
        env |= {"TERM": "xterm-256color", "COLUMNS": str(_COLUMNS)}
        run_in_terminal("helix init --example && helix up", env, home)
        console = Console(
            record=True, width=_COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor"
        )
        try:
            wait_for(lambda: _index_lag(env["HELIX_PORT"]) == 0, seconds=120)
            for command in _SHOWN:
                console.print(Text.assemble(("$ ", "green"), (command, "bold")))
                console.print(Text.from_ansi(run_in_terminal(command, env, home).rstrip("\n")), end="\n\n")
        finally:
            run_in_terminal("helix down", env, home)
    svg = console.export_svg(title="helix", theme=_THEME, code_format=_FORMAT, unique_id="helix")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


if __name__ == "__main__":
    sys.stdout.write(picture())
