"""Figures that take a while: measured aside, kept for a time, and never waited for longer than a moment."""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

from helix.errors import HelixError
from helix.memory.tokens import Payload
from helix.vault.repository import Repository

log = logging.getLogger(__name__)

_GIT_SECONDS = 5.0


class CachedMeasurement:
    def __init__(self, measure: Callable[[], Payload], lasts: float, patience: float = 0.5) -> None:
        """What `measure` gives is good for `lasts` seconds; who asks waits for `patience` at most."""
        self._measure = measure
        self._lasts = lasts
        self._patience = patience
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._last: Payload | None = None
        self._at = 0.0

    def get(self) -> Payload | None:
        """The last measurement; None as long as there is none."""
        with self._lock:
            is_old = self._last is None or time.monotonic() - self._at > self._lasts
            if is_old and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._run, name="helix-measure", daemon=True)
                self._thread.start()
            thread = self._thread
        if is_old and thread is not None:
            thread.join(self._patience)
        return self._last

    def _run(self) -> None:
        try:
            self._last = self._measure()
        except (HelixError, OSError) as error:
            log.warning("a figure could not be measured: %s", error)
        self._at = time.monotonic()


def disk_use(vault: Path, state: Path) -> Payload:
    return {
        "vault_bytes": _size_of(vault),
        "state_bytes": _size_of(state),
        "free_bytes": shutil.disk_usage(vault).free,
    }


def git_state(vault: Path, autocommit: bool) -> Payload:
    """How the vault stands in git. That there is none, or that it fails, is an answer too."""
    repository = Repository.look_for(vault)
    nothing: Payload = {
        "branch": None, "dirty": None, "ahead": None, "behind": None, "autocommit": autocommit, "error": None,
    }  # fmt: skip
    if isinstance(repository, str):
        return {**nothing, "error": repository}
    try:
        # A submodule has settings of its own, and git would start another git that reads them.
        command = ("status", "--porcelain=v2", "--branch", "--ignore-submodules=all", "--", ".")
        output = repository.run_in_vault(*command, seconds=_GIT_SECONDS).stdout
    except HelixError as error:
        return {**nothing, "error": error.message}
    lines = output.decode(errors="replace").splitlines()
    head = {
        name: value for line in lines if line.startswith("# ") for name, _, value in [line[2:].partition(" ")]
    }
    # As `+2 -1`; there is no such line where the branch follows none.
    ahead, _, behind = head.get("branch.ab", "").partition(" ")
    return {
        **nothing,
        "branch": head.get("branch.head"),
        "dirty": sum(not line.startswith("# ") for line in lines),
        "ahead": int(ahead) if ahead else None,
        "behind": -int(behind) if behind else None,
    }


def _size_of(folder: Path) -> int:
    total = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                continue  # gone a moment ago
    return total
