"""Web pages: what a reader of the page sees, in markdown."""

from __future__ import annotations

from typing import Any

from bs4 import BeautifulSoup
from markdownify import MarkdownConverter

from helix.knowledge.documents.converted import Converted, Stretch, Unreadable
from helix.knowledge.documents.readers.first_heading import first_heading

_UNSEEN = ("script", "style", "noscript", "template", "svg", "iframe", "object", "head", "nav", "form")


def read(data: bytes, _form: str, _language: str) -> Converted:
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("it is not a text: there are NUL bytes in it")
    page = BeautifulSoup(data, "html.parser")
    title = page.title.get_text(" ", strip=True) if page.title else None
    for tag in page.find_all(_UNSEEN):
        tag.decompose()
    text = to_markdown(page)
    return Converted([Stretch(text)], title or first_heading(text))


def to_markdown(page: Any) -> str:
    """Pictures are left out: what they hold cannot be read, and often stands in the page itself, as data."""
    converter = MarkdownConverter(heading_style="ATX", bullets="-", strip=["img"], table_infer_header=True)
    text: str = converter.convert_soup(page)
    return text
