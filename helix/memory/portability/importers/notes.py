"""A folder of markdown notes, read once, with everything that a link in one of them may call another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from helix.errors import BadValue, NoteError, StorageError
from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Ignored, Record, Skipped, tags_of, text_of, time_of
from helix.memory.portability.importers import toml_json
from helix.vault import frontmatter
from helix.vault.frontmatter import Document
from helix.vault.ids import is_usable
from helix.vault.links import EDGE_KINDS, from_link
from helix.vault.normalize import normalize
from helix.vault.yaml_load import Value

_LARGEST = 16 * 1024 * 1024
_TEMPLATES = frozenset({"template", "templates", "_templates"})
_CREATED = ("created_at", "created", "date created", "date_created", "creation date", "date")
_UPDATED = ("updated_at", "updated", "modified", "date modified", "date_modified", "last_modified", "lastmod")
# What is said in a key of ours, under the name that the source has for it, or what only Helix may write.
_MAPPED = frozenset(
    (
        *(*_CREATED, *_UPDATED, *EDGE_KINDS),
        *("title", "tags", "tag", "kind", "scope", "project", "source"),
        *("id", "rev", "deleted_at", "restored_at", "merged_into", "idempotency_key"),
    )
)


@dataclass(frozen=True)
class FoundNote:
    name: str
    document: Document
    modified_at: str | None

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def title(self) -> str:
        heading = next((line[2:].strip() for line in self.body.splitlines() if line.startswith("# ")), "")
        return text_of(self.document.meta.get("title")) or heading or self.stem

    @property
    def body(self) -> str:
        return self.document.body.lstrip("\r\n")

    @property
    def tags(self) -> list[str]:
        meta = self.document.meta
        return tags_of(meta.get("tags") if meta.get("tags") is not None else meta.get("tag"))

    @property
    def created_at(self) -> str | None:
        return self._first_time(_CREATED) or self.updated_at

    @property
    def updated_at(self) -> str | None:
        return self._first_time(_UPDATED) or self.modified_at

    @property
    def more(self) -> dict[str, Value]:
        """The person's own keys, aliases among them."""
        return {key: value for key, value in self.document.meta.items() if key not in _MAPPED}

    @property
    def edges(self) -> dict[str, list[str]]:
        """Links in our own keys, as they are written."""
        edges = {}
        for kind in EDGE_KINDS:
            value = self.document.meta.get(kind)
            targets = [from_link(item) for item in (value if isinstance(value, list) else [value])]
            edges[kind] = [target for target in targets if target]
        return {kind: targets for kind, targets in edges.items() if targets}

    def _first_time(self, keys: tuple[str, ...]) -> str | None:
        by_name = {key.lower(): value for key, value in self.document.meta.items()}
        return next((time for key in keys if (time := time_of(by_name.get(key)))), None)


def read_notes(source: Source) -> Iterator[FoundNote | Record | Skipped | Ignored]:
    yield from (Ignored(f"folder {name.rpartition('/')[2]}") for name in source.hidden)
    if source.closed:
        yield Ignored("folders that cannot be listed", source.closed)
    if source.links:
        yield Ignored("symbolic links", source.links)
    for name in source.names:
        if not name.lower().endswith((".md", ".markdown")):
            yield Ignored("attachments and other files")
        elif name.lower().endswith(".excalidraw.md"):
            yield Ignored("drawings")
        elif _TEMPLATES.intersection(part.lower() for part in name.split("/")[:-1]):
            yield Ignored("templates")
        else:
            yield _read_note(source, name)


def _read_note(source: Source, name: str) -> FoundNote | Record | Skipped:
    try:
        data = source.read(name, _LARGEST)
        document = frontmatter.parse(data)
        if not document.has_frontmatter:
            document = toml_json.find_document(document.body) or document
    except (NoteError, BadValue, StorageError) as error:
        return Skipped(name, error.message)
    if is_usable(memory_id := document.meta.get("id")) and str(memory_id).startswith("mem_"):
        return Record(name, data)
    if not document.body.strip():
        return Skipped(name, "has no text")
    return FoundNote(name, document, source.modified_at(name))


class Names:
    """What a link may call a note: its path, its stem, its title, an alias. Without regard to case, as Obsidian."""

    def __init__(self) -> None:
        self._keys: dict[str, list[tuple[str, str]]] = {}

    def add(self, key: str, note: FoundNote, *others: str) -> None:
        path = note.name.rpartition(".")[0]
        aliases = note.document.meta.get("aliases", note.document.meta.get("alias"))
        called = [path, f"{path}.md", note.stem, note.title, *others]
        called += [str(one) for one in (aliases if isinstance(aliases, list) else [aliases]) if one]
        # A link may also begin in the middle of the path.
        parts = path.split("/")
        called += ["/".join(parts[start:]) for start in range(1, len(parts) - 1)]
        for name in {_fold(one) for one in called if one}:
            self._keys.setdefault(name, []).append((note.name, key))

    def find(self, target: str, linking: FoundNote) -> str | None:
        """Of several notes with one name the one beside the linking note, then the one that lies least deep."""
        known = self._keys.get(_fold(target), [])
        folder = linking.name.rpartition("/")[0]
        ranked = sorted(
            known, key=lambda entry: (entry[0].rpartition("/")[0] != folder, entry[0].count("/"), entry[0])
        )
        return ranked[0][1] if ranked else None


def _fold(name: str) -> str:
    return normalize("NFC", name).strip().strip("/").casefold()
