"""The verbs about sessions. Each builds a call, as those about memories do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helix.client.call import Call, asks, of_session, reads
from helix.client.session_results import (
    AppendedEvent,
    ArchivedSession,
    AssembledContext,
    Bootstrap,
    Capabilities,
    Checkout,
    CitedEvent,
    ErasedEvent,
    ExportedLog,
    FactList,
    GivenFeedback,
    Handover,
    ImportedLog,
    IngestedEvents,
    Invalidation,
    Recap,
    Ref,
    RefList,
    Reminder,
    Replay,
    SessionDetails,
    SessionList,
    SetRef,
    SkillEvent,
    SkillList,
    Verbatim,
    VerifiedSession,
)


class SessionVerbs:
    def append(
        self,
        session_id: str,
        type: str,  # noqa: A002 (its public name)
        actor: str,
        payload: Mapping[str, Any],
        *,
        external_ref: str | None = None,
    ) -> Call[AppendedEvent]:
        """Add an event to the log of a session. Answered when its line is durable on disk.

        With an `external_ref` it is added once, however often it is sent.
        """
        path = of_session(session_id, "/events")
        return _adds(path, AppendedEvent, type=type, actor=actor, payload=payload, external_ref=external_ref)

    def ingest(self, session_id: str, events: Sequence[Mapping[str, Any]]) -> Call[IngestedEvents]:
        """Add many events at once. One whose `external_ref` the session has already is not added again."""
        return _adds(of_session(session_id, "/ingest"), IngestedEvents, events=events)

    def list(
        self, *, archived: bool = False, limit: int = 50, max_tokens: int = 2000, cursor: str | None = None
    ) -> Call[SessionList]:
        """The sessions that have a log, the one that something happened in last first; or those that are archived."""
        return reads(
            "/sessions", SessionList, archived=archived, limit=limit, max_tokens=max_tokens, cursor=cursor
        )

    def archive(self, session_id: str) -> Call[ArchivedSession]:
        """Move the log of a session to where nothing reads it."""
        return _adds(of_session(session_id, "/archive"), ArchivedSession)

    def restore(self, session_id: str) -> Call[ArchivedSession]:
        """Bring an archived session back."""
        return _adds(of_session(session_id, "/restore"), ArchivedSession)

    def get(self, session_id: str) -> Call[SessionDetails]:
        """What is known of a session."""
        return reads(of_session(session_id), SessionDetails)

    def replay(
        self,
        session_id: str,
        *,
        from_seq: int = 1,
        to_seq: int | None = None,
        type: str | None = None,  # noqa: A002 (its public name)
        ref: str | None = None,
        limit: int = 100,
        max_tokens: int = 8000,
        cursor: str | None = None,
    ) -> Call[Replay]:
        """The events of a session in their order, and whether its whole log verifies."""
        return reads(
            of_session(session_id, "/events"), Replay, from_seq=from_seq, to_seq=to_seq, type=type, ref=ref,
            limit=limit, max_tokens=max_tokens, cursor=cursor,
        )  # fmt: skip

    def verify(self, session_id: str) -> Call[VerifiedSession]:
        """Read the whole log of a session and say where its chain is broken, if it is."""
        return reads(of_session(session_id, "/integrity"), VerifiedSession)

    def event(self, session_id: str, seq: int, *, hash: str | None = None) -> Call[CitedEvent]:  # noqa: A002
        """One event, and the memory that it became."""
        return reads(of_session(session_id, f"/events/{seq}"), CitedEvent, hash=hash)

    def cite(self, uri: str) -> Call[CitedEvent]:
        """The event that a citation names."""
        return reads("/cite", CitedEvent, uri=uri)

    def erase(
        self,
        session_id: str,
        seq: int,
        *,
        hash: str | None = None,  # noqa: A002
        through: int | None = None,
    ) -> Call[ErasedEvent]:
        """Erase the content of an event for good, or of all up to another. Hashes stay, so that the chain verifies."""
        return _adds(of_session(session_id, "/erase"), ErasedEvent, seq=seq, hash=hash, through=through)

    def verbatim(
        self,
        query: str,
        *,
        session_id: str | None = None,
        ref: str | None = None,
        limit: int = 10,
        max_tokens: int = 2000,
        cursor: str | None = None,
    ) -> Call[Verbatim]:
        """What was said word for word, with citations."""
        return reads(
            "/verbatim", Verbatim, query=query, session_id=session_id, ref=ref, limit=limit,
            max_tokens=max_tokens, cursor=cursor,
        )  # fmt: skip

    def checkout(
        self,
        session_id: str,
        query: str,
        *,
        replay_from_seq: int = 1,
        limit: int = 10,
        max_recent_events: int = 20,
        purpose: str | None = None,
        ref: str | None = None,
        max_tokens: int = 4000,
    ) -> Call[Checkout]:
        """What memory knows of a question, cited, and whether it can be answered from it."""
        return _adds(
            of_session(session_id, "/checkout"), Checkout, query=query, replay_from_seq=replay_from_seq,
            limit=limit, max_recent_events=max_recent_events, purpose=purpose, ref=ref, max_tokens=max_tokens,
        )  # fmt: skip

    def assemble(
        self,
        session_id: str,
        query: str,
        *,
        replay_from_seq: int = 1,
        limit: int = 10,
        max_recent_events: int = 20,
        ref: str | None = None,
        max_tokens: int = 4000,
    ) -> Call[AssembledContext]:
        """What happened last in a session and what bears on a question, as one text with its sources."""
        return reads(
            of_session(session_id, "/context"), AssembledContext, query=query, replay_from_seq=replay_from_seq,
            limit=limit, max_recent_events=max_recent_events, ref=ref, max_tokens=max_tokens,
        )  # fmt: skip

    def after_turn(
        self,
        session_id: str,
        role: str,
        content: str,
        *,
        query: str | None = None,
        source: str = "agent",
        limit: int = 10,
        max_recent_events: int = 20,
        max_tokens: int = 4000,
    ) -> Call[AssembledContext]:
        """Add a turn to the log of a session, and get what bears on it."""
        return _adds(
            of_session(session_id, "/turns"), AssembledContext, role=role, content=content, query=query,
            source=source, limit=limit, max_recent_events=max_recent_events, max_tokens=max_tokens,
        )  # fmt: skip

    def handover(
        self,
        session_id: str,
        subagent_session_id: str,
        summary: str,
        *,
        query: str = "subagent handoff",
        limit: int = 10,
        max_tokens: int = 4000,
    ) -> Call[Handover]:
        """A subagent is done: its session is closed, and the one it worked for hears what came of it."""
        return _adds(
            of_session(session_id, "/handover"), Handover, subagent_session_id=subagent_session_id,
            summary=summary, query=query, limit=limit, max_tokens=max_tokens,
        )  # fmt: skip

    def capabilities(self, session_id: str, *, current_task: str | None = None) -> Call[Capabilities]:
        """What an agent can do with its memory, and what is known of its session."""
        return reads(of_session(session_id, "/capabilities"), Capabilities, current_task=current_task)

    def bootstrap(self, session_id: str, *, current_task: str | None = None) -> Call[Bootstrap]:
        """What an agent should do first in a session."""
        return _adds(of_session(session_id, "/bootstrap"), Bootstrap, current_task=current_task)

    def recap(
        self, *, project: str | None = None, without: str | None = None, max_tokens: int = 400
    ) -> Call[Recap]:
        """What the last sessions of a project left: hand-over, open tasks, decisions, the first and the last words."""
        return reads("/recap", Recap, project=project, without=without, max_tokens=max_tokens)

    def reminder(
        self,
        session_id: str,
        trigger: str,
        *,
        turn_count: int | None = None,
        duration_ms: int | None = None,
        current_task: str | None = None,
        source: str = "hook",
    ) -> Call[Reminder]:
        """Whether an agent should look at its memory now, and why."""
        return _adds(
            of_session(session_id, "/reminder"), Reminder, trigger=trigger, turn_count=turn_count,
            duration_ms=duration_ms, current_task=current_task, source=source,
        )  # fmt: skip

    def skill(
        self,
        session_id: str,
        action: str,
        skill_id: str,
        *,
        version: str = "1",
        name: str | None = None,
        summary: str | None = None,
        procedure: Sequence[str] = (),
        applicability: Sequence[str] = (),
        citations: Sequence[str] = (),
        task: str | None = None,
        success_score: float | None = None,
        feedback: str | None = None,
        evidence: Sequence[str] = (),
        reason: str | None = None,
        supersedes_version: str | None = None,
        failure_modes: Sequence[str] = (),
        rollback: str | None = None,
        contradiction_reason: str | None = None,
        actor: str = "agent",
    ) -> Call[SkillEvent]:
        """Say what happened to a skill: `proposed`, `validated`, `revised`, `deprecated`, `contradicted`, `applied` or
        `outcome_recorded`. Its note is made anew from all that was said of it."""
        return _adds(
            of_session(session_id, "/skills"), SkillEvent, action=action, skill_id=skill_id, version=version,
            name=name, summary=summary, procedure=[*procedure], applicability=[*applicability],
            citations=[*citations], task=task, success_score=success_score, feedback=feedback,
            evidence=[*evidence], reason=reason, supersedes_version=supersedes_version,
            failure_modes=[*failure_modes], rollback=rollback, contradiction_reason=contradiction_reason,
            actor=actor,
        )  # fmt: skip

    def skills(
        self,
        *,
        skill_id: str | None = None,
        status: str | None = None,
        limit: int = 50,
        max_tokens: int = 2000,
        cursor: str | None = None,
    ) -> Call[SkillList]:
        """The skills that the logs know, and how they did; of one alone also its outcomes."""
        return reads(
            "/skills", SkillList, skill_id=skill_id, status=status, limit=limit, max_tokens=max_tokens,
            cursor=cursor,
        )  # fmt: skip

    def feedback(
        self,
        session_id: str,
        entity_name: str,
        entity_type: str,
        feedback: str,
        *,
        query: str | None = None,
        citation: str | None = None,
        score: float | None = None,
        reason: str | None = None,
        importance: float | None = None,
        source: str | None = None,
        actor: str = "agent",
        purpose: str | None = None,
        outcome: str | None = None,
    ) -> Call[GivenFeedback]:
        """Say whether a memory that was found was `used`, `helpful` or `irrelevant`. No note is touched."""
        return _adds(
            of_session(session_id, "/feedback"), GivenFeedback, entity_name=entity_name,
            entity_type=entity_type, feedback=feedback, query=query, citation=citation, score=score,
            reason=reason, importance=importance, source=source, actor=actor, purpose=purpose, outcome=outcome,
        )  # fmt: skip

    def export_log(
        self, session_id: str, *, from_seq: int = 1, head: str | None = None, limit: int = 1000
    ) -> Call[ExportedLog]:
        """The log of a session as one chain of lines, which other tools verify."""
        return reads(of_session(session_id, "/log"), ExportedLog, from_seq=from_seq, head=head, limit=limit)

    def import_log(
        self,
        session_id: str,
        lines: Sequence[str],
        *,
        first_line: int = 1,
        allow_secrets: bool = False,
    ) -> Call[ImportedLog]:
        """Take over lines of a log that was sealed elsewhere, as they are. What is there already stays one event."""
        return _adds(
            of_session(session_id, "/log"), ImportedLog, lines=[*lines], first_line=first_line,
            allow_secrets=allow_secrets,
        )  # fmt: skip

    def set_ref(
        self,
        session_id: str,
        name: str,
        *,
        seq: int | None = None,
        hash: str | None = None,  # noqa: A002 (its public name)
        ref_type: str = "ref",
        actor: str = "agent",
    ) -> Call[SetRef]:
        """Give a point of a session a name: its last event, or another one."""
        return _adds(
            of_session(session_id, "/refs"), SetRef, name=name, seq=seq, hash=hash, ref_type=ref_type,
            actor=actor,
        )  # fmt: skip

    def refs(
        self,
        *,
        session_id: str | None = None,
        limit: int = 50,
        max_tokens: int = 2000,
        cursor: str | None = None,
    ) -> Call[RefList]:
        """The refs that there are, the one that was set last first."""
        return reads(
            "/refs", RefList, session_id=session_id, limit=limit, max_tokens=max_tokens, cursor=cursor
        )

    def ref(self, name: str, *, session_id: str | None = None) -> Call[Ref]:
        """The event that a ref leads to, or HEAD: the last one of a session."""
        return reads("/refs/resolve", Ref, name=name, session_id=session_id)

    def query(
        self,
        query: str,
        *,
        held_at: str | None = None,
        session_ids: Sequence[str] = (),
        ref: str | None = None,
        explain: bool = False,
        limit: int = 10,
        max_tokens: int = 2000,
        cursor: str | None = None,
    ) -> Call[FactList]:
        """Facts that bear on a question, as they hold now or held at a time, each with its citation."""
        return asks(
            "/facts", FactList, query=query, held_at=held_at, session_ids=[*session_ids], ref=ref,
            explain=explain, limit=limit, max_tokens=max_tokens, cursor=cursor,
        )  # fmt: skip

    def invalidate(
        self,
        session_id: str,
        entity_name: str,
        *,
        entity_type: str = "memory",
        invalid_at: str | None = None,
        reason: str | None = None,
        actor: str = "agent",
    ) -> Call[Invalidation]:
        """Say that what was stated no longer holds: by its name and type, or the id, title or citation of a memory."""
        return _adds(
            of_session(session_id, "/invalidate"), Invalidation, entity_name=entity_name,
            entity_type=entity_type, invalid_at=invalid_at, reason=reason, actor=actor,
        )  # fmt: skip


def _adds(path: str, answer: type[Any], **body: object) -> Call[Any]:
    """A change that is not sent again by itself: whoever repeats it says so, by an `external_ref`."""
    asked: Call[Any] = asks(path, answer, **body)
    return Call("POST", path, answer, body=asked.body, is_repeatable=False)
