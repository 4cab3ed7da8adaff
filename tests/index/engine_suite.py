"""What every engine has to do, whatever it is made of. Subclass it and say how to open one, and how to look into it.

It speaks through the door (`helix.index.engine.Engine`) and the follower alone: notes are written as files, followed,
and asked for. What is written is found, and after anything an engine answers as one that is built anew.
"""

from __future__ import annotations

import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from helix.index.analyze import query_tokens
from helix.index.embed import Embedder
from helix.index.engine import ANCHORS, BESIDE, Candidate, Engine, Wording
from helix.index.filters import Reach, Where, to_predicate
from helix.index.query import parse
from helix.index.search import Question, Searcher
from helix.vault.erasures import INDEX, Erasures
from helix.vault.note import Note
from tests.follow.rig import Rig
from tests.index.memories import HashEmbedder
from tests.scale import scaled
from tests.waiting import wait_for

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


def erasures_of(rig: Rig) -> Erasures:
    """What a process that follows the vault makes of it: here the catalog is the only other store."""
    erasures = Erasures(rig.ancestry)
    erasures.register("catalog", rig.catalog.erase)
    rig.reconciler.on_commit[:] = [lambda _: erasures.settle()]
    return erasures


def read_note(rig: Rig, path: str) -> Note | None:
    try:
        return rig.vault.read(path)
    except FileNotFoundError:
        return None


def find_note(rig: Rig, memory_id: str) -> Note | None:
    row = rig.catalog.find(memory_id)
    return None if row is None else read_note(rig, row.path)


def searcher_of(rig: Rig, engine: Engine) -> Searcher:
    return Searcher(engine, lambda: NOW, lambda memory_id: find_note(rig, memory_id))


def ask(
    rig: Rig,
    engine: Engine,
    text: str,
    *,
    include_hidden: bool = False,
    reaches: tuple[Reach, ...] | None = None,
) -> list[tuple[str, float]]:
    assert engine.wait_until_embedded(30)
    where = Where(active_only=not include_hidden, reaches=reaches)
    answer = searcher_of(rig, engine).search(Question(text, limit=20, where=where))
    return [(hit.memory_id, round(hit.score, 6)) for hit in answer.hits]


def ids(hits: list[tuple[str, float]]) -> list[str]:
    return [memory_id for memory_id, _ in hits]


def write(rig: Rig, name: str, body: str, **keys: str) -> None:
    head = "".join(f"{key}: {value}\n" for key, value in {"id": name, **keys}.items())
    (rig.folder / f"{name}.md").write_text(f"---\n{head}---\n{body}\n")


def candidates(
    engine: Engine, text: str, where: Where | None = None, limit: int = 20
) -> dict[str, Candidate]:
    assert engine.wait_until_embedded(30)
    wording = Wording(text, query_tokens(text))
    return {one.id: one for one in engine.candidates(wording, where or Where(), limit).found}


