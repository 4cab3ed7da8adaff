"""The thread that takes in what agents write down while the daemon runs. It is there only while capture is on."""

from __future__ import annotations

import logging
import sqlite3
import threading
from pathlib import Path

from helix.capture.marks import MARKS_FILE, Marks
from helix.capture.settings import CaptureSettings, find_settings, is_on
from helix.capture.take_in import Capture, Ingest
from helix.errors import HelixError

log = logging.getLogger(__name__)

# Often while agents are at work, seldom while nobody is: a look costs a stat for each transcript.
_SOON, _LATER = 2.0, 15.0


class CaptureFollower:
    def __init__(self, state: Path, ingest: Ingest) -> None:
        self._state = state
        self._ingest = ingest
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="helix-capture", daemon=True)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(timeout=30)

    def _run(self) -> None:
        """Until it is stopped, or capture is turned off."""
        marks: Marks | None = None
        try:
            now: CaptureSettings | None = None
            pause = _SOON
            while not self._stopped.is_set() and (wanted := find_settings(self._state)) is not None:
                try:
                    marks = marks or Marks(self._state / MARKS_FILE)
                    if wanted != now:
                        capture, now = Capture(wanted, marks, self._ingest), wanted
                    pause = _SOON if self._look(capture) else min(_LATER, pause * 1.5)
                except (HelixError, OSError, sqlite3.Error) as error:
                    # What could not be taken in is still there, and its mark was not moved.
                    log.warning("taking in transcripts failed; it is tried again: %s", type(error).__name__)
                    pause = _LATER
                self._stopped.wait(pause)
        finally:
            if marks is not None:
                marks.close()

    def _look(self, capture: Capture) -> int:
        made = 0
        for transcript in capture.transcripts():
            if self._is_over():
                break
            try:
                made += capture.take_in(transcript, is_stopped=self._is_over)
            except HelixError as error:
                # One that is refused holds no other up. Its mark was not moved, so nothing is lost.
                log.warning("a transcript could not be taken in: %s", error.code)
        return made

    def _is_over(self) -> bool:
        return self._stopped.is_set() or not is_on(self._state)
