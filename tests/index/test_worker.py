from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from helix.errors import EmbeddingFailed, StorageError
from helix.index.chunk import Chunk, chunks
from helix.index.embed_cache import EmbedCache
from helix.index.worker import BULK, FRESH, EmbedWorker
from tests.index.memories import HashEmbedder, memory

_PATIENCE = 20.0


class Story:
    """A worker over a cache, and what it delivered."""

    def __init__(self, folder: Path) -> None:
        self.embedder = HashEmbedder()
        self.cache = EmbedCache(folder / "cache.db")
        self.done: list[str] = []
        self.vectors: dict[str, np.ndarray] = {}
        self.refuse = 0
        self.worker = EmbedWorker(self.embedder, self.cache, self._on_done, first_retry=0.01)

    def _on_done(self, memory_id: str, made: Sequence[Chunk], vectors: np.ndarray) -> None:
        if self.refuse > 0:
            self.refuse -= 1
            raise StorageError("disk full", code="disk-full")
        assert len(made) == len(vectors)
        self.done.append(memory_id)
        self.vectors[memory_id] = vectors

    def submit(self, name: str, body: str = "", priority: int = BULK) -> None:
        self.worker.submit(name, chunks(memory(body or f"body of {name}")), priority)

    def close(self) -> None:
        self.embedder.gate.set()
        self.worker.stop()


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Story]:
    one = Story(tmp_path)
    yield one
    one.close()


def test_every_memory_comes_back_with_a_row_per_chunk(story: Story) -> None:
    long = "A sentence of a long note. " * 300
    story.submit("long", long)
    story.submit("short")
    assert story.worker.wait(_PATIENCE)
    made = chunks(memory(long))
    assert len(made) > 2
    assert np.array_equal(story.vectors["long"][2], story.embedder.embed_query(made[2].text))
    assert sorted(story.done) == ["long", "short"]


def test_a_fresh_write_overtakes_the_bulk(story: Story) -> None:
    story.embedder.gate.clear()
    for number in range(100):
        story.submit(f"bulk{number}")
    story.submit("fresh", priority=FRESH)
    story.embedder.gate.set()
    assert story.worker.wait(_PATIENCE)
    assert story.done.index("fresh") <= 16
    assert len(story.done) == 101


def test_a_newer_submit_replaces_the_older(story: Story) -> None:
    story.embedder.gate.clear()
    for number in range(20):
        story.submit("one", f"state {number}")
    assert story.worker.lag() == 1
    story.embedder.gate.set()
    assert story.worker.wait(_PATIENCE)
    (last,) = chunks(memory("state 19"))
    assert np.array_equal(story.vectors["one"][0], story.embedder.embed_query(last.text))
    assert len(story.embedder.asked) <= 2


def test_a_withdrawn_memory_is_not_delivered(story: Story) -> None:
    story.embedder.gate.clear()
    story.submit("gone")
    story.worker.withdraw("gone")
    story.embedder.gate.set()
    assert story.worker.wait(_PATIENCE)
    story.submit("after")
    assert story.worker.wait(_PATIENCE)
    assert story.done == ["after"]


def test_a_cached_chunk_never_reaches_the_model(story: Story) -> None:
    story.submit("one", "the same text")
    assert story.worker.wait(_PATIENCE)
    story.submit("renamed", "the same text")
    assert story.worker.wait(_PATIENCE)
    assert len(story.embedder.asked) == 1
    assert np.allclose(story.vectors["one"], story.vectors["renamed"], atol=1e-3)


def test_a_failing_model_is_tried_again_until_it_works(story: Story) -> None:
    story.embedder.gate.clear()
    story.embedder.failures = 3
    story.submit("one")
    story.embedder.gate.set()
    assert story.worker.wait(_PATIENCE)
    assert story.done == ["one"]
    story.submit("two")
    assert story.worker.wait(_PATIENCE)
    assert story.worker.last_error is None


def test_a_text_that_cannot_be_embedded_holds_up_nobody_for_long(story: Story) -> None:
    story.embedder.refuses = "poison"
    story.submit("bad", "poison")
    for number in range(30):
        story.submit(f"good{number}")
    with story.worker._changed:
        assert story.worker._changed.wait_for(lambda: len(story.worker._jobs) == 1, _PATIENCE)
    assert len(story.done) == 30
    assert isinstance(story.worker.last_error, EmbeddingFailed | None)


def test_what_could_not_be_stored_is_delivered_again(story: Story) -> None:
    story.refuse = 2
    story.submit("one")
    assert story.worker.wait(_PATIENCE)
    assert story.done == ["one"]
    assert len(story.embedder.asked) == 1


def test_stopping_does_not_wait_for_the_queue(story: Story) -> None:
    story.embedder.gate.clear()
    for number in range(500):
        story.submit(f"m{number}")
    story.close()
    assert story.worker.lag() > 0


def test_how_long_it_takes_is_told_from_the_pace_since_it_became_busy(story: Story) -> None:
    now = [100.0]
    story.worker._clock = lambda: now[0]  # time is handed in
    story.embedder.gate.clear()
    for number in range(20):
        story.submit(f"bulk{number}")
    assert story.worker.seconds_left() is None
    now[0] = 110.0
    story.embedder.gate.set()
    assert story.worker.wait(_PATIENCE)
    assert story.worker.seconds_left() == 0
    story.embedder.gate.clear()
    story.submit("later")
    assert story.worker.seconds_left() is None  # another beginning


def test_without_work_the_embedder_rests_once(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    cache = EmbedCache(tmp_path / "cache.db")
    worker = EmbedWorker(embedder, cache, lambda memory_id, made, vectors: None, rest_after=0.01)
    worker.submit("one", chunks(memory("a text")))
    assert worker.wait(_PATIENCE)
    assert embedder.rested.wait(_PATIENCE)
    worker.submit("same", chunks(memory("a text")))  # is in the cache: there is nothing to rest from
    assert worker.wait(_PATIENCE)
    worker.stop()
    assert embedder.rests == 1
