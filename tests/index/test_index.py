"""The whole index on real stores: what is written is found, and after anything it equals one that is built anew."""

from __future__ import annotations

import hashlib
import random
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helix.index.embed import Embedder, EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.index import Index
from helix.index.search import Question, Searcher
from helix.index.where import Reach, Where
from helix.vault.erasures import INDEX, Erasures
from helix.vault.note import Note
from tests.follow.rig import Rig
from tests.index.memories import HashEmbedder
from tests.scale import scaled

NOW = datetime(2026, 11, 16, tzinfo=UTC)
WORDS = [
    "cache",
    "token",
    "retry",
    "queue",
    "deploy",
    "staging",
    "schema",
    "index",
    "broker",
    "metric",
    "python",
    "kotlin",
]


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


@contextmanager
def opened(rig: Rig, place: Path, embedder: Embedder | None = None) -> Iterator[Index]:
    cache = EmbedCache(place / "embeddings.db")
    index = Index(place, cache, "bundled", lambda _: EmbedderChoice(embedder, "" if embedder else "no model"))
    rig.reconciler.tail = index.apply
    index.erasures = erasures_of(rig)
    index.catch_up(rig.catalog, lambda path: _read(rig, path))
    try:
        yield index
    finally:
        index.close()
        cache.close()


def erasures_of(rig: Rig) -> Erasures:
    """What a process that follows the vault makes of it: here the catalog is the only other store."""
    erasures = Erasures(rig.ancestry)
    erasures.register("catalog", rig.catalog.erase)
    rig.reconciler.on_commit[:] = [lambda _: erasures.settle()]
    return erasures


def _read(rig: Rig, path: str) -> Note | None:
    try:
        return rig.vault.read(path)
    except FileNotFoundError:
        return None


def ask(
    rig: Rig,
    index: Index,
    text: str,
    *,
    include_hidden: bool = False,
    reaches: tuple[Reach, ...] | None = None,
) -> list[tuple[str, float]]:
    assert index.wait_until_embedded(30)
    searcher = Searcher(index, lambda: NOW, lambda one: _read_text(rig, one))
    where = Where(active_only=not include_hidden, reaches=reaches)
    answer = searcher.search(Question(text, limit=20, where=where))
    return [(hit.memory_id, round(hit.score, 6)) for hit in answer.hits]


def _read_text(rig: Rig, memory_id: str) -> str | None:
    row = rig.catalog.find(memory_id)
    note = None if row is None else _read(rig, row.path)
    return None if note is None else f"{note.memory.title}\n{note.memory.body}"


def ids(hits: list[tuple[str, float]]) -> list[str]:
    return [memory_id for memory_id, _ in hits]


def write(rig: Rig, name: str, body: str, **keys: str) -> None:
    head = "".join(f"{key}: {value}\n" for key, value in {"id": name, **keys}.items())
    (rig.folder / f"{name}.md").write_text(f"---\n{head}---\n{body}\n")


def test_a_written_memory_is_found_and_a_forgotten_one_is_not(rig: Rig, tmp_path: Path) -> None:
    with opened(rig, tmp_path / "state", HashEmbedder()) as index:
        write(rig, "one", "The broker drops messages after four retries")
        rig.follow()
        assert ids(ask(rig, index, "broker retries")) == ["one"]
        write(rig, "one", "The broker drops messages after four retries", status="deleted")
        rig.follow()
        assert ask(rig, index, "broker retries") == []
        assert ids(ask(rig, index, "broker retries", include_hidden=True)) == ["one"]


def test_an_erased_memory_is_in_no_store(rig: Rig, tmp_path: Path) -> None:
    with opened(rig, tmp_path / "state", HashEmbedder()) as index:
        write(rig, "one", "The password of the broker")
        rig.follow()
        assert index.wait_until_embedded(30)
        rig.vault.erase("one.md", "one")
        rig.follow()
        assert ask(rig, index, "password broker", include_hidden=True) == []
        assert "one" not in index.keywords.hashes()
        assert index.meaning is not None
        assert "one" not in index.meaning.vectors.hashes()


