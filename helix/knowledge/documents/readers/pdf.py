"""PDF: the text of each page."""

from __future__ import annotations

import pypdfium2

from helix.knowledge.documents.converted import Converted, Stretch, Unreadable
from helix.knowledge.documents.limits import MOST_CHARACTERS, MOST_PAGES


def read(data: bytes, _form: str, _language: str) -> Converted:
    try:
        document = pypdfium2.PdfDocument(data)
        pages = len(document)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Unreadable("it is protected by a password; save it anew without") from error
        raise Unreadable("it is damaged, or not a PDF") from error
    if pages > MOST_PAGES:
        raise Unreadable(f"it has {pages} pages; at most {MOST_PAGES} are read")
    stretches, room = [], MOST_CHARACTERS
    for number in range(pages):
        text = _text_of(document, number)
        room -= len(text)
        if room < 0:
            raise Unreadable(f"it has more than {MOST_CHARACTERS:,} characters of text")
        stretches.append(Stretch(text, "page", str(number + 1)))
    if not any(stretch.text.strip() for stretch in stretches):
        raise Unreadable("it has no text, only pictures of it; make it searchable first (OCR)")
    title = document.get_metadata_dict().get("Title", "").strip()
    return Converted(stretches, title or None)


def _text_of(document: pypdfium2.PdfDocument, number: int) -> str:
    try:
        text: str = document[number].get_textpage().get_text_bounded()
    except pypdfium2.PdfiumError:
        return ""  # one page that cannot be drawn; the others can
    # Where a word is parted at the end of a line, PDFium puts a sign that is no character.
    return text.replace("\r\n", "\n").replace("\ufffe\n", "").replace("\ufffe", "")
