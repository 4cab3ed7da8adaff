"""The verbs that look after the vault: what could be tidied, and what waits for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from helix.memory.verbs.fields import ID
from helix.memory.verbs.reading import ListRequest
from helix.memory.verbs.verb import About, Asks, Route, Verb


class NothingRequest(Asks):
    pass


class ConsolidateRequest(Asks):
    ids: Annotated[Sequence[str], About("Proposals to apply; none means all certain ones.")] = ()


class AcceptRequest(Asks):
    key: Annotated[str, About("Of a proposed memory in the inbox.", shortest=1, longest=100)]
    text: Annotated[str | None, About("Other words for it.")] = None
    title: Annotated[str | None, About("Made from the text when absent.")] = None
    kind: Annotated[str | None, About("Another kind than was proposed.")] = None
    project: Annotated[str | None, About("Another project than that of the session.", longest=200)] = None


class DismissRequest(Asks):
    key: Annotated[str, About("Of an item of the inbox.", shortest=1, longest=100)]


class FreezeRequest(Asks):
    reason: Annotated[str, About("Why; whoever is refused is told.", longest=500)] = ""


class SettleRequest(Asks):
    memory_id: Annotated[str, About("The id of a memory.", name="id")]


CONSOLIDATION = (
    Verb(
        "proposals", ListRequest, "Proposals", run="memory.maintenance.consolidate:proposals", permission="diagnostics",
        route=Route("GET", "/consolidate", "proposals", "care"), command="consolidate", sdk="proposals",
        about="What could be tidied: doubles, contradictions, what is over. Looks at every memory; nothing is changed.",
    ),
    Verb(
        "consolidate", ConsolidateRequest, "Consolidated", run="memory.maintenance.consolidate:apply_proposals",
        permission="modify", changes=True,
        route=Route("POST", "/consolidate", "consolidate", "care",
                    example={"ids": []}),
        command="consolidate", sdk="consolidate",
        about="Apply the proposals that are named, or else those that are certain: exact doubles.",
    ),
    Verb(
        "pause", NothingRequest, "Upkeep", run="memory.maintenance.worker:pause", permission="admin",
        route=Route("POST", "/consolidate/pause", "pause_consolidation", "care", title="Pause"),
        about="Let the consolidation worker rest until it is resumed, or the daemon starts again.",
    ),
    Verb(
        "resume", NothingRequest, "Upkeep", run="memory.maintenance.worker:resume", permission="admin",
        route=Route("POST", "/consolidate/resume", "resume_consolidation", "care", title="Resume"),
        about="Let the consolidation worker go on; it begins as soon as the vault is quiet.",
    ),
    Verb(
        "freeze", FreezeRequest, "Freezing", run="memory.maintenance.freeze:freeze", permission="admin",
        route=Route("POST", "/freeze", "freeze", "care", example={"reason": "moving to another machine"}),
        command="freeze",
        about="""Refuse changes, with 503 and the reason, until somebody thaws the vault; reading goes on.

        It survives a restart of the daemon. What is under way is completed; files that a person edits are followed.
        """,
    ),
    Verb(
        "thaw", NothingRequest, "Freezing", run="memory.maintenance.freeze:thaw", permission="admin",
        route=Route("POST", "/thaw", "thaw", "care"), command="thaw",
        about="Take changes again.",
    ),
)  # fmt: skip

INBOX = (
    Verb(
        "inbox", ListRequest, "Inbox", run="memory.maintenance.inbox:inbox", permission="diagnostics",
        route=Route("GET", "/inbox", "inbox", "care", title="Listed"), command="inbox", sdk="inbox",
        about="""What waits for a person: proposed memories, files that need help, what to tidy, refused secrets.

        Each item comes with its actions: requests that can be sent as they stand.
        """,
    ),
    Verb(
        "accept", AcceptRequest, "Accepted", run="memory.distill.proposed:accept", permission="remember", changes=True,
        route=Route("POST", "/inbox/accept", "accept", "care", errors=(404,),
                    example={"key": "proposed-1f0c2a7be991"}), command="inbox", sdk="accept",
        about="""Make a memory of what the log of a session proposes, in its words or in yours.

        It names the event that says it as its source. Nothing that is proposed becomes a memory in any other way.
        """,
    ),
    Verb(
        "dismiss", DismissRequest, "DismissedItem", run="memory.maintenance.inbox:dismiss", permission="diagnostics",
        route=Route("POST", "/inbox/dismiss", "dismiss", "care", example={"key": "duplicate-1f0c2a7be991"}),
        command="inbox", sdk="dismiss",
        about="Do not show this item again until it changes. Changes no file.",
    ),
    Verb(
        "keep_both", SettleRequest, "Settled", run="memory.maintenance.inbox:keep_both",
        permission="modify", changes=True,
        route=Route("POST", "/inbox/keep-both", "keep_both", "care", example={"id": ID}),
        about="Where a merge kept two texts both are right: take away the line that warns of them.",
    ),
    Verb(
        "merge", SettleRequest, "Settled", run="memory.maintenance.inbox:merge", permission="modify", changes=True,
        route=Route("POST", "/inbox/merge", "merge_copies", "care", title="Merge", example={"id": ID}),
        about="Fold the files that carry one id into one now, and do not wait for them to be quiet.",
    ),
)  # fmt: skip
