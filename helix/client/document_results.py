"""What the daemon answers about documents and long work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from helix.client.answer_shape import Listing, Result, each, mapping


@dataclass(frozen=True, kw_only=True)
class DocumentProblem(Result):
    """A file, or a part of one, that was not taken in."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class IngestedDocument(Result):
    status: str
    """`created`, `superseded`, `unchanged`, …; `job` for a path, and then the job tells what becomes of it"""
    job_id: str | None = None
    ids: tuple[str, ...] = ()
    """the notes of the document"""
    problems: tuple[DocumentProblem, ...] = each(DocumentProblem)


@dataclass(frozen=True, kw_only=True)
class _DocumentFields(Result):
    id: str
    """of its first note; any of its notes stands for it"""
    title: str
    uri: str
    sha256: str
    notes: int
    parts: int
    """how many notes there should be: one with a credential in it is left out"""
    created: str
    vanished: bool = False
    """whether its file is gone"""


@dataclass(frozen=True, kw_only=True)
class DocumentSummary(_DocumentFields):
    """A document in the vault."""


@dataclass(frozen=True, kw_only=True)
class DocumentList(Listing[DocumentSummary]):
    documents: tuple[DocumentSummary, ...] = each(DocumentSummary)

    @property
    def items(self) -> tuple[DocumentSummary, ...]:
        return self.documents


@dataclass(frozen=True, kw_only=True)
class DocumentPart(Result):
    id: str
    title: str
    part: int
    place: str | None = None
    """where in the file: `pages 3-5`, `lines 1-80`"""


@dataclass(frozen=True, kw_only=True)
class DocumentDetails(_DocumentFields):
    """A document with its notes."""

    items: tuple[DocumentPart, ...] = each(DocumentPart)


@dataclass(frozen=True, kw_only=True)
class ForgottenDocument(Result):
    id: str
    status: str
    forgotten: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _JobFields(Result):
    job_id: str
    kind: str
    subject: str
    state: str
    """`queued`, `running`, `done`, `failed` or `cancelled`"""
    done: int
    total: int
    created: str
    updated: str


@dataclass(frozen=True, kw_only=True)
class JobSummary(_JobFields):
    """Long work on the machine of the daemon."""


@dataclass(frozen=True, kw_only=True)
class JobList(Listing[JobSummary]):
    jobs: tuple[JobSummary, ...] = each(JobSummary)

    @property
    def items(self) -> tuple[JobSummary, ...]:
        return self.jobs


@dataclass(frozen=True, kw_only=True)
class VanishedDocument(Result):
    """A document whose file is gone; its notes stay until they are forgotten."""

    id: str
    title: str
    name: str


@dataclass(frozen=True, kw_only=True)
class JobDetails(_JobFields):
    """How far a job is, and what it could not do."""

    counts: Mapping[str, int] = mapping()
    """files by what became of them, and the notes that were made"""
    problems: tuple[DocumentProblem, ...] = each(DocumentProblem)
    vanished: tuple[VanishedDocument, ...] = each(VanishedDocument)
    ignored: Mapping[str, int] = mapping()
    """files that are no documents, by the end of their names"""
    error: str | None = None
