from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from helix.compose import open_vault
from helix.config import Config
from helix.index.ranking import Ranked
from helix.index.search import Question, Searcher, SearchHit
from helix.index.second_look import is_close, look_again
from helix.memory.followed_vault import FollowedVault
from helix.memory.search_engine import open_recall
from helix.vault import frontmatter
from helix.vault.note import Note
from helix.vault.times import utc_now

_PATIENCE = 60.0


def ranked(*scores: float) -> list[Ranked]:
    return [Ranked(f"m{at}", score, (score,)) for at, score in enumerate(scores)]


def test_a_ranking_is_close_when_the_fifth_is_nearly_as_good_as_the_first() -> None:
    assert is_close(ranked(1.0, 0.95, 0.9, 0.85, 0.8, 0.1))
    assert not is_close(ranked(1.0, 0.95, 0.9, 0.85, 0.7, 0.1))
    assert not is_close(ranked(1.0, 0.95, 0.9, 0.85, 0.8))  # all of them are shown anyway


def test_a_second_look_changes_the_order_of_those_it_read_and_no_score_of_a_place() -> None:
    before = ranked(1.0, 0.95, 0.85, 0.5)
    after = look_again(before, [-5.0, 4.0, -6.0])
    assert [one.memory_id for one in after] == ["m1", "m0", "m2", "m3"]
    assert [one.score for one in after] == [one.score for one in before]
    for one in after:
        assert one.score == pytest.approx(sum(one.reasons.values()))
    assert after[0].reasons["rerank"] == pytest.approx(0.05)


def test_a_second_look_that_finds_all_alike_changes_nothing() -> None:
    assert [one.memory_id for one in look_again(ranked(1.0, 0.9, 0.85), [2.0, 2.0, 2.0])] == [
        "m0",
        "m1",
        "m2",
    ]


@pytest.mark.model
def test_a_close_ranking_is_read_again_if_the_asker_waits_for_it(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    for name in ("red", "green", "blue", "white", "black", "brown", "grey"):
        text = f"The {name} gateway restarts every night at four in the morning."
        (vault / f"{name}.md").write_bytes(frontmatter.create({"id": name}, f"{text}\n"))
    config = Config(vault=vault, state_dir=tmp_path / "state", config_dir=tmp_path / "config")
    (vault / "bread.md").write_bytes(
        frontmatter.create({"id": "bread"}, "Bread is made of flour and water.\n")
    )
    with open_vault(config, must_follow=True) as helix:
        helix.catch_up()
        with open_recall(helix) as recall:
            assert recall.index.wait_until_embedded(_PATIENCE)
            question = Question("When does the gateway restart?")

            def hits(seconds: float) -> list[SearchHit]:
                find = partial(note_of, helix)
                return Searcher(recall.index, utc_now, find, second_look=seconds).search(question).hits

            plain, again, hurried = hits(0.0), hits(_PATIENCE), hits(1e-9)
            assert not any("rerank" in one.reasons for one in plain)
            assert any("rerank" in one.reasons for one in again)
            assert {one.memory_id for one in again} == {one.memory_id for one in plain}
            assert [one.score for one in again] == [one.score for one in plain]
            assert hurried == plain


def note_of(helix: FollowedVault, memory_id: str) -> Note | None:
    row = helix.catalog.find(memory_id)
    return None if row is None else helix.vault.read(row.path)
