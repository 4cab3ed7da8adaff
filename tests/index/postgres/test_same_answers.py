"""The same vault gives the same answers, in the same order, whatever the engine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from helix.index.embed import EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.engine import Engine, Wording
from helix.index.filters import Reach, Where
from helix.index.local_engine import LocalEngine
from helix.index.query import parse
from helix.index.search import Question, SearchAnswer
from helix.vault.diff import Change
from tests.follow.rig import Rig
from tests.index.engine_suite import NOW, WORDS, read_note, searcher_of, write
from tests.index.memories import HashEmbedder
from tests.index.postgres.server import needs_server
from tests.scale import scaled

pytest.importorskip("psycopg", reason="psycopg is not installed: PostgreSQL is not tested")

from helix.index.postgres.engine import PostgresEngine  # it needs psycopg

pytestmark = needs_server
QUESTIONS = (
    *(
        "broker retries",
        "cache",
        "deploy staging schema",
        "python -kotlin",
        "kind:decision token",
        "nobody wrote this",
    ),
    *(
        "tag:ops queue",
        "project:shop metric index",
        "status:deleted broker",
        "before:2026-06 retry",
        "",
        "kotln",
    ),
)
REACHES = ((Reach("project", ("shop", "")), Reach("global")), (Reach("global"),), None)


def test_after_a_random_life_both_answer_alike(postgres: str, tmp_path: Path) -> None:
    rig, chance = Rig(tmp_path), random.Random(11)
    cache = EmbedCache(tmp_path / "embeddings.db")
    choice = EmbedderChoice(HashEmbedder(), "")
    local = LocalEngine(tmp_path / "local", cache, "bundled", lambda _: choice)
    distant = PostgresEngine(postgres, f"same_{chance.getrandbits(40):x}", cache, "bundled", lambda _: choice)
    both: tuple[Engine, Engine] = (local, distant)
    try:

        def tail(changes: Sequence[Change]) -> None:
            for engine in both:
                engine.apply(changes)

        rig.reconciler.tail = tail
        for engine in both:
            engine.catch_up(rig.catalog, lambda path: read_note(rig, path))
        for _ in range(scaled(4)):
            live(rig, chance)
            assert all(engine.wait_until_embedded(30) for engine in both)
            assert local.hashes() == distant.hashes()
            compare(rig, both)
    finally:
        for engine in both:
            engine.close()
        cache.close()


def live(rig: Rig, chance: random.Random) -> None:
    for _ in range(20):
        name = f"m{chance.randrange(40)}"
        if chance.random() < 0.1 and (rig.folder / f"{name}.md").exists():
            (rig.folder / f"{name}.md").unlink()
            rig.follow()
            rig.advance(5)
            continue
        keys = {
            "kind": chance.choice(["fact", "decision"]),
            "project": chance.choice(["shop", "billing", "''"]),
            "scope": chance.choice(["project", "global"]),
            "status": chance.choice(["active"] * 5 + ["deleted"]),
            "tags": chance.choice(["[]", "[Ops/queue]", "[ops, 'o''brien']"]),
            "source": f"{{session: s{chance.randrange(3)}}}",
            "created_at": f"2026-0{chance.randrange(1, 9)}-1{chance.randrange(10)}",
            "importance": chance.choice(["0.1", "0.9"]),
            "relates_to": f"'[[m{chance.randrange(40)}]]'",
        }
        write(rig, name, " ".join(chance.choices(WORDS, k=chance.randrange(1, 40))), **keys)
    rig.follow()


def compare(rig: Rig, both: tuple[Engine, Engine]) -> None:
    searchers = [searcher_of(rig, engine) for engine in both]
    for text in QUESTIONS:
        for reaches in REACHES:
            where = Where(active_only=True, reaches=reaches)
            asked = parse(text, where)
            wording = Wording(asked.text, asked.words, asked.without)
            ours, theirs = (engine.candidates(wording, asked.where, 10) for engine in both)
            assert list(ours.found.ids) == list(theirs.found.ids), text
            # The arithmetic of words is the same to the last bit; the sum of products of a cosine is not.
            assert ours.found.words.tolist() == theirs.found.words.tolist()
            assert ours.found.positions.tolist() == theirs.found.positions.tolist()
            assert ours.found.cosines.tolist() == pytest.approx(
                theirs.found.cosines.tolist(), abs=1e-5, nan_ok=True
            )
            assert ours.rarities == theirs.rarities
            assert all(ours.found.linked(one) == theirs.found.linked(one) for one in ours.found.ids)
            first, second = (
                searcher.search(Question(text, limit=20, now=NOW + timedelta(hours=1), where=where))
                for searcher in searchers
            )
            assert_same_order(first, second, text)
            assert first.suggestions == second.suggestions
            assert both[0].facets(asked.where) == both[1].facets(asked.where)
            assert both[0].alike(text, 10, where) == both[1].alike(text, 10, where)


def assert_same_order(first: SearchAnswer, second: SearchAnswer, text: str) -> None:
    """Two memories may change places where nothing but the last digits of a cosine tells them apart."""
    theirs = {hit.memory_id: hit.score for hit in second.hits}
    assert theirs.keys() == {hit.memory_id for hit in first.hits}, text
    for ours, other in zip(first.hits, second.hits, strict=True):
        assert ours.memory_id == other.memory_id or theirs[ours.memory_id] == pytest.approx(
            other.score, abs=1e-5
        ), text
