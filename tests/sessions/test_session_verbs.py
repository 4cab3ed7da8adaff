"""The verbs about sessions, on a real vault: what is appended is found, cited, verified, and taught."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, SessionNotFound, SessionsOff, StateUnwritable
from helix.index.event_index import EventIndex
from helix.memory.place import Place
from helix.memory.principal import Principal
from helix.memory.request import Request
from helix.sessions import append, reading, verbatim
from helix.vault.log.event import EventDraft
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root
from tests.memory.world import ME, World, opened

DECISION = {"decision": "Retry 3 times, with jitter", "rationale": "the gateway drops bursts"}


def _request(world: World, place: Place = ME) -> Request:
    return world.service.request(place)


def _append(world: World, kind: str, payload: dict[str, Any], session: str = "s", **more: Any) -> Any:
    return append.append(
        _request(world), session_id=session, event_type=kind, actor="agent", payload=payload, **more
    )


def _say(world: World, text: str, session: str = "s") -> Any:
    return _append(world, "transcript.turn", {"role": "user", "content": text}, session)


def _found(world: World, query: str, **how: Any) -> list[str]:
    answer = verbatim.verbatim(_request(world), query=query, **how)
    return [hit["content"] for hit in answer["results"]]


def test_an_event_is_found_word_for_word_with_a_citation_that_leads_to_it(world: World) -> None:
    _say(world, "why does the Frankfurt gateway drop bursts?")
    _say(world, "認証トークンはどこですか")
    [hit] = verbatim.verbatim(_request(world), query="frankfurt gateway")["results"]
    assert hit["content"] == "user: why does the Frankfurt gateway drop bursts?"
    assert (hit["source_kind"], hit["metadata"]["transcript_role"]) == ("transcript", "user")
    assert (
        reading.cite(_request(world), uri=hit["citation"])["event"]["payload"]["content"]
        == hit["content"][6:]
    )
    assert _found(world, "トークン") == ["user: 認証トークンはどこですか"]
    assert _found(world, "zeppelin") == []


def test_a_question_may_be_about_one_session(world: World) -> None:
    _say(world, "the parser is slow", "a")
    _say(world, "the parser is fast", "b")
    assert _found(world, "parser", session_id="a") == ["user: the parser is slow"]
    assert len(_found(world, "parser")) == 2
    assert _found(world, "parser", session_id="nobody") == []


def test_what_memory_notes_about_itself_is_never_found(world: World) -> None:
    _append(world, "memory.checkout.completed", {"query": "where is the parser"})
    _append(world, "tool.call.completed", {"tool_name": "memory_query", "result_summary": "parser"})
    _append(world, "tool.call.completed", {"tool_name": "Bash", "result_summary": "parser built"})
    assert _found(world, "parser") == ["tool_name: Bash\nresult_summary: parser built"]


def test_a_decision_becomes_a_memory_that_names_its_event(world: World) -> None:
    answer = _append(world, "decision.made", DECISION)
    text = world.read(answer["memory"]["id"])
    assert "kind: decision" in text
    assert answer["citation"] in text
    assert "rationale: the gateway drops bursts" in text
    assert reading.cite(_request(world), uri=answer["citation"])["memory_id"] == answer["memory"]["id"]
    assert world.found("gateway bursts jitter") == [answer["memory"]["id"]]


def test_the_same_name_stated_again_takes_the_place_of_the_first_and_the_old_words_say_so(
    world: World,
) -> None:
    first = _append(
        world, "user.preference_changed", {"userId": "u", "key": "indent", "value": "tabs, always"}
    )
    second = _append(
        world, "user.preference_changed", {"userId": "u", "key": "indent", "value": "two blanks"}
    )
    other = _append(
        world, "user.preference_changed", {"userId": "u", "key": "editor", "value": "vim with plugins"}
    )
    assert second["memory"]["status"] == "superseded"
    assert "status: superseded" in world.read(first["memory"]["id"])
    assert other["memory"]["status"] == "created"
    [hit] = verbatim.verbatim(_request(world), query="tabs")["results"]
    assert hit["overruled_by"] == second["memory"]["id"]
    [now] = verbatim.verbatim(_request(world), query="blanks")["results"]
    assert "overruled_by" not in now


def test_an_event_that_states_nothing_makes_no_memory_and_is_kept(world: World) -> None:
    answer = _append(world, "decision.made", {"decision": "   "})
    assert "memory" not in answer
    assert answer["seq"] == 1
    assert "memory" not in _say(world, "hello")


def test_events_with_a_reference_are_taken_once(world: World) -> None:
    given = [
        {"type": "transcript.turn", "actor": "user", "payload": {"content": text}, "external_ref": ref}
        for text, ref in (("one", "f:1"), ("two", "f:2"), ("two again", "f:2"))
    ]
    first = append.ingest(_request(world), session_id="s", events=given)
    again = append.ingest(_request(world), session_id="s", events=given)
    assert (first["imported"], first["deduped"]) == (2, 1)
    assert (again["imported"], again["deduped"]) == (0, 3)
    assert again["events"] == first["events"] == [first["events"][0], first["events"][1], first["events"][1]]
    single = _append(world, "transcript.turn", {"content": "one"}, external_ref="f:1")
    assert single["hash"] == first["events"][0]["hash"]
    assert reading.session(_request(world), session_id="s")["events"] == 2


def test_a_wrong_event_among_many_is_named_and_none_is_taken(world: World) -> None:
    good = {"type": "a.b", "actor": "x", "payload": {}}
    with pytest.raises(BadValue, match="event 2"):
        append.ingest(_request(world), session_id="s", events=[good, {"type": "a.b"}])
    with pytest.raises(BadValue, match="timestamp"):
        append.ingest(_request(world), session_id="s", events=[{**good, "timestamp": "yesterday"}])
    assert reading.sessions(_request(world))["sessions"] == []


def test_a_replay_goes_through_the_log_in_pages_that_keep_their_budget(world: World) -> None:
    for number in range(60):
        _say(world, f"turn {number} of a long conversation about parsers")
    texts: list[str] = []
    cursor = None
    while True:
        page = reading.replay(_request(world), session_id="s", limit=1000, max_tokens=2000, cursor=cursor)
        assert page["tokens_used"] <= 2000
        texts += [event["payload"]["content"] for event in page["events"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert texts == [f"turn {number} of a long conversation about parsers" for number in range(60)]
    part = reading.replay(_request(world), session_id="s", from_seq=10, to_seq=12)
    assert [event["seq"] for event in part["events"]] == [10, 11, 12]
    assert part["integrity"] is not None
    assert part["integrity"]["total_events"] == 60


def test_an_erased_event_is_in_no_answer_and_no_file(world: World) -> None:
    _say(world, "before")
    gone = _say(world, "the word xylophone")
    erased = append.erase(_request(world), session_id="s", seq=gone["seq"])
    assert erased["hash"] == gone["hash"]
    assert _found(world, "xylophone") == []
    event = reading.event(_request(world), session_id="s", seq=gone["seq"])["event"]
    assert event["payload"] == {}
    assert event.get("erased_at")
    assert reading.verify(_request(world), session_id="s")["ok"]
    for file in (*world.folder.rglob("*"), *world.helix.state.rglob("*")):
        assert not file.is_file() or b"xylophone" not in file.read_bytes(), file


def test_a_stretch_of_events_is_erased_at_once(world: World) -> None:
    for number in range(1, 6):
        _say(world, f"penguin {number}")
    assert append.erase(_request(world), session_id="s", seq=2, through=4)["erased"] == 3
    assert sorted(_found(world, "penguin")) == ["user: penguin 1", "user: penguin 5"]
    assert reading.verify(_request(world), session_id="s")["ok"]
    assert append.erase(_request(world), session_id="s", seq=1, through=9)["erased"] == 2
    assert append.erase(_request(world), session_id="s", seq=3, through=2)["erased"] == 1


def test_what_another_machine_erased_is_erased_here_too(world: World, tmp_path: Path) -> None:
    gone = _say(world, "the word xylophone")
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(world.folder, elsewhere)
    there = SessionLogs(Root(elsewhere), lambda: "other")
    there.erase("s", [gone["hash"]], "2026-01-01T00:00:00Z")
    there.append("s", [EventDraft("event.erased", "helix", {"seq": 1, "hash": gone["hash"]})])
    shutil.copy(elsewhere / "sessions/s/other.jsonl", world.folder / "sessions/s/other.jsonl")
    world.helix.reconciler.reconcile()
    assert _found(world, "xylophone") == []
    for file in (*(world.folder / "sessions").rglob("*"), *world.helix.state.rglob("*")):
        assert not file.is_file() or b"xylophone" not in file.read_bytes(), file
    assert reading.verify(_request(world), session_id="s")["ok"]


def test_what_another_machine_wrote_is_taken_in_by_the_follower(world: World, tmp_path: Path) -> None:
    _say(world, "here")
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(world.folder, elsewhere)
    there = SessionLogs(Root(elsewhere), lambda: "other")
    there.append("s", [EventDraft("transcript.turn", "user", {"content": "there, at the ferry"})])
    shutil.copy(elsewhere / "sessions/s/other.jsonl", world.folder / "sessions/s/other.jsonl")
    world.helix.reconciler.reconcile()
    assert _found(world, "ferry") == ["there, at the ferry"]
    assert _say(world, "and here again")["seq"] == 3
    (world.folder / "sessions/s/other.jsonl").unlink()
    world.helix.reconciler.reconcile()
    world.helix.reconciler.reconcile()
    assert _found(world, "ferry") == []


def test_a_deleted_index_is_made_again_from_the_files(tmp_path: Path) -> None:
    with opened(tmp_path) as world:
        _say(world, "remember the ferry")
        state = world.helix.state
    (state / "events.db").unlink()
    with opened(tmp_path) as world:
        assert _found(world, "ferry") == ["user: remember the ferry"]
        assert [one["session_id"] for one in reading.sessions(_request(world))["sessions"]] == ["s"]


def test_a_vault_without_sessions_is_given_nothing(world: World) -> None:
    world.add("A memory of its own")
    assert reading.sessions(_request(world))["sessions"] == []
    assert _found(world, "memory") == []
    assert not (world.helix.state / "events.db").exists()
    assert not (world.folder / "sessions").exists()


def test_who_does_not_see_the_whole_vault_sees_no_log(world: World) -> None:
    _say(world, "a secret plan")
    stranger = world.workspace.request(Principal("stranger"), ME)
    assert reading.sessions(stranger)["sessions"] == []
    assert verbatim.verbatim(stranger, query="plan")["results"] == []
    for ask in (
        lambda: reading.session(stranger, session_id="s"),
        lambda: reading.session(stranger, session_id="nobody"),
        lambda: append.append(stranger, session_id="s", event_type="a.b", actor="x", payload={}),
    ):
        with pytest.raises(SessionNotFound, match="there are no sessions here"):
            ask()


def test_logs_may_lie_in_the_state_folder_or_take_nothing_more(world: World) -> None:
    events = world.helix.events
    events._keep, events.is_followed = "state", False
    _say(world, "kept beside")
    assert not (world.folder / "sessions").exists()
    assert _found(world, "beside") == ["user: kept beside"]
    events._keep = "off"
    with pytest.raises(SessionsOff, match=r"sessions\.keep"):
        _say(world, "no more")
    assert _found(world, "beside") == ["user: kept beside"]


def test_a_forked_session_shows_both_ends_and_cites_each_by_its_hash(world: World, tmp_path: Path) -> None:
    _say(world, "shared")
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(world.folder, elsewhere)
    left = _say(world, "left")
    there = SessionLogs(Root(elsewhere), lambda: "other")
    [right] = there.append("s", [EventDraft("transcript.turn", "user", {"content": "right"})])
    shutil.copy(elsewhere / "sessions/s/other.jsonl", world.folder / "sessions/s/other.jsonl")
    world.helix.reconciler.reconcile()
    heads = reading.session(_request(world), session_id="s")["heads"]
    assert {head["hash"] for head in heads} == {left["hash"], right.hash}
    for event_hash, text in ((left["hash"], "left"), (right.hash, "right")):
        cited = reading.event(_request(world), session_id="s", seq=2, event_hash=event_hash[:12])
        assert cited["event"]["payload"]["content"] == text
    with pytest.raises(SessionNotFound):
        reading.event(_request(world), session_id="s", seq=2, event_hash="0" * 12)


def test_one_reference_sent_by_many_at_once_is_one_event(world: World) -> None:
    given = [
        {"type": "a.b", "actor": "x", "payload": {"number": number}, "external_ref": f"f:{number}"}
        for number in range(20)
    ]
    with ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(append.ingest, _request(world), session_id="s", events=given) for _ in range(6)]
        answers = [job.result() for job in jobs]
    assert sum(answer["imported"] for answer in answers) == 20
    assert all(answer["events"] == answers[0]["events"] for answer in answers)
    (world.helix.state / "events.db").unlink()  # an index that knows nothing yet must not make it twice
    world.helix.events.close()
    assert append.ingest(_request(world), session_id="s", events=given)["imported"] == 0


def test_an_event_is_safe_and_says_so_when_the_index_cannot_be_written(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(world, "first")

    def full(*_: object) -> None:
        raise StateUnwritable("the state folder cannot be written (its disk is full)")

    with monkeypatch.context() as broken:
        broken.setattr(EventIndex, "take_in", full)
        answer = _say(world, "safe all the same")
    assert "safe on disk" in answer["degraded"]
    assert _found(world, "safe") == []
    world.helix.reconciler.reconcile()
    assert _found(world, "safe") == ["user: safe all the same"]


def test_what_is_known_of_one_session_is_known_without_the_others(world: World) -> None:
    _say(world, "one", "a")
    _say(world, "two", "ab")
    index = world.helix.events.index()
    assert [path.split("/")[1] for path in index.known("sessions/a")] == ["a"]
    assert len(index.known("sessions")) == len(index.known()) == 2
    [path] = index.known("sessions/ab")
    assert list(index.known(path)) == [path]
