"""Of the memories that writers were compared with lately: what they are compared by, taken apart as far as was needed.

Whoever writes about something is compared with the same few memories again and again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

from helix.memory.judgement.resemble import ComparedMemory

_KEPT = 600  # of about 9 kB, with 120 words; one that was looked at closely takes 38
_FORGOTTEN = 1_000


class ComparedTexts:
    """Of one workspace. A memory that changes, or is erased, leaves it at once and does not come back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[str, ComparedMemory]] = OrderedDict()
        self._moment = 0
        self._forgotten: OrderedDict[str, int] = OrderedDict()
        """the last ones, and at which moment"""
        self._earliest = 0
        """what was read before this moment may have been forgotten since, and nobody knows any more"""

    def moment(self) -> int:
        """To be asked before a memory is read that is to be kept."""
        with self._lock:
            return self._moment

    def find(self, memory_id: str, content_hash: str) -> ComparedMemory | None:
        with self._lock:
            known = self._known.get(memory_id)
            if known is None or known[0] != content_hash:
                return None
            self._known.move_to_end(memory_id)
            return known[1]

    def keep(self, memory_id: str, content_hash: str, memory: ComparedMemory, *, read_at: int) -> None:
        """Unless it was forgotten since it was read: an erased text would come back, and stay."""
        with self._lock:
            if read_at < max(self._earliest, self._forgotten.get(memory_id, 0)):
                return
            self._known[memory_id] = (content_hash, memory)
            self._known.move_to_end(memory_id)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)

    def forget(self, memory_ids: Iterable[str]) -> None:
        with self._lock:
            self._moment += 1
            for memory_id in memory_ids:
                self._known.pop(memory_id, None)
                self._forgotten[memory_id] = self._moment
                self._forgotten.move_to_end(memory_id)
            while len(self._forgotten) > _FORGOTTEN:
                self._earliest = max(self._earliest, self._forgotten.popitem(last=False)[1])
