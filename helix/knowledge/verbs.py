"""The table of the verbs about documents and long work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from helix.memory.verbs.fields import ID, Budgeted, Scope
from helix.memory.verbs.verb import About, Asks, Route, Verb

DocumentId = Annotated[str, About("The id of any of its notes.", name="id", example=ID)]
JobId = Annotated[str, About("The name of a job.", longest=100, example="job_4be0c1d2a3f4")]
_Many = Annotated[int, About(least=1, most=200)]


class IngestDocumentRequest(Asks):
    """A path of this machine, or a document as text or base64 with its name."""

    path: Annotated[str | None, About("A file or folder of this machine, from its root.", longest=4096)] = (
        None
    )
    text: Annotated[str | None, About("The document itself, where it is text.")] = None
    base64: Annotated[str | None, About("The document itself, as base64.")] = None
    name: Annotated[
        str | None,
        About("Its file name, which says what it is; the same name again is the same document.", longest=500),
    ] = None
    title: Annotated[str | None, About("Made from the document when it is not given.", longest=150)] = None
    scope: Scope = "project"
    project: Annotated[str | None, About("Default: the header `Helix-Project`.", longest=200)] = None
    tags: Annotated[Sequence[str], About(longest=50)] = ()


class DocumentsRequest(Budgeted):
    under: Annotated[
        str | None,
        About("Only those whose address begins so, such as `file:///home/me/papers/`.", longest=4096),
    ] = None
    limit: _Many = 50


class DocumentRequest(Asks):
    document_id: DocumentId


class JobsRequest(Budgeted):
    limit: _Many = 20


class JobRequest(Asks):
    job_id: JobId


_ANSWERS = "helix.knowledge.answers:"
_DOCUMENTS = "knowledge.documents"

KNOWLEDGE = (
    Verb(
        "document_ingest", IngestDocumentRequest, f"{_ANSWERS}IngestedDocument",
        run=f"{_DOCUMENTS}.ingest:document_ingest",
        permission="documents", changes=True, uses_caller=True,
        route=Route("POST", "/documents", "ingest_document", "documents",
                    example={"name": "runbook.md", "text": "# Runbook\n\nRestart the gateway first.\n"}),
        command="ingest", sdk="documents.ingest",
        about="""Turn a document into notes that search finds, with citations that open the place.

        A path becomes a job, which goes on after a crash; content that is sent is answered when its notes are durable.
        The same content again changes nothing, a changed one is a new version that supersedes the one before.
        """,
    ),
    Verb(
        "documents", DocumentsRequest, f"{_ANSWERS}DocumentList", run=f"{_DOCUMENTS}.reading:documents",
        permission="recall",
        route=Route("GET", "/documents", "list_documents", "documents"),
        command="documents", sdk="documents.list",
        about="The documents in the vault, by their address, and whether their file is still there.",
    ),
    Verb(
        "document", DocumentRequest, f"{_ANSWERS}DocumentDetails", run=f"{_DOCUMENTS}.reading:document",
        permission="recall",
        route=Route("GET", "/documents/{id}", "get_document", "documents", errors=(404,)),
        command="documents", sdk="documents.get",
        about="One document: its notes and where each of them comes from.",
    ),
    Verb(
        "document_forget", DocumentRequest, f"{_ANSWERS}ForgottenDocument",
        run=f"{_DOCUMENTS}.reading:document_forget",
        permission="forget", changes=True,
        route=Route("POST", "/documents/{id}/forget", "forget_document", "documents", errors=(404,)),
        command="documents", sdk="documents.forget",
        about="Take all notes of a document out of the answers. Its file is not touched.",
    ),
    Verb(
        "jobs", JobsRequest, f"{_ANSWERS}JobList", run="knowledge.jobs:jobs", permission="documents",
        route=Route("GET", "/jobs", "list_jobs", "documents"),
        command="jobs", sdk="jobs.list",
        about="Long work on this machine, the latest first.",
    ),
    Verb(
        "job", JobRequest, f"{_ANSWERS}JobDetails", run="knowledge.jobs:job", permission="documents",
        route=Route("GET", "/jobs/{job_id}", "get_job", "documents", errors=(404,)),
        command="jobs", sdk="jobs.get",
        about="How far a job is, and what it could not do and why.",
    ),
    Verb(
        "job_cancel", JobRequest, f"{_ANSWERS}JobDetails", run="knowledge.jobs:job_cancel",
        permission="documents", changes=True,
        route=Route("POST", "/jobs/{job_id}/cancel", "cancel_job", "documents", errors=(404,)),
        command="jobs", sdk="jobs.cancel",
        about="Stop a job. What it has done stays done, and the same again goes on from there.",
    ),
)  # fmt: skip
