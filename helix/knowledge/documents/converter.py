"""Files into text, by a process that may die of them."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from helix.knowledge.documents.converted import Converted, LeftOff, Stretch, Unreadable
from helix.knowledge.documents.formats import Format, check_beginning, check_installed
from helix.knowledge.documents.limits import MOST_CHARACTERS, SECONDS
from helix.knowledge.documents.readers import text as plain_text
from helix.memory.tokens import clean

_COMMAND = (sys.executable, "-m", "helix.knowledge.documents.conversion_process")
_ITS_VARIABLES = ("PATH", "LANG", "LC_", "PYTHON", "VIRTUAL_ENV", "TMPDIR")
"""of its surroundings: tokens and keys are often among the others"""
_MOST_FILES = 200
"""that one process reads: what readers leave behind in memory goes with it"""
_LOOK_AGAIN = 0.1
_LONGEST_ANSWER = 8 * MOST_CHARACTERS
_CONTROL = {code: None for code in range(32) if chr(code) not in "\n\t"} | {127: None}


class Converter:
    """Begins its process with the first file that needs one, and ends it on leaving."""

    def __init__(self, seconds: float = SECONDS, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """`seconds` is how long one file may take; `is_stopped` says whether to leave off in the middle of one."""
        self._seconds = seconds
        self._is_stopped = is_stopped
        self._process: subprocess.Popen[bytes] | None = None
        self._files = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def convert(self, form: Format, data: bytes) -> Converted:
        """Raises Unreadable, with a reason in plain words, ExtraMissing, and LeftOff."""
        check_installed(form)
        if not data.strip():
            raise Unreadable("it is empty")
        check_beginning(form, data)
        found = (
            plain_text.read(data, form.name, form.language) if form.is_plain else self._converted(form, data)
        )
        stretches = [_tidied(stretch) for stretch in found.stretches]
        if not any(stretch.text.strip() for stretch in stretches):
            raise Unreadable("there is no text in it")
        if sum(len(stretch.text) for stretch in stretches) > MOST_CHARACTERS:
            raise Unreadable(f"it has more than {MOST_CHARACTERS:,} characters of text")
        return Converted(stretches, found.title)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
        self._process, self._files = None, 0

    def _converted(self, form: Format, data: bytes) -> Converted:
        answer = self._ask(form, data)
        if "error" in answer:
            raise Unreadable(str(answer["error"]))
        return Converted([Stretch(**one) for one in answer["stretches"]], answer["title"])

    def _ask(self, form: Format, data: bytes) -> dict[str, Any]:
        if self._files >= _MOST_FILES:
            self.stop()
        process = self._process = self._process or self._started()
        self._files += 1
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            process.kill()

        alarm = threading.Timer(self._seconds, end)
        alarm.start()
        try:
            line = self._exchange(process, form, data)
        except LeftOff:
            self.stop()
            raise
        finally:
            alarm.cancel()
        if line.endswith(b"\n") and not is_late.is_set():
            answer: dict[str, Any] = json.loads(line)
            return answer
        status = process.wait() if is_late.is_set() or not line else None
        self.stop()
        if is_late.is_set() or status == -signal.SIGXCPU:
            raise Unreadable(f"it takes more than {self._seconds:.0f} seconds to read")
        raise Unreadable("its reader crashed on it; it is damaged, or made to do that")

    def _exchange(self, process: subprocess.Popen[bytes], form: Format, data: bytes) -> bytes:
        """The answer, or as much of one as there was before it died."""
        if process.stdin is None or process.stdout is None:
            return b""
        header = {
            "reader": form.reader,
            "format": form.name,
            "language": form.language,
            "length": len(data),
        }
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(header).encode() + b"\n")
            process.stdin.write(data)
            process.stdin.flush()
            while not select.select([process.stdout], [], [], _LOOK_AGAIN)[0]:
                if self._is_stopped():
                    raise LeftOff
            return process.stdout.readline(_LONGEST_ANSWER)
        return b""

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name.startswith(_ITS_VARIABLES)},
            start_new_session=True,  # Ctrl-C is for the command, which then ends this process itself
        )


def _tidied(stretch: Stretch) -> Stretch:
    """What a note can hold. Lines keep their number where they are counted."""
    text = clean(stretch.text).translate(_CONTROL)
    return replace(stretch, text=text if stretch.unit == "line" else text.strip() + "\n")
