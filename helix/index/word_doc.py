"""What of a note is found by its words, whatever engine keeps them."""

from __future__ import annotations

from helix.index.chunk import spoken_date
from helix.index.entries import KeywordDoc
from helix.vault.note import Note


def word_doc(note: Note) -> KeywordDoc:
    memory = note.memory
    # People ask by day, month and project too, and write them into no text.
    filed = " ".join(filter(None, (memory.project, spoken_date(memory))))
    return KeywordDoc(note.id, memory.title, memory.tags, f"{memory.body}\n{filed}", note.hash)
