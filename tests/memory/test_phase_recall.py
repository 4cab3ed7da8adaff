from __future__ import annotations

import pytest

from helix.errors import BadValue
from helix.memory.place import Place
from tests.memory.world import ME, World, record


def fill(world: World) -> None:
    world.put(
        "d.md",
        record("mem_decision", "We split the monolith by domain", kind="decision", tags="[architecture]"),
    )
    world.put(
        "e.md",
        record(
            "mem_event", "The login outage came from a timeout in the pool", kind="event", tags="[incident]"
        ),
    )
    world.put(
        "s.md",
        record(
            "mem_skill", "To release: tag, wait for the pipeline, publish", kind="skill", tags="[release]"
        ),
    )
    world.put("p.md", record("mem_pref", "Prefer small functions", kind="preference", tags="[style]"))


def first(world: World, *phases: str) -> str:
    text = world.service.recall_phases(phases, caller=ME)["context"]
    cited = {
        memory_id: text.index(memory_id)
        for memory_id in ("mem_decision", "mem_event", "mem_skill", "mem_pref")
        if memory_id in text
    }
    bundle = world.service.recall_phases(phases, caller=ME, budget_tokens=120)
    return str(bundle["citations"][0]) if bundle["citations"] else str(min(cited, key=lambda one: cited[one]))


def test_each_phase_puts_its_own_memories_first(world: World) -> None:
    fill(world)
    assert first(world, "plan") == "mem_decision"
    assert first(world, "debug") == "mem_event"
    assert first(world, "release") == "mem_skill"
    assert first(world, "review") == "mem_pref"


def test_the_vault_can_say_what_a_phase_is_about(world: World) -> None:
    fill(world)
    settings = world.folder / ".helix" / "phases.yaml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text("onboard:\n  kinds: {event: 1.0}\n  tags: [incident]\n  words: outage login\n")
    assert first(world, "onboard") == "mem_event"
    for broken in (
        "- a list\n",
        "plan:\n  kinds: 3\n",
        "plan:\n  colour: red\n",
        "plan:\n  kinds: {fact: 9}\n",
        "a: [\n",
    ):
        settings.write_text(broken)
        with pytest.raises(BadValue, match=r"phases\.yaml"):
            world.service.recall_phases(["plan"], caller=ME)


def test_an_unknown_phase_is_taken_by_its_name(world: World) -> None:
    fill(world)
    world.put("x.md", record("mem_x", "Onboarding starts with the handbook", tags="[onboarding]"))
    assert first(world, "onboarding") == "mem_x"
    with pytest.raises(BadValue):
        world.service.recall_phases([" "], caller=ME)


def test_the_same_key_gets_the_same_bundle_in_its_session_until_something_in_it_is_forgotten(
    world: World,
) -> None:
    fill(world)
    bundle = world.service.recall_phases(["plan"], caller=ME, idempotency_key="k")
    world.add("We split the data pipeline by team", kind="decision", tags=["architecture"])
    assert world.service.recall_phases(["plan"], caller=ME, idempotency_key="k") == bundle
    assert (
        world.service.recall_phases(["plan"], caller=Place("billing", "s-9"), idempotency_key="k") != bundle
    )
    world.service.forget("mem_decision")
    assert (
        "mem_decision"
        not in world.service.recall_phases(["plan"], caller=ME, idempotency_key="k")["citations"]
    )


def test_a_key_is_that_of_one_question_from_one_place(world: World) -> None:
    world.put(
        "a.md",
        record("mem_a", "We split the monolith by domain", kind="decision", scope="project", project="one"),
    )
    asked = world.service.recall_phases
    mine = asked(["plan"], caller=Place("one"), idempotency_key="k")
    assert mine["citations"] == ["mem_a"]
    assert asked(["plan"], caller=Place("two"), idempotency_key="k")["citations"] == []
    assert asked(["plan"], caller=Place("one"), scope="global", idempotency_key="k")["citations"] == []
    assert asked(["plan"], caller=Place("one"), budget_tokens=64, idempotency_key="k")["tokens_used"] <= 64


def test_a_kept_bundle_does_not_repeat_a_text_that_was_changed_since(world: World) -> None:
    world.put("a.md", record("mem_a", "We split the monolith by domain", kind="decision"))
    world.service.recall_phases(["plan"], caller=ME, idempotency_key="k")
    world.put("a.md", record("mem_a", "We keep the monolith", kind="decision"))
    again = world.service.recall_phases(["plan"], caller=ME, idempotency_key="k")
    assert "We keep the monolith" in again["context"]
