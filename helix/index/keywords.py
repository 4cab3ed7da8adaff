"""The keyword index: which memories hold these words, best first. BM25 over segments on disk and a delta in memory.

A put is searchable at once and costs no disk access: it goes to the delta, which `flush` writes as a segment of its
own. What a crash takes with the delta shows in `hashes()`: the caller puts again what differs from its catalog.
"""

from __future__ import annotations

import bisect
import threading
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from helix.index.bm25 import Allowed, IndexPart, PostingsCache, best, find
from helix.index.entries import KeywordDoc, WordEntry, to_entries, to_entry
from helix.index.postings import Docs, Weights
from helix.index.segments import Segment, SegmentStore
from helix.index.spelling import Vocabulary

__all__ = ["Allowed", "KeywordDoc", "Keywords", "WhooshKeywords"]

# Documents in the delta, which is searched in plain Python, and takes 5 KB for each. A flush writes every word once,
# however many documents hold it, so a few large flushes take less time than many small ones.
_FLUSH_AT = 6_000
_SEGMENT_SIZE = (
    50_000  # documents in one segment of a build, which is put together in memory: about 1 KB each
)
_MANY_SEGMENTS = 30
_KEPT_SEGMENTS = 10
_CACHE_BYTES = 32 * 1024 * 1024
_SUGGESTIONS = 5
_PLACED = 16
_NAMED_SHARE = 4
_NOWHERE = (np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32))


class WordHits(list[tuple[str, float]]):
    """Ids and scores, best first; and how much each word that was asked for tells."""

    def __init__(self, hits: Iterable[tuple[str, float]], rarities: Mapping[str, float]) -> None:
        super().__init__(hits)
        self.rarities = rarities


class Keywords(Protocol):
    def put(self, docs: Sequence[KeywordDoc]) -> None:
        """Adds documents, or replaces those with the same id. They are found at once."""

    def build(self, docs: Iterable[KeywordDoc], *, processes: int = 1) -> None:
        """The same for very many: straight to the disk, and found at the end."""

    def drop(self, ids: Iterable[str]) -> None:
        """Removes documents; an unknown id is none."""

    def search(
        self,
        words: Sequence[str],
        limit: int,
        *,
        without: Sequence[str] = (),
        allowed: Allowed | None = None,
        within: Set[str] | None = None,
    ) -> WordHits:
        """Documents with any of the words (as `query_tokens` gives them) and none of `without`: id and score, best
        first, equal scores by id. `allowed` is asked of the best; a few names in `within` leave out all others
        beforehand."""

    def terms_like(self, word: str) -> list[str]:
        """Words of the index that look like this one, the likeliest first."""

    def document_frequency(self, word: str) -> int:
        """How many documents hold a word."""

    def count(self) -> int: ...

    def hashes(self) -> dict[str, str]:
        """What is indexed: id to hash."""

    def find_hash(self, memory_id: str) -> str | None:
        """That of one document; None for one that is not indexed."""

    def flush(self) -> None:
        """Writes to disk what is only in memory."""

    def maintain(self) -> bool:
        """Housekeeping that may take a second, off the road of requests; whether there was any."""

    def purge(self) -> None:
        """Leaves nothing of documents that are gone in any file. May take seconds: off the road of requests."""

    def close(self) -> None: ...


