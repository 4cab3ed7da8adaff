from __future__ import annotations

import threading

import pytest

from helix.errors import BadValue
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
def test_the_model_stays_while_it_is_asked_and_goes_with_its_owner() -> None:
    reranker = Reranker(threads=1)
    reranker.scores("one", ["two"])
    assert reranker.is_loaded
    reranker.close()
    assert not reranker.is_loaded
    assert reranker._timer is not None
    reranker._timer.join(_PATIENCE)
    assert not reranker._timer.is_alive()
