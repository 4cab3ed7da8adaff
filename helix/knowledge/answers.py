"""What the verbs about documents and jobs answer."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from helix.memory.answers import Page
from helix.memory.verbs.fields import ID
from helix.memory.verbs.verb import About

JobState = Literal["queued", "running", "done", "failed", "cancelled"]


class IngestCounts(TypedDict):
    """Files by what became of them, and the notes that were made."""

    created: NotRequired[Annotated[int, About("New documents.", absent=0)]]
    superseded: NotRequired[Annotated[int, About("Documents that changed: a new version.", absent=0)]]
    completed: NotRequired[Annotated[int, About("Documents of which parts were missing.", absent=0)]]
    unchanged: NotRequired[Annotated[int, About(absent=0)]]
    moved: NotRequired[Annotated[int, About("Documents whose file has another name now.", absent=0)]]
    same: NotRequired[
        Annotated[int, About("Copies of a document that is there: one of them is enough.", absent=0)]
    ]
    forgotten: NotRequired[
        Annotated[int, About("Documents that were forgotten here, and stay so.", absent=0)]
    ]
    notes: NotRequired[Annotated[int, About("Notes that were made.", absent=0)]]
    problems: NotRequired[Annotated[int, About("Files, or parts of them, that were not taken in.", absent=0)]]


class DocumentProblem(TypedDict):
    name: Annotated[str, About("The file.")]
    reason: str


class VanishedDocument(TypedDict):
    id: Annotated[str, About(example=ID)]
    title: str
    name: Annotated[str, About("The file that is gone.")]


class JobSummary(TypedDict):
    job_id: str
    kind: Literal["ingest"]
    subject: Annotated[str, About("What it is about: a folder or a file.")]
    state: JobState
    done: int
    total: int
    created: str
    updated: str


class JobDetails(JobSummary):
    counts: IngestCounts
    problems: Annotated[list[DocumentProblem], About("The first 500; `counts` has how many there are.")]
    vanished: Annotated[
        list[VanishedDocument],
        About("Documents whose file is gone; their notes stay until they are forgotten."),
    ]
    ignored: Annotated[dict[str, int], About("Files that are no documents, by the end of their names.")]
    error: Annotated[str | None, About("Why it failed.")]


class JobList(Page):
    jobs: list[JobSummary]


class IngestedDocument(TypedDict):
    """What became of a document whose content was sent, or of the job that sees to a path."""

    status: Annotated[
        Literal["created", "superseded", "completed", "unchanged", "moved", "same", "forgotten", "job"],
        About("`job` for a path: what becomes of it is told by the job."),
    ]
    job_id: NotRequired[str | None]
    ids: Annotated[list[str], About("The notes of the document, in their order.")]
    problems: list[DocumentProblem]


class DocumentSummary(TypedDict):
    id: Annotated[str, About("Of its first note; any of its notes stands for it.", example=ID)]
    title: str
    uri: str
    sha256: str
    notes: Annotated[int, About("How many there are.")]
    parts: Annotated[int, About("How many there should be: one with a credential in it is left out.")]
    created: str
    vanished: NotRequired[Annotated[bool, About("Its file is gone.", absent=False)]]


class DocumentList(Page):
    documents: list[DocumentSummary]


class DocumentPart(TypedDict):
    id: str
    title: str
    part: int
    place: NotRequired[Annotated[str | None, About("Where in the file: `pages 3-5`, `lines 1-80`.")]]


class DocumentDetails(DocumentSummary):
    items: Annotated[list[DocumentPart], About("Its notes.")]


class ForgottenDocument(TypedDict):
    id: str
    status: Literal["forgotten"]
    forgotten: Annotated[list[str], About("Its notes.")]