def holding(folder: Path, word: str) -> list[str]:
    """The files below the folder that a word stands in, in whatever case and as far as its stem."""
    sought = word.lower().encode()
    return [str(file) for file in folder.rglob("*") if file.is_file() and sought in file.read_bytes().lower()]


@pytest.mark.parametrize("is_killed", [False, True])
def test_soon_after_an_erasure_no_file_of_the_index_holds_its_words(
    rig: Rig, tmp_path: Path, is_killed: bool
) -> None:
    state = rig.state  # the catalog lies here too
    with opened(rig, state, HashEmbedder()) as index:
        write(rig, "one", "An ordinary memory about brokers")
        write(rig, "two", "The quetzalkey of the vault", title="Quetzaltitle", tags="[quetzaltag]")
        rig.follow()
        assert index.wait_until_embedded(30)
        index.tend(tidy=False)
        assert holding(state, "quetzal")
        write(rig, "two", "Another quetzalkey of the vault", title="Quetzaltitle", tags="[quetzaltag]")
        rig.follow()
        assert index.wait_until_embedded(30)
        index.tend(tidy=False)
        rig.vault.erase("two.md", "two")
        rig.follow()
        if not is_killed:
            index.tend(tidy=False)
            assert holding(state, "quetzal") == []
    if is_killed:
        with opened(rig, state, HashEmbedder()) as index:
            index.tend(tidy=False)
            assert holding(state, "quetzal") == []
            assert ids(ask(rig, index, "brokers")) == ["one"]
            assert index.erasures is not None
            assert index.erasures.is_clean(INDEX)


def test_words_of_a_memory_that_was_erased_while_nobody_indexed_leave_the_files_at_the_next_start(
    rig: Rig, tmp_path: Path
) -> None:
    with opened(rig, rig.state, HashEmbedder()) as index:
        write(rig, "two", "The quetzalkey of the vault")
        rig.follow()
        assert index.wait_until_embedded(30)
    rig.reconciler.tail = lambda changes: None
    rig.vault.erase("two.md", "two")
    rig.follow()
    with opened(rig, rig.state, HashEmbedder()) as index:
        index.tend(tidy=False)
        assert holding(rig.state, "quetzal") == []


def test_a_question_that_the_model_fails_on_is_searched_by_words_and_says_so(
    rig: Rig, tmp_path: Path
) -> None:
    embedder = HashEmbedder()
    with opened(rig, tmp_path / "state", embedder) as index:
        write(rig, "one", "The broker drops messages")
        rig.follow()
        assert index.wait_until_embedded(30)
        embedder.refuses_questions = True
        answer = Searcher(index, lambda: NOW, lambda _: None).search(Question("broker messages"))
        assert [hit.memory_id for hit in answer.hits] == ["one"]
        assert "by its words only" in str(answer.degraded)
        embedder.refuses_questions = False
        answer = Searcher(index, lambda: NOW, lambda _: None).search(Question("broker messages"))
        assert answer.degraded is None


def test_without_an_embedder_words_are_searched_and_it_says_so(rig: Rig, tmp_path: Path) -> None:
    with opened(rig, tmp_path / "state") as index:
        write(rig, "one", "The broker drops messages")
        rig.follow()
        answer = Searcher(index, lambda: NOW, lambda _: None).search(Question("broker messages"))
        assert [hit.memory_id for hit in answer.hits] == ["one"]
        assert "no model" in str(answer.degraded)


