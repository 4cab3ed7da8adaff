"""The logs of sessions: what grew is read from where it was left."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from helix.follow.lane import FollowReport, Lane, Progress
from helix.vault.log.log_paths import session_of
from helix.vault.walk import Signature

if TYPE_CHECKING:
    from helix.index.event_index import EventIndex


class LogLane(Lane):
    kind = "logs"

    def __init__(
        self,
        find: Callable[[], EventIndex | None],
        open_index: Callable[[], EventIndex],
        settle: Callable[[str], None],
        is_archived: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`find` gives what there is already, so that a vault without logs is not given an index of them; `settle` is
        told of each session that changed; `is_archived` says whether the files of one were moved away on purpose."""
        self._find = find
        self._open = open_index
        self._settle = settle
        self._is_archived = is_archived

    def owns(self, path: str) -> bool:
        return session_of(path) is not None

    def known(self, below: str | None = None) -> Mapping[str, Signature]:
        index = self._find()
        return {} if index is None else index.known(below)

    def count_known(self) -> int:
        index = self._find()
        return 0 if index is None else index.count_known()

    def take_in(
        self,
        files: Mapping[str, Signature],
        report: FollowReport,
        *,
        settled: bool,
        progress: Progress | None,
    ) -> None:
        for done, (path, signature) in enumerate(files.items(), 1):
            self._open().take_in(path, signature)
            if progress is not None:
                progress(done, len(files))
        for session in sorted({session for path in files if (session := session_of(path)) is not None}):
            self._settle(session)

    def drop(self, paths: Sequence[str], report: FollowReport) -> None:
        if paths:
            self._open().drop(paths)

    def is_elsewhere(self, path: str, missing: Collection[str]) -> bool:
        session = session_of(path)
        return session is not None and self._is_archived(session)

    def forget_signatures(self) -> None:
        index = self._find()
        if index is not None:
            index.forget_signatures()
