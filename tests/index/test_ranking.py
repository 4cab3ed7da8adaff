from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from helix.index.engine import Candidate
from helix.index.facets import Facets
from helix.index.ranking import follow_links, rank, words_share
from helix.index.time_words import TimeSpan

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def candidate(
    memory_id: str,
    words: float = 0.0,
    cosine: float | None = None,
    *,
    session: str | None = None,
    position: int = 0,
    created: datetime | None = None,
    changed: datetime | None = None,
    importance: float | None = None,
    valid_until: datetime | None = None,
) -> Candidate:
    facets = Facets(
        memory_id,
        session=session,
        created=created,
        changed=changed,
        importance=importance,
        valid_until=valid_until,
    )
    return Candidate(facets, words, cosine, position=position)


def order(
    *candidates: Candidate, question: str = "", span: TimeSpan | None = None, words: float = 0.5
) -> list[str]:
    return [one.memory_id for one in rank(candidates, frozenset(question.split()), words, NOW, span)]


def test_the_reasons_of_a_score_sum_up_to_it() -> None:
    ranked = rank(
        [candidate("a", 3.0, 0.8, importance=0.9, changed=NOW), candidate("b", 1.0, 0.6)],
        frozenset(),
        0.5,
        NOW,
        None,
    )
    for one in ranked:
        assert one.score == pytest.approx(sum(one.reasons.values()))


def test_a_memory_that_fits_by_words_and_by_meaning_beats_one_that_fits_by_one() -> None:
    assert (
        order(candidate("words", 5.0, 0.5), candidate("both", 4.5, 0.8), candidate("meaning", 0.0, 0.81))[0]
        == "both"
    )


def test_a_paraphrase_is_judged_by_its_meaning() -> None:
    few, many = words_share(0.08), words_share(0.5)
    candidates = (candidate("shares a word", 2.0, 0.50), candidate("means it", 0.0, 0.70))
    assert order(*candidates, words=few)[0] == "means it"
    assert order(*candidates, words=many)[0] == "shares a word"


def test_without_vectors_words_decide_and_the_other_way_round() -> None:
    assert order(candidate("a", 1.0), candidate("b", 2.0)) == ["b", "a"]
    assert order(candidate("a", 0.0, 0.5), candidate("b", 0.0, 0.6)) == ["b", "a"]


def test_the_neighbour_of_a_good_hit_in_its_session_comes_before_a_stranger() -> None:
    hit = candidate("hit", 5.0, 0.8, session="s", position=3)
    after = candidate("after", 0.5, 0.55, session="s", position=4)
    stranger = candidate("stranger", 0.6, 0.56)
    assert order(hit, after, stranger, candidate("floor", 0.0, 0.4)) == ["hit", "after", "stranger", "floor"]


def test_a_time_in_the_question_lifts_what_is_of_that_time() -> None:
    may, june = (
        candidate("may", 2.0, created=datetime(2026, 5, 3, tzinfo=UTC)),
        candidate("june", 2.1, created=datetime(2026, 6, 3, tzinfo=UTC)),
    )
    assert order(may, june, span=TimeSpan(date(2026, 5, 1), date(2026, 5, 31)))[0] == "may"


def test_of_two_that_fit_alike_the_newer_the_more_important_and_the_valid_one_come_first() -> None:
    old, new = NOW - timedelta(days=200), NOW - timedelta(days=1)
    assert order(candidate("a", 1.0, changed=old), candidate("b", 1.0, changed=new))[0] == "b"
    assert order(candidate("a", 1.0, importance=0.2), candidate("b", 1.0, importance=0.9))[0] == "b"
    assert order(candidate("a", 1.0, valid_until=old), candidate("b", 0.9))[0] == "b"


def test_priors_never_lift_what_does_not_fit_over_what_does() -> None:
    fits = candidate("fits", 4.0, 0.8, changed=NOW - timedelta(days=900), importance=0.0)
    fresh = candidate("fresh", 0.5, 0.5, changed=NOW, importance=1.0)
    assert order(fits, fresh, candidate("floor", 0.0, 0.4))[0] == "fits"


def test_equal_scores_stand_in_the_order_of_their_ids() -> None:
    assert order(candidate("b", 1.0), candidate("a", 1.0), candidate("c", 1.0)) == ["a", "b", "c"]


def test_what_the_best_hit_is_linked_with_comes_before_strangers_and_after_the_hit() -> None:
    candidates = (
        candidate("hit", 5.0, 0.8),
        candidate("stranger", 1.0, 0.6),
        candidate("linked"),
        candidate("floor", 0.1, 0.4),
    )
    links = {"hit": {"linked", "gone"}}
    ranked = follow_links(rank(candidates, frozenset(), 0.5, NOW, None), links)
    assert [one.memory_id for one in ranked] == ["hit", "linked", "stranger", "floor"]
    for one in ranked:
        assert one.score == pytest.approx(sum(one.reasons.values()))
    assert "link" in ranked[1].reasons
