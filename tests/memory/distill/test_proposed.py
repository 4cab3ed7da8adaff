"""What sessions propose: shown with its evidence, accepted by a person alone, and never again after that."""

from __future__ import annotations

from pathlib import Path

import pytest

from helix.errors import MemoryNotFound
from helix.memory.distill.proposals import PROPOSALS_FILE
from helix.memory.principal import Principal
from helix.sessions import reading
from tests.memory.asking import Verbs
from tests.memory.distill.talk import Talk
from tests.memory.world import opened

RULE = "Always run `make check` before you commit."


def test_what_was_stated_for_good_is_proposed_with_the_event_that_says_it(talk: Talk) -> None:
    talk.start()
    said = talk.say(f"The retry test is flaky again. {RULE}")
    [item] = talk.proposed()
    proposal = item["proposal"]
    assert (proposal["text"], proposal["kind"], proposal["rule"]) == (RULE, "preference", "said")
    assert (proposal["uri"], proposal["session"], proposal["said_by"]) == (said["citation"], "s", "user")
    assert proposal["project"] == "gateway"
    assert "flaky" in item["detail"]
    assert {action["route"] for action in item["actions"]} == {"/inbox/accept", "/inbox/dismiss"}
    assert talk.world.files() == {}


def test_what_is_accepted_is_a_memory_that_names_the_event_and_leaves_the_inbox(talk: Talk) -> None:
    talk.start()
    said = talk.say(RULE)
    [item] = talk.proposed()
    answer = talk.world.service.accept(**item["actions"][0]["body"])
    assert answer["status"] == "created"
    memory = talk.world.service.get(answer["id"], response_format="detailed")
    assert (memory["text"].strip(), memory["kind"], memory["project"]) == (RULE, "preference", "gateway")
    note = talk.world.read(answer["id"])
    assert said["citation"] in note
    assert "session: s" in note
    cited = reading.cite(talk.world.service.request(), uri=said["citation"])
    assert cited["event"]["payload"]["content"] == RULE
    assert talk.proposed() == []


def test_it_can_be_put_into_other_words(talk: Talk) -> None:
    talk.say("Never push to main.")
    [item] = talk.proposed()
    answer = talk.world.service.accept(
        key=item["key"], text="Nobody pushes to main.", kind="decision", title="No pushes", project="zoo"
    )
    memory = talk.world.service.get(answer["id"], response_format="detailed")
    assert (memory["text"].strip(), memory["kind"], memory["title"], memory["project"]) == (
        "Nobody pushes to main.",
        "decision",
        "No pushes",
        "zoo",
    )
    assert talk.proposed() == []


def test_what_was_put_away_does_not_come_back_when_it_is_said_again(talk: Talk) -> None:
    talk.say(RULE)
    [item] = talk.proposed()
    talk.world.service.dismiss(key=item["key"])
    talk.say(f"again: {RULE.lower()}", session="another")
    talk.say(RULE, session="third")
    assert talk.proposed() == []


def test_what_was_accepted_and_forgotten_since_does_not_come_back(talk: Talk) -> None:
    talk.say(RULE)
    [item] = talk.proposed()
    answer = talk.world.service.accept(key=item["key"])
    talk.world.service.forget(answer["id"])
    talk.say(RULE, session="another")
    assert talk.proposed() == []


def test_what_a_memory_says_already_is_not_proposed(talk: Talk) -> None:
    talk.start()
    talk.say(RULE)
    talk.say("We never deploy on Fridays.")
    talk.world.add(RULE, kind="preference", project="gateway")
    assert talk.texts() == ["We never deploy on Fridays."]
    talk.world.add("We never deploy on Fridays.", kind="preference", project="gateway")
    assert talk.texts() == []


def test_what_is_said_in_several_sessions_is_asked_once(talk: Talk) -> None:
    talk.say(RULE)
    talk.say(RULE.upper(), session="another")
    [item] = talk.proposed()
    assert item["proposal"]["times"] == 2


def test_a_fix_that_worked_is_proposed_with_its_cause_its_command_and_its_files(talk: Talk) -> None:
    talk.run("pytest tests/test_retry.py", 1)
    talk.edit("src/retry.py")
    talk.edit("src/clock.py")
    talk.run("pytest tests/test_retry.py")
    told = talk.say("The cause was a shared clock. Each test has its own now.", "assistant")
    [item] = talk.proposed()
    assert item["proposal"]["rule"] == "fix"
    assert item["proposal"]["uri"] == told["citation"]
    assert item["title"] == "Why `pytest tests/test_retry.py` failed"
    text = item["proposal"]["text"]
    assert text.startswith("The cause was a shared clock.")
    assert "`src/retry.py` and `src/clock.py` were changed" in text
    talk.erase(3)
    assert talk.proposed() == []


def test_what_is_erased_in_the_log_is_proposed_no_more_and_cannot_be_accepted(talk: Talk) -> None:
    talk.say(RULE)
    [item] = talk.proposed()
    talk.erase(1)
    assert talk.proposed() == []
    with pytest.raises(MemoryNotFound, match="was erased"):
        talk.world.service.accept(key=item["key"])
    state = talk.world.helix.state
    assert all(b"make check" not in file.read_bytes() for file in state.rglob("*") if file.is_file())


def test_what_would_be_refused_as_a_memory_is_not_proposed(talk: Talk) -> None:
    talk.say(f"Always use the token {'ghp_' + 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'} for staging.")
    assert talk.proposed() == []


def test_nobody_but_who_sees_the_whole_vault_is_told(talk: Talk) -> None:
    talk.say(RULE)
    stranger = Verbs(talk.world.workspace, Principal("stranger"))
    assert [item for item in stranger.inbox()["items"] if item["what"] == "proposed"] == []


def test_each_event_is_looked_at_once_and_the_file_may_be_lost(tmp_path: Path) -> None:
    with opened(tmp_path) as world:
        talk = Talk(world, tmp_path)
        talk.say(RULE)
        assert talk.texts() == [RULE]
        state = world.helix.state
        world.workspace.upkeep.stop()
    for file in state.glob(f"{PROPOSALS_FILE}*"):
        file.unlink()
    with opened(tmp_path) as world:
        talk = Talk(world, tmp_path)
        talk.say("We never deploy on Fridays.")
        assert sorted(talk.texts()) == sorted([RULE, "We never deploy on Fridays."])
        world.workspace.upkeep.stop()
