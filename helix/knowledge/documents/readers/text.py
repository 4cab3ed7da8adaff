"""Markdown, plain text and source code: as they stand, line by line."""

from __future__ import annotations

from helix.errors import NoteError
from helix.knowledge.documents.converted import Converted, Stretch, Unreadable
from helix.knowledge.documents.readers.first_heading import first_heading
from helix.vault import frontmatter

_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def decode(data: bytes) -> str:
    """UTF-8, what says by a mark that it is UTF-16, or else what Windows wrote for long."""
    coding = next((coding for mark, coding in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(coding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    if "\0" in text:
        raise Unreadable("it is not a text: there are NUL bytes in it")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read(data: bytes, form: str, language: str) -> Converted:
    text = decode(data)
    if form != "markdown":
        return Converted([Stretch(text, "line", "1", language)])
    title, body = _without_properties(text)
    first = text.count("\n") - body.count("\n") + 1
    return Converted([Stretch(body, "line", str(first))], title or first_heading(body))


def _without_properties(text: str) -> tuple[str | None, str]:
    try:
        document = frontmatter.parse(text.encode("utf-8", "replace"))
    except NoteError:
        return None, text
    title = document.meta.get("title")
    return (str(title).strip() or None) if isinstance(title, str) else None, document.body
