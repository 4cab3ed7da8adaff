"""Skills, on a real vault: how they stand, the one note that each has, and how they did."""

from __future__ import annotations

from typing import Any

import pytest

from helix.errors import SessionNotFound
from helix.memory.principal import Principal
from helix.sessions import append, checkout, reading, skills
from helix.vault.log.event import parse_citation
from tests.memory.world import ME, World

STEPS = ["Run the checks", "Tag the commit", "Push the tag"]


def _say(world: World, action: str, skill_id: str = "release", session: str = "s", **said: Any) -> Any:
    request = world.service.request(ME)
    return skills.skill(request, session_id=session, action=action, skill_id=skill_id, **said)


def _skill(world: World, skill_id: str = "release") -> Any:
    return skills.skills(world.service.request(ME), skill_id=skill_id)["skills"][0]


def _analytics(world: World) -> Any:
    return skills.skills(world.service.request(ME)).get("analytics")


def test_a_skill_has_one_note_that_tells_its_steps_versions_and_outcomes(world: World) -> None:
    first = _say(
        world, "proposed", name="Release a version", summary="How a version goes out", procedure=STEPS
    )
    _say(world, "validated", session="other")
    _say(world, "applied", task="version 3")
    last = _say(world, "outcome_recorded", task="version 3", success_score=0.9, feedback="passed")
    assert first["memory"]["status"] == "created"
    assert last["memory"] == {"id": first["memory"]["id"], "status": "updated"}
    note = world.read(first["memory"]["id"])
    assert "kind: procedure" in note
    assert 'title: "skill: Release a version"' in note
    assert "1. Tag the commit" in note
    assert "1: validated, applied 1 times, 1 outcomes, 1 good and 0 bad" in note
    assert f"passed 0.9 version 3 ({last['citation']})" in note
    assert world.found("how does a version go out") == [first["memory"]["id"]]
    assert _skill(world)["memory_id"] == first["memory"]["id"]
    assert reading.cite(world.service.request(ME), uri=last["citation"])["memory_id"] == first["memory"]["id"]


def test_what_was_applied_or_went_well_never_hides_that_it_was_validated(world: World) -> None:
    _say(world, "validated", procedure=STEPS)
    assert _say(world, "applied")["status"] == "validated"
    assert _say(world, "outcome_recorded", success_score=0.1)["status"] == "validated"
    assert _say(world, "proposed")["status"] == "validated"


@pytest.mark.parametrize("withdrawn", ["deprecated", "contradicted"])
@pytest.mark.parametrize("again", ["validated", "revised"])
def test_what_was_withdrawn_stays_so_until_it_is_validated_or_revised_anew(
    world: World, withdrawn: str, again: str
) -> None:
    _say(world, "validated", procedure=STEPS)
    out = _say(world, withdrawn, reason="the registry moved")
    note = world.read(out["memory"]["id"])
    assert "valid_until:" in note
    assert f"version 1, {withdrawn}: the registry moved" in note
    for action in ("applied", "outcome_recorded", "proposed"):
        assert _say(world, action)["status"] == withdrawn
    assert _say(world, again)["status"] == again
    assert "valid_until:" not in world.read(out["memory"]["id"])


def test_a_revision_keeps_what_it_does_not_change_and_a_proposal_takes_no_place(world: World) -> None:
    _say(world, "validated", summary="How a version goes out", procedure=STEPS)
    _say(world, "revised", version="2", procedure=["Press the button"], supersedes_version="1")
    _say(world, "proposed", version="3", procedure=["Do nothing"])
    skill = _skill(world)
    assert (skill["version"], skill["status"]) == ("2", "revised")
    assert (skill["procedure"], skill["summary"]) == (["Press the button"], "How a version goes out")
    assert [(one["version"], one["status"]) for one in skill["versions"]] == [
        ("1", "validated"), ("2", "revised"), ("3", "proposed"),
    ]  # fmt: skip
    assert skill["versions"][1]["supersedes_version"] == "1"


def test_events_that_come_as_events_do_the_same(world: World) -> None:
    request = world.service.request(ME)
    said = {"skill_id": "release", "procedure": STEPS}
    answer = append.append(request, session_id="s", event_type="skill.validated", actor="agent", payload=said)
    events = [
        {
            "type": f"skill.{action}",
            "actor": "agent",
            "payload": {"skill_id": skill_id, "success_score": "much"},
        }
        for action, skill_id in (("applied", "release"), ("applied", "release"), ("proposed", "other"))
    ]
    assert "degraded" not in append.ingest(request, session_id="s", events=events)
    skill = _skill(world)
    assert (skill["status"], skill["versions"][0]["applied_count"]) == ("validated", 2)
    assert answer["memory"] is not None
    assert "applied 2 times" in world.read(answer["memory"]["id"])
    assert _skill(world, "other")["memory_id"] != answer["memory"]["id"]


def test_an_event_of_no_skill_is_kept_and_makes_no_note(world: World) -> None:
    for payload in ({}, {"skill_id": 7}, {"skill_id": "  "}):
        answer = append.append(
            world.service.request(ME), session_id="s", event_type="skill.proposed", actor="a", payload=payload
        )
        assert "memory" not in answer
        assert "degraded" not in answer
    assert skills.skills(world.service.request(ME))["skills"] == []


