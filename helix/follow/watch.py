"""The only place that knows watchfiles. An event means "look at this path" and nothing more."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable

import watchfiles

# Measured: 35 ms median from the write to the event; the defaults (50, 1600) take up to 1.5 s under a steady stream.
_STEP_MS = 20
_DEBOUNCE_MS = 200
# How long the Rust side sleeps between looks at the stop flag.
_TIMEOUT_MS = 2_000
# The kernel's queue holds some thousands of events and drops the rest without a word.
_OVERFLOW = 2_000
_RESTART_PAUSES = (0.1, 0.5, 2.0, 5.0)
_LIVED_LONG = 60.0

OnPaths = Callable[[set[str] | None], None]
"""takes paths relative to the vault; None means that anything may have changed"""


class Watcher:
    def __init__(self, root: str, on_paths: OnPaths) -> None:
        self._root = root
        self._on_paths = on_paths
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="helix-watch", daemon=True)
        self.stands = threading.Event()
        self.last_error: str | None = None
        """why there is no watcher at the moment; the scans still see everything"""
        self.restarts = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _run(self) -> None:
        deaths = 0
        while not self._stop.is_set():
            started = time.monotonic()
            try:
                self._watch()
            # A file name that is not UTF-8 kills the watcher (ValueError), so does a folder that goes away
            # (FileNotFoundError, RuntimeError from Rust) or the system's limit of watches (OSError).
            except (OSError, RuntimeError, ValueError) as error:
                self.last_error = str(error) or type(error).__name__
            if self._stop.is_set():
                return
            self.restarts += 1
            deaths = 0 if time.monotonic() - started > _LIVED_LONG else deaths + 1
            self._on_paths(None)
            self._stop.wait(_RESTART_PAUSES[min(deaths, len(_RESTART_PAUSES) - 1)])

    def _watch(self) -> None:
        folder = self._folder()
        self.stands.clear()
        for events in watchfiles.watch(
            self._root,
            watch_filter=None,
            step=_STEP_MS,
            debounce=_DEBOUNCE_MS,
            rust_timeout=_TIMEOUT_MS,
            yield_on_timeout=True,
            stop_event=self._stop,
            ignore_permission_denied=True,
            raise_interrupt=False,
        ):
            if self._folder() != folder:
                # The old one is still watched.
                raise FileNotFoundError(f"another folder is at {self._root} now")
            self.last_error = None
            if not self.stands.is_set() or len(events) >= _OVERFLOW:
                # Only now is it certain that the watch stands; nobody told what happened before.
                self.stands.set()
                self._on_paths(None)
                continue
            paths = self._relative(full for _, full in events)
            if paths:
                self._on_paths(paths)

    def _folder(self) -> tuple[int, int]:
        info = os.stat(self._root)
        return info.st_dev, info.st_ino

    def _relative(self, events: Iterable[str]) -> set[str]:
        """The paths inside the vault, without what lies in a dot folder, which is never a record.

        The watch goes through links, and tells of a folder that a link leads to under the link's name only.
        """
        real: dict[str, str] = {}
        paths = set()
        for event in events:
            if event == self._root:
                paths.add("")
                continue
            folder, _, name = event.rpartition("/")
            if folder not in real:
                real[folder] = os.path.realpath(folder)
            full = f"{real[folder]}/{name}"
            inside = full.removeprefix(self._root + "/")
            if inside != full and not any(part.startswith(".") for part in inside.split("/")[:-1]):
                paths.add(inside)
        return paths
