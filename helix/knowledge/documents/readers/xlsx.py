"""Excel: the values of each sheet, as a table."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import ParseError

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from helix.knowledge.documents.converted import Converted, Stretch, Unreadable
from helix.knowledge.documents.limits import MOST_CHARACTERS, MOST_PAGES
from helix.knowledge.documents.readers.markdown_table import to_table
from helix.knowledge.documents.readers.office_zip import checked

_MOST_CELLS = 2_000_000


def read(data: bytes, _form: str, _language: str) -> Converted:
    file = checked(data, "xl/workbook.xml")
    try:
        # The values that Excel worked out last, not the formulas.
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        if len(book.worksheets) > MOST_PAGES:
            raise Unreadable(f"it has {len(book.worksheets)} sheets; at most {MOST_PAGES} are read")
        stretches, room = [], MOST_CHARACTERS
        for sheet in book.worksheets:
            text = to_table(_rows(sheet))
            room -= len(text)
            if room < 0:
                raise Unreadable(f"it has more than {MOST_CHARACTERS:,} characters of text")
            if text:
                stretches.append(Stretch(text, "sheet", " ".join(str(sheet.title).split())))
    except (InvalidFileException, KeyError, ValueError, ParseError, zipfile.BadZipFile) as error:
        raise Unreadable("it is damaged: its sheets cannot be read") from error
    return Converted(stretches, book.properties.title or None)


def _rows(sheet: Any) -> Iterator[list[object]]:
    """Without what is empty at the end of rows."""
    sheet.reset_dimensions()  # a sheet may say that it is a million rows long and sixteen thousand columns wide
    cells = 0
    for row in sheet.iter_rows(values_only=True):
        values = list(row)
        cells += len(values)
        if cells > _MOST_CELLS:
            raise Unreadable(f"its sheet {sheet.title!r} has more than {_MOST_CELLS:,} cells")
        while values and values[-1] is None:
            values.pop()
        if values:
            yield values
