"""The verbs that look after the vault and the daemon."""

from __future__ import annotations

from collections.abc import Sequence

from helix.client.call import Call, Moment, reads
from helix.client.maintenance_results import (
    Accepted,
    Conflicts,
    ConsolidateResult,
    Dismissed,
    Health,
    Inbox,
    Manifest,
    Proposals,
    Stats,
)


class Care:
    def stats(
        self,
        *,
        scope: str = "all",
        max_tokens: int = 2000,
        as_of: Moment | None = None,
        ref: str | None = None,
        cursor: str | None = None,
    ) -> Call[Stats]:
        """How many memories there are, by status, scope, kind and project."""
        return reads("/stats", Stats, scope=scope, max_tokens=max_tokens, as_of=as_of, ref=ref, cursor=cursor)

    def conflicts(
        self, *, limit: int = 20, max_tokens: int = 4000, cursor: str | None = None
    ) -> Call[Conflicts]:
        """What needs a person: files that cannot be read, and ids that stand in several files."""
        return reads("/conflicts", Conflicts, limit=limit, max_tokens=max_tokens, cursor=cursor)

    def proposals(
        self, *, limit: int = 20, max_tokens: int = 4000, cursor: str | None = None
    ) -> Call[Proposals]:
        """What could be tidied: doubles, contradictions, what is over. Nothing is changed."""
        return reads("/consolidate", Proposals, limit=limit, max_tokens=max_tokens, cursor=cursor)

    def consolidate(self, ids: Sequence[str] = ()) -> Call[ConsolidateResult]:
        """Apply the proposals that are named, or else those that are certain: exact doubles.

        It takes no idempotency key, so it is never sent twice.
        """
        return Call("POST", "/consolidate", ConsolidateResult, body={"ids": list(ids)}, is_repeatable=False)

    def inbox(self, *, limit: int = 20, max_tokens: int = 4000, cursor: str | None = None) -> Call[Inbox]:
        """What waits for a person: proposed memories, files that need help, what to tidy, refused secrets."""
        return reads("/inbox", Inbox, limit=limit, max_tokens=max_tokens, cursor=cursor)

    def accept(
        self,
        key: str,
        *,
        text: str | None = None,
        title: str | None = None,
        kind: str | None = None,
        project: str | None = None,
    ) -> Call[Accepted]:
        """Make a memory of what is proposed, in its words or in yours."""
        edited = {"text": text, "title": title, "kind": kind, "project": project}
        body = {"key": key, **{name: value for name, value in edited.items() if value is not None}}
        return Call("POST", "/inbox/accept", Accepted, body=body, is_repeatable=False)

    def dismiss(self, key: str) -> Call[Dismissed]:
        """Put an item of the inbox away: a proposal for good, anything else until it changes."""
        return Call("POST", "/inbox/dismiss", Dismissed, body={"key": key})

    def manifest(self, *, max_tokens: int = 2000, cursor: str | None = None) -> Call[Manifest]:
        """What an export of the vault would hold, entry by entry, with its checksums."""
        return reads("/strand/manifest", Manifest, max_tokens=max_tokens, cursor=cursor)

    def health(self) -> Call[Health]:
        """How the daemon is, and why; also when it cannot serve."""
        return Call("GET", "/healthz", Health, also_answers=frozenset({503}))
