"""Notebooks of Jupyter: text, code and what it printed, cell by cell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from helix.knowledge.documents.converted import Converted, Stretch, Unreadable
from helix.knowledge.documents.limits import MOST_PAGES
from helix.knowledge.documents.readers.first_heading import first_heading
from helix.knowledge.documents.readers.text import decode

_LONGEST_OUTPUT = 2_000


def read(data: bytes, _form: str, _language: str) -> Converted:
    try:
        book = json.loads(decode(data))
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is damaged: it is no JSON") from error
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("it is no notebook of version 4 or later: there are no cells in it")
    if len(cells) > MOST_PAGES:
        raise Unreadable(f"it has {len(cells)} cells; at most {MOST_PAGES} are read")
    language = _language_of(book)
    stretches = [
        Stretch("\n\n".join(_texts(cell, language)), "cell", str(number))
        for number, cell in enumerate(cells, 1)
        if isinstance(cell, dict)
    ]
    return Converted(stretches, first_heading(stretches[0].text) if stretches else None)


def _language_of(book: Mapping[str, Any]) -> str:
    about = book.get("metadata")
    kernel = about.get("kernelspec") if isinstance(about, dict) else None
    return str(kernel.get("language") or "") if isinstance(kernel, dict) else ""


def _texts(cell: Mapping[str, Any], language: str) -> Iterator[str]:
    source = _joined(cell.get("source"))
    if not source.strip():
        return
    if cell.get("cell_type") != "code":
        yield source
        return
    yield f"```{language}\n{source.rstrip()}\n```"
    outputs = cell.get("outputs")
    printed = "".join(map(_printed, outputs)) if isinstance(outputs, list) else ""
    if printed.strip():
        yield f"```text\n{printed[:_LONGEST_OUTPUT].rstrip()}\n```"


def _printed(output: object) -> str:
    """Text alone: pictures and pages are data that says nothing."""
    if not isinstance(output, dict):
        return ""
    data = output.get("data")
    return _joined(output.get("text") or (data.get("text/plain") if isinstance(data, dict) else None))


def _joined(value: object) -> str:
    if isinstance(value, list):
        return "".join(map(str, value))
    return value if isinstance(value, str) else ""
