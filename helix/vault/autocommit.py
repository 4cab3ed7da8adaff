"""Commit the vault in quiet batches: some time after the last change, and never in anybody's way.

Noting a change is a line in memory and never waits for git. `tick` is what runs git, and belongs in a thread
that may wait. A batch that cannot be committed now is kept, and tried again later and later.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from helix.errors import HelixError

QUIET_SECONDS = 30.0
MAX_WAIT_SECONDS = 300.0
FIRST_RETRY_SECONDS = 30.0
LAST_RETRY_SECONDS = 900.0
BODY_LINES = 50
LINE_CHARACTERS = 100


class Commits(Protocol):
    """What this needs of `History`."""

    def busy(self) -> str | None: ...

    def uncommitted(self, paths: Sequence[str]) -> set[str]: ...

    def commit(self, paths: Sequence[str], message: str) -> str | None: ...


@dataclass(frozen=True, eq=False)
class _Change:
    """Compared by identity: a change that is noted again while its batch is committed is a new one."""

    paths: frozenset[str]
    verb: str
    label: str


class AutoCommit:
    def __init__(
        self,
        history: Commits,
        clock: Callable[[], float],
        *,
        quiet: float = QUIET_SECONDS,
        max_wait: float = MAX_WAIT_SECONDS,
        why_not: Callable[[], str | None] = lambda: None,
    ) -> None:
        """`why_not` says why nothing may be committed here at all, before git is run in the vault's repository."""
        self.last_error: str | None = None
        self._history = history
        self._clock = clock
        self._quiet = quiet
        self._max_wait = max_wait
        self._why_not = why_not
        self._batch: dict[str, _Change] = {}
        self._first_noted = 0.0
        self._last_noted = 0.0
        self._failures = 0
        self._retry_at = 0.0
        self._noting = threading.Lock()
        self._committing = threading.Lock()

    @property
    def pending(self) -> int:
        """How many memories wait for their commit."""
        return len(self._batch)

    def note(self, path: str, label: str, verb: str = "edit", was: str | None = None) -> None:
        """A memory's file changed: `verb` says how, `label` names it in the message, `was` is its old path.

        The message outlives the memory: for one that is erased the label must be its id, not its title.
        """
        with self._noting:
            now = self._clock()
            if not self._batch:
                self._first_noted = now
            self._last_noted = now
            before = self._batch.pop(path, None)
            moved = self._batch.pop(was, None) if was is not None else None
            earlier = moved or before
            paths = {path} if was is None else {path, was}
            for change in (before, moved):
                paths |= change.paths if change else frozenset()
            # To git's reader a memory that was added and then edited in one batch was added.
            still_new = earlier is not None and earlier.verb == "add" and verb in ("edit", "move")
            self._batch[path] = _Change(frozenset(paths), "add" if still_new else verb, label)

    def tick(self, now: float) -> None:
        """Commit the batch if it is time. Never raises: `last_error` says what stands in the way."""
        with self._noting:
            settled = now - self._last_noted >= self._quiet or now - self._first_noted >= self._max_wait
            due = bool(self._batch) and settled and (not self._failures or now >= self._retry_at)
        if due:
            self._commit(now)

    def flush(self) -> None:
        """Commit what there is without waiting for quiet, as before the daemon stops. Never raises."""
        if self._batch:
            self._commit(self._clock())

    def _commit(self, now: float) -> None:
        if not self._committing.acquire(blocking=False):
            return
        try:
            with self._noting:
                batch = dict(self._batch)
            if (why := self._why_not()) is not None:
                self._wait(now, why)
                return
            if busy := self._history.busy():
                self._wait(now, f"git is busy ({busy})")
                return
            paths = sorted({path for change in batch.values() for path in change.paths})
            # A first scan notes every file; most are in git as they are, and the message names only the others.
            differing = self._history.uncommitted(paths)
            named = [change for change in batch.values() if change.paths & differing]
            if named:
                self._history.commit(sorted(differing), message_for(named))
        except HelixError as error:
            self._wait(now, error.message)
        else:
            self._done(batch)
        finally:
            self._committing.release()

    def _wait(self, now: float, why: str) -> None:
        self.last_error = why
        self._retry_at = now + min(FIRST_RETRY_SECONDS * 2**self._failures, LAST_RETRY_SECONDS)
        self._failures += 1

    def _done(self, batch: dict[str, _Change]) -> None:
        self.last_error = None
        self._failures = 0
        with self._noting:
            for path, change in batch.items():
                if self._batch.get(path) is change:
                    del self._batch[path]
            # What was noted meanwhile starts a batch of its own, which waits from its own beginning.
            self._first_noted = self._last_noted


def message_for(changes: Sequence[_Change]) -> str:
    lines = [_one_line(f"{change.verb} {change.label}") for change in changes]
    if len(lines) == 1:
        return f"helix: {lines[0]}"
    verbs = Counter(change.verb for change in changes)
    counts = ", ".join(f"{verb} {count}" for verb, count in sorted(verbs.items()))
    body = [f"- {line}" for line in lines[:BODY_LINES]]
    if len(lines) > BODY_LINES:
        body.append(f"and {len(lines) - BODY_LINES} more")
    return "\n".join([f"helix: {len(lines)} memories ({counts})", "", *body])


def _one_line(text: str) -> str:
    """A title may be long and hold line breaks or control characters; a line of a commit message may not."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS - 1] + "…"
