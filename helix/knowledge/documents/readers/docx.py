"""Word: headings, lists, tables and footnotes, by way of HTML."""

from __future__ import annotations

import mammoth
from bs4 import BeautifulSoup

from helix.knowledge.documents.converted import Converted, Stretch
from helix.knowledge.documents.readers.first_heading import first_heading
from helix.knowledge.documents.readers.html import to_markdown
from helix.knowledge.documents.readers.office_zip import checked

_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"


def read(data: bytes, _form: str, _language: str) -> Converted:
    file = checked(data, "word/document.xml")
    without_pictures = mammoth.images.img_element(lambda image: {"src": ""})
    # What a document links to by a path is on the disk of who wrote it, and not looked for on ours.
    page = mammoth.convert_to_html(
        file, style_map=_STYLES, convert_image=without_pictures, external_file_access=False
    ).value
    text = to_markdown(BeautifulSoup(page, "html.parser"))
    return Converted([Stretch(text)], first_heading(text))
