"""document_ingest: a path becomes a job of this machine, content that is sent becomes notes at once."""

from __future__ import annotations

import base64 as encoding
import binascii
import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from helix.errors import BadValue
from helix.knowledge.answers import IngestedDocument
from helix.knowledge.documents.converted import Unreadable
from helix.knowledge.documents.converter import Converter
from helix.knowledge.documents.formats import FORMATS, check_installed, find_format
from helix.knowledge.documents.keep import Wanted, keep_document
from helix.knowledge.documents.known import Shelf
from helix.knowledge.runners import INGEST
from helix.memory.request import Request, verb
from helix.memory.writing.write import check_secrets, check_tags, check_title, to_project
from helix.vault.note import SCOPES


@verb("document_ingest")
def document_ingest(
    request: Request,
    *,
    path: str | None = None,
    text: str | None = None,
    base64: str | None = None,
    name: str | None = None,
    title: str | None = None,
    scope: str = "project",
    project: str | None = None,
    tags: Sequence[str] = (),
) -> IngestedDocument:
    if sum(given is not None for given in (path, text, base64)) != 1:
        raise BadValue("give one of path, text and base64")
    if scope not in SCOPES:
        raise BadValue(f"scope is {scope[:60]!r}; give one of {', '.join(SCOPES)}")
    named = None if project is None else to_project(project)
    wanted = Wanted(scope, named, check_tags(tags), check_title(title))
    check_secrets(False, {"name": name, "title": title, "project": project, "tags": list(tags)})
    if path is not None:
        return _submitted(request, path, wanted)
    data = text.encode("utf-8", "replace") if text is not None else _decoded(base64 or "")
    return _kept(request, name, data, wanted)


def _submitted(request: Request, path: str, wanted: Wanted) -> IngestedDocument:
    if request.jobs is None:
        raise BadValue(
            "only the owner of this machine names paths on it; send the document itself, as text or base64"
        )
    if "\0" in path or not os.path.isabs(path):
        raise BadValue(f"path is {path[:200]!r}; give one from the root, such as /home/me/papers")
    place = Path(os.path.realpath(path))
    if not place.exists():
        raise BadValue(f"there is no {path}")
    if place.is_file():
        if (form := find_format(place.name)) is None:
            raise BadValue(_no_format(place.name))
        check_installed(form)
    _refuse_vault(request, place)
    arguments = {
        "path": str(place),
        "scope": wanted.scope,
        "project": wanted.project,
        "tags": list(wanted.tags),
        "title": wanted.title if place.is_file() else None,
    }
    job = request.jobs.submit(INGEST, str(place), arguments, request.place)
    return {"status": "job", "job_id": job.id, "ids": [], "problems": []}


def _refuse_vault(request: Request, place: Path) -> None:
    vault = request.vault_folder
    if vault is not None and (place.is_relative_to(vault) or vault.is_relative_to(place)):
        raise BadValue(f"{place} and the vault lie in one another; notes in the vault are memories already")


def _kept(request: Request, name: str | None, data: bytes, wanted: Wanted) -> IngestedDocument:
    file = " ".join((name or "").split())
    if not file:
        raise BadValue("name the document, such as report.pdf: the name says what it is")
    if (form := find_format(file)) is None:
        raise BadValue(_no_format(file))
    uri = file if "://" in file else f"document:{quote(file)}"
    try:
        with Converter() as converter:
            kept = keep_document(request, Shelf.of(request.view()), converter, uri, form, data, wanted)
    except Unreadable as error:
        raise BadValue(f"{file}: {error}") from error
    return {
        "status": kept.outcome,
        "ids": kept.ids,
        "problems": [{"name": file, "reason": reason} for reason in kept.refused],
    }


def _decoded(text: str) -> bytes:
    try:
        return encoding.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadValue(f"base64 is none: {error}") from error


def _no_format(name: str) -> str:
    ends = " ".join(sorted(FORMATS))
    return f"{name[:200]!r} is no document that can be read; names of those end in {ends}"
