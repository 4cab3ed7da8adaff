"""A project of basic-memory: one memory for each note, its relations as edges, its text as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helix.errors import BadValue, NoteError, StorageError
from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Item, text_of
from helix.memory.portability.importers.markdown import read_linked
from helix.memory.portability.importers.notes import FoundNote
from helix.memory.portability.importers.relations import edge_kind
from helix.vault import frontmatter

_LARGEST = 16 * 1024 * 1024
# `- requires [[Target]] (context)`. An observation begins with `[category]` and is none.
# Nothing that was read is tried again shorter: a line of spaces, or of letters behind `[[`, would take quadratic time.
_RELATION = re.compile(
    r"\s*+[-*] ++(?P<kind>[^\[\]()]{0,80}?) *+\[\[(?P<target>[^\[\]|#^\n]++)[^\[\]\n]*+\]\]"
)
_OBSERVATION = re.compile(r"^[ \t]*[-*] +\[[^\[\]\n]{1,60}\] +\S", re.MULTILINE)


def read(source: Source) -> Iterator[Item]:
    where = source.name if source.is_folder or source.is_zip else source.path.resolve().parent.name

    def key_of(note: FoundNote) -> str:
        # A permalink stays when the file is moved.
        return f"{where}/{_permalink(note) or note.name}"

    yield from read_linked(
        source,
        key_of,
        _kind,
        edges_of=_relations,
        other_names=lambda note: [_permalink(note)],
        dropped=frozenset({"type"}),
    )


def is_note(source: Source, name: str) -> bool:
    """Whether a note has the marks of basic-memory, which Obsidian's notes do not have together."""
    try:
        document = frontmatter.parse(source.read(name, _LARGEST))
    except (NoteError, BadValue, StorageError):
        return False
    meta = document.meta
    return "permalink" in meta and ("type" in meta or _OBSERVATION.search(document.body) is not None)


def _permalink(note: FoundNote) -> str:
    return text_of(note.document.meta.get("permalink"))


def _kind(note: FoundNote) -> str:
    kind = text_of(note.document.meta.get("type")).lower()
    return "document" if kind in ("", "note") else kind


def _relations(note: FoundNote) -> dict[str, list[str]]:
    edges: dict[str, list[str]] = {}
    for line in note.body.splitlines():
        if match := _RELATION.match(line):
            edges.setdefault(edge_kind(match["kind"]), []).append(match["target"].strip())
    return edges