def test_filters_phrases_and_negations_narrow_the_answer(rig: Rig, tmp_path: Path) -> None:
    with opened(rig, tmp_path / "state", HashEmbedder()) as index:
        write(
            rig, "a", "cache invalidation is hard", kind="decision", project="shop", created_at="2026-05-02"
        )
        write(rig, "b", "hard cache of invalidation", kind="fact", project="billing", created_at="2026-07-02")
        rig.follow()
        assert ids(ask(rig, index, "cache project:Billing")) == ["b"]
        assert ids(ask(rig, index, 'cache "cache invalidation"')) == ["a"]
        assert ids(ask(rig, index, "cache -decision -kind:decision")) == ["b"]
        assert ids(ask(rig, index, "cache before:2026-06")) == ["a"]
        assert ids(ask(rig, index, "kind:fact")) == ["b"]


def test_what_a_hit_is_linked_with_is_found_too_from_either_end(rig: Rig, tmp_path: Path) -> None:
    with opened(rig, tmp_path / "state", None) as index:
        write(rig, "owner", "Ines owns the invoicing service", relates_to="'[[desk]]'")
        write(rig, "desk", "Second floor, by the window")
        rig.follow()
        assert ids(ask(rig, index, "who owns invoicing")) == ["owner", "desk"]
        assert ids(ask(rig, index, "second floor window")) == ["desk", "owner"]
        write(rig, "owner", "Ines owns the invoicing service")
        rig.follow()
        assert ids(ask(rig, index, "second floor window")) == ["desk"]


def test_a_near_miss_of_spelling_is_suggested_as_people_write_it_and_only_from_what_the_asker_sees(
    rig: Rig, tmp_path: Path
) -> None:
    with opened(rig, tmp_path / "state") as index:
        write(rig, "one", "Kubernetes ingress; see kubernetes.io and Kubernetes docs")
        write(rig, "two", "kubernetix is a codename", status="deleted")
        rig.follow()
        searcher = Searcher(index, lambda: NOW, lambda one: _read_text(rig, one))
        assert searcher.search(Question("kubernetis")).suggestions == ["Kubernetes"]


def test_filters_narrow_inside_both_stores(rig: Rig, tmp_path: Path) -> None:
    """A project with few memories is found although hundreds of others fit the words and the meaning better."""
    with opened(rig, tmp_path / "state", HashEmbedder()) as index:
        for number in range(300):
            write(rig, f"m{number}", "broker broker broker", project="loud", created_at="2026-05-02")
        write(
            rig, "quiet", "a long note that names the broker once only", project="quiet", tags="[Ops/queue]"
        )
        write(rig, "old", "the broker", project="loud", kind="decision", created_at="2025-05-02")
        rig.follow()
        for question in ("broker project:quiet", "broker tag:ops", "broker -project:loud", "broker id:QUIET"):
            assert ids(ask(rig, index, question)) == ["quiet"], question
        for question in ("broker before:2026", "broker kind:decision", "broker project:loud kind:decision"):
            assert ids(ask(rig, index, question)) == ["old"], question
        seen = (Reach("project", ("quiet",)),)
        assert ids(ask(rig, index, "broker", reaches=seen)) == ["quiet"]
        assert ids(ask(rig, index, "broker", reaches=(Reach("project", ("Quiet",)),))) == []


def test_a_session_is_seen_by_its_name_within_a_project(rig: Rig, tmp_path: Path) -> None:
    with opened(rig, tmp_path / "state", HashEmbedder()) as index:
        for project, session in (("shop", "s1"), ("shop", "s2"), ("billing", "s1")):
            name = f"{project}-{session}"
            write(rig, name, "the broker", scope="session", project=project, source=f"{{session: {session}}}")
        rig.follow()
        reach = Reach("session", ("shop",), "s1")
        assert ids(ask(rig, index, "the broker", reaches=(reach,))) == ["shop-s1"]
        assert index.meaning is not None
        hits = index.meaning.search("the broker", 10, Where(reaches=(reach,)))
        assert [hit.memory_id for hit in hits] == ["shop-s1"]


