"""Of the memories that writers were compared with lately: what they are compared by, taken apart as far as was needed.

Whoever writes about something is compared with the same few memories again and again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

from helix.memory.judgement.resemble import ComparedMemory

_KEPT = 400  # of about 15 kB


class ComparedTexts:
    """Of one workspace. A memory that changes, or is erased, leaves it at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[str, ComparedMemory]] = OrderedDict()

    def find(self, memory_id: str, content_hash: str) -> ComparedMemory | None:
        with self._lock:
            known = self._known.get(memory_id)
            if known is None or known[0] != content_hash:
                return None
            self._known.move_to_end(memory_id)
            return known[1]

    def keep(self, memory_id: str, content_hash: str, memory: ComparedMemory) -> None:
        with self._lock:
            self._known[memory_id] = (content_hash, memory)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)

    def forget(self, memory_ids: Iterable[str]) -> None:
        with self._lock:
            for memory_id in memory_ids:
                self._known.pop(memory_id, None)