def test_what_a_person_writes_below_notes_stays(world: World) -> None:
    memory_id = _say(world, "proposed", procedure=STEPS)["memory"]["id"]
    row = world.helix.catalog.find(memory_id)
    assert row is not None
    world.put(row.path, world.read(memory_id).rstrip("\n") + "\n\n## Notes\n\nAsk Ida first.\n")
    _say(world, "validated", reason="it went well")
    note = world.read(memory_id)
    assert "validated: it went well" in note
    assert note.count("## Notes") == 1
    assert note.rstrip().endswith("Ask Ida first.")


def test_a_note_that_was_forgotten_is_not_written_again(world: World) -> None:
    memory_id = _say(world, "proposed", procedure=STEPS)["memory"]["id"]
    world.service.request(ME).store.forget(memory_id)
    answer = _say(world, "validated")
    assert "memory" not in answer
    assert "forgotten" in answer["degraded"]
    assert answer["status"] == "validated"


def test_candidates_to_promote_and_to_roll_back(world: World) -> None:
    _say(world, "validated", "good")
    _say(world, "outcome_recorded", "good", success_score=0.9)
    _say(world, "outcome_recorded", "good", feedback="Helpful")
    _say(world, "proposed", "untried")
    _say(world, "outcome_recorded", "untried", success_score=1)
    _say(world, "validated", "mixed")
    _say(world, "outcome_recorded", "mixed", success_score=0.9)
    _say(world, "outcome_recorded", "mixed", feedback="regressed")
    _say(world, "validated", "bad", failure_modes=["it hangs"], rollback="Kill it")
    _say(world, "outcome_recorded", "bad", feedback="failed")
    _say(world, "deprecated", "old")
    _say(world, "contradicted", "wrong", contradiction_reason="it never worked")
    _say(world, "validated", "low")
    for score in (0.9, 0.1, 0.1, 0.85):
        _say(world, "outcome_recorded", "low", success_score=score)
    found = _analytics(world)
    assert (found["version_count"], found["outcome_count"], found["contradiction_count"]) == (7, 10, 1)
    [good] = found["promotion_candidates"]
    assert (good["skill_id"], good["success_count"], good["average_success_score"]) == ("good", 2, 0.9)
    assert parse_citation(good["latest_citation"])[:2] == ("s", 3)
    reasons = {one["skill_id"]: one["reason"] for one in found["rollback_candidates"]}
    assert reasons == {
        "low": "low_success_score", "wrong": "contradicted", "old": "deprecated", "bad": "failed_outcomes",
    }  # fmt: skip
    bad = next(one for one in found["rollback_candidates"] if one["skill_id"] == "bad")
    assert (bad["failure_modes"], bad["rollback"]) == (["it hangs"], "Kill it")


def test_skills_are_listed_by_standing_in_pages_that_keep_their_budget(world: World) -> None:
    for number in range(12):
        _say(world, "proposed" if number % 2 else "validated", f"skill-{number}", procedure=STEPS)
    request = world.service.request(ME)
    seen, cursor = [], None
    while True:
        page = skills.skills(request, status="validated", max_tokens=500, cursor=cursor)
        assert page["tokens_used"] <= 500
        seen += [one["skill_id"] for one in page["skills"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sorted(seen) == sorted(f"skill-{number}" for number in range(0, 12, 2))
    assert skills.skills(request, max_tokens=64)["tokens_used"] <= 64
    with pytest.raises(SessionNotFound):
        skills.skills(request, skill_id="nobody")


def test_what_was_erased_counts_no_more(world: World) -> None:
    _say(world, "validated", procedure=STEPS)
    wrong = _say(world, "contradicted", reason="a mistake")
    request = world.service.request(ME)
    assert append.erase(request, session_id="s", seq=wrong["seq"])["memory_id"] == wrong["memory"]["id"]
    assert _skill(world)["status"] == "validated"


def test_who_sees_a_part_of_the_vault_sees_no_skills(world: World) -> None:
    _say(world, "proposed", procedure=STEPS)
    stranger = world.workspace.request(Principal("stranger"), ME)
    assert skills.skills(stranger)["skills"] == []
    with pytest.raises(SessionNotFound):
        skills.skill(stranger, session_id="s", action="proposed", skill_id="x")


def test_a_checkout_tells_of_skills_that_apply_and_how_they_did(world: World) -> None:
    _say(world, "validated", name="Release a version", summary="How a version goes out", procedure=STEPS)
    _say(world, "outcome_recorded", task="version 3", success_score=0.9, feedback="passed")
    _say(world, "validated", "deploy", name="Deploy a version", summary="How a version is deployed")
    last = _say(world, "contradicted", "deploy", reason="the script is gone")
    request = world.service.request(ME)
    answer = checkout.checkout(request, session_id="s", query="how does a version go out in a release?")
    [item] = answer["diagnostics"]["skills"]["items"]
    assert (item["skill_id"], item["version"], item["status"]) == ("release", "1", "validated")
    assert item["procedure"] == STEPS
    assert parse_citation(item["citation"])
    analytics = answer["diagnostics"]["skill_analytics"]
    assert [one["skill_id"] for one in analytics["promotion_candidates"]] == ["release"]
    assert [one["skill_id"] for one in analytics["rollback_candidates"]] == ["deploy"]
    assert f"- release v1 [validated] ({item['citation']})\n  - {STEPS[0]}" in answer["prompt"]
    assert f"- roll back: deploy v1 [contradicted] ({last['citation']})" in answer["prompt"]
    small = checkout.checkout(
        request, session_id="s", query="how does a version go out in a release?", max_tokens=1900
    )
    assert small["tokens_used"] <= 1900
    other = checkout.checkout(request, session_id="s", query="which port does the gateway listen on?")
    assert "skills" not in other["diagnostics"]