class WhooshKeywords:
    """`Keywords` over Whoosh segments. Threads may search while one writes."""

    def __init__(self, folder: Path) -> None:
        """Opens an index or makes one; raises IndexBroken for one that cannot be read."""
        self._store = SegmentStore(folder)
        self._lock = threading.RLock()  # of everything below; held for a millisecond
        self._writing = threading.Lock()  # one write to the disk at a time; held for long
        self._segments: list[Segment] = []
        self._firsts: list[int] = []
        """of each segment, the place of its first document; no two documents have ever had the same"""
        self._next = 0
        self._where: dict[str, int] = {}
        """the place of every living document that is on disk"""
        self._delta: dict[str, WordEntry] = {}
        self._delta_words: dict[str, dict[str, float]] = {}
        """the words of the delta: in which of its documents each stands, and how much it weighs there"""
        self._length = 0
        # Put or dropped since a write began, and so newer than what it writes.
        self._touched: set[str] = set()
        self._deaths_to_save = False
        self._cache = PostingsCache(_CACHE_BYTES)
        self._delta_part: _Batch | None = None
        self._placed: dict[int, tuple[frozenset[str], _Batch, list[Docs]]] = {}
        """for ids that were asked for of late where they stand, in which state"""
        self._vocabularies: dict[str, Vocabulary] = {}
        for segment in self._store.segments:
            self._take_in(segment)

    def put(self, docs: Sequence[KeywordDoc]) -> None:
        entries = [to_entry(doc) for doc in docs]
        with self._lock:
            for entry in entries:
                self._bury(entry.id)
                self._delta[entry.id] = entry
                for word, weight in entry.weights.items():
                    self._delta_words.setdefault(word, {})[entry.id] = weight
                self._length += entry.length
                self._touched.add(entry.id)
            crowded = len(self._delta) >= _FLUSH_AT
        if crowded and self._writing.acquire(blocking=False):
            try:
                self._flush()
            finally:
                self._writing.release()

    def drop(self, ids: Iterable[str]) -> None:
        with self._lock:
            for memory_id in ids:
                self._bury(memory_id)
                self._touched.add(memory_id)

    def build(self, docs: Iterable[KeywordDoc], *, processes: int = 1) -> None:
        with self._writing:
            self._flush()
            with self._lock:
                self._touched.clear()
            entries = to_entries(docs, processes)
            for first in entries:
                self._write(chain([first], islice(entries, _SEGMENT_SIZE - 1)))

    def search(
        self,
        words: Sequence[str],
        limit: int,
        *,
        without: Sequence[str] = (),
        allowed: Allowed | None = None,
        within: Set[str] | None = None,
    ) -> WordHits:
        if within is not None and allowed is None:
            allowed = within.__contains__
        with self._lock:
            parts: list[IndexPart] = [*self._segments, self._delta_as_part()]
            # A name costs more than a document: many are cheaper to ask for among the best.
            only = None if within is None or len(within) * _NAMED_SHARE > self.count() else self._at(within)
            found, rarities = find(parts, self._read, words, without, self.count(), self._length, only)
        return WordHits(best(found, limit, allowed), rarities)

    def document_frequency(self, word: str) -> int:
        with self._lock:
            count = len(self._delta_words.get(word, ()))
            for segment in self._segments:
                docs = self._cache.read(segment, word)[0]
                count += int(segment.alive[docs].sum()) if segment.has_dead else len(docs)
            return count

    def terms_like(self, word: str) -> list[str]:
        with self._lock:
            for segment in self._segments:
                if segment.name not in self._vocabularies:
                    self._vocabularies[segment.name] = Vocabulary(segment.words())
            in_delta = Vocabulary({word for entry in self._delta.values() for word in entry.weights})
            vocabularies = [*self._vocabularies.values(), in_delta]
        edits = {like: count for vocabulary in vocabularies for like, count in vocabulary.near(word).items()}
        frequencies = {like: self.document_frequency(like) for like in edits}
        alive = [like for like in edits if frequencies[like]]
        return sorted(alive, key=lambda like: (edits[like], -frequencies[like], like))[:_SUGGESTIONS]

    def count(self) -> int:
        return len(self._where) + len(self._delta)

    def hashes(self) -> dict[str, str]:
        with self._lock:
            found: dict[str, str] = {}
            for segment in self._segments:
                both = zip(segment.ids, segment.hashes(), segment.alive.tolist(), strict=True)
                found.update((memory_id, hash_) for memory_id, hash_, is_alive in both if is_alive)
            return found | {memory_id: entry.hash for memory_id, entry in self._delta.items()}

    def find_hash(self, memory_id: str) -> str | None:
        with self._lock:
            if entry := self._delta.get(memory_id):
                return entry.hash
            place = self._where.get(memory_id)
            if place is None:
                return None
            segment, number = self._document(place)
            return segment.hash(number)

    def flush(self) -> None:
        with self._writing:
            self._flush()

    def maintain(self) -> bool:
        """Merges the small segments when there are many, and those that are mostly dead."""
        with self._writing:
            by_size = sorted(self._segments, key=lambda segment: len(segment.ids))
            small = by_size[:-_KEPT_SEGMENTS] if len(by_size) > _MANY_SEGMENTS else []
            merged = {segment for segment in by_size if segment in small or segment.alive.mean() < 0.5}
            if merged:
                self._merge(merged)
            return bool(merged)

    def purge(self) -> None:
        with self._writing:
            self._flush()
            if holding := {segment for segment in self._segments if segment.has_dead}:
                self._merge(holding)

    def close(self) -> None:
        """Flushes, so that nothing has to be put again."""
        with self._writing:
            self._flush()
            with self._lock:
                self._store.close()

    def _flush(self) -> None:
        with self._lock:
            entries = list(self._delta.values())
            self._touched.clear()
        if entries or self._deaths_to_save:
            self._write(entries)

    def _write(self, entries: Iterable[WordEntry]) -> None:
        self._deaths_to_save = False
        try:
            segment = self._store.write(entries)
        except BaseException:
            self._deaths_to_save = True
            raise
        if segment:
            with self._lock:
                self._take_in(segment)

    def _merge(self, merged: set[Segment]) -> None:
        segment = self._store.merge({old.name for old in merged})
        with self._lock:
            living = {
                memory_id
                for old in merged
                for memory_id, alive in zip(old.ids, old.alive.tolist(), strict=True)
                if alive
            }
            kept = [at for at, old in enumerate(self._segments) if old not in merged]
            self._segments = [self._segments[at] for at in kept]
            self._firsts = [self._firsts[at] for at in kept]
            self._delta_part = None
            if segment:
                first = self._add(segment)
                for number, memory_id in enumerate(segment.ids):
                    if memory_id in living:
                        self._where[memory_id] = first + number
                    else:  # it died while the merge was under way
                        self._kill(segment, number)
            self._cache.forget(list(merged))
            for old in merged:
                self._vocabularies.pop(old.name, None)
                old.close()

    def _take_in(self, segment: Segment) -> None:
        """Its living documents replace what was known under their ids."""
        first = self._add(segment)
        for number in np.flatnonzero(segment.alive).tolist():
            memory_id = segment.ids[number]
            if memory_id in self._touched:
                self._kill(segment, number)
            else:
                if memory_id in self._where or self._delta:
                    self._bury(memory_id)
                self._where[memory_id] = first + number
        self._length += int(segment.lengths[segment.alive].sum())

    def _add(self, segment: Segment) -> int:
        """Returns the place of its first document."""
        first = self._next
        self._segments.append(segment)
        self._firsts.append(first)
        self._next += len(segment.ids)
        self._delta_part = None
        return first

    def _document(self, place: int) -> tuple[Segment, int]:
        at = bisect.bisect_right(self._firsts, place) - 1
        return self._segments[at], place - self._firsts[at]

    def _bury(self, memory_id: str) -> None:
        self._delta_part = None
        if entry := self._delta.pop(memory_id, None):
            for word in entry.weights:
                del self._delta_words[word][memory_id]
                if not self._delta_words[word]:
                    del self._delta_words[word]
            self._length -= entry.length
        if (place := self._where.pop(memory_id, None)) is not None:
            segment, number = self._document(place)
            self._kill(segment, number)
            self._length -= int(segment.lengths[number])

    def _kill(self, segment: Segment, number: int) -> None:
        segment.kill(number)
        self._deaths_to_save = True

    def _delta_as_part(self) -> _Batch:
        self._delta_part = self._delta_part or _Batch(list(self._delta.values()), self._delta_words)
        return self._delta_part

    def _at(self, ids: Set[str]) -> list[Docs]:
        """Where these documents stand, part by part. Whoever sees a part asks for the same ones again and again."""
        if not isinstance(ids, frozenset):
            return self._places(ids)
        state = self._delta_as_part()  # another one after every change
        known = self._placed.get(id(ids))
        if known is None or known[0] is not ids or known[1] is not state:
            if len(self._placed) >= _PLACED:
                self._placed = {}
            known = self._placed[id(ids)] = (ids, state, self._places(ids))
        return known[2]

    def _places(self, ids: Set[str]) -> list[Docs]:
        numbers: dict[Segment, list[int]] = {segment: [] for segment in self._segments}
        for memory_id in ids:
            if (place := self._where.get(memory_id)) is not None:
                segment, number = self._document(place)
                numbers[segment].append(number)
        in_delta = [at for at, memory_id in enumerate(self._delta_as_part().ids) if memory_id in ids]
        return [np.array(one, dtype=np.intp) for one in (*numbers.values(), in_delta)]

    def _read(self, part: IndexPart, word: str) -> tuple[Docs, Weights]:
        return part.postings(word) if isinstance(part, _Batch) else self._cache.read(part, word)


class _Batch:
    """The delta as it is at one moment, to be searched like a segment."""

    has_dead = False

    def __init__(self, entries: list[WordEntry], words: Mapping[str, Mapping[str, float]]) -> None:
        self._entries = entries
        self._words = words
        self.ids = [entry.id for entry in entries]
        self.alive: NDArray[np.bool_] = np.ones(len(entries), dtype=np.bool_)

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        return np.array([entry.length for entry in self._entries], dtype=np.float64)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {memory_id: number for number, memory_id in enumerate(self.ids)}

    def postings(self, word: str) -> tuple[Docs, Weights]:
        found = self._words.get(word)
        if found is None:
            return _NOWHERE
        # In the order in which they were put, which is that of the numbers.
        numbers = [self._numbers[memory_id] for memory_id in found]
        return np.array(numbers, dtype=np.intp), np.array(list(found.values()), dtype=np.float32)
