"""Answers: frozen, typed, and open to what a later daemon says."""

from __future__ import annotations

import dataclasses
import json

import pytest

from helix import BadAnswer, BadRequest
from helix.client import results
from helix.client.call import Reply, moment
from helix.client.methods import Verbs

VERBS = Verbs("project")


def search(said: object, status: int = 200) -> results.SearchResult:
    return VERBS.search("x").read(Reply(status, {}, json.dumps(said).encode()))


def test_what_a_later_daemon_adds_is_kept_and_can_be_reached() -> None:
    said = {
        "results": [{"id": "m", "text": "t", "mood": {"calm": [1, 2]}}],
        "truncated": False,
        "tide": "high",
    }
    hits = search(said)
    assert hits.more["tide"] == "high"
    assert hits.results[0].more["mood"]["calm"] == (1, 2)
    assert hits.to_dict()["results"][0]["mood"] == {"calm": [1, 2]}
    assert json.loads(json.dumps(hits.to_dict()))["tide"] == "high"


def test_an_answer_can_be_iterated_counted_and_not_changed() -> None:
    hits = search({"results": [{"id": "a", "tags": ["x"]}, {"id": "b"}]})
    assert [hit.id for hit in hits] == ["a", "b"]
    assert (len(hits), hits[1].id, hits.results[0].tags) == (2, "b", ("x",))
    assert not search({"results": []})
    with pytest.raises(dataclasses.FrozenInstanceError):
        hits.results[0].id = "c"  # type: ignore[misc]
    with pytest.raises(TypeError):
        hits.more["x"] = 1  # type: ignore[index]


@pytest.mark.parametrize(
    "said", [[], "text", None, 3, {"results": [{"text": "no id"}]}, {"results": ["no hit"]}]
)
def test_an_answer_of_something_else_is_a_bad_answer(said: object) -> None:
    with pytest.raises(BadAnswer):
        search(said)


def test_what_python_keeps_for_itself_has_another_name_and_goes_back_under_its_own() -> None:
    link = results.Link.from_json({"from": "a", "to": "b", "rel": "refines"})
    assert (link.frm, link.to) == ("a", "b")
    assert link.to_dict() == {"from": "a", "to": "b", "rel": "refines", "dangling": False}


def test_times_may_be_texts_dates_and_datetimes() -> None:
    from datetime import UTC, date, datetime, timedelta, timezone

    assert moment("yesterday") == "yesterday"
    assert moment(date(2026, 6, 18)) == "2026-06-18"
    assert moment(datetime(2026, 6, 18, 9, tzinfo=UTC)) == "2026-06-18T09:00:00+00:00"
    assert moment(datetime(2026, 6, 18, 9, tzinfo=timezone(timedelta(hours=2)))).endswith("+02:00")
    local = datetime(2026, 6, 18, 9)  # noqa: DTZ001 (a naive one is what is tested)
    assert datetime.fromisoformat(moment(local)) == local.astimezone()
    assert VERBS.recent(since=date(2026, 6, 18)).params["since"] == "2026-06-18"


def test_a_filter_that_is_given_twice_is_refused() -> None:
    assert VERBS.search("x", filters={"project": "a"}, project="a").params["project"] == "a"
    with pytest.raises(BadRequest, match="project is given twice"):
        VERBS.search("x", filters={"project": "a"}, project="b")
    with pytest.raises(BadRequest, match="limit is no filter"):
        VERBS.search("x", filters={"limit": "3"})
    with pytest.raises(BadRequest, match="the id is empty"):
        VERBS.get("")
