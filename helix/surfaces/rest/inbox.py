"""The routes of the inbox: what waits for a person, and what settles it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import FastAPI, Query, Request, Response

from helix.memory.maintenance import inbox
from helix.memory.maintenance.inbox import Action
from helix.memory.tokens import Payload
from helix.surfaces.caller import request_of
from helix.surfaces.rest import asked, maintenance_answers
from helix.surfaces.rest.respond import changes, reads, reads_body, reply

# How each verb of an action is asked for: method and path, in which the name of an argument stands for its value.
_ROUTES = {
    "consolidate": ("POST", "/consolidate"),
    "dismiss": ("POST", "/inbox/dismiss"),
    "keep_both": ("POST", "/inbox/keep-both"),
    "merge_copies": ("POST", "/inbox/merge"),
    "relate": ("POST", "/relate"),
    "update": ("PATCH", "/memory/{id}"),
}


def spell(action: Action) -> Payload:
    """An action as a request that can be sent as it stands."""
    method, route = _ROUTES[action.verb]
    in_path = {name: value for name, value in action.arguments.items() if f"{{{name}}}" in route}
    body = {name: value for name, value in action.arguments.items() if name not in in_path}
    path = route.format(**{name: quote(str(value), safe="") for name, value in in_path.items()})
    return {"name": action.name, "label": action.label, "method": method, "route": path, "body": body}


def add_inbox(app: FastAPI) -> None:
    @app.get("/inbox", tags=["care"], operation_id="inbox", responses=reads(maintenance_answers.Inbox))
    def listed(request: Request, said: Annotated[asked.ListAsked, Query()]) -> Response:
        """What waits for a person: unreadable notes, unmerged texts, proposals to tidy, refused secrets.

        Each item comes with its actions: requests that can be sent as they stand.
        """
        return reply(
            inbox.inbox(
                request_of(request),
                limit=said.limit,
                max_tokens=said.max_tokens,
                cursor=said.cursor,
                spell=spell,
            )
        )

    @app.post(
        "/inbox/dismiss",
        tags=["care"],
        operation_id="dismiss",
        responses=reads_body(maintenance_answers.DismissedItem),
    )
    def dismiss(request: Request, said: asked.DismissBody) -> Response:
        """Do not show this item again until it changes. Changes no file."""
        return reply(inbox.dismiss(request_of(request), said.key))

    @app.post(
        "/inbox/keep-both",
        tags=["care"],
        operation_id="keep_both",
        responses=changes(maintenance_answers.Settled),
    )
    def keep_both(request: Request, said: asked.SettleBody) -> Response:
        """Where a merge kept two texts both are right: take away the line that warns of them."""
        return reply(inbox.keep_both(request_of(request), said.id))

    @app.post(
        "/inbox/merge",
        tags=["care"],
        operation_id="merge_copies",
        responses=changes(maintenance_answers.Settled),
    )
    def merge(request: Request, said: asked.SettleBody) -> Response:
        """Fold the files that carry one id into one now, and do not wait for them to be quiet."""
        return reply(inbox.merge_copies(request_of(request), said.id))
