"""On which line of a note something stands."""

from __future__ import annotations

from helix.vault.note import Note


def line_of(note: Note, key: str) -> int | None:
    """The line of a key of the frontmatter."""
    for number, line in enumerate(note.document.yaml.splitlines(), 2):
        if line.startswith((f"{key}:", f'"{key}"', f"'{key}'")):
            return number
    return None


def line_in_body(note: Note, text: str) -> int | None:
    """The first line of the body that holds this text."""
    at = note.document.body.find(text)
    above = note.document.opening + note.document.yaml + note.document.closing
    return None if at < 0 else 1 + above.count("\n") + note.document.body.count("\n", 0, at)
