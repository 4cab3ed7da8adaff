"""The verbs about sessions, from both clients, against a real daemon."""

from __future__ import annotations

import asyncio

import pytest

from helix import AsyncHelix, Helix, NotFound
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
