"""The verbs that change memories. Each has an idempotency key, so that it can be sent again when an answer is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from helix.client.call import Call, Moment, changes, of_memory
from helix.client.results import (
    FileResult,
    ForgetResult,
    RelateResult,
    RestoreResult,
    UpdateResult,
    WriteResult,
)

Visibility = Literal["private", "project", "team"]


class Changing:
    scope: str

    def write(
        self,
        text: str,
        *,
        kind: str = "fact",
        scope: str | None = None,
        tags: Sequence[str] | None = None,
        idempotency_key: str | None = None,
        supersede_hint: str | None = None,
        title: str | None = None,
        project: str | None = None,
        edges: Mapping[str, Sequence[str]] | None = None,
        source: Mapping[str, str] | None = None,
        importance: float | None = None,
        valid_from: Moment | None = None,
        valid_until: Moment | None = None,
        visibility: Visibility | None = None,
        extra: Mapping[str, Any] | None = None,
        force: bool = False,
        allow_secrets: bool = False,
    ) -> Call[WriteResult]:
        """Keep a memory, unless it is there already or replaces one. Answered when its file is durable on disk.

        `supersede_hint` is the id of the memory that this one replaces. `force` keeps what seems to say nothing or to
        be there already; `allow_secrets` keeps what looks like a credential. `visibility` says for whom it is
        beside its owner, `extra` are properties of your own in the note.
        """
        body = {
            "text": text, "kind": kind, "scope": scope or self.scope, "tags": tags, "title": title,
            "supersede_hint": supersede_hint, "project": project, "edges": edges, "source": source,
            "importance": importance, "valid_from": valid_from, "valid_until": valid_until,
            "visibility": visibility, "extra": extra, "force": force or None, "allow_secrets": allow_secrets or None,
        }  # fmt: skip
        return changes("POST", "/remember", WriteResult, body, idempotency_key)

    def update(
        self,
        id: str,  # noqa: A002 (its public name)
        *,
        text: str | None = None,
        title: str | None = None,
        kind: str | None = None,
        tags: Sequence[str] | None = None,
        importance: float | None = None,
        valid_from: Moment | None = None,
        valid_until: Moment | None = None,
        visibility: Visibility | None = None,
        extra: Mapping[str, Any] | None = None,
        based_on: str | None = None,
        merge: bool = True,
        idempotency_key: str | None = None,
        allow_secrets: bool = False,
    ) -> Call[UpdateResult]:
        """Change a memory in place; what is None stays, and an empty `valid_from` or `valid_until` is taken away.

        `based_on` is the `hash` of the memory as it was read. If the file has changed since, the two changes are
        merged; where they do not fit together, or with `merge=False`, `StaleHash` is raised and nothing is written.
        """
        body = {
            "text": text, "title": title, "kind": kind, "tags": tags, "importance": importance,
            "valid_from": valid_from, "valid_until": valid_until, "visibility": visibility,
            "extra": extra, "allow_secrets": allow_secrets or None,
            "merge": None if merge else False,
        }  # fmt: skip
        return changes("PATCH", of_memory(id), UpdateResult, body, idempotency_key, based_on)

    def file(
        self, ids: str | Sequence[str], *, project: str, idempotency_key: str | None = None
    ) -> Call[FileResult]:
        """Say of which project memories are: unfiled ones, or such as were filed wrongly. All of them or none."""
        body = {"ids": [ids] if isinstance(ids, str) else list(ids), "project": project}
        return changes("POST", "/file", FileResult, body, idempotency_key)

    def forget(
        self,
        id: str,  # noqa: A002 (its public name)
        *,
        mode: Literal["tombstone", "hard"] = "tombstone",
        idempotency_key: str | None = None,
    ) -> Call[ForgetResult]:
        """Take a memory out of all answers. Its file stays, marked as deleted; `hard` erases the text for good."""
        return changes("POST", "/forget", ForgetResult, {"id": id, "mode": mode}, idempotency_key)

    def restore(
        self,
        id: str,  # noqa: A002 (its public name)
        *,
        at: str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[RestoreResult]:
        """Undo a forget; with `at` also turn the text back to a git revision."""
        return changes("POST", "/restore", RestoreResult, {"id": id, "at": at}, idempotency_key)

    def relate(
        self, frm: str, to: str, *, rel: str, idempotency_key: str | None = None
    ) -> Call[RelateResult]:
        """Draw an edge: `supersedes`, `depends_on`, `contradicts`, `refines` or `relates_to`.

        `supersedes` takes the other memory out of the answers.
        """
        body = {"from": frm, "to": to, "rel": rel}
        return changes("POST", "/relate", RelateResult, body, idempotency_key)
