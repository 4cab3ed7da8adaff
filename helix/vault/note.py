"""A note is a file; a memory is what the file means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from helix.errors import NoteError
from helix.vault import frontmatter, ids
from helix.vault.conflict_names import original_name
from helix.vault.frontmatter import Document
from helix.vault.links import (
    EDGE_KINDS,
    from_link,
    inline_tags,
    markdown_links,
    property_links,
    wikilinks,
)
from helix.vault.ownership import PRIVATE, FolderRule, ownership_of
from helix.vault.times import parse_time
from helix.vault.yaml_load import Value

STATUSES = ("active", "superseded", "deleted", "erased")
SCOPES = ("project", "global", "session")
HIDDEN = frozenset({"superseded", "deleted", "erased"})
MADE_UP_PROJECT = "default"
"""what earlier versions wrote for those who named no project; beside it, `filed: true` says that somebody did"""

# What is wrong with properties that a person or a plugin wrote. A file with the marks of a git conflict, one that is
# cut off, too large or not text is not a note whose text could be believed.
_READ_BY_TEXT = frozenset({"yaml-syntax", "duplicate-key", "not-a-mapping", "bad-key", "unsupported-tag"})
# In properties that cannot be read, however it is spelled: rather one note too few than one that was forgotten.
_SAYS_HIDDEN = re.compile(
    r"""(?:^|[{,])[ \t]*["']?status["']?[ \t]*:(?:\s*![\w!]*\s)?\W*(?:superseded|deleted|erased)\b""",
    re.IGNORECASE | re.MULTILINE,
)
_SAYS_REMOVED = re.compile(
    r"""(?:^|[{,])[ \t]*["']?(?:deleted_at|merged_into)["']?[ \t]*:""", re.IGNORECASE | re.MULTILINE
)
_SAYS_ACTIVE = re.compile(r"""^status:[ \t]*["']?active\b""", re.MULTILINE)

RECORD_KEYS = frozenset(
    (
        *("id", "title", "kind", "scope", "project", "filed", "status", "tags", "created_at"),
        *(
            "updated_at",
            "deleted_at",
            "restored_at",
            "valid_from",
            "valid_until",
            "source",
            "importance",
            "rev",
        ),
        *("idempotency_key", "merged_into", *EDGE_KINDS),
    )
)


@dataclass(frozen=True)
class Memory:
    """What a note says, with the defaults of the record format filled in."""

    id: str
    title: str
    kind: str
    scope: str
    project: str | None
    status: str
    tags: tuple[str, ...]
    edges: Mapping[str, tuple[str, ...]]
    body: str
    created_at: str | None = None
    updated_at: str | None = None
    deleted_at: str | None = None
    restored_at: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    source: Mapping[str, Any] | None = None
    importance: float | None = None
    idempotency_key: str | None = None
    owner: str | None = None
    """the name of a user"""
    visibility: str = PRIVATE
    """for whom it is, beside its owner: nobody, the members of its project, or the whole team"""
    extra: Mapping[str, Any] | None = None

    @property
    def visible(self) -> bool:
        return self.status not in HIDDEN

    @property
    def is_unfiled(self) -> bool:
        """Of a project, and nobody has said of which: seen from all of them until somebody does."""
        return self.scope == "project" and self.project is None


@dataclass(frozen=True)
class Note:
    path: str
    document: Document
    unread: NoteError | None = None
    """why its properties could not be read: the note is known by its path and its text alone, and never written to"""
    folder: FolderRule | None = None
    """whose it is as the vault's own rules say it of its folder, if the note itself does not"""

    @classmethod
    def parse(cls, path: str, data: bytes, folder: FolderRule | None = None) -> Note:
        return cls(path, frontmatter.parse(data), folder=folder)

    @classmethod
    def parse_leniently(cls, path: str, data: bytes, folder: FolderRule | None = None) -> Note:
        """The same for somebody who only reads: a note with bad properties still has its text.

        Refused all the same is one that has no text, one that says, as far as can be told, that it is hidden, and a
        conflict copy: its text is a version of another note, which may be hidden.
        """
        try:
            return cls.parse(path, data, folder)
        except NoteError as error:
            if error.code not in _READ_BY_TEXT or original_name(path) is not None:
                raise
            document = frontmatter.split(data)
            if _says_hidden(document.yaml) or not document.body.strip():
                raise
            return cls(path, document, error.at(path), folder)

    @property
    def meta(self) -> dict[str, Value]:
        return self.document.meta

    @property
    def hash(self) -> str:
        return self.document.hash

    @property
    def state(self) -> str:
        return self.document.state

    @property
    def has_id(self) -> bool:
        return ids.is_usable(self.meta.get("id"))

    @cached_property
    def id(self) -> str:
        return str(self.meta["id"]) if self.has_id else ids.derived_id(self.path)

    @property
    def is_stub(self) -> bool:
        """What is left of a conflict copy that was folded into its memory.

        The key alone does not say so: it may be a word of another tool.
        """
        return self.meta.get("merged_into") is not None and self.meta.get("status") == "deleted"

    @property
    def is_erased(self) -> bool:
        """Whether nothing but the id, the status and the date is left. A status alone, in a note with a text, is not
        enough: a person may have typed it and may type it back."""
        return self.has_id and is_erased_record(self.meta, self.document.body)

    @property
    def ancestors(self) -> list[str]:
        return ancestors_of(self.meta)

    @cached_property
    def memory(self) -> Memory:
        return to_memory(self.id, self.meta, self.document.body, self.path, self.folder)


def is_erased_record(meta: Mapping[str, Value], body: str) -> bool:
    bare = meta.keys() <= {"id", "status", "deleted_at"} and not body.strip()
    return bare and status_of(meta) == "erased"


def ancestors_of(meta: Mapping[str, Value]) -> list[str]:
    rev = meta.get("rev")
    return [str(item) for item in rev if isinstance(item, str | int)] if isinstance(rev, list) else []


def is_later(left: object, right: object) -> bool:
    """Whether register `left` is set and later than `right`; a register that is not a time was never set."""
    first, second = parse_time(left), parse_time(right)
    return first is not None and (second is None or first > second)


def status_of(meta: Mapping[str, Value]) -> str:
    """The status line is what a person sees and flips, so it decides; without one the registers do.

    Values of other tools (`status: done`) are not ours and leave the memory active.
    """
    written = str(meta.get("status") or "").strip().lower()
    if written in STATUSES:
        return written
    return "deleted" if is_later(meta.get("deleted_at"), meta.get("restored_at")) else "active"


def to_memory(
    memory_id: str, meta: Mapping[str, Value], body: str, path: str, folder: FolderRule | None = None
) -> Memory:
    project = _text(meta.get("project"))
    scope = str(meta.get("scope") or "").strip().lower()
    if scope not in SCOPES:
        scope = "project" if project else "global"
    if project == MADE_UP_PROJECT and scope != "global" and meta.get("filed") is not True:
        project = None
    edges = {kind: _links(meta.get(kind)) for kind in EDGE_KINDS}
    extra = {key: value for key, value in meta.items() if key not in RECORD_KEYS}
    source = meta.get("source")
    owner, visibility = ownership_of(meta, scope, project, folder)
    # What a document links to lies beside its file, and not beside its note.
    of_file = meta.get("kind") == "document" and isinstance(source, dict) and "uri" in source
    by_path = () if of_file else markdown_links(body, path)
    in_text = (*wikilinks(body), *by_path, *property_links(extra.values()))
    edges["relates_to"] = tuple(dict.fromkeys((*edges["relates_to"], *in_text)))
    importance = meta.get("importance")
    return Memory(
        id=memory_id,
        title=_text(meta.get("title")) or _heading(body) or PurePosixPath(path).stem,
        kind=_text(meta.get("kind")) or "fact",
        scope=scope,
        project=project,
        status=status_of(meta),
        tags=tuple(dict.fromkeys((*_tags(meta.get("tags")), *inline_tags(body)))),
        edges={kind: targets for kind, targets in edges.items() if targets},
        body=body,
        created_at=_text(meta.get("created_at")),
        updated_at=_text(meta.get("updated_at")),
        deleted_at=_text(meta.get("deleted_at")),
        restored_at=_text(meta.get("restored_at")),
        valid_from=_text(meta.get("valid_from")),
        valid_until=_text(meta.get("valid_until")),
        source=source if isinstance(source, dict) else None,
        importance=float(importance) if isinstance(importance, int | float) else None,
        idempotency_key=_text(meta.get("idempotency_key")),
        owner=owner,
        visibility=visibility,
        extra=extra,
    )


def _says_hidden(source: str) -> bool:
    if _SAYS_HIDDEN.search(source):
        return True
    return _SAYS_REMOVED.search(source) is not None and _SAYS_ACTIVE.search(source) is None


def _text(value: Value) -> str | None:
    if value is None or isinstance(value, list | dict):
        return None
    return str(value).strip() or None


def _tags(value: Value) -> list[str]:
    """A list, or as Obsidian once allowed, one string with commas or spaces."""
    if isinstance(value, dict):
        return []
    items = value if isinstance(value, list) else str(value or "").replace(",", " ").split()
    return [text for item in items if (text := str(item if item is not None else "").strip().lstrip("#"))]


def _links(value: Value) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(target for item in items if (target := from_link(item))))


def _heading(body: str) -> str | None:
    for line in body.splitlines():
        if line.startswith("# "):
            return line[2:].strip() or None
        if line.strip():
            return None
    return None
