"""One look at a source: what is in its folder is compared with what is known of it, and what changed is read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from helix.sources.commit import blobs_of, head_of
from helix.sources.gitignore import IGNORE_FILE, GitIgnore
from helix.sources.listing import find_file, list_files
from helix.sources.reading import NoText, read_text
from helix.sources.source_index import SourceIndex
from helix.vault.walk import Signature

_BATCH = 100

Progress = Callable[[int, int], None]


class TakesFiles(Protocol):
    """Whoever else wants to know what a file says."""

    def known(self) -> Collection[str]: ...
    def wants(self, path: str) -> bool: ...
    def put(self, path: str, text: str) -> None: ...
    def drop(self, paths: Iterable[str]) -> None: ...


@dataclass(frozen=True)
class Look:
    top: Path
    index: SourceIndex
    also: TakesFiles | None
    is_stopped: Callable[[], bool]
    progress: Progress

    def at_everything(self) -> None:
        """Raises OSError when the folder cannot be listed: then nothing is dropped."""
        listed = list_files(self.top)
        known = self.index.known()
        changed = [path for path, signature in listed.files.items() if known.get(path) != signature]
        self._drop([path for path in known if path not in listed.files])
        self.index.replace_problems(listed.problems)
        self._read([*changed, *self._missing_elsewhere(known.keys() & listed.files.keys() - set(changed))])
        self.index.say(
            cut=listed.cut,
            ignored=str(listed.ignored),
            left_out=json.dumps(dict(listed.left_out.most_common(20))),
            more_problems=str(listed.more_problems),
        )
        self.at_commit()

    def at(self, paths: Collection[str]) -> bool:
        """Only at these; False when that is not enough, and everything has to be looked at. At none: only at the
        commit that is checked out."""
        ignore, known = GitIgnore(self.top), self.index.known()
        changed, gone = [], []
        for path in paths:
            if not path or path.rpartition("/")[2] == IGNORE_FILE or (self.top / path).is_dir():
                return False
            now = find_file(self.top, path, ignore)
            if now is None:
                if any(other.startswith(f"{path}/") for other in known):
                    return False
                gone.append(path)
            elif known.get(path) != now:
                changed.append(path)
        self._drop(gone)
        self._read(changed)
        if changed or gone or not paths:
            self.at_commit()
        return True

    def _missing_elsewhere(self, unchanged: Set[str]) -> list[str]:
        """What the other one never got: it is younger than the index, or was deleted."""
        if self.also is None:
            return []
        missing = unchanged - set(self.also.known()) - self.index.refused()
        return sorted(path for path in missing if self.also.wants(path))

    def at_commit(self) -> None:
        head = head_of(self.top)
        self.index.say(commit=head)
        self.index.set_committed({} if head is None else blobs_of(self.top, head))

    def _drop(self, paths: Collection[str]) -> None:
        self.index.drop(paths)
        if self.also is not None:
            self.also.drop(paths)

    def _read(self, paths: Collection[str]) -> None:
        total, done = len(paths), 0
        self.progress(0, total)
        waiting = list(paths)
        while waiting and not self.is_stopped():
            batch, waiting = waiting[:_BATCH], waiting[_BATCH:]
            with self.index.transaction():
                for path in batch:
                    self._read_one(path)
            done += len(batch)
            self.progress(done, total)

    def _read_one(self, path: str) -> None:
        try:
            file = read_text(self.top, path)
        except FileNotFoundError:
            self._drop([path])
            return
        except NoText as error:
            self._drop([path])
            with suppress(FileNotFoundError):
                self.index.refuse(path, Signature.of(os.lstat(self.top / path)), str(error))
            return
        self.index.put(path, file)
        if self.also is not None:
            self.also.put(path, file.text)
