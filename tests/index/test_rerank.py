from __future__ import annotations

import threading
from pathlib import Path

import pytest

from helix.errors import BadValue
from helix.index.models import Model
from helix.index.rerank import Reranker

_PATIENCE = 20.0


@pytest.mark.model
def test_the_reranker_puts_the_answer_before_the_rest() -> None:
    reranker = Reranker(threads=1)
    scores = reranker.scores(
        "How often does the auth client retry?",
        ["Bread is made of flour.", "The auth client retries three times.", "x " * 5_000],
    )
    assert scores[1] == max(scores)
    assert reranker.scores("anything", []) == []
    with pytest.raises(BadValue):
        reranker.scores("anything", ["text"] * 21)


@pytest.mark.model
def test_the_model_is_let_go_when_nobody_asks_and_loaded_again_for_who_does() -> None:
    reranker = Reranker(threads=1, idle=0.01)
    assert not reranker.is_loaded
    pair = ("How often does the auth client retry?", ["The auth client retries three times."])
    first = reranker.scores(*pair)
    looked = threading.Event()
    for _ in range(int(_PATIENCE / 0.01)):
        if not reranker.is_loaded:
            break
        looked.wait(0.01)
    assert not reranker.is_loaded
    assert reranker.scores(*pair) == first


@pytest.mark.model
def test_who_cannot_wait_gets_nothing_and_finds_the_model_loaded_next_time() -> None:
    reranker = Reranker(threads=1)
    pair = ("How often does the auth client retry?", ["The auth client retries three times."])
    assert reranker.scores_within(*pair, 0.0) is None
    assert reranker.scores_within(*pair, _PATIENCE) == reranker.scores(*pair)
    reranker.close()


def test_a_second_look_without_its_model_is_none(tmp_path: Path) -> None:
    nowhere = Model("none", tmp_path, "model.onnx", 1, "none", 0, "cross-encoder", "0" * 64)
    assert Reranker(nowhere).scores_within("one", ["two"], _PATIENCE) is None


@pytest.mark.model
def test_the_model_stays_while_it_is_asked_and_goes_with_its_owner() -> None:
    reranker = Reranker(threads=1)
    reranker.scores("one", ["two"])
    assert reranker.is_loaded
    reranker.close()
    assert not reranker.is_loaded
    assert reranker._timer is not None
    reranker._timer.join(_PATIENCE)
    assert not reranker._timer.is_alive()
