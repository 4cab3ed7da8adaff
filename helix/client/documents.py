"""The verbs about documents and long work. Each builds a call, as those about memories do."""

from __future__ import annotations

from collections.abc import Sequence

from helix.client.call import Call, does_once, of_document, of_job, reads
from helix.client.document_results import (
    DocumentDetails,
    DocumentList,
    ForgottenDocument,
    IngestedDocument,
    JobDetails,
    JobList,
)


class DocumentVerbs:
    def ingest(
        self,
        path: str | None = None,
        *,
        text: str | None = None,
        base64: str | None = None,
        name: str | None = None,
        title: str | None = None,
        scope: str = "project",
        project: str | None = None,
        tags: Sequence[str] = (),
    ) -> Call[IngestedDocument]:
        """Turn a document into notes that search finds, with citations that open the place.

        A path of the daemon's machine becomes a job; content that is sent, with its `name`, is answered when its notes
        are durable. The same again changes nothing.
        """
        return does_once(
            "/documents", IngestedDocument, path=path, text=text, base64=base64, name=name, title=title,
            scope=scope, project=project, tags=list(tags),
        )  # fmt: skip

    def list(
        self, *, under: str | None = None, limit: int = 50, max_tokens: int = 2000, cursor: str | None = None
    ) -> Call[DocumentList]:
        """The documents in the vault, by their address."""
        return reads(
            "/documents", DocumentList, under=under, limit=limit, max_tokens=max_tokens, cursor=cursor
        )

    def get(self, document_id: str) -> Call[DocumentDetails]:
        """One document: its notes and where each of them comes from."""
        return reads(of_document(document_id), DocumentDetails)

    def forget(self, document_id: str) -> Call[ForgottenDocument]:
        """Take all notes of a document out of the answers. Its file is not touched."""
        return does_once(of_document(document_id, "/forget"), ForgottenDocument)


class JobVerbs:
    def list(self, *, limit: int = 20, max_tokens: int = 2000, cursor: str | None = None) -> Call[JobList]:
        """Long work on the machine of the daemon, the latest first."""
        return reads("/jobs", JobList, limit=limit, max_tokens=max_tokens, cursor=cursor)

    def get(self, job_id: str) -> Call[JobDetails]:
        """How far a job is, and what it could not do and why."""
        return reads(of_job(job_id), JobDetails)

    def cancel(self, job_id: str) -> Call[JobDetails]:
        """Stop a job. What it has done stays done, and the same again goes on from there."""
        return does_once(of_job(job_id, "/cancel"), JobDetails)