class EngineSuite(ABC):
    @abstractmethod
    def open(self, place: Path, embedder: Embedder | None, erasures: Erasures | None) -> Engine:
        """An engine that keeps what it has at this place, or finds it there."""

    @abstractmethod
    def holds(self, place: Path, word: str) -> bool:
        """Whether a word stands anywhere in what the engine keeps, in whatever case and as far as its stem."""

    @abstractmethod
    def crash(self, engine: Engine) -> None:
        """What the death of its process does to an engine that nobody closes."""

    @pytest.fixture
    def rig(self, tmp_path: Path) -> Rig:
        return Rig(tmp_path)

    @contextmanager
    def opened(self, rig: Rig, place: Path, embedder: Embedder | None = None) -> Iterator[Engine]:
        engine = self.open(place, embedder, erasures_of(rig))
        rig.reconciler.tail = engine.apply
        engine.catch_up(rig.catalog, lambda path: read_note(rig, path))
        try:
            yield engine
        finally:
            engine.close()

    def test_a_written_memory_is_found_and_a_forgotten_one_is_not(self, rig: Rig, tmp_path: Path) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            write(rig, "one", "The broker drops messages after four retries")
            rig.follow()
            assert ids(ask(rig, engine, "broker retries")) == ["one"]
            write(rig, "one", "The broker drops messages after four retries", status="deleted")
            rig.follow()
            assert ask(rig, engine, "broker retries") == []
            assert ids(ask(rig, engine, "broker retries", include_hidden=True)) == ["one"]

    def test_a_question_that_was_just_asked_is_not_searched_for_again(self, rig: Rig, tmp_path: Path) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            write(rig, "one", "The broker drops messages after four retries")
            rig.follow()
            assert engine.wait_until_embedded(30)
            search = searcher_of(rig, engine).search
            # What was embedded last may just be on its way into the answers.
            first = wait_for(
                lambda: (
                    found
                    if (found := search(Question("broker retries", now=NOW))).hits
                    is search(Question("broker retries", now=NOW + timedelta(seconds=5))).hits
                    else None
                )
            )
            assert first is not None
            for other in (
                Question("broker retries", limit=3, now=NOW),
                Question("broker retries", now=NOW + timedelta(hours=1)),
                Question("broker retries", now=NOW, where=Where(kinds=("fact",))),
                Question("broker retries", now=NOW, where=Where(among=frozenset({"one"}))),
            ):
                assert search(other).hits is not first.hits

    def test_no_answer_is_kept_over_a_change(self, rig: Rig, tmp_path: Path) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            searcher, question = searcher_of(rig, engine), Question("broker retries", now=NOW)

            def found() -> list[str]:
                assert engine.wait_until_embedded(30)
                return sorted(hit.memory_id for hit in searcher.search(question).hits)

            steps = [
                ("one", "The broker drops messages after four retries", "active", ["one"]),
                ("two", "A broker with retries", "active", ["one", "two"]),
                ("one", "The broker drops messages after four retries", "deleted", ["two"]),
                ("one", "The broker drops messages after four retries", "active", ["one", "two"]),
            ]
            for name, body, status, wanted in steps:
                found()
                write(rig, name, body, status=status)
                rig.follow()
                assert found() == wanted
            rig.vault.erase("two.md", "two")
            rig.follow()
            assert found() == ["one"]

    def test_an_erased_memory_is_in_no_store(self, rig: Rig, tmp_path: Path) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            write(rig, "one", "The password of the broker")
            rig.follow()
            assert engine.wait_until_embedded(30)
            rig.vault.erase("one.md", "one")
            rig.follow()
            assert ask(rig, engine, "password broker", include_hidden=True) == []
            assert "one" not in engine.hashes()
            means = engine.means()
            assert means is not None
            assert "one" not in means[0]

    @pytest.mark.parametrize("is_killed", [False, True])
    def test_soon_after_an_erasure_no_file_of_the_index_holds_its_words(
        self, rig: Rig, tmp_path: Path, is_killed: bool
    ) -> None:
        state = rig.state  # the catalog lies here too
        with self.opened(rig, state, HashEmbedder()) as engine:
            write(rig, "one", "An ordinary memory about brokers")
            write(rig, "two", "The quetzalkey of the vault", title="Quetzaltitle", tags="[quetzaltag]")
            rig.follow()
            assert engine.wait_until_embedded(30)
            engine.tend(tidy=False)
            assert self.holds(state, "quetzal")
            write(rig, "two", "Another quetzalkey of the vault", title="Quetzaltitle", tags="[quetzaltag]")
            rig.follow()
            assert engine.wait_until_embedded(30)
            engine.tend(tidy=False)
            rig.vault.erase("two.md", "two")
            rig.follow()
            if not is_killed:
                engine.tend(tidy=False)
                assert not self.holds(state, "quetzal")
        if is_killed:
            with self.opened(rig, state, HashEmbedder()) as engine:
                engine.tend(tidy=False)
                assert not self.holds(state, "quetzal")
                assert ids(ask(rig, engine, "brokers")) == ["one"]
                assert Erasures(rig.ancestry).is_clean(INDEX)

    def test_words_of_a_memory_that_was_erased_while_nobody_indexed_leave_the_files_at_the_next_start(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        with self.opened(rig, rig.state, HashEmbedder()) as engine:
            write(rig, "two", "The quetzalkey of the vault")
            rig.follow()
            assert engine.wait_until_embedded(30)
        rig.reconciler.tail = lambda changes: None
        rig.vault.erase("two.md", "two")
        rig.follow()
        with self.opened(rig, rig.state, HashEmbedder()) as engine:
            engine.tend(tidy=False)
            assert not self.holds(rig.state, "quetzal")

    def test_a_question_that_the_model_fails_on_is_searched_by_words_and_says_so(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        embedder = HashEmbedder()
        with self.opened(rig, tmp_path / "state", embedder) as engine:
            write(rig, "one", "The broker drops messages")
            rig.follow()
            assert engine.wait_until_embedded(30)
            embedder.refuses_questions = True
            answer = searcher_of(rig, engine).search(Question("broker messages"))
            assert [hit.memory_id for hit in answer.hits] == ["one"]
            assert "by its words only" in str(answer.degraded)
            embedder.refuses_questions = False
            answer = searcher_of(rig, engine).search(Question("broker messages"))
            assert answer.degraded is None

    def test_without_an_embedder_words_are_searched_and_it_says_so(self, rig: Rig, tmp_path: Path) -> None:
        with self.opened(rig, tmp_path / "state") as engine:
            write(rig, "one", "The broker drops messages")
            rig.follow()
            answer = searcher_of(rig, engine).search(Question("broker messages"))
            assert [hit.memory_id for hit in answer.hits] == ["one"]
            assert "no model" in str(answer.degraded)

    def test_filters_phrases_and_negations_narrow_the_answer(self, rig: Rig, tmp_path: Path) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            write(
                rig,
                "a",
                "cache invalidation is hard",
                kind="decision",
                project="shop",
                created_at="2026-05-02",
            )
            write(
                rig,
                "b",
                "hard cache of invalidation",
                kind="fact",
                project="billing",
                created_at="2026-07-02",
            )
            rig.follow()
            assert ids(ask(rig, engine, "cache project:Billing")) == ["b"]
            assert ids(ask(rig, engine, 'cache "cache invalidation"')) == ["a"]
            assert ids(ask(rig, engine, "cache -decision -kind:decision")) == ["b"]
            assert ids(ask(rig, engine, "cache before:2026-06")) == ["a"]
            assert ids(ask(rig, engine, "kind:fact")) == ["b"]

    def test_what_a_hit_is_linked_with_is_found_too_from_either_end(self, rig: Rig, tmp_path: Path) -> None:
        with self.opened(rig, tmp_path / "state", None) as engine:
            write(rig, "owner", "Ines owns the invoicing service", relates_to="'[[desk]]'")
            write(rig, "desk", "Second floor, by the window")
            rig.follow()
            assert ids(ask(rig, engine, "who owns invoicing")) == ["owner", "desk"]
            assert ids(ask(rig, engine, "second floor window")) == ["desk", "owner"]
            write(rig, "owner", "Ines owns the invoicing service")
            rig.follow()
            assert ids(ask(rig, engine, "second floor window")) == ["desk"]

    def test_a_near_miss_of_spelling_is_suggested_as_people_write_it_and_only_from_what_the_asker_sees(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        with self.opened(rig, tmp_path / "state") as engine:
            write(rig, "one", "Kubernetes ingress; see kubernetes.io and Kubernetes docs")
            write(rig, "two", "kubernetix is a codename", status="deleted")
            rig.follow()
            searcher = searcher_of(rig, engine)
            assert searcher.search(Question("kubernetis")).suggestions == ["Kubernetes"]

    def test_filters_narrow_inside_both_stores(self, rig: Rig, tmp_path: Path) -> None:
        """A project with few memories is found although hundreds of others fit the words and the meaning better."""
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            for number in range(300):
                write(rig, f"m{number}", "broker broker broker", project="loud", created_at="2026-05-02")
            write(
                rig,
                "quiet",
                "a long note that names the broker once only",
                project="quiet",
                tags="[Ops/queue]",
            )
            write(rig, "old", "the broker", project="loud", kind="decision", created_at="2025-05-02")
            rig.follow()
            for question in (
                "broker project:quiet",
                "broker tag:ops",
                "broker -project:loud",
                "broker id:QUIET",
            ):
                assert ids(ask(rig, engine, question)) == ["quiet"], question
            for question in (
                "broker before:2026",
                "broker kind:decision",
                "broker project:loud kind:decision",
            ):
                assert ids(ask(rig, engine, question)) == ["old"], question
            seen = (Reach("project", ("quiet",)),)
            assert ids(ask(rig, engine, "broker", reaches=seen)) == ["quiet"]
            assert ids(ask(rig, engine, "broker", reaches=(Reach("project", ("Quiet",)),))) == []

    def test_a_session_is_seen_by_its_name_within_a_project(self, rig: Rig, tmp_path: Path) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            for project, session in (("shop", "s1"), ("shop", "s2"), ("billing", "s1")):
                name = f"{project}-{session}"
                write(
                    rig,
                    name,
                    "the broker",
                    scope="session",
                    project=project,
                    source=f"{{session: {session}}}",
                )
            rig.follow()
            reach = Reach("session", ("shop",), "s1")
            assert ids(ask(rig, engine, "the broker", reaches=(reach,))) == ["shop-s1"]
            found = candidates(engine, "the broker", Where(reaches=(reach,)))
            assert [one.id for one in found.values() if one.cosine is not None] == ["shop-s1"]

    def test_eight_threads_ask_while_memories_come_and_go(self, rig: Rig, tmp_path: Path) -> None:
        over = threading.Event()
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine, ThreadPoolExecutor(8) as pool:
            write(rig, "anchor", "the anchor holds the broker", source="{session: s1}")
            rig.follow()
            assert engine.wait_until_embedded(30)
            searcher = searcher_of(rig, engine)

            def keep_asking(text: str) -> int:
                asked = 0
                while not over.is_set() or not asked:
                    found = [hit.memory_id for hit in searcher.search(Question(text, limit=50)).hits]
                    assert "anchor" in found, f"{text}: {found}"
                    assert len(found) == len(set(found))
                    asked += 1
                return asked

            questions = (
                "anchor holds",
                "anchor status:active",
                "the anchor kind:fact",
                "anchr broker anchor",
            )
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
                    engine.tend(tidy=step % 3 == 0)
                    if step % 10 == 5:
                        rig.vault.erase(f"m{step % 10}.md", f"m{step % 10}")
                        rig.follow()
                        engine.tend(tidy=False)
            finally:
                over.set()
            assert all(one.result(timeout=60) for one in asking)

    def test_a_rebuild_makes_both_stores_again_while_the_old_ones_serve(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        embedder = HashEmbedder()
        with self.opened(rig, tmp_path / "state", embedder) as engine:
            for number, word in enumerate(WORDS):
                write(rig, f"m{number}", f"about the {word}")
            rig.follow()
            before = [ask(rig, engine, f"about the {word}") for word in WORDS]
            engine.tend(tidy=False)
            asked = len(embedder.asked)
            told: list[tuple[int, int]] = []

            def progress(done: int, total: int) -> None:
                assert ids(ask(rig, engine, "about the cache"))[0] == "m0"
                told.append((done, total))

            engine.rebuild(progress)
            assert told[-1][1] == len(WORDS)
            assert [ask(rig, engine, f"about the {word}") for word in WORDS] == before
            assert len(embedder.asked) == asked, "the cache had every vector"
        with self.opened(rig, tmp_path / "state", embedder) as engine:
            assert [ask(rig, engine, f"about the {word}") for word in WORDS] == before

    def test_a_rebuild_that_is_stopped_leaves_an_index_that_answers(self, rig: Rig, tmp_path: Path) -> None:
        def stop(done: int, total: int) -> None:
            raise KeyboardInterrupt

        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            write(rig, "one", "The broker drops messages")
            rig.follow()
            before = ask(rig, engine, "broker")
            with pytest.raises(KeyboardInterrupt):
                engine.rebuild(stop)
            assert ask(rig, engine, "broker") == before
            engine.rebuild()
            assert ask(rig, engine, "broker") == before

    def test_what_a_crash_took_from_memory_is_put_again(self, rig: Rig, tmp_path: Path) -> None:
        state = tmp_path / "state"
        lost = self.open(state, HashEmbedder(), None)
        rig.reconciler.tail = lost.apply
        write(rig, "one", "The broker drops messages")
        rig.follow()  # the catalog has it, the engine has it in memory only perhaps, and nobody closes it
        self.crash(lost)
        with self.opened(rig, state, HashEmbedder()) as engine:
            assert ids(ask(rig, engine, "broker")) == ["one"]

    def test_after_any_sequence_the_index_answers_as_one_that_is_built_anew(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        chance = random.Random(7)
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
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
                    engine.tend(tidy=False)
                elif move < 0.9:
                    engine.tend(tidy=True)
                if step % 3 == 0:
                    rig.follow()
            rig.follow()
            rig.advance(5)
            rig.follow()
            questions = [f"{one} {other}" for one in WORDS for other in WORDS[:3]]
            answers = [ask(rig, engine, question, include_hidden=True) for question in questions]
        with self.opened(rig, tmp_path / "fresh", HashEmbedder()) as engine:
            assert [ask(rig, engine, question, include_hidden=True) for question in questions] == answers
        assert any(answers)

    # Through the door, without ranking

    def test_a_candidate_comes_with_its_facets_and_what_each_source_says_of_it(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            write(
                rig, "one", "The broker drops messages", project="shop", tags="[Ops/queue]", kind="decision"
            )
            write(rig, "two", "Nothing of the kind", relates_to="'[[one]]'")
            rig.follow()
            found = candidates(engine, "broker unheard")
            one = found["one"]
            [facets] = engine.facets(Where(ids=("one",)))
            assert (facets.project, facets.kind, facets.tags) == (
                "shop",
                "decision",
                frozenset({"ops/queue"}),
            )
            assert one.words > 0
            assert one.cosine is not None
            assert one.linked == {"two"}
            assert found["two"].words == 0
            assert found["two"].linked == {"one"}
            asked = engine.candidates(Wording("broker unheard", ["broker", "unheard"]), Where(), 5)
            assert asked.rarities.keys() == {"broker", "unheard"}
            assert asked.rarities["unheard"] > asked.rarities["broker"]
            assert asked.best_possible > one.words
            assert asked.found.ids == ["one", "two"]
            assert asked.found.ordinals[0] == 0

    def test_what_stands_beside_the_best_in_its_session_is_a_candidate_too(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        with self.opened(rig, tmp_path / "state", None) as engine:
            for number in range(9):
                body = "the broker" if number == 4 else f"step {number}"
                day = f"2026-05-{number + 1:02}"
                write(rig, f"m{number}", body, created_at=day, source="{session: s1}", project="shop")
                write(rig, f"o{number}", f"step {number}", created_at=day, source="{session: s1}")
            rig.follow()
            found = candidates(engine, "broker")
            assert sorted(found) == [f"m{number}" for number in range(4 - BESIDE, 4 + BESIDE + 1)]
            assert [found[f"m{number}"].position for number in (3, 4, 5)] == [3, 4, 5]

    def test_no_more_than_the_limit_come_from_one_source_and_everything_when_nothing_is_looked_for(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        with self.opened(rig, tmp_path / "state", None) as engine:
            for number in range(ANCHORS + 5):
                write(rig, f"m{number:02}", "the broker " + "and more " * number)
            rig.follow()
            assert sorted(candidates(engine, "broker", limit=3)) == ["m00", "m01", "m02"]
            assert len(candidates(engine, "")) == ANCHORS + 5

    @pytest.mark.parametrize(
        "text",
        [
            *(
                "",
                "kind:decision",
                "kind:fact,DECISION",
                "tag:ops",
                "tag:Ops/queue",
                "-tag:ops",
                "project:Shop",
            ),
            *(
                "-project:shop",
                "scope:session",
                "status:deleted",
                "-status:active",
                "unfiled:true",
                "unfiled:false",
            ),
            *("after:2026-05-02", "before:2026-05-02", "-before:2026-05-02 kind:fact", "id:M1,m3", "-id:m2"),
        ],
    )
    def test_every_filter_means_in_the_engine_what_the_predicate_says(
        self, rig: Rig, tmp_path: Path, text: str
    ) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            write(rig, "m1", "broker", kind="decision", tags="[Ops/queue]", created_at="2026-05-01")
            write(rig, "m2", "broker", project="shop", tags="[ops]", created_at="2026-05-02")
            write(rig, "m3", "broker", project="shop", scope="session", source="{session: 7}")
            write(rig, "m4", "broker", project="o'brien", status="deleted", created_at="2026-05-03T08:00:00Z")
            write(rig, "m5", "broker", scope="project")
            rig.follow()
            reaches = (Reach("project", ("shop", "")), Reach("global"), Reach("session", None, "7"))
            rows = rig.catalog.memories(include_hidden=True)
            for where in (Where(), Where(active_only=True), Where(reaches=reaches), Where(reaches=())):
                asked = parse(text, where).where
                expected = {row.id for row in filter(to_predicate(asked), rows)}
                assert set(candidates(engine, "broker", asked)) == expected, where
                assert [row.id for row in engine.facets(asked)] == sorted(expected)

    def test_texts_that_share_rare_words_are_alike_within_reach(self, rig: Rig, tmp_path: Path) -> None:
        with self.opened(rig, tmp_path / "state", None) as engine:
            write(rig, "near", "the broker retries with jitter", project="shop")
            write(rig, "far", "the broker sleeps", project="shop")
            write(rig, "elsewhere", "the broker retries with jitter", project="billing")
            rig.follow()
            where = Where(reaches=(Reach("project", ("shop",)),), active_only=True)
            assert engine.alike("retries with jitter in the broker", 5, where) == ["near", "far"]
            assert engine.alike("retries with jitter in the broker", 1, where) == ["near"]
            assert engine.alike("nothing of the sort", 5, where) == []

    def test_a_word_that_nobody_wrote_is_answered_with_those_that_look_like_it(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        with self.opened(rig, tmp_path / "state", None) as engine:
            write(rig, "one", "Kubernetes ingress")
            write(rig, "two", "Kubernetes egress", project="shop")
            rig.follow()
            [spelling] = engine.spellings(query_tokens("kubernetis ingress"), Where(projects=("shop",)))
            assert spelling.held_by == ["two"]
            assert engine.spellings(query_tokens("ingress"), Where()) == []

    def test_changes_that_come_again_change_nothing(self, rig: Rig, tmp_path: Path) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            write(rig, "one", "The broker drops messages")
            changes = rig.follow().changes
            before, hashes = ask(rig, engine, "broker"), dict(engine.hashes())
            engine.apply(changes)
            assert ask(rig, engine, "broker") == before
            assert engine.hashes() == hashes
            assert engine.health().memories == 1

    def test_the_hashes_are_those_of_the_notes_and_catching_up_twice_does_nothing(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            write(rig, "one", "The broker drops messages")
            write(rig, "two", "The queue is empty")
            rig.follow()
            assert engine.wait_until_embedded(30)
            assert engine.hashes() == {row.id: row.hash for row in rig.catalog.indexed()}
            assert engine.catch_up(rig.catalog, lambda path: read_note(rig, path)) == 0

    def test_the_vectors_for_the_map_are_of_length_one_and_say_when_they_change(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        with self.opened(rig, tmp_path / "state", HashEmbedder()) as engine:
            write(rig, "one", "The broker drops messages")
            rig.follow()
            assert engine.wait_until_embedded(30)
            version, means = engine.vectors_version(), engine.means()
            assert means is not None
            assert means[0] == ["one"]
            assert np.allclose(np.linalg.norm(means[1], axis=1), 1.0, atol=1e-3)
            assert engine.vectors_version() == version
            write(rig, "two", "The queue is empty")
            rig.follow()
            assert engine.wait_until_embedded(30)
            assert engine.vectors_version() != version
            assert engine.health().dimensions == means[1].shape[1]
        with self.opened(rig, tmp_path / "other", None) as engine:
            assert engine.means() is None
            assert engine.health().dimensions is None
