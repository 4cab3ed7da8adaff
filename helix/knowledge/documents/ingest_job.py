"""A folder, or a file, of this machine into the vault: file by file, in their order.

What was done stands in the report of the job. After a crash it goes on behind the last file of the report; what the
crash left half done is known by the notes that are there.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

from helix.errors import ExtraMissing, HelixError, StateUnwritable
from helix.knowledge.documents.converted import LeftOff, Unreadable
from helix.knowledge.documents.converter import Converter
from helix.knowledge.documents.folder import list_documents, read_document
from helix.knowledge.documents.formats import find_format
from helix.knowledge.documents.keep import Kept, Wanted, keep_document
from helix.knowledge.documents.known import Shelf, to_path
from helix.knowledge.documents.limits import MOST_PROBLEMS
from helix.memory.jobs import RunningJob
from helix.memory.request import Request
from helix.memory.tokens import clean
from helix.vault.authors import Author, acting


class IngestReport:
    """What became of the files, as it is kept with the job and answered."""

    def __init__(self, kept: dict[str, Any]) -> None:
        self._kept = kept
        kept.setdefault("counts", {})
        kept.setdefault("problems", [])
        kept.setdefault("done", 0)
        kept.setdefault("total", 0)

    def count(self, outcome: str, by: int = 1) -> None:
        counts = self._kept["counts"]
        counts[outcome] = counts.get(outcome, 0) + by

    def problem(self, name: str, reason: str) -> None:
        self.count("problems")
        if len(self._kept["problems"]) < MOST_PROBLEMS:
            self._kept["problems"].append({"name": clean(name), "reason": reason})

    def keep(self, name: str, kept: Kept) -> None:
        self.count(kept.outcome)
        if kept.written:
            self.count("notes", kept.written)
        for reason in kept.refused:
            self.problem(name, reason)
        if kept.outcome == "forgotten":
            self.problem(name, f"was forgotten here; `helix restore {kept.other}` brings a part of it back")


def run(request: Request, job: RunningJob) -> None:
    arguments, report = job.arguments, IngestReport(job.report)
    place = Path(arguments["path"])
    wanted = Wanted(arguments["scope"], arguments["project"], tuple(arguments["tags"]), arguments["title"])
    listed = list_documents(place)
    job.report["total"] = len(listed.files)
    if "last" not in job.report:
        job.report["ignored"] = dict(Counter(listed.ignored).most_common(50))
        for path, reason in listed.refused:
            report.problem(str(path), reason)
    job.save()
    shelf = Shelf.of(request.view())
    # A copy of a document that this very job is about to replace is a document of its own then.
    files, copies = (
        _after(listed.files, job.report.get("last")),
        list(map(Path, job.report.get("copies", ()))),
    )
    try:
        with Converter(is_stopped=job.is_stopped) as converter, acting(Author("agent", request.place.client)):
            for number, path in enumerate(files, 1 + len(listed.files) - len(files)):
                kept = _ingest(request, shelf, converter, path, wanted, report, job)
                if kept is not None and kept.outcome == "same":
                    copies.append(path)
                    job.report["copies"] = list(map(str, copies))
                elif kept is not None:
                    report.keep(str(path), kept)
                job.report |= {"last": str(path), "done": number}
                job.tell()
            for path in copies:
                if (kept := _ingest(request, shelf, converter, path, wanted, report, job)) is not None:
                    report.keep(str(path), kept)
    except LeftOff:
        return
    job.report.pop("copies", None)
    job.report["vanished"] = _vanished(shelf, place)


def _ingest(
    request: Request,
    shelf: Shelf,
    converter: Converter,
    path: Path,
    wanted: Wanted,
    report: IngestReport,
    job: RunningJob,
) -> Kept | None:
    """None for a file that was not read; the report says why. Raises LeftOff."""
    if job.is_stopped():
        raise LeftOff
    form = find_format(path.name)
    try:
        if form is None:
            raise Unreadable(
                f"files that end in {path.suffix or 'nothing'} are no documents that can be read"
            )
        data = read_document(path)
        return keep_document(request, shelf, converter, path.as_uri(), form, data, wanted)
    except StateUnwritable:
        raise
    except (Unreadable, ExtraMissing) as error:
        report.problem(str(path), str(error))
    except HelixError as error:
        report.problem(str(path), error.message)
    return None


def _after(files: list[Path], last: str | None) -> list[Path]:
    return files if last is None else [path for path in files if path > Path(last)]


def _vanished(shelf: Shelf, place: Path) -> list[dict[str, str]]:
    """Documents from there whose file is gone. Their notes stay until somebody forgets them."""
    found = []
    for document in shelf.documents():
        path = to_path(document.uri)
        if path is not None and path.is_relative_to(place) and not os.path.lexists(path):
            found.append({"id": document.id, "title": document.title, "name": clean(str(path))})
    return found[:MOST_PROBLEMS]