def test_eight_threads_ask_while_memories_come_and_go(rig: Rig, tmp_path: Path) -> None:
    over = threading.Event()
    with opened(rig, tmp_path / "state", HashEmbedder()) as index, ThreadPoolExecutor(8) as pool:
        write(rig, "anchor", "the anchor holds the broker", source="{session: s1}")
        rig.follow()
        assert index.wait_until_embedded(30)
        searcher = Searcher(index, lambda: NOW, lambda one: _read_text(rig, one))

        def keep_asking(text: str) -> int:
            asked = 0
            while not over.is_set() or not asked:
                found = [hit.memory_id for hit in searcher.search(Question(text, limit=50)).hits]
                assert "anchor" in found, f"{text}: {found}"
                assert len(found) == len(set(found))
                asked += 1
            return asked

        questions = ("anchor holds", "anchor status:active", "the anchor kind:fact", "anchr broker anchor")
        asking = [pool.submit(keep_asking, text) for text in questions * 2]
        try:
            for step in range(scaled(25)):
                for number in range(10):
                    if (step + number) % 4:
                        source = f"{{session: s{number % 3}}}"
                        write(rig, f"m{number}", f"broker {step} of {WORDS[number]}", source=source)
                    else:
                        write(rig, f"m{number}", f"broker {step}", status="deleted")
                rig.follow()
                index.tend(tidy=step % 3 == 0)
                if step % 10 == 5:
                    rig.vault.erase(f"m{step % 10}.md", f"m{step % 10}")
                    rig.follow()
                    index.tend(tidy=False)
        finally:
            over.set()
        assert all(one.result(timeout=60) for one in asking)


