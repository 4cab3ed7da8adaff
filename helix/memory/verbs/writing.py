"""The verbs that change memories. Each is safe to repeat with an idempotency key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from helix.memory.size_limits import MOST_FILED
from helix.memory.verbs.fields import ID, NOTHING, IdempotencyKey, MemoryId, Rel, Scope, Source, Visibility
from helix.memory.verbs.verb import About, Asks, Route, Verb


class RememberRequest(Asks):
    text: Annotated[str, About("What to remember, in markdown.")]
    title: Annotated[str | None, About("Made from the text when it is not given.")] = None
    kind: Annotated[str, About("`fact`, `preference`, `decision`, `snippet`, `task` or another word.")] = (
        "fact"
    )
    scope: Scope = "project"
    project: Annotated[
        str | None,
        About(
            "Default: the header `Helix-Project`. Without either it is unfiled, and seen from every project."
        ),
    ] = None
    tags: Sequence[str] = ()
    edges: Annotated[Mapping[Rel, Sequence[str]], About("Ids of other memories, by relation.")] = NOTHING
    source: Source | None = None
    importance: Annotated[float | None, About(least=0, most=1)] = None
    valid_from: str | None = None
    valid_until: str | None = None
    visibility: Annotated[
        Visibility | None,
        About(
            "For whom it is beside its owner. Default: what is of a project is for its members, all else private."
        ),
    ] = None
    extra: Annotated[
        Mapping[str, Any],
        About('Properties of one\'s own in the note, by which a search can filter: `{"namespace": "ops"}`.'),
    ] = NOTHING
    idempotency_key: Annotated[
        str | None,
        About("A retry with the same key is answered, not repeated.", shortest=1, longest=200),
    ] = None
    supersede_hint: Annotated[str | None, About("The id of the memory that this one replaces.")] = None
    force: Annotated[bool, About("Keep it even if it seems to say nothing, or is there already.")] = False
    allow_secrets: Annotated[bool, About("Keep it even if it looks like a credential.")] = False


class UpdateRequest(Asks):
    """What to change; what is left out stays as it is."""

    memory_id: MemoryId
    text: str | None = None
    title: str | None = None
    kind: str | None = None
    tags: Sequence[str] | None = None
    importance: Annotated[float | None, About(least=0, most=1)] = None
    valid_from: Annotated[str | None, About("An empty text takes it away.")] = None
    valid_until: Annotated[str | None, About("An empty text takes it away.")] = None
    visibility: Annotated[
        Visibility | None, About("For whom it is beside its owner, who alone may say so.")
    ] = None
    extra: Annotated[
        Mapping[str, Any] | None, About("Properties of one's own that are set; null takes one away.")
    ] = None
    idempotency_key: IdempotencyKey = None
    allow_secrets: bool = False
    may_merge: Annotated[
        bool,
        About("False refuses the change when the file has changed at all since it was read.", name="merge"),
    ] = True
    based_on: Annotated[str | None, About("The `ETag` of the memory as it was read.", header="If-Match")] = (
        None
    )


class FileRequest(Asks):
    memory_ids: Annotated[Sequence[str], About(shortest=1, longest=MOST_FILED, name="ids")]
    project: Annotated[str, About("The project that they are of.", shortest=1)]
    idempotency_key: IdempotencyKey = None


class ForgetRequest(Asks):
    memory_id: Annotated[str, About(name="id")]
    mode: Annotated[Literal["tombstone", "hard"], About("`hard` erases the text for good.")] = "tombstone"
    idempotency_key: IdempotencyKey = None


class RestoreRequest(Asks):
    memory_id: Annotated[str, About(name="id")]
    at: Annotated[str | None, About("Also turn the text back to this git revision.")] = None
    idempotency_key: IdempotencyKey = None


class RelateRequest(Asks):
    source: Annotated[str, About("The id of the memory that the edge leaves.", name="from")]
    target: Annotated[str, About("The id of the memory that it leads to.", name="to")]
    rel: Rel
    idempotency_key: IdempotencyKey = None


WRITING = (
    Verb(
        "write", RememberRequest, "Written", run="memory.writing.write:write",
        permission="remember", changes=True, uses_caller=True,
        route=Route("POST", "/remember", "remember", "memories",
                    example={"text": "Auth client retries 3x with jitter",
                             "kind": "decision", "scope": "project", "tags": ["auth"]}),
        command="remember", tool="memory_write", sdk="write",
        about="Keep a memory, unless it is there already or replaces one. Answered when its file is durable on disk.",
    ),
    Verb(
        "update", UpdateRequest, "Updated", run="memory.writing.amend:update", permission="modify", changes=True,
        route=Route("PATCH", "/memory/{id}", "update_memory", "memories", has_etag=True,
                    example={"text": "Auth client retries 5x with jitter"}),
        sdk="update",
        about="""Change a memory in place. With `If-Match` the change is based on what was read.

        When the file has changed since, the two changes are merged where they fit together and the text that was
        read is still known; otherwise, as where both changed the same lines, the answer is 409 `stale-hash` and nothing
        is written. Without `If-Match` it is based on the present.
        """,
    ),
    Verb(
        "file", FileRequest, "Filed", run="memory.writing.amend:file", permission="modify", changes=True,
        route=Route("POST", "/file", "file", "memories",
                    example={"ids": [ID], "project": "billing-api"}),
        command="file", sdk="file",
        about="""Say of which project memories are: unfiled ones, or such as were filed wrongly. All of them or none.

        Their files stay where they lie.
        """,
    ),
    Verb(
        "forget", ForgetRequest, "Forgotten", run="memory.writing.amend:forget", permission="forget", changes=True,
        route=Route("POST", "/forget", "forget", "memories",
                    example={"id": ID}),
        command="forget", tool="memory_forget", sdk="forget",
        about="Take a memory out of all answers. The file stays, marked as deleted; `hard` also erases its text.",
    ),
    Verb(
        "restore", RestoreRequest, "Restored", run="memory.writing.amend:restore", permission="recover", changes=True,
        route=Route("POST", "/restore", "restore", "memories",
                    example={"id": ID}),
        command="restore", sdk="restore",
        about="Undo a forget; with `at` also turn the text back to a git revision.",
    ),
    Verb(
        "relate", RelateRequest, "Related", run="memory.writing.amend:relate", permission="modify", changes=True,
        route=Route("POST", "/relate", "relate", "graph",
                    example={"from": ID, "to": "mem_2026-05-02_http-client_77af", "rel": "depends_on"}),
        command="relate", tool="memory_relate", sdk="relate",
        about="Draw a typed edge from one memory to another. `supersedes` takes the other one out of the answers.",
    ),
)  # fmt: skip
