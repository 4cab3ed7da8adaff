"""The verbs about sessions, from both clients, against a real daemon."""

from __future__ import annotations

import asyncio

import pytest

from helix import AsyncHelix, BadRequest, Helix, NotFound
from tests.client.conftest import Running

TURN = {"role": "user", "content": "where do the walruses sleep?"}


def test_every_verb_about_sessions_can_be_said(running: Running) -> None:
    with Helix(running.url) as mem:
        made = mem.sessions.append("walrus", "decision.made", "me", {"decision": "Feed the walruses at ten"})
        assert made.memory is not None
        given = [{"type": "transcript.turn", "actor": "me", "payload": TURN, "external_ref": "w:1"}]
        first, again = mem.sessions.ingest("walrus", given), mem.sessions.ingest("walrus", given)
        assert (first.imported, again.deduped, first.events) == (1, 1, again.events)
        assert "walrus" in [one.session_id for one in mem.sessions.list_all()]
        assert mem.sessions.get("walrus").types == {"decision.made": 1, "transcript.turn": 1}
        page = mem.sessions.replay("walrus", limit=1)
        assert page.integrity is not None
        assert (page.integrity.ok, page.truncated) == (True, True)
        assert [event.seq for event in mem.sessions.replay_all("walrus", limit=1)] == [1, 2]
        hit, *_ = mem.sessions.verbatim_all("walruses sleep", session_id="walrus", limit=1)
        assert hit.content == "user: where do the walruses sleep?"
        cited = mem.sessions.cite(hit.citation)
        assert cited == mem.sessions.event("walrus", 2, hash=cited.event.hash)
        assert mem.sessions.erase("walrus", 2).hash == cited.event.hash
        verified = mem.sessions.verify("walrus")
        assert (verified.ok, verified.erased, verified.total_events) == (True, 1, 3)
        with pytest.raises(NotFound, match="no session"):
            mem.sessions.get("nobody")
        assert mem.sessions.archive("walrus").status == "archived"
        assert "walrus" in [one.session_id for one in mem.sessions.list_all(archived=True)]
        assert mem.sessions.list().archived > 0
        assert mem.sessions.restore("walrus").status == "restored"
        for wrong in ("../x", ".hidden", "two words", "w" * 129):
            with pytest.raises(BadRequest, match=r"Invalid session_id|at most 128"):
                mem.sessions.append(wrong, "note.taken", "me", {})


def test_the_past_of_a_session_can_be_asked_about(running: Running) -> None:
    with Helix(running.url) as mem:
        made = mem.sessions.append("tern", "decision.made", "me", {"decision": "Terns nest on the dyke"})
        first = mem.sessions.set_ref("tern", "refs/terns/spring")
        assert (first.status, first.ref.target_seq) == ("set", 1)
        assert mem.sessions.ref("refs/terns/spring") == first.ref
        [fact] = mem.sessions.query("where do terns nest?", session_ids=["tern"], explain=True).facts
        assert fact.citation == made.citation
        assert fact.score_explanation["ranking_score"] == fact.score
        closed = mem.sessions.invalidate("tern", "Terns nest on the dyke", entity_type="decision")
        assert (closed.status, closed.memory_id) == ("invalidated", fact.memory_id)
        assert mem.sessions.invalidate("tern", "Terns nest at sea").status == "nothing_matched"
        assert not [one for one in mem.sessions.query_all("terns nest") if one.session_id == "tern"]
        then = mem.sessions.checkout("tern", "where do terns nest?", ref="refs/terns/spring")
        assert then.ref == first.ref
        assert then.current_facts[0]["citation"] == made.citation
        assert mem.sessions.query("terns nest", ref="refs/terns/spring").facts[0].valid_to is None
        assert mem.sessions.replay("tern", ref="refs/terns/spring").ref == first.ref
        assert len(list(mem.sessions.verbatim_all("terns nest", ref="refs/terns/spring"))) == 1
        assert mem.sessions.ref("HEAD", session_id="tern").target_seq > 1
        assert "refs/terns/spring" in [one.name for one in mem.sessions.refs_all(session_id="tern")]
        with pytest.raises(NotFound, match="Unknown memory ref"):
            mem.sessions.checkout("tern", "terns", ref="refs/terns/winter")


async def _ask(running: Running) -> None:
    async with AsyncHelix(running.url) as mem:
        made = await mem.sessions.append("seal", "note.taken", "me", {"content": "seals in the harbour"})
        assert made.memory is None
        assert [hit.session_id async for hit in mem.sessions.verbatim_all("harbour")] == ["seal"]
        assert (await mem.sessions.verify("seal")).ok


def test_the_asynchronous_client_says_them_too(running: Running) -> None:
    asyncio.run(_ask(running))


def test_what_memory_knows_of_a_question_comes_with_a_verdict(running: Running) -> None:
    with Helix(running.url) as mem:
        mem.sessions.append("otter", "decision.made", "agent", {"decision": "Otters sleep hand in hand"})
        found = mem.sessions.checkout("otter", "How do otters sleep?")
        assert found.quality.answerability == "answer_from_memory"
        assert found.current_facts[0]["citation"].startswith("eventloom://otter/events/1#")
        assert mem.sessions.assemble("otter", "otters").contexts
        assert mem.sessions.after_turn("otter", "user", "And seals?").session_id == "otter"
        assert mem.sessions.handover("otter", "otter-cub", "the cub swims").integrity_ok
        assert mem.sessions.capabilities("otter").status["eventloom"]["session_exists"]
        assert mem.sessions.bootstrap("otter").mode == "session_start"
        assert mem.sessions.reminder("otter", "precompact").reminder is not None
