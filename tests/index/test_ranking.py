from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import pytest

from helix.index.column_masks import NO_DAY, NO_TIME
from helix.index.engine import CandidateColumns
from helix.index.filters import to_micros
from helix.index.ranking import follow_links, rank, words_share
from helix.index.telling import ENOUGH
from helix.index.time_words import TimeSpan

NOW = datetime(2026, 11, 16, tzinfo=UTC)


class Row(NamedTuple):
    memory_id: Any
    words: Any
    cosine: Any
    session: Any
    position: Any
    named: Any
    created: Any
    changed: Any
    valid_from: Any
    valid_until: Any
    importance: Any
    telling: Any
    day: Any


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
    named: float = 0.0,
    telling: int = ENOUGH,
    day: date | None = None,
) -> Row:
    return Row(
        *(memory_id, words, np.nan if cosine is None else cosine, -1 if session is None else ord(session)),
        *(position, named, micros(created), micros(changed), micros(None), micros(valid_until)),
        *(np.nan if importance is None else importance, telling, NO_DAY if day is None else day.toordinal()),
    )


def columns(*rows: Row) -> CandidateColumns:
    of = Row(*map(np.array, zip(*rows, strict=True)))
    return CandidateColumns(
        *(list(map(str, of.memory_id)), of.words, of.cosine, np.zeros(len(rows), int), of.session),
        *(of.position, of.named, of.created, of.changed, of.valid_from, of.valid_until, of.importance),
        *(of.telling, of.day),
        linked=lambda _: frozenset(),
    )


def micros(moment: datetime | None) -> int:
    return NO_TIME if moment is None else to_micros(moment)


def order(*candidates: Row, span: TimeSpan | None = None, words: float = 0.5) -> list[str]:
    found = columns(*sorted(candidates))
    return [one.memory_id for one in rank(found, words, NOW, span)]


def test_the_reasons_of_a_score_sum_up_to_it() -> None:
    found = columns(candidate("a", 3.0, 0.8, importance=0.9, changed=NOW), candidate("b", 1.0, 0.6))
    ranked = rank(found, 0.5, NOW, None)
    for one in ranked:
        assert one.score == pytest.approx(sum(one.reasons.values()))


def test_a_memory_that_fits_by_words_and_by_meaning_beats_one_that_fits_by_one() -> None:
    assert (
        order(candidate("words", 5.0, 0.5), candidate("both", 4.5, 0.8), candidate("meaning", 0.0, 0.81))[0]
        == "both"
    )


def test_a_paraphrase_is_judged_by_its_meaning() -> None:
    few, many = words_share(0.08), words_share(0.5)
    candidates = (
        candidate("shares a word", 2.0, 0.55),
        candidate("means it", 0.0, 0.70),
        candidate("floor", 0.0, 0.5),
    )
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


def test_what_is_of_the_same_day_as_a_good_hit_comes_before_a_stranger() -> None:
    day = date(2026, 6, 3)
    hit = candidate("hit", 5.0, 0.8, day=day)
    also = candidate("also of that day", 0.5, 0.55, day=day)
    stranger = candidate("stranger", 0.6, 0.56, day=date(2026, 6, 4))
    floor = candidate("floor", 0.0, 0.4)
    assert order(hit, also, stranger, floor) == ["hit", "also of that day", "stranger", "floor"]


def test_a_session_says_more_than_the_day() -> None:
    day = date(2026, 6, 3)
    hit = candidate("hit", 5.0, 0.8, session="s", day=day)
    other = candidate("other session", 0.5, 0.55, session="t", day=day)
    assert order(hit, other, candidate("stranger", 0.6, 0.56), candidate("floor", 0.0, 0.4))[1] == "stranger"


def test_of_two_that_fit_alike_the_one_that_says_something_comes_first() -> None:
    thanks, answer = candidate("a", 1.0, 0.7, telling=1), candidate("b", 0.95, 0.7)
    assert order(thanks, answer) == ["b", "a"]
    # Where all are short none is put back.
    short = columns(thanks)
    assert rank(short, 0.5, NOW, None)[0].score == pytest.approx(
        rank(columns(candidate("a", 1.0, 0.7)), 0.5, NOW, None)[0].score
    )


def test_a_day_that_the_text_names_is_the_time_that_is_asked_for() -> None:
    may, june = candidate("may", 2.0, day=date(2026, 5, 3)), candidate("june", 2.1, created=NOW)
    assert order(may, june, span=TimeSpan(date(2026, 5, 1), date(2026, 5, 31)))[0] == "may"


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
    links = {"hit": frozenset({"linked", "gone"})}
    ranked = follow_links(
        rank(columns(*sorted(candidates)), 0.5, NOW, None), lambda one: links.get(one, frozenset())
    )
    assert [one.memory_id for one in ranked] == ["hit", "linked", "stranger", "floor"]
    for one in ranked:
        assert one.score == pytest.approx(sum(one.reasons.values()))
    assert "link" in ranked[1].reasons
