"""Answers to questions that were asked a moment ago. Every change to what is searched empties it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")

_KEPT = 256


class AnswerCache(Generic[Answer]):
    """Threads may ask and keep side by side."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._most = kept
        self._lock = threading.Lock()
        self._version: object = None
        self._answers: OrderedDict[Hashable, Answer] = OrderedDict()

    def find(self, version: object, question: Hashable) -> Answer | None:
        with self._lock:
            if version != self._version:
                self._version = version
                self._answers.clear()
                return None
            answer = self._answers.get(question)
            if answer is not None:
                self._answers.move_to_end(question)
            return answer

    def keep(self, version: object, question: Hashable, answer: Answer) -> None:
        """An answer that was found in this version; of no use when somebody has asked in another one since."""
        with self._lock:
            if version == self._version:
                self._answers[question] = answer
                self._answers.move_to_end(question)
                if len(self._answers) > self._most:
                    self._answers.popitem(last=False)
