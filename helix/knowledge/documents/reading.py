"""documents, document, document_forget: what the vault holds of files, told from its notes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from helix.errors import MemoryNotFound
from helix.knowledge.answers import (
    DocumentDetails,
    DocumentList,
    DocumentPart,
    DocumentSummary,
    ForgottenDocument,
)
from helix.knowledge.documents.known import KnownDocument, Shelf, to_path
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.memory.writing.amend import forget

_PLACES = ("pages", "lines", "slides", "sheets", "cells")


@verb("documents")
def documents(
    request: Request,
    *,
    under: str | None = None,
    limit: int = 50,
    max_tokens: int = 2000,
    cursor: str | None = None,
) -> DocumentList:
    check_limit(limit, 200)

    def entries(view: View) -> list[list[str]]:
        return [
            [known.uri, known.id] for known in Shelf.of(view).documents() if known.uri.startswith(under or "")
        ]

    view, listing = request.listed("documents", request.view(), cursor, entries)
    shelf = {known.uri: known for known in Shelf.of(view).documents()}

    def render(entry: list[str]) -> DocumentSummary | None:
        known = shelf.get(entry[0])
        return None if known is None else _summary(request, known)

    def build(_: Any, items: Sequence[DocumentSummary], end: Page) -> DocumentList:
        return {"documents": list(items), **end}

    return request.page("documents", listing, render, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens)


@verb("document")
def document(request: Request, *, document_id: str) -> DocumentDetails:
    known = _get(request, document_id)
    items: list[DocumentPart] = []
    for number in sorted(known.rows):
        row = known.rows[number]
        part: DocumentPart = {"id": row.id, "title": row.title, "part": number}
        source = row.source or {}
        if place := next((f"{unit} {source[unit]}" for unit in _PLACES if source.get(unit)), None):
            part["place"] = place
        items.append(part)
    return {**_summary(request, known), "items": items}


@verb("document_forget")
def document_forget(request: Request, *, document_id: str) -> ForgottenDocument:
    known = _get(request, document_id)
    for memory_id in known.ids:
        forget(request, memory_id)
    return {"id": known.id, "status": "forgotten", "forgotten": known.ids}


def _get(request: Request, memory_id: str) -> KnownDocument:
    view = request.view()
    row = view.row(memory_id)
    uri = str((row.source or {}).get("uri") or "")
    known = next((one for one in Shelf.of(view).documents() if one.uri == uri), None) if uri else None
    if known is None or row.id not in known.ids:
        raise MemoryNotFound(f"{row.id} is of no document that is there; `helix documents list` shows those")
    return known


def _summary(request: Request, known: KnownDocument) -> DocumentSummary:
    first = known.rows[min(known.rows)]
    summary: DocumentSummary = {
        "id": known.id,
        "title": known.title,
        "uri": known.uri,
        "sha256": known.sha256,
        "notes": len(known.rows),
        "parts": known.of,
        "created": first.created_at or "",
    }
    path = to_path(known.uri)
    # Whoever is not the owner of this machine learns nothing of its disk.
    if path is not None and request.jobs is not None and not os.path.lexists(path):
        summary["vanished"] = True
    return summary
