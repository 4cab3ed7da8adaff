"""One look at the transcripts of this machine: what is new in those of named folders goes into the logs of sessions.

What is taken in twice is kept once, by the reference of each event; so the mark of a file is written after its events,
and whoever dies in between reads that stretch again.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from helix.capture.draft import CapturedEvent, SoFar, digest
from helix.capture.gemini_cli import lines_of_json
from helix.capture.marks import Marks, TranscriptMark
from helix.capture.registry import HOSTS, TranscriptHost
from helix.capture.settings import CaptureSettings, names_below

Ingest = Callable[[str, Sequence[Mapping[str, Any]]], int]
"""adds events to the log of a session, and says how many of them it did not have yet"""

_LINES_AT_ONCE = 200
_LONGEST_LINE = 8 * 1024 * 1024
_LARGEST_JSON = 64 * 1024 * 1024
_HEAD_LINES = 20
_HEAD_BYTES = 512
_EVENTS_AT_ONCE = 100
_BATCH = 256 * 1024


@dataclass(frozen=True)
class Transcript:
    host: TranscriptHost
    path: Path

    @property
    def session(self) -> str:
        """The session that it becomes."""
        return session_name(self.host.name, self.path.stem)


def session_name(host: str, stem: str) -> str:
    return f"{host}-{re.sub('[^A-Za-z0-9_.-]', '_', stem)}"[:128]


class Capture:
    def __init__(self, settings: CaptureSettings, marks: Marks, ingest: Ingest) -> None:
        self._settings = settings
        self._marks = marks
        self._ingest = ingest
        self._own = marks.folder
        # Only in memory: of folders that nobody named nothing is kept.
        self._wanted: dict[tuple[Path, int], bool] = {}
        self._seen: dict[Path, tuple[int, int, int]] = {}

    def transcripts(self) -> Iterator[Transcript]:
        """Those of named folders, of the chosen hosts."""
        for name, root in self._settings.hosts.items():
            if (host := HOSTS.get(name)) is None:
                continue
            for path in sorted(host.files(Path(root))):
                if self._is_wanted(transcript := Transcript(host, path)):
                    yield transcript

    def take_in(self, transcript: Transcript, *, is_stopped: Callable[[], bool] = lambda: False) -> int:
        """Everything that is new in one; says how many events that made."""
        made = 0
        with suppress(FileNotFoundError):  # the host tidied up this moment
            seen = _signature(os.stat(transcript.path))
            if self._seen.get(transcript.path) == seen:
                return 0
            with open(transcript.path, "rb") as file:
                mark = self._mark(transcript, file)
                while mark is not None:
                    if is_stopped():
                        return made
                    count, mark = self._stretch(transcript, file, mark)
                    made += count
            self._seen[transcript.path] = seen
        return made

    def pass_over(self, transcript: Transcript) -> None:
        """Only what is added from now on is wanted."""
        with suppress(FileNotFoundError), open(transcript.path, "rb") as file:
            mark = self._mark(transcript, file)
            while mark is not None:
                _, mark = self._stretch(transcript, file, mark, is_kept=False)

    def _is_wanted(self, transcript: Transcript) -> bool:
        try:
            key = (transcript.path, os.stat(transcript.path).st_ino)
            if key in self._wanted:
                return self._wanted[key]
            with open(transcript.path, "rb") as file:
                head, is_enough = _head(transcript.path, file)
        except OSError:
            return False
        folder = transcript.host.find_folder(transcript.path, head)
        # The daemon may ask an agent about sessions, in a folder of its own: what that writes down is no session.
        is_wanted = self._settings.names(folder) and not names_below(self._own, folder)
        if is_wanted or folder is not None or is_enough:
            self._wanted[key] = is_wanted
        return is_wanted

    def _mark(self, transcript: Transcript, file: BinaryIO) -> TranscriptMark | None:
        """Where to go on, with the file as it is now; None when nothing is new in it."""
        inode, size, touched = _signature(os.fstat(file.fileno()))
        known = self._marks.find(str(transcript.path))
        if known is not None and (known.inode, known.size, known.touched) == (inode, size, touched):
            return None
        fresh = TranscriptMark(inode, size, touched, 0, "", SoFar().to_json())
        if known is None:
            return fresh
        if not _is_json(transcript.path):
            is_same = known.offset <= size and known.head == _begins(file, known.offset)
            return replace(known, inode=inode, size=size, touched=touched) if is_same else fresh
        # Written as a whole each time. Its last message may have been added to, and is read again.
        return replace(fresh, offset=max(0, known.offset - 1), so_far=known.so_far)

    def _stretch(
        self, transcript: Transcript, file: BinaryIO, mark: TranscriptMark, *, is_kept: bool = True
    ) -> tuple[int, TranscriptMark | None]:
        """A stretch of lines, durable; and where to go on, if there may be more."""
        if _is_json(transcript.path):
            lines = lines_of_json(_read_json(file))[mark.offset :]
            offset, is_last = mark.offset + len(lines), True
        else:
            offset, lines = _read_lines(file, mark.offset)
            is_last = len(lines) < _LINES_AT_ONCE
        so_far = mark.to_so_far()
        drafts = transcript.host.read(lines, transcript.path.stem, so_far)
        made = 0
        for given in _batches(drafts if is_kept else []):
            made += self._ingest(transcript.session, given)
        # Only with the last stretch the file counts as read: a stop in between goes on from the offset.
        mark = replace(
            mark,
            touched=mark.touched if is_last else -1,
            offset=offset,
            head=_begins(file, offset),
            so_far=so_far.to_json(),
        )
        self._marks.put(str(transcript.path), transcript.session, mark)
        return made, None if is_last else mark


def _batches(drafts: Sequence[CapturedEvent]) -> Iterator[list[dict[str, Any]]]:
    """Few enough at once for the body of one request, and for others to be answered in between."""
    batch: list[dict[str, Any]] = []
    room = _BATCH
    for draft in drafts:
        given = draft.to_given()
        size = len(json.dumps(given))
        if batch and (size > room or len(batch) == _EVENTS_AT_ONCE):
            yield batch
            batch, room = [], _BATCH
        batch.append(given)
        room -= size
    if batch:
        yield batch


def _signature(info: os.stat_result) -> tuple[int, int, int]:
    return info.st_ino, info.st_size, info.st_mtime_ns


def _is_json(path: Path) -> bool:
    return path.suffix == ".json"


def _begins(file: BinaryIO, offset: int) -> str:
    """A digest of how it begins, as far as it has been read."""
    file.seek(0)
    return digest(file.read(min(offset, _HEAD_BYTES)).hex())


def _read_lines(file: BinaryIO, offset: int) -> tuple[int, list[str]]:
    """Some whole lines, and the place behind them. A last one without an end is not yet there."""
    file.seek(offset)
    lines: list[str] = []
    while len(lines) < _LINES_AT_ONCE:
        line = file.readline(_LONGEST_LINE)
        size, is_too_long = len(line), len(line) == _LONGEST_LINE
        while line and not line.endswith(b"\n") and is_too_long:
            line = file.readline(_LONGEST_LINE)
            size += len(line)
        if not line.endswith(b"\n"):
            break
        offset += size
        # A picture, or a file as a whole: nothing that is kept is in a line of that size.
        lines.append("" if is_too_long else line.decode("utf-8", "replace"))
    return offset, lines


def _head(path: Path, file: BinaryIO) -> tuple[list[str], bool]:
    """The first lines, and whether more of them would tell no more."""
    if _is_json(path):
        return lines_of_json(_read_json(file))[:1], True
    lines = [file.readline(_LONGEST_LINE) for _ in range(_HEAD_LINES)]
    return [line.decode("utf-8", "replace") for line in lines if line], bool(lines[-1])


def _read_json(file: BinaryIO) -> str:
    file.seek(0)
    return file.read(_LARGEST_JSON).decode("utf-8", "replace")
