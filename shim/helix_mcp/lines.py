"""The lines of standard input, and signals that end the wait for them."""

from __future__ import annotations

import os
import select
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_INPUT = 0
_PIECE = 65536
_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP")


class Stopped(BaseException):
    """A signal asked for the end; raised in the main thread, wherever it is."""


class Lines:
    def __init__(self) -> None:
        self._wakes = _INPUT
        self._is_stopping = False
        for name in _SIGNALS:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._stop)
        if hasattr(select, "poll"):
            # A signal that comes just before the wait begins, or to another thread, would not end it; a byte does.
            self._wakes, written = os.pipe()
            os.set_blocking(written, False)
            signal.set_wakeup_fd(written, warn_on_full_buffer=False)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_stopping:  # asked twice: at once
            os._exit(0)
        self._is_stopping = True
        raise Stopped

    def __iter__(self) -> Iterator[bytes]:
        """Each line without its end; the last one may have none. Of any length, and of any bytes but the newline."""
        begun: list[bytes] = []
        while piece := self._read():
            *ended, rest = piece.split(b"\n")
            if ended:
                yield b"".join([*begun, ended[0]])
                yield from ended[1:]
                begun = []
            begun.append(rest)
        yield b"".join(begun)

    def _read(self) -> bytes:
        if self._wakes != _INPUT:
            poll = select.poll()
            poll.register(_INPUT, select.POLLIN)
            poll.register(self._wakes, select.POLLIN)
            while not any(number == _INPUT for number, _ in poll.poll()):
                pass  # the signal's own function runs now, and raises Stopped
        return os.read(_INPUT, _PIECE)
