"""The verbs about sessions. Each builds a call, as those about memories do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helix.client.call import Call, asks, of_session, reads
from helix.client.session_results import (
    AppendedEvent,
    CitedEvent,
    ErasedEvent,
    IngestedEvents,
    Replay,
    SessionDetails,
    SessionList,
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
        self, *, limit: int = 50, max_tokens: int = 2000, cursor: str | None = None
    ) -> Call[SessionList]:
        """The sessions that have a log, the one that something happened in last first."""
        return reads("/sessions", SessionList, limit=limit, max_tokens=max_tokens, cursor=cursor)

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
        limit: int = 100,
        max_tokens: int = 8000,
        cursor: str | None = None,
    ) -> Call[Replay]:
        """The events of a session in their order, and whether its whole log verifies."""
        return reads(
            of_session(session_id, "/events"), Replay, from_seq=from_seq, to_seq=to_seq, type=type,
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

    def erase(self, session_id: str, seq: int, *, hash: str | None = None) -> Call[ErasedEvent]:  # noqa: A002
        """Erase the content of an event for good. Its hash stays, so that the chain still verifies."""
        return _adds(of_session(session_id, "/erase"), ErasedEvent, seq=seq, hash=hash)

    def verbatim(
        self,
        query: str,
        *,
        session_id: str | None = None,
        limit: int = 10,
        max_tokens: int = 2000,
        cursor: str | None = None,
    ) -> Call[Verbatim]:
        """What was said word for word, with citations."""
        return reads(
            "/verbatim", Verbatim, query=query, session_id=session_id, limit=limit, max_tokens=max_tokens,
            cursor=cursor,
        )  # fmt: skip


def _adds(path: str, answer: type[Any], **body: object) -> Call[Any]:
    """A change that is not sent again by itself: whoever repeats it says so, by an `external_ref`."""
    asked: Call[Any] = asks(path, answer, **body)
    return Call("POST", path, answer, body=asked.body, is_repeatable=False)
