"""A folder of markdown, or a vault of Obsidian: one memory for each note."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Brought, Item, text_of
from helix.memory.portability.importers.notes import FoundNote, Names, read_notes
from helix.vault.links import wikilinks
from helix.vault.yaml_load import Value

Edges = Mapping[str, list[str]]


def read(source: Source) -> Iterator[Item]:
    where = source.name if source.is_folder or source.is_zip else source.path.resolve().parent.name

    def key_of(note: FoundNote) -> str:
        return f"{where}/{note.name}"

    yield from read_linked(source, key_of, lambda note: text_of(note.document.meta.get("kind")) or "document")


def read_linked(
    source: Source,
    key_of: Callable[[FoundNote], str],
    kind_of: Callable[[FoundNote], str],
    edges_of: Callable[[FoundNote], Edges] = lambda note: note.edges,
    other_names: Callable[[FoundNote], list[str]] = lambda note: [],
    dropped: frozenset[str] = frozenset(),
) -> Iterator[Item]:
    """All notes, then their links: which name is whose is known only when all of them were read."""
    notes: dict[str, FoundNote] = {}
    names = Names()
    for item in read_notes(source):
        if isinstance(item, FoundNote):
            key = key_of(item)
            names.add(key, item, *other_names(item))
            notes[key if key not in notes else f"{key} ({item.name})"] = item
        else:
            yield item
    for key, note in notes.items():

        def means(target: str, note: FoundNote = note) -> str:
            return names.find(target, note) or target

        edges = {kind: [means(target) for target in targets] for kind, targets in edges_of(note).items()}
        origin: dict[str, Value] = {"uri": note.name}
        if origin_text := text_of(note.document.meta.get("source")):
            origin["origin"] = origin_text
        yield Brought(
            key=key,
            title=note.title,
            body=note.body,
            kind=kind_of(note),
            tags=note.tags,
            project=text_of(note.document.meta.get("project")) or None,
            created_at=note.created_at,
            updated_at=note.updated_at,
            edges=edges,
            links={target: means(target) for target in wikilinks(note.body)},
            source=origin,
            more={name: value for name, value in note.more.items() if name not in dropped},
        )
