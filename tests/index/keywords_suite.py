"""What every keyword engine has to do, whatever it is made of. Subclass it and say how to open one."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from pathlib import Path

import pytest

from helix.index.analyze import query_tokens
from helix.index.keywords import KeywordDoc, Keywords
from tests.scale import scaled

_SUBJECTS = [
    "auth",
    "retry",
    "cache",
    "deploy",
    "schema",
    "timeout",
    "login",
    "queue",
    "token",
    "index",
    "merge",
]


def doc(
    memory_id: str, body: str, title: str = "", tags: tuple[str, ...] = (), content: str = "h"
) -> KeywordDoc:
    return KeywordDoc(memory_id, title, tags, body, content)


def random_doc(memory_id: str, rng: random.Random) -> KeywordDoc:
    body = " ".join(rng.choices(_SUBJECTS, k=rng.randint(1, 30)))
    return doc(memory_id, body, rng.choice(_SUBJECTS), (rng.choice(_SUBJECTS),), f"{rng.getrandbits(32):x}")


class KeywordsSuite(ABC):
    @abstractmethod
    def open(self, folder: Path) -> Keywords: ...

    @pytest.fixture
    def keywords(self, tmp_path: Path) -> Keywords:
        return self.open(tmp_path / "words")

    def found(self, keywords: Keywords, query: str, limit: int = 10) -> list[str]:
        return [memory_id for memory_id, _ in keywords.search(query_tokens(query), limit)]

    def test_what_is_put_is_found_at_once(self, keywords: Keywords) -> None:
        keywords.put([doc("a", "The client retries with jitter")])
        assert self.found(keywords, "retry jitter") == ["a"]
        assert keywords.count() == 1

    def test_an_empty_index_answers_everything_with_nothing(self, keywords: Keywords) -> None:
        assert keywords.search(["word"], 5) == []
        assert keywords.terms_like("word") == []
        assert keywords.document_frequency("word") == 0
        assert keywords.hashes() == {}
        assert keywords.count() == 0
        keywords.flush()
        keywords.maintain()

    @pytest.mark.parametrize(("words", "limit"), [([], 5), (["retri"], 0), (["absent"], 5), ([""], 5)])
    def test_a_query_for_nothing_finds_nothing(
        self, keywords: Keywords, words: list[str], limit: int
    ) -> None:
        keywords.put([doc("a", "retry")])
        keywords.flush()
        assert keywords.search(words, limit) == []

    def test_a_new_text_replaces_the_old_one(self, keywords: Keywords) -> None:
        for flushed in (False, True):
            keywords.put([doc("a", "old words", content="1")])
            if flushed:
                keywords.flush()
            keywords.put([doc("a", "new words", content="2")])
            assert self.found(keywords, "old") == []
            assert self.found(keywords, "new") == ["a"]
            assert keywords.hashes() == {"a": "2"}
            assert keywords.count() == 1

    def test_what_is_dropped_is_not_found_and_not_counted(self, keywords: Keywords) -> None:
        keywords.put([doc("a", "one shared"), doc("b", "two shared")])
        keywords.flush()
        keywords.put([doc("c", "three shared")])
        keywords.drop(["a", "c", "never there"])
        assert self.found(keywords, "shared") == ["b"]
        assert keywords.document_frequency("share") == 1
        assert set(keywords.hashes()) == {"b"}

    def test_rare_words_titles_and_tags_come_first(self, keywords: Keywords) -> None:
        filler = "and some more text about other things that happened"
        keywords.put(
            [
                doc("body", f"the deploy of the service {filler}"),
                doc("title", f"the service went out {filler}", title="Deploy"),
                doc("tag", f"the service went out {filler}", tags=("deploy",)),
                doc("other", f"the service went out twice {filler}"),
            ]
        )
        assert self.found(keywords, "deploy") == ["title", "tag", "body"]
        assert self.found(keywords, "service deploy")[:3] == ["title", "tag", "body"]

    def test_the_shorter_of_two_texts_is_the_better_one(self, keywords: Keywords) -> None:
        keywords.put([doc("long", "timeout " + "word " * 200), doc("short", "timeout in the client")])
        assert self.found(keywords, "timeout") == ["short", "long"]

    def test_equal_scores_are_ordered_by_id_and_the_limit_is_kept(self, keywords: Keywords) -> None:
        keywords.put([doc(name, "the same text") for name in "dbeca"])
        assert self.found(keywords, "text") == list("abcde")
        assert self.found(keywords, "text", limit=2) == ["a", "b"]

    def test_only_allowed_documents_are_given_and_they_fill_the_limit(self, keywords: Keywords) -> None:
        keywords.put([doc(f"{number:03}", "common " * (1 + number % 7)) for number in range(200)])
        keywords.flush()
        hits = keywords.search(["common"], 20, allowed=lambda memory_id: memory_id.endswith("7"))
        assert len(hits) == 20
        assert all(memory_id.endswith("7") for memory_id, _ in hits)
        assert keywords.search(["common"], 20, allowed=lambda _: False) == []

    def test_documents_with_an_unwanted_word_are_left_out(self, keywords: Keywords) -> None:
        keywords.put([doc("a", "login form"), doc("b", "login draft")])
        keywords.flush()
        keywords.put([doc("c", "login page"), doc("d", "login draft")])
        hits = keywords.search(["login"], 10, without=["draft"])
        assert [memory_id for memory_id, _ in hits] == ["a", "c"]

    def test_scores_fall_and_are_positive(self, keywords: Keywords) -> None:
        rng = random.Random(3)
        keywords.put([random_doc(f"m{number}", rng) for number in range(50)])
        scores = [score for _, score in keywords.search(["auth", "retri", "cach"], 50)]
        assert scores == sorted(scores, reverse=True)
        assert all(score > 0 for score in scores)

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("Die Größe des Puffers", "große"),
            ("кэш очереди сообщений", "Очереди"),
            ("データベース接続の設定", "接続"),
            ("ตั้งค่าฐานข้อมูล", "ฐานข้อมูล"),
            ("إعداد قاعدة البيانات", "قاعدة"),
            ("naïve café", "naive cafe"),
            ("emoji \U0001f600 beside", "beside"),
        ],
    )
    def test_every_script_is_found(self, keywords: Keywords, text: str, query: str) -> None:
        keywords.put([doc("a", text), doc("b", "something else")])
        assert self.found(keywords, query) == ["a"]
        keywords.flush()
        assert self.found(keywords, query) == ["a"]

    def test_ids_and_hashes_come_back_as_they_were(self, keywords: Keywords, tmp_path: Path) -> None:
        ids = [
            "mem_2026-06-18_ünïcode_a1b2",
            "path:notes/a b.md",
            "tab\tin it",
            "not \udcff utf-8",
            "ein/ganz  langer" * 20,
        ]
        keywords.put(
            [doc(memory_id, "text", content=f"hash-{number}") for number, memory_id in enumerate(ids)]
        )
        keywords.close()
        expected = {memory_id: f"hash-{number}" for number, memory_id in enumerate(ids)}
        assert self.open(tmp_path / "words").hashes() == expected

    def test_a_very_long_text_is_taken_in(self, keywords: Keywords) -> None:
        keywords.put([doc("long", " ".join(f"word{number}x" for number in range(60_000))), doc("b", "short")])
        keywords.flush()
        assert self.found(keywords, "word17x") == ["long"]

    def test_an_empty_text_is_known_and_never_found(self, keywords: Keywords) -> None:
        keywords.put([doc("empty", "", content="e"), doc("b", "text")])
        keywords.flush()
        assert self.found(keywords, "text") == ["b"]
        assert keywords.hashes()["empty"] == "e"

    def test_what_was_flushed_is_there_after_reopening(self, keywords: Keywords, tmp_path: Path) -> None:
        keywords.put([doc("a", "kept words"), doc("b", "dropped words"), doc("c", "changed words")])
        keywords.flush()
        keywords.drop(["b"])
        keywords.put([doc("c", "other")])
        keywords.flush()
        again = self.open(tmp_path / "words")  # as after a crash: nobody closed the first one
        assert self.found(again, "words") == ["a"]
        assert self.found(again, "other") == ["c"]
        assert again.count() == 2

    def test_closing_keeps_everything(self, keywords: Keywords, tmp_path: Path) -> None:
        keywords.put([doc("a", "words")])
        keywords.close()
        assert self.found(self.open(tmp_path / "words"), "words") == ["a"]

    def test_a_build_replaces_what_was_there(self, keywords: Keywords) -> None:
        keywords.put([doc("a", "old"), doc("z", "old")])
        keywords.flush()
        keywords.put([doc("b", "old")])
        keywords.build(iter([doc("a", "new"), doc("b", "new"), doc("c", "new"), doc("c", "newest new")]))
        assert self.found(keywords, "old") == ["z"]
        assert self.found(keywords, "new") == ["a", "b", "c"]
        assert keywords.count() == 4

    def test_words_that_look_alike_are_suggested(self, keywords: Keywords) -> None:
        keywords.put([doc("a", "timeout redis redis"), doc("b", "redis kubernetes")])
        keywords.flush()
        keywords.put([doc("c", "tiempo kubernetes kubectl")])
        assert keywords.terms_like("timeuot") == ["timeout"]
        assert keywords.terms_like("kubernets")[:1] == [query_tokens("kubernetes")[0]]
        assert keywords.terms_like("rust") == []
        assert keywords.terms_like("xyzzyplugh") == []
        keywords.drop(["a"])
        assert keywords.terms_like("timeuot") == []

    def test_any_history_of_changes_ranks_like_a_fresh_build(self, tmp_path: Path) -> None:
        for seed in range(scaled(6)):
            rng = random.Random(seed)
            keywords = self.open(tmp_path / f"{seed}")
            truth: dict[str, KeywordDoc] = {}
            for step in range(120):
                action = rng.random()
                memory_id = f"m{rng.randrange(40):02}"
                if action < 0.6:
                    batch = [random_doc(memory_id, rng), random_doc(f"m{rng.randrange(40):02}", rng)]
                    keywords.put(batch)
                    truth |= {item.id: item for item in batch}
                elif action < 0.75:
                    keywords.drop([memory_id])
                    truth.pop(memory_id, None)
                elif action < 0.93:
                    keywords.flush()
                elif action < 0.97:
                    keywords.maintain()
                else:
                    keywords.close()
                    keywords = self.open(tmp_path / f"{seed}")
                assert keywords.count() == len(truth), f"seed {seed}, step {step}"
            fresh = self.open(tmp_path / f"{seed}-fresh")
            fresh.build(sorted(truth.values(), key=lambda item: item.id))
            assert keywords.hashes() == fresh.hashes()
            for _ in range(20):
                words = query_tokens(" ".join(rng.choices(_SUBJECTS, k=rng.randint(1, 4))))
                assert keywords.search(words, 15) == fresh.search(words, 15), f"seed {seed}"
