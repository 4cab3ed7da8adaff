"""Who did what, when and from where: lines that are only ever added, each chained to the one before by its hash.

The chain is that of the logs of sessions (docs/log-format.md), and verified in the same way. No text of a memory is in
it: the verb, the id, the user, the key, the address, and how it ended.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix.errors import StorageError
from helix.state.permissions import make_file, make_folder
from helix.vault.log.event import LogEvent, NotAnEvent, from_line, seal
from helix.vault.times import format_time, utc_now

AUDIT_FOLDER = "audit"
THREAD = "audit"
ALLOWED, REFUSED, FAILED = "allowed", "refused", "failed"
_END = ".jsonl"
_FULL = 16 * 1024 * 1024
"""bytes after which the next file is begun; none is ever removed"""


@dataclass(frozen=True)
class AuditLine:
    """One line of the files, as far as it can be read."""

    file: str
    number: int
    event: LogEvent | None
    """None for a line that is none"""
    problem: str | None
    """why the chain does not hold here"""


def read_lines(folder: Path) -> Iterator[AuditLine]:
    """All there are, the first one first, each held against the one before."""
    before: LogEvent | None = None
    for path in _files(folder):
        with open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    event = from_line(line, number, THREAD)
                except NotAnEvent as error:
                    yield AuditLine(path.name, number, None, f"the line is no event: {error}")
                    continue
                yield AuditLine(path.name, number, event, _problem(event, before))
                before = event


def _problem(event: LogEvent, before: LogEvent | None) -> str | None:
    if not event.is_intact:
        return "the line was changed: its hash is not that of its content"
    if event.seq != (1 if before is None else before.seq + 1):
        return f"lines are missing before it: its number is {event.seq}"
    if event.prev_hash != (None if before is None else before.hash):
        return "it does not follow the line before it"
    return None


class Audit:
    """The one writer. Lines are handed to the operating system as they are made, so a kill of the daemon loses none;
    a power cut may take the last few."""

    def __init__(self, state: Path) -> None:
        self._folder = state / AUDIT_FOLDER
        self._lock = threading.Lock()
        make_folder(self._folder)
        last = _last_event(self._folder)
        self._seq = 0 if last is None else last.seq
        self._hash = None if last is None else last.hash
        self._file = self._open()

    def close(self) -> None:
        with self._lock:
            os.close(self._file)

    def add(self, kind: str, actor: str, payload: Mapping[str, Any]) -> None:
        with self._lock:
            fields: dict[str, Any] = {
                "seq": self._seq + 1,
                "timestamp": format_time(utc_now()),
                "type": kind,
                "actor": actor,
                "thread": THREAD,
                "payload": {name: value for name, value in payload.items() if value is not None},
                "prev_hash": self._hash,
            }
            event = LogEvent(**fields, security=None, hash=seal(fields))
            if os.fstat(self._file).st_size > _FULL:
                os.close(self._file)
                self._file = self._open()
            try:
                line = event.to_line()
                if os.write(self._file, line) != len(line):
                    raise OSError("the disk took a part of the line only")
            except OSError as error:
                # What cannot be written down is not done.
                raise StorageError.from_os(error, f"the audit in {self._folder} cannot be written") from error
            self._seq, self._hash = event.seq, event.hash

    def _open(self) -> int:
        """The file that is written to: the last one, or the next when that is full."""
        files = _files(self._folder)
        is_full = not files or files[-1].stat().st_size > _FULL
        path = self._folder / f"{self._seq + 1:012}{_END}" if is_full else files[-1]
        make_file(path)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            os.write(descriptor, b"\n")  # a line that was torn stays, and nothing is glued to it
        return descriptor


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{_END}"))


def _last_event(folder: Path) -> LogEvent | None:
    for path in reversed(_files(folder)):
        for line in reversed(path.read_bytes().splitlines()):
            try:
                return from_line(line, 1, THREAD)
            except NotAnEvent:
                continue
    return None
