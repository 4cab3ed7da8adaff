"""Finding memories: a question in, memories with their best passages out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from helix.errors import HelixError
from helix.index.catalog import Catalog
from helix.index.chunk import chunks
from helix.index.index import Index
from helix.index.search import Answer, Asked, Hit, Searcher
from helix.vault.note import Note
from helix.vault.vault import Vault


@dataclass(frozen=True)
class Recalled:
    note: Note
    passage: str
    """the part of the text that fits best; all of it when it is short"""
    score: float
    reasons: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        memory = self.note.memory
        return {
            "id": memory.id,
            "title": memory.title,
            "text": self.passage,
            "score": round(self.score, 4),
            "kind": memory.kind,
            "project": memory.project,
            "status": memory.status,
            "path": self.note.path,
            "reasons": {name: round(value, 4) for name, value in self.reasons.items()},
        }


@dataclass(frozen=True)
class Recollection:
    found: list[Recalled]
    confidence: float
    note: str
    degraded: str | None
    suggestions: list[str]

    def to_dict(self) -> dict[str, Any]:
        return {
            "results": [one.to_dict() for one in self.found],
            "confidence": round(self.confidence, 3),
            "note": self.note,
            "degraded": self.degraded,
            "suggestions": self.suggestions,
        }


class Recall:
    def __init__(self, vault: Vault, catalog: Catalog, index: Index, clock: Callable[[], datetime]) -> None:
        self._vault = vault
        self._catalog = catalog
        self._searcher = Searcher(index, clock, self._text_of)

    def search(self, asked: Asked) -> Recollection:
        answer: Answer = self._searcher.search(asked)
        found = [recalled for hit in answer.hits if (recalled := self._recalled(hit)) is not None]
        return Recollection(found, answer.confidence, answer.note, answer.degraded, answer.suggestions)

    def _recalled(self, hit: Hit) -> Recalled | None:
        note = self._read(hit.memory_id)
        if note is None:
            return None  # gone or broken since; the follower is about to say so
        return Recalled(note, _passage(note, hit.ordinal), hit.score, hit.reasons)

    def _read(self, memory_id: str) -> Note | None:
        row = self._catalog.find(memory_id)
        try:
            note = None if row is None else self._vault.read(row.path)
        except (FileNotFoundError, HelixError):
            return None
        return note if note is not None and note.id == memory_id else None

    def _text_of(self, memory_id: str) -> str | None:
        note = self._read(memory_id)
        return None if note is None else f"{note.memory.title}\n{note.memory.body}"


def _passage(note: Note, ordinal: int | None) -> str:
    pieces = chunks(note.memory)
    piece = pieces[ordinal] if ordinal is not None and ordinal < len(pieces) else pieces[0]
    return note.memory.body[piece.start : piece.end].strip()