def test_a_rebuild_makes_both_stores_again_while_the_old_ones_serve(rig: Rig, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with opened(rig, tmp_path / "state", embedder) as index:
        for number, word in enumerate(WORDS):
            write(rig, f"m{number}", f"about the {word}")
        rig.follow()
        before = [ask(rig, index, f"about the {word}") for word in WORDS]
        index.tend(tidy=False)
        asked = len(embedder.asked)
        told: list[tuple[int, int]] = []

        def progress(done: int, total: int) -> None:
            assert ids(ask(rig, index, "about the cache"))[0] == "m0"
            told.append((done, total))

        index.rebuild(progress)
        assert told[-1][1] == len(WORDS)
        assert [ask(rig, index, f"about the {word}") for word in WORDS] == before
        assert len(embedder.asked) == asked, "the cache had every vector"
    with opened(rig, tmp_path / "state", embedder) as index:
        assert [ask(rig, index, f"about the {word}") for word in WORDS] == before


def test_a_rebuild_that_is_stopped_leaves_an_index_that_answers(rig: Rig, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with opened(rig, tmp_path / "state", HashEmbedder()) as index:
        write(rig, "one", "The broker drops messages")
        rig.follow()
        before = ask(rig, index, "broker")
        with pytest.raises(KeyboardInterrupt):
            index.rebuild(stop)
        assert ask(rig, index, "broker") == before
        index.rebuild()
        assert ask(rig, index, "broker") == before


@pytest.mark.parametrize("broken", ["keywords", "vectors", "both"])
def test_a_store_that_cannot_be_read_is_set_aside_and_filled_again(
    rig: Rig, tmp_path: Path, broken: str
) -> None:
    state = tmp_path / "state"
    with opened(rig, state, HashEmbedder()) as index:
        for number, word in enumerate(WORDS):
            write(rig, f"m{number}", f"about the {word}")
        rig.follow()
        before = ask(rig, index, "about the cache")
    for folder in state.iterdir():
        if folder.is_dir() and (broken == "both" or folder.name.startswith(broken)):
            for file in folder.rglob("*"):
                if file.is_file():
                    file.write_bytes(b"")
    with opened(rig, state, HashEmbedder()) as index:
        assert ask(rig, index, "about the cache") == before


def test_what_a_crash_took_from_memory_is_put_again(rig: Rig, tmp_path: Path) -> None:
    state = tmp_path / "state"
    cache = EmbedCache(state / "embeddings.db")
    lost = Index(state, cache, "bundled", lambda _: EmbedderChoice(HashEmbedder(), ""))
    rig.reconciler.tail = lost.apply
    write(rig, "one", "The broker drops messages")
    rig.follow()  # the catalog has it, the stores have it in memory only, and nobody closes them
    with opened(rig, state, HashEmbedder()) as index:
        assert ids(ask(rig, index, "broker")) == ["one"]


def test_an_index_that_is_deleted_while_it_is_used_is_built_again(rig: Rig, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with opened(rig, state, HashEmbedder()) as index:
        write(rig, "one", "The broker drops messages")
        rig.follow()
        index.tend(tidy=False)
        before = ask(rig, index, "broker")
        for folder in state.iterdir():
            if folder.is_dir():
                shutil.rmtree(folder)
        index.tend(tidy=False)
        assert ask(rig, index, "broker") == before
    with opened(rig, state, HashEmbedder()) as index:
        assert ask(rig, index, "broker") == before


def test_the_vectors_of_the_model_before_serve_until_those_of_a_new_one_are_complete(
    rig: Rig, tmp_path: Path
) -> None:
    state, cache = tmp_path / "state", EmbedCache(tmp_path / "state" / "embeddings.db")
    old, new = HashEmbedder(), HashEmbedder()
    new.name, new.digest = "new", hashlib.sha256(b"new").hexdigest()
    models = {"old": EmbedderChoice(old, ""), "new": EmbedderChoice(new, "")}
    write(rig, "one", "The broker drops messages")
    rig.follow()
    first = Index(state, cache, "old", models.__getitem__)
    first.catch_up(rig.catalog, lambda path: _read(rig, path))
    assert first.wait_until_embedded(30)
    first.close()

    new.gate.clear()
    index = Index(state, cache, "new", models.__getitem__)
    index.catch_up(rig.catalog, lambda path: _read(rig, path))
    index.tend(tidy=False)
    assert index.health().model == old.name
    assert "new" in str(index.health().degraded)
    assert ids(ask(rig, index, "broker")) == ["one"]
    new.gate.set()
    assert index.building is not None
    assert index.building.wait(30)
    index.tend(tidy=False)
    assert (index.health().model, index.health().degraded) == ("new", None)
    assert ids(ask(rig, index, "broker")) == ["one"]
    index.close()
    again = Index(state, cache, "new", models.__getitem__)
    assert again.building is None
    again.close()
    cache.close()


def test_after_any_sequence_the_index_answers_as_one_that_is_built_anew(rig: Rig, tmp_path: Path) -> None:
    chance = random.Random(7)
    with opened(rig, tmp_path / "state", HashEmbedder()) as index:
        for step in range(scaled(120)):
            name = f"m{chance.randrange(25)}"
            path = rig.folder / f"{name}.md"
            move = chance.random()
            if move < 0.6 or not path.exists():
                body = " ".join(chance.choices(WORDS, k=chance.randrange(3, 30)))
                status = chance.choice(["active", "active", "active", "deleted"])
                write(rig, name, body, status=status, source=f"{{session: s{chance.randrange(3)}}}")
            elif move < 0.75:
                path.unlink()
                rig.follow()
                rig.advance(5)
            elif move < 0.85:
                index.tend(tidy=False)
            elif move < 0.9:
                index.tend(tidy=True)
                assert index.meaning is not None
                index.meaning.vectors.maintain(force=True)
            if step % 3 == 0:
                rig.follow()
        rig.follow()
        rig.advance(5)
        rig.follow()
        questions = [f"{one} {other}" for one in WORDS for other in WORDS[:3]]
        answers = [ask(rig, index, question, include_hidden=True) for question in questions]
    with opened(rig, tmp_path / "fresh", HashEmbedder()) as index:
        assert [ask(rig, index, question, include_hidden=True) for question in questions] == answers
    assert any(answers)
