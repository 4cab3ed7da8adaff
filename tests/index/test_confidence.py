from __future__ import annotations

from helix.index.confidence import Signals, cover, judge


def test_a_question_about_something_else_gets_no_answer() -> None:
    verdict = judge(Signals(cosine=0.50, words=0.05))
    assert not verdict.worth_showing
    assert "nothing" in verdict.note


def test_a_question_that_is_near_and_shares_words_is_answered_without_a_word_of_doubt() -> None:
    verdict = judge(Signals(cosine=0.78, words=0.4))
    assert (verdict.worth_showing, verdict.note) == (True, "")


def test_between_the_two_the_answer_says_that_nothing_fits_well_and_shows_what_is_nearest() -> None:
    verdict = judge(Signals(cosine=0.60, words=0.05))
    assert verdict.worth_showing
    assert not verdict.fits
    assert "nothing in memory fits" in verdict.note


def test_without_calibrated_cosines_words_decide_and_neighbours_are_never_hidden() -> None:
    assert not judge(Signals(cosine=None, words=0.0)).worth_showing
    assert judge(Signals(cosine=None, words=0.0, has_neighbours=True)).worth_showing
    assert judge(Signals(cosine=None, words=0.2, has_neighbours=True)).fits
    assert judge(Signals(cosine=None, words=0.6)).note == ""


def test_a_near_miss_is_shown_with_a_word_of_doubt() -> None:
    port_of_tempo = {"port": 3.0, "tempo": 5.0, "listen": 4.0}
    other_fact = cover(port_of_tempo, frozenset({"tempo", "trace", "sampl"}))
    verdict = judge(Signals(cosine=0.68, words=0.4, coverage=other_fact))
    assert verdict.worth_showing
    assert verdict.fits
    assert "low confidence" in verdict.note


def test_a_hit_with_all_the_words_of_the_question_is_not_doubted() -> None:
    whole = cover({"port": 3.0, "tempo": 5.0}, frozenset({"tempo", "port", "3200"}))
    assert judge(Signals(cosine=0.68, words=0.9, coverage=whole)).note == ""


def test_a_word_that_is_missing_says_less_in_a_long_question() -> None:
    words = {f"word{number}": 3.0 for number in range(12)}
    half = frozenset(list(words)[:6])
    assert judge(Signals(cosine=0.7, words=0.4, coverage=cover(words, half))).note == ""
    short = dict(list(words.items())[5:7])
    assert judge(Signals(cosine=0.6, words=0.4, coverage=cover(short, half))).note != ""
