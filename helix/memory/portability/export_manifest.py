"""The table of contents of a strand: what travels, what it weighs, and the hash of every entry."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from helix.errors import BadValue, HelixError
from helix.index.catalog import Catalog, Row
from helix.memory import answers
from helix.memory.principal import Allows, everything
from helix.vault import frontmatter
from helix.vault.arrivals import is_tombstone, tombstone
from helix.vault.hashes import content_hash
from helix.vault.new_memory import NewMemory, home_of
from helix.vault.note import Note, status_of
from helix.vault.times import format_time, parse_time
from helix.vault.vault import Vault
from helix.vault.vault_id import FORMAT_VERSION

FORMAT = "helix-strand"
VERSION = 1
MANIFEST_NAME = "manifest.json"
EDGES_NAME = "edges.jsonl"
MEMORIES = "memories/"


@dataclass(frozen=True)
class Selection:
    """Which memories travel. Without any condition all of them do."""

    project: str | None = None
    scope: str | None = None
    kind: str | None = None
    tag: str | None = None
    include_deleted: bool = False
    """whether the text of deleted memories travels; without it they travel as bare tombstones"""

    def takes(self, note: Note) -> bool:
        conditions = (self.project, self.scope, self.kind, self.tag)
        if conditions == (None,) * 4:
            return True
        if status_of(note.meta) == "erased" or is_tombstone(note):
            # Nothing but its place says what it was about. Its project should hear that it is gone.
            home = home_of(NewMemory("", "", scope="project", project=self.project))
            return conditions[1:] == (None,) * 3 and note.path.startswith(f"{home}/")
        memory = note.memory
        return (
            (self.project is None or memory.project == self.project)
            and (self.scope is None or memory.scope == self.scope)
            and (self.kind is None or memory.kind == self.kind)
            and (self.tag is None or self.tag.casefold() in {tag.casefold() for tag in memory.tags})
        )

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if value not in (None, False)}


@dataclass(frozen=True)
class Entry:
    """One file of a strand."""

    name: str
    sha256: str
    size: int
    id: str = ""
    status: str = ""
    updated_at: str = ""

    def to_dict(self) -> answers.StrandEntry:
        return cast(answers.StrandEntry, {key: value for key, value in vars(self).items() if value != ""})


@dataclass(frozen=True)
class Manifest:
    vault: str | None
    embedder: str
    created_at: str | None
    """the newest time in the memories, not the time of the export: the same vault gives the same bytes"""
    counts: Mapping[str, int]
    entries: tuple[Entry, ...]
    selection: Mapping[str, Any] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()
    """files that could not be read, with the reason"""

    def head(self) -> answers.StrandHead:
        """All but the entries."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "record_format": FORMAT_VERSION,
            "vault": self.vault,
            "created_at": self.created_at,
            "embedder": self.embedder,
            "selection": dict(self.selection),
            "counts": dict(self.counts),
            "left_out": [{"path": path, "reason": reason} for path, reason in self.left_out],
        }

    def to_dict(self) -> dict[str, Any]:
        head = dict(self.head())
        left_out = head.pop("left_out")
        return {**head, "entries": [entry.to_dict() for entry in self.entries], "left_out": left_out}

    def emit(self) -> bytes:
        return (json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n").encode()


def parse_manifest(data: bytes) -> list[Entry]:
    """The entries that a manifest lists; BadValue when it is not one, or of a version this Helix cannot read."""
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadValue(f"the manifest of the strand cannot be read: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BadValue("the manifest does not say that this is a strand of Helix")
    for key, known in (("version", VERSION), ("record_format", FORMAT_VERSION)):
        number = manifest.get(key)
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise BadValue(f"the manifest of the strand has no usable {key}")
        if number > known:
            raise BadValue(f"the strand has {key} {number}, this Helix reads {known}; update Helix")
    listed = manifest.get("entries")
    if not isinstance(listed, list):
        raise BadValue("the manifest of the strand lists no entries")
    return [_entry(one) for one in listed]


def _entry(value: object) -> Entry:
    if isinstance(value, dict):
        name, sha256, size = (value.get(key) for key in ("name", "sha256", "size"))
        if isinstance(name, str) and isinstance(sha256, str) and isinstance(size, int):
            memory_id = value.get("id")
            return Entry(name, sha256, size, memory_id if isinstance(memory_id, str) else "")
    raise BadValue("an entry in the manifest of the strand has no name, sha256 or size")


@dataclass
class Survey:
    """Goes through the records that a selection takes, and counts on the way."""

    vault: Vault
    catalog: Catalog
    selection: Selection
    embedder: str = ""
    allows: Allows = everything
    entries: list[Entry] = field(default_factory=list)
    edges: list[bytes] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    newest: str | None = None

    def records(self) -> Iterator[tuple[str, bytes]]:
        """The names and bytes of the entries, in order. Each file is read once, and what was read is what travels."""
        rows = [*self.catalog.memories(include_hidden=True), *self._copies()]
        paths = sorted({row.path for row in rows if self.allows(row)})
        for path in paths:
            try:
                note = self.vault.read(path)
                data = frontmatter.emit(note.document)
            except FileNotFoundError:
                continue  # moved or removed since the catalog saw it
            except HelixError as error:
                self.left_out.append((path, error.message))
                continue
            if note.is_stub or not self.selection.takes(note) or not self.allows(Row.of(note)):
                continue
            if status_of(note.meta) == "deleted" and not self.selection.include_deleted:
                if not note.has_id:
                    continue  # without an id there is nothing that a tombstone could hold back
                data = tombstone(note.meta)
                note = Note.parse(path, data)
            self._count(note, data)
            yield MEMORIES + path, data

    def manifest(self) -> Manifest:
        edges = b"".join(sorted(self.edges))
        counts = {"memories": len(self.entries), "edges": len(self.edges)}
        return Manifest(
            self.vault.identity,
            self.embedder,
            self.newest,
            counts | dict(sorted(self.counts.items())),
            (Entry(EDGES_NAME, content_hash(edges), len(edges)), *self.entries),
            self.selection.to_dict(),
            tuple(self.left_out),
        )

    def _copies(self) -> Iterator[Row]:
        """Conflict copies that wait to be merged say something that their original may not."""
        return itertools.chain.from_iterable(self.catalog.duplicates().values())

    def _count(self, note: Note, data: bytes) -> None:
        memory = note.memory
        times = [
            memory.created_at,
            memory.updated_at,
            memory.deleted_at,
            memory.restored_at,
            self.newest,
        ]
        moments = [moment for text in times if (moment := parse_time(text)) is not None]
        self.newest = format_time(max(moments)) if moments else None
        self.counts[memory.status] += 1
        updated = memory.updated_at or memory.created_at or ""
        self.entries.append(
            Entry(MEMORIES + note.path, content_hash(data), len(data), note.id, memory.status, updated)
        )
        for kind, targets in memory.edges.items():
            for target in targets:
                edge = {"from": note.id, "kind": kind, "to": target}
                self.edges.append((json.dumps(edge, ensure_ascii=False) + "\n").encode())


def manifest_of(
    vault: Vault,
    catalog: Catalog,
    selection: Selection | None = None,
    *,
    embedder: str = "",
    allows: Allows = everything,
) -> Manifest:
    """What a strand of this vault would say of itself now, without writing it; of what somebody sees."""
    survey = Survey(vault, catalog, selection or Selection(), embedder, allows)
    for _ in survey.records():
        pass
    return survey.manifest()
