"""Answers: frozen, typed, and open to what a later daemon says; and they keep step with the daemon's own types."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Literal, get_args

import pytest
from pydantic import BaseModel

from helix import BadAnswer, BadRequest
from helix.client import maintenance_results, results
from helix.client.call import Reply, moment
from helix.client.connected import Verbs
from helix.client.shape import Result
from helix.surfaces.rest import answers, asked, maintenance_answers

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


_SAME: list[tuple[type[BaseModel], type[Result]]] = [
    (answers.Hits, results.SearchResult),
    (answers.Hit, results.Hit),
    (answers.MemoryPage, results.Memory),
    (answers.Memories, results.Memories),
    (answers.ExplainedPack, results.ContextPack),
    (answers.Part, results.Part),
    (answers.LeftOut, results.LeftOut),
    (answers.Written, results.WriteResult),
    (answers.Updated, results.UpdateResult),
    (answers.Filed, results.FileResult),
    (answers.Forgotten, results.ForgetResult),
    (answers.Restored, results.RestoreResult),
    (answers.Related, results.RelateResult),
    (answers.Graph, results.Graph),
    (answers.Node, results.Node),
    (answers.Link, results.Link),
    (answers.Neighbors, results.Neighbors),
    (answers.Neighbor, results.Neighbor),
    (answers.Versions, results.History),
    (answers.Version, results.Version),
    (maintenance_answers.Stats, maintenance_results.Stats),
    (maintenance_answers.Conflicts, maintenance_results.Conflicts),
    (maintenance_answers.Conflict, maintenance_results.OpenConflict),
    (maintenance_answers.Proposals, maintenance_results.Proposals),
    (maintenance_answers.Proposal, maintenance_results.Proposal),
    (maintenance_answers.Consolidated, maintenance_results.ConsolidateResult),
    (maintenance_answers.StrandEntry, maintenance_results.ManifestEntry),
]


@pytest.mark.parametrize(("theirs", "ours"), _SAME, ids=lambda kind: kind.__name__)
def test_every_field_that_the_daemon_answers_has_a_name_here(
    theirs: type[BaseModel], ours: type[Result]
) -> None:
    said = {field.alias or name for name, field in theirs.model_fields.items()}
    known = {one.metadata.get("key", one.name): one for one in dataclasses.fields(ours)}
    assert said <= set(known)
    for name, field in theirs.model_fields.items():
        ours_is_required = known[field.alias or name].default is dataclasses.MISSING and (
            known[field.alias or name].default_factory is dataclasses.MISSING
        )
        assert not ours_is_required or field.is_required(), f"{name} may be absent"


# What has another name here, or is said in another way.
_SPELLED = {
    "q": "query", "format": "response_format", "source": "frm", "kind": "filters", "tag": "filters", "after": "filters",
    "before": "filters", "status": "filters",
}  # fmt: skip
_BODIES: list[tuple[str, type[BaseModel]]] = [
    ("search", asked.RecallAsked),
    ("context", asked.ContextBody),
    ("phases", asked.PhasesBody),
    ("get", asked.MemoryAsked),
    ("recent", asked.RecentAsked),
    ("history", asked.HistoryAsked),
    ("neighbors", asked.NeighborsAsked),
    ("graph_page", asked.GraphAsked),
    ("write", asked.RememberBody),
    ("update", asked.UpdateBody),
    ("file", asked.FileBody),
    ("forget", asked.ForgetBody),
    ("restore", asked.RestoreBody),
    ("relate", asked.RelateBody),
    ("stats", asked.StatsAsked),
    ("conflicts", asked.ListAsked),
    ("proposals", asked.ListAsked),
    ("consolidate", asked.ConsolidateBody),
    ("manifest", asked.Budgeted),
]


@pytest.mark.parametrize(("verb", "body"), _BODIES, ids=lambda one: one if isinstance(one, str) else "")
def test_everything_that_can_be_asked_of_the_daemon_can_be_asked_here(
    verb: str, body: type[BaseModel]
) -> None:
    import inspect

    takes = inspect.signature(getattr(Verbs, verb)).parameters
    missing = [name for name in body.model_fields if name not in takes and _SPELLED.get(name) not in takes]
    assert missing == []
    for name, field in body.model_fields.items():
        own: Any = takes.get(name)
        is_number = type(field.default) in (int, float)
        if own is not None and is_number and (verb, name) != ("get", "max_tokens"):
            assert own.default == field.default, f"{verb}({name}=) has another default than the daemon"


def test_the_words_for_modes_are_the_daemons() -> None:
    modes = asked.ForgetBody.model_fields["mode"].annotation
    assert get_args(modes) == get_args(Literal["tombstone", "hard"])
