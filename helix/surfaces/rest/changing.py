"""The routes that change memories. Each is safe to repeat with the header `Idempotency-Key`."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Header, Request, Response

from helix.errors import BadValue
from helix.memory.writing import amend, write
from helix.surfaces.caller import request_of
from helix.surfaces.rest import answers, asked
from helix.surfaces.rest.respond import CALLER, MemoryId, changes, reply

Key = Annotated[
    asked.IdempotencyKey | None,
    Header(alias="Idempotency-Key", description="A retry with the same key is answered, not done again."),
]
IfMatch = Annotated[
    str | None, Header(alias="If-Match", description="The `ETag` of the memory as it was read.")
]


def add_changing(app: FastAPI) -> None:
    @app.post(
        "/remember", tags=["memories"], operation_id="remember",
        responses=changes(answers.Written), openapi_extra=CALLER,
    )  # fmt: skip
    def remember(request: Request, said: asked.RememberBody, key: Key = None) -> Response:
        """Keep a memory, unless it is there already or replaces one. Answered when its file is durable on disk."""
        source = {} if said.source is None else said.source.model_dump(exclude_none=True)
        wish = write.Wish(
            **asked.given(said, "source", "idempotency_key"), source=source,
            idempotency_key=_one_key(key, said.idempotency_key),
        )  # fmt: skip
        return reply(write.write(request_of(request), wish))

    @app.patch(
        "/memory/{id}", tags=["memories"], operation_id="update_memory", responses=changes(answers.Updated)
    )
    def update_memory(
        request: Request,
        memory_id: MemoryId,
        said: asked.UpdateBody,
        key: Key = None,
        if_match: IfMatch = None,
    ) -> Response:
        """Change a memory in place. With `If-Match` the change is based on what was read.

        When the file has changed since, the two changes are merged where they fit together and the text that was
        read is still known; otherwise, as where both changed the same lines, the answer is 409 `stale-hash` and nothing
        is written. Without `If-Match` it is based on the present.
        """
        wanted = amend.Amendment(**asked.given(said, "idempotency_key", "allow_secrets", "merge"))
        answer = amend.update(
            request_of(request), memory_id, wanted, based_on=_hash_in(if_match), may_merge=said.merge,
            idempotency_key=_one_key(key, said.idempotency_key), allow_secrets=said.allow_secrets,
        )  # fmt: skip
        return reply(answer, {"ETag": f'"{answer["hash"]}"'})

    @app.post("/file", tags=["memories"], operation_id="file", responses=changes(answers.Filed))
    def file(request: Request, said: asked.FileBody, key: Key = None) -> Response:
        """Say of which project memories are: unfiled ones, or such as were filed wrongly. All of them or none.

        Their files stay where they lie.
        """
        return reply(
            amend.file(
                request_of(request),
                said.ids,
                project=said.project,
                idempotency_key=_one_key(key, said.idempotency_key),
            )
        )

    @app.post("/forget", tags=["memories"], operation_id="forget", responses=changes(answers.Forgotten))
    def forget(request: Request, said: asked.ForgetBody, key: Key = None) -> Response:
        """Take a memory out of all answers. The file stays, marked as deleted; `hard` also erases its text."""
        return reply(
            amend.forget(
                request_of(request),
                said.id,
                mode=said.mode,
                idempotency_key=_one_key(key, said.idempotency_key),
            )
        )

    @app.post("/restore", tags=["memories"], operation_id="restore", responses=changes(answers.Restored))
    def restore(request: Request, said: asked.RestoreBody, key: Key = None) -> Response:
        """Undo a forget; with `at` also turn the text back to a git revision."""
        return reply(
            amend.restore(
                request_of(request), said.id, at=said.at, idempotency_key=_one_key(key, said.idempotency_key)
            )
        )

    @app.post("/relate", tags=["graph"], operation_id="relate", responses=changes(answers.Related))
    def relate(request: Request, said: asked.RelateBody, key: Key = None) -> Response:
        """Draw a typed edge from one memory to another. `supersedes` takes the other one out of the answers."""
        return reply(
            amend.relate(
                request_of(request),
                said.source,
                said.to,
                said.rel,
                idempotency_key=_one_key(key, said.idempotency_key),
            )
        )


def _one_key(header: str | None, body: str | None) -> str | None:
    if header is not None and body is not None and header.strip() != body.strip():
        raise BadValue("the header Idempotency-Key and idempotency_key in the body differ; give one of them")
    return body if header is None else header.strip()


def _hash_in(if_match: str | None) -> str | None:
    """None for the present state, which `*` means too."""
    said = (if_match or "*").strip().removeprefix("W/").strip('"')
    return None if said in ("*", "") else said
