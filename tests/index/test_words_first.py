"""An engine that is opened for words first: what it answers while its vectors attach, and what it is afterwards."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helix.errors import IndexNotReady, ModelUnavailable
from helix.index.embed import EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.engine import Wording
from helix.index.filters import Where
from helix.index.local_engine import LocalEngine
from helix.index.search import Question
from helix.vault.erasures import INDEX
from tests.follow.rig import Rig
from tests.index.engine_suite import ask, erasures_of, read_note, searcher_of, write
from tests.index.memories import HashEmbedder

_MANY = 40  # at once: a bulk, which waits by name


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


@contextmanager
def opened(
    rig: Rig,
    state: Path,
    embedder: HashEmbedder,
    *,
    words_first: bool = True,
    find: Callable[[str], EmbedderChoice] | None = None,
) -> Iterator[LocalEngine]:
    cache = EmbedCache(state / "embeddings.db")
    engine = LocalEngine(
        state,
        cache,
        "bundled",
        find or (lambda _: EmbedderChoice(embedder, "")),
        guard=rig.reconciler.lock,
        erasures=erasures_of(rig),
        words_first=words_first,
    )
    try:
        with rig.reconciler.lock:
            rig.reconciler.tail = engine.apply
            engine.catch_up(rig.catalog, lambda path: read_note(rig, path))
        yield engine
    finally:
        engine.close()
        cache.close()


def by_words(rig: Rig, engine: LocalEngine, text: str) -> list[str]:
    return [hit.memory_id for hit in searcher_of(rig, engine).search(Question(text, limit=50)).hits]


def embedded(engine: LocalEngine) -> set[str]:
    assert engine.wait_until_embedded(30)
    means = engine.means()
    assert means is not None
    return set(means[0])


def test_words_are_found_before_the_vectors_are_there_and_the_answer_says_so(
    rig: Rig, tmp_path: Path
) -> None:
    write(rig, "one", "The broker drops messages")
    rig.follow()
    embedder = HashEmbedder()
    with opened(rig, tmp_path / "state", embedder) as engine:
        answer = searcher_of(rig, engine).search(Question("broker"))
        assert [hit.memory_id for hit in answer.hits] == ["one"]
        assert "getting ready" in str(answer.degraded)
        health = engine.health()
        assert (health.is_starting, health.model, health.index_lag) == (True, None, 1)
        assert not engine.wait_until_embedded(0)
        assert not embedder.asked
        engine.attach()
        assert engine.wait_until_embedded(30)
        assert searcher_of(rig, engine).search(Question("broker")).degraded is None
        assert (engine.health().is_starting, engine.health().model) == (False, embedder.name)


def test_an_engine_that_attached_later_answers_as_one_that_had_everything_from_the_start(
    rig: Rig, tmp_path: Path
) -> None:
    for number in range(_MANY):
        write(rig, f"m{number}", f"about the broker and queue {number}")
    rig.follow()
    with opened(rig, tmp_path / "whole", HashEmbedder(), words_first=False) as whole:
        expected = ask(rig, whole, "broker queue 7")
    with opened(rig, tmp_path / "later", HashEmbedder()) as later:
        later.attach()
        assert ask(rig, later, "broker queue 7") == expected


def test_what_changes_while_the_vectors_attach_is_in_both(rig: Rig, tmp_path: Path) -> None:
    state, embedder = tmp_path / "state", HashEmbedder()
    for name in ("kept", "edited", "gone"):
        write(rig, name, f"The broker, {name}")
    rig.follow()
    with opened(rig, state, embedder) as engine:
        engine.attach()
        assert embedded(engine) == {"kept", "edited", "gone"}
    opening, go_on = threading.Event(), threading.Event()

    def find(_: str) -> EmbedderChoice:
        opening.set()
        assert go_on.wait(30)
        return EmbedderChoice(embedder, "")

    with opened(rig, state, embedder, find=find) as engine:
        attaching = threading.Thread(target=engine.attach)
        attaching.start()
        assert opening.wait(30)
        write(rig, "new", "A broker that was written meanwhile")
        write(rig, "edited", "The cache, and nothing else")
        (rig.folder / "gone.md").unlink()
        rig.follow()
        rig.advance(5)
        rig.follow()
        # What was written is found at once.
        assert set(by_words(rig, engine, "broker")) == {"kept", "new"}
        go_on.set()
        attaching.join(30)
        assert embedded(engine) == {"kept", "edited", "new"}
        assert any("nothing else" in text for text in embedder.asked)
        assert set(by_words(rig, engine, "broker")) >= {"kept", "new"}


def test_a_model_that_cannot_be_opened_leaves_the_words_and_may_be_tried_again(
    rig: Rig, tmp_path: Path
) -> None:
    write(rig, "one", "The broker drops messages")
    rig.follow()
    embedder = HashEmbedder()
    troubles = [ModelUnavailable("half a download")]

    def find(_: str) -> EmbedderChoice:
        if troubles:
            raise troubles.pop()
        return EmbedderChoice(embedder, "")

    with opened(rig, tmp_path / "state", embedder, find=find) as engine:
        with pytest.raises(ModelUnavailable):
            engine.attach()
        answer = searcher_of(rig, engine).search(Question("broker"))
        assert [hit.memory_id for hit in answer.hits] == ["one"]
        assert "half a download" in str(answer.degraded)
        assert not engine.health().is_starting
        engine.attach()
        assert embedded(engine) == {"one"}


def test_vectors_of_an_erased_memory_leave_their_files_though_they_were_not_open(
    rig: Rig, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    write(rig, "one", "The broker drops messages")
    rig.follow()
    with opened(rig, state, HashEmbedder()) as engine:
        engine.attach()
        assert embedded(engine) == {"one"}
    with opened(rig, state, HashEmbedder()) as engine:
        assert not engine.erase(["one"])  # asked for again, until the vectors are open
        engine.attach()
        assert engine.erase(["one"])
        assert embedded(engine) == set()


@pytest.mark.parametrize("deleted", ["keywords", "vectors", "both"])
def test_folders_that_are_deleted_while_the_vectors_attach_are_made_again(
    rig: Rig, tmp_path: Path, deleted: str
) -> None:
    state = tmp_path / "state"
    for number in range(_MANY):
        write(rig, f"m{number}", f"about the broker {number}")
    rig.follow()
    with opened(rig, state, HashEmbedder()) as engine:
        engine.attach()
        expected = ask(rig, engine, "broker 7")
    with opened(rig, state, HashEmbedder()) as engine:
        for folder in state.iterdir():
            if folder.is_dir() and (deleted == "both" or folder.name.startswith(deleted)):
                shutil.rmtree(folder)
        engine.tend(tidy=False)
        engine.attach()
        engine.tend(tidy=False)
        assert ask(rig, engine, "broker 7") == expected


@pytest.mark.parametrize("stage", ["words", "attached", "half fed"])
def test_a_process_that_ends_at_any_stage_leaves_what_the_next_one_completes(
    rig: Rig, tmp_path: Path, stage: str
) -> None:
    """Nothing is closed here, as after a kill: the next start finds the files as they are."""
    for number in range(_MANY):
        write(rig, f"m{number}", f"about the broker {number}")
    rig.follow()
    with opened(rig, tmp_path / "whole", HashEmbedder(), words_first=False) as whole:
        expected = ask(rig, whole, "broker 7")
    state, stopped = tmp_path / "state", HashEmbedder()
    cache = EmbedCache(state / "embeddings.db")
    killed = LocalEngine(state, cache, "bundled", lambda _: EmbedderChoice(stopped, ""), words_first=True)
    killed.catch_up(rig.catalog, lambda path: read_note(rig, path))
    if stage != "words":
        stopped.gate.clear()
        killed.attach()
    left = tmp_path / "left"
    if stage == "half fed":
        stopped.gate.set()
        assert killed.wait_until_embedded(30)
    shutil.copytree(state, left)
    stopped.gate.set()
    killed.close()
    cache.close()
    with opened(rig, left, HashEmbedder()) as engine:
        assert set(by_words(rig, engine, "broker")) == {f"m{number}" for number in range(_MANY)}
        engine.attach()
        assert ask(rig, engine, "broker 7") == expected


def test_notes_that_wait_for_their_vectors_are_not_read_before_their_turn(rig: Rig, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    embedder.gate.clear()
    for number in range(200):
        write(rig, f"m{number}", f"about the broker {number}")
    rig.follow()
    read: list[str] = []

    def reading(path: str) -> object:
        read.append(path)
        return read_note(rig, path)

    cache = EmbedCache(tmp_path / "state" / "embeddings.db")
    first = LocalEngine(tmp_path / "state", cache, "bundled", lambda _: EmbedderChoice(embedder, ""))
    first.catch_up(rig.catalog, lambda path: read_note(rig, path))
    first_lag = first.health().index_lag
    assert first_lag == 200
    embedder.gate.set()
    first.close()
    embedder.gate.clear()
    engine = LocalEngine(
        tmp_path / "state", cache, "bundled", lambda _: EmbedderChoice(embedder, ""), words_first=True
    )
    engine.catch_up(rig.catalog, reading)  # type: ignore[arg-type]  # it gives what read_note gives
    assert read == []
    engine.attach()
    lag = engine.health().index_lag
    assert lag > 0
    assert f"{lag} memories" in str(engine.health().degraded)
    assert len(read) < 200
    embedder.gate.set()
    assert embedded(engine) == {f"m{number}" for number in range(200)}
    engine.close()
    cache.close()


def test_a_bulk_that_changes_again_while_it_waits_is_embedded_as_it_is_last(rig: Rig, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with opened(rig, tmp_path / "state", embedder) as engine:
        engine.attach()
        for turn in ("first", "second", "last"):
            for number in range(_MANY):
                write(rig, f"m{number}", f"broker {number}, {turn}")
            rig.follow()
        assert embedded(engine) == {f"m{number}" for number in range(_MANY)}
        hits = {
            number: engine.candidates(Wording(f"broker {number}, last", ["broker"]), Where(), 50).found
            for number in (3, 17)
        }
        assert all(found for found in hits.values())
        for number in range(_MANY):
            assert any(f"broker {number}, last" in text for text in embedder.asked)
        assert engine.health().degraded is None


def test_the_map_waits_for_vectors_and_says_so_when_the_engine_ends_first(rig: Rig, tmp_path: Path) -> None:
    with opened(rig, tmp_path / "state", HashEmbedder()) as engine:
        heard: list[BaseException] = []

        def draw() -> None:
            try:
                engine.means()
            except IndexNotReady as error:
                heard.append(error)

        drawing = threading.Thread(target=draw)
        drawing.start()
        engine.close()
        drawing.join(30)
        assert heard


def test_an_erasure_that_came_while_vectors_attached_is_cleaned_afterwards(rig: Rig, tmp_path: Path) -> None:
    erasures = erasures_of(rig)
    cleaned: list[bool] = []
    state = tmp_path / "state"
    write(rig, "one", "The broker drops messages")
    rig.follow()
    with opened(rig, state, HashEmbedder()) as engine:
        cleaned.append(engine.erase(["nobody"]))
        engine.attach()
        cleaned.append(engine.erase(["nobody"]))
    assert cleaned == [False, True]
    assert erasures.is_clean(INDEX)
