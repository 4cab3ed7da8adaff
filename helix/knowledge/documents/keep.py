"""One document into the vault: what is there already stays, what changed is superseded, what is new is written.

Every part is a memory, written by the one way that memories are written. A crash leaves parts missing; the next time
the same file comes, those are written and no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal
from urllib.parse import unquote, urlsplit

from helix.errors import SecretRefused
from helix.knowledge.documents.converted import Converted
from helix.knowledge.documents.converter import Converter
from helix.knowledge.documents.cut import Part, cut
from helix.knowledge.documents.formats import Format
from helix.knowledge.documents.known import KIND, KnownDocument, Shelf, digest_of, to_path
from helix.memory.request import Request
from helix.memory.writing.store import Edit
from helix.memory.writing.write import NewText, write
from helix.vault.note import Note

Outcome = Literal["created", "superseded", "completed", "unchanged", "moved", "same", "forgotten"]
_LONGEST_TITLE = 150
_UNITS = {"page": "pages", "slide": "slides", "sheet": "sheets", "cell": "cells", "line": "lines"}


@dataclass(frozen=True)
class Wanted:
    """What is to become of a file, as whoever ingests it says."""

    scope: str = "project"
    project: str | None = None
    tags: Sequence[str] = ()
    title: str | None = None


@dataclass
class Kept:
    outcome: Outcome
    ids: list[str]
    written: int = 0
    """notes that were made"""
    refused: list[str] = field(default_factory=list)
    """parts that were not written, and why"""
    other: str = ""
    """of `same` and `moved` where the content is, or was; of `forgotten` the memory"""


def keep_document(
    request: Request, shelf: Shelf, converter: Converter, uri: str, form: Format, data: bytes, wanted: Wanted
) -> Kept:
    """Raises Unreadable, ExtraMissing, and what a write raises."""
    digest = digest_of(data)
    known = shelf.find(uri, digest)
    if known is not None and known.is_whole and len(shelf.rows_of(uri)) == known.of:
        return Kept("unchanged", known.ids)
    if known is None and (forgotten := shelf.find_forgotten(uri, digest)) is not None:
        return Kept("forgotten", [], other=forgotten)
    if not shelf.rows_of(uri) and (twin := shelf.find_twin(uri, digest)) is not None:
        return _beside(request, shelf, twin, uri)
    text = converter.convert(form, data)
    kept = _write(request, shelf, known, uri, digest, text, wanted)
    shelf.put(uri, request.view().find_rows(kept.ids).values())
    return kept


def _beside(request: Request, shelf: Shelf, twin: KnownDocument, uri: str) -> Kept:
    """The same content under another name: where the first is gone it was moved, else one of them is enough."""
    old = to_path(twin.uri)
    if old is None or old.exists():
        return Kept("same", twin.ids, other=twin.uri)

    def move(note: Note) -> Edit:
        return Edit({"source": {**(note.memory.source or {}), "uri": uri}})

    for memory_id in twin.ids:
        request.store.change(memory_id, move)
    shelf.drop(twin.uri)
    shelf.put(uri, request.view().find_rows(twin.ids).values())
    return Kept("moved", twin.ids, other=twin.uri)


def _write(
    request: Request,
    shelf: Shelf,
    known: KnownDocument | None,
    uri: str,
    digest: str,
    text: Converted,
    wanted: Wanted,
) -> Kept:
    parts = cut(text.stretches)
    there = known.rows if known is not None and known.of == len(parts) else {}
    ours = {row.id for row in there.values()}
    old = [row.id for row in shelf.rows_of(uri) if row.id not in ours]
    title = (wanted.title or text.title or _name(uri))[:_LONGEST_TITLE]
    kept = Kept("completed" if there else "superseded" if old else "created", [])
    for number, part in enumerate(parts, 1):
        if number in there:
            kept.ids.append(there[number].id)
            continue
        # With the last one, so that what was before stays in the answers until all of what is new is there.
        replaces = old if number == len(parts) else []
        new = NewText(
            text=part.body,
            title=_title(title, part, number, len(parts)),
            kind=KIND,
            scope=wanted.scope,
            project=wanted.project,
            tags=wanted.tags,
            edges={"supersedes": replaces} if replaces else {},
            source=_source(uri, digest, part, number, len(parts)),
            # It is kept because its file is, whatever else says the same.
            force=True,
        )
        try:
            kept.ids.append(write(request, new)["id"])
        except SecretRefused as refused:
            kept.refused.append(f"{_place(part)}holds what looks like {refused.kind}; it was left out")
            continue
        kept.written += 1
        old = old if number < len(parts) else []
    for memory_id in old if kept.ids else ():
        request.store.supersede(memory_id)
    if there and not kept.written and not old:
        kept.outcome = "unchanged"
    return kept


def _source(uri: str, digest: str, part: Part, number: int, of: int) -> Mapping[str, str]:
    source = {"uri": uri, "sha256": digest, "part": f"{number}/{of}"}
    if part.unit:
        source[_UNITS[part.unit]] = part.span
    return source


def _title(title: str, part: Part, number: int, of: int) -> str:
    if of == 1:
        return title
    heading = f": {part.heading}" if part.heading and part.heading != title else ""
    return f"{title} ({number}/{of}){heading}"[:200]


def _name(uri: str) -> str:
    return PurePath(unquote(urlsplit(uri).path)).stem or uri


def _place(part: Part) -> str:
    return f"{_UNITS[part.unit]} {part.span}: " if part.unit else ""
