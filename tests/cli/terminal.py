"""Running a command in a terminal of 80 columns, as a person does."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from tests.cli.commands import BIN

if sys.platform == "win32":
    pytest.skip("there are no pseudo-terminals", allow_module_level=True)

import fcntl
import pty
import termios

COLUMNS = 80
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Seen:
    status: int
    raw: str
    """what was written to the terminal, standard error among it"""

    @property
    def lines(self) -> list[str]:
        """As they stand at the end: without colour, and without what a progress bar wrote over."""
        text = _ESCAPES.sub("", self.raw).replace("\r\n", "\n")
        return [line.rpartition("\r")[2] for line in text.split("\n")]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def in_terminal(
    arguments: Sequence[str],
    env: Mapping[str, str] | None = None,
    feed: bytes = b"",
    answers: Sequence[tuple[bytes, bytes]] = (),
) -> Seen:
    """`feed` is typed at once; of `answers` each when its question has been asked."""
    waiting = list(answers)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    surroundings = {**os.environ, "TERM": "xterm", **(env or {})}
    process = subprocess.Popen(
        [str(BIN / "helix"), *arguments], stdin=slave, stdout=slave, stderr=slave, env=surroundings
    )
    os.close(slave)
    if feed:
        os.write(master, feed)
    written = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the last one who had it open is gone
            break
        if not piece:
            break
        written += piece
        if waiting and waiting[0][0] in written:
            os.write(master, waiting.pop(0)[1])
    os.close(master)
    return Seen(process.wait(timeout=60), written.decode())


def width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)
