"""The routes of the inbox: what waits for a person, and what settles it."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query, Response

from helix.memory.maintenance.inbox import Inbox
from helix.surfaces.rest import asked, maintenance_answers
from helix.surfaces.rest.respond import changes, reads, reads_body, reply


def add_inbox(app: FastAPI, inbox: Inbox) -> None:
    @app.get("/inbox", tags=["care"], operation_id="inbox", responses=reads(maintenance_answers.Inbox))
    def listed(said: Annotated[asked.ListAsked, Query()]) -> Response:
        """What waits for a person: unreadable notes, unmerged texts, proposals to tidy, refused secrets.

        Each item comes with its actions: requests that can be sent as they stand.
        """
        return reply(inbox.list(limit=said.limit, max_tokens=said.max_tokens, cursor=said.cursor))

    @app.post(
        "/inbox/dismiss",
        tags=["care"],
        operation_id="dismiss",
        responses=reads_body(maintenance_answers.DismissedItem),
    )
    def dismiss(said: asked.DismissBody) -> Response:
        """Do not show this item again until it changes. Changes no file."""
        return reply(inbox.dismiss(said.key))

    @app.post(
        "/inbox/keep-both",
        tags=["care"],
        operation_id="keep_both",
        responses=changes(maintenance_answers.Settled),
    )
    def keep_both(said: asked.SettleBody) -> Response:
        """Where a merge kept two texts both are right: take away the line that warns of them."""
        return reply(inbox.keep_both(said.id))

    @app.post(
        "/inbox/merge",
        tags=["care"],
        operation_id="merge_copies",
        responses=changes(maintenance_answers.Settled),
    )
    def merge(said: asked.SettleBody) -> Response:
        """Fold the files that carry one id into one now, and do not wait for them to be quiet."""
        return reply(inbox.merge(said.id))
