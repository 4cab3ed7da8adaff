from __future__ import annotations

from helix.index.gate import Signals, judge


def test_a_question_about_something_else_gets_no_answer() -> None:
    verdict = judge(Signals(cosine=0.50, words=0.05))
    assert not verdict.worth_showing
    assert "nothing" in verdict.note


def test_a_question_that_is_near_and_shares_words_is_answered_without_a_word_of_doubt() -> None:
    verdict = judge(Signals(cosine=0.78, words=0.4))
    assert (verdict.worth_showing, verdict.note) == (True, "")


def test_between_the_two_the_answer_says_that_it_is_not_sure() -> None:
    verdict = judge(Signals(cosine=0.60, words=0.05))
    assert verdict.worth_showing
    assert "low confidence" in verdict.note


def test_without_calibrated_cosines_words_decide_and_neighbours_are_never_hidden() -> None:
    assert not judge(Signals(cosine=None, words=0.0)).worth_showing
    assert judge(Signals(cosine=None, words=0.0, has_neighbours=True)).worth_showing
    assert judge(Signals(cosine=None, words=0.6)).note == ""
