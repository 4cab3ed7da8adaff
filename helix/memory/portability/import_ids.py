"""From what a source says to a record: the same id each time, and a trace of what was imported last.

The id ends in letters made from the source's own name of the memory, so that it is recognised in a later
import even when it was erased here and nothing but the id is left of it. `source.digest` says what the last import
wrote: a record that still says that was edited by nobody since.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from helix.errors import BadValue
from helix.memory.portability.imported import Brought
from helix.memory.portability.relink import relink
from helix.vault import frontmatter
from helix.vault.arrivals import Arrival
from helix.vault.edit import REMOVE, Remove, edit
from helix.vault.frontmatter import Document
from helix.vault.merge import state_of, with_ancestors
from helix.vault.new_memory import NewMemory, home_of, to_meta
from helix.vault.note import SCOPES, STATUSES, Note, ancestors_of, is_later
from helix.vault.paths import slug
from helix.vault.times import format_time, parse_time
from helix.vault.yaml_load import Value

_LONGEST_KEY = 300
_LONGEST_TITLE = 200
# Says which record it is and what became of it here, not what it says.
_NOT_CONTENT = frozenset(
    {
        "id",
        "rev",
        "created_at",
        "updated_at",
        "deleted_at",
        "restored_at",
        "status",
        "source",
        "idempotency_key",
    }
)


@dataclass(frozen=True)
class ImportOptions:
    """What the person wants of every imported memory."""

    project: str | None = None
    scope: str | None = None
    tags: Sequence[str] = ()

    def check(self) -> None:
        if self.scope is not None and self.scope not in SCOPES:
            raise BadValue(f"scope {self.scope!r} is not one of {', '.join(SCOPES)}")
        if self.scope == "project" and not self.project:
            raise BadValue("scope project needs the name of the project: --project NAME")


def key_of(form: str, key: str) -> str:
    """The record's `idempotency_key`."""
    long = len(key) > _LONGEST_KEY
    return f"import:{form}:{hashlib.sha256(_clean(key).encode()).hexdigest() if long else _clean(key)}"


def suffix_of(key: str) -> str:
    return base64.b32encode(hashlib.sha256(key.encode()).digest()).decode().lower()[:12]


@dataclass
class Mint:
    form: str
    options: ImportOptions
    now: datetime
    ids: Mapping[str, str] = field(default_factory=dict)
    """of everything in this import: the source's key and the id here"""
    superseded: frozenset[str] = frozenset()

    def id_of(self, item: Brought) -> str:
        born = parse_time(item.created_at) or self.now
        return f"mem_{born:%Y-%m-%d}_{slug(item.title)}_{suffix_of(key_of(self.form, item.key))}"

    def new(self, item: Brought) -> Arrival:
        meta, body, home = self._content(item)
        meta["rev"] = with_ancestors(meta, body, ())
        return Arrival(f"{home}/{meta['id']}.md", frontmatter.create(meta, body))

    def digest(self, item: Brought) -> str:
        meta, body, _ = self._content(item)
        return content_digest(meta, body)

    def version(self, item: Brought, base: Document, path: str) -> Arrival:
        """What the source says now, as a successor of what it said at the last import."""
        meta, body, _ = self._content(item)
        kept = {"id", "created_at", "status", "deleted_at", "restored_at", "rev"}
        changes: dict[str, Value | Remove] = {
            key: value
            for key, value in meta.items()
            if key not in kept and base.meta.get(key, REMOVE) != value
        }
        changes.update({key: REMOVE for key in base.meta if key not in meta and key not in kept})
        if is_later(base.meta.get("updated_at"), meta["updated_at"]):
            changes.pop("updated_at", None)
        after = {key: value for key, value in {**base.meta, **changes}.items() if value is not REMOVE}
        changes["rev"] = with_ancestors(after, body, (state_of(base), *ancestors_of(base.meta)))
        return Arrival(path, frontmatter.emit(edit(base, changes, body)))

    def _content(self, item: Brought) -> tuple[dict[str, Value], str, str]:
        project = self.options.project or item.project
        scope = self.options.scope or ("project" if project else "global")
        links = {target: self.ids[key] for target, key in item.links.items() if key in self.ids}
        body = relink(_clean(item.body), links)
        new = NewMemory(
            body=body if body.endswith("\n") else body + "\n",
            title=" ".join(_clean(item.title).split())[:_LONGEST_TITLE],
            kind=item.kind,
            scope=scope,
            project=_clean(project) if project and scope != "global" else None,
            tags=list(dict.fromkeys(_clean(tag) for tag in (*item.tags, *self.options.tags))),
            edges={
                kind: list(dict.fromkeys(self.ids.get(key, _clean(key)) for key in keys))
                for kind, keys in item.edges.items()
            },
            more={_clean(key): _cleaned(value) for key, value in item.more.items()},
        )
        now = format_time(self.now)
        meta = to_meta(self.ids[item.key], new, now)
        if item.key in self.superseded:
            meta["status"] = "superseded"
        elif isinstance(theirs := item.more.get("status"), str) and theirs.lower() not in STATUSES:
            meta["status"] = theirs  # another tool's word, which leaves a memory active
        created = item.created_at or item.updated_at or now
        updated = item.updated_at or item.created_at or now
        meta |= {"created_at": created, "updated_at": created if is_later(created, updated) else updated}
        provenance = {key: _cleaned(value) for key, value in item.source.items() if value not in (None, "")}
        meta["source"] = {"import": self.form, **provenance, "digest": content_digest(meta, new.body)}
        meta["idempotency_key"] = key_of(self.form, item.key)
        return meta, new.body, home_of(new)


def content_digest(meta: Mapping[str, Value], body: str) -> str:
    content = {key: value for key, value in meta.items() if key not in _NOT_CONTENT}
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(f"{canonical}\n{body}".encode()).hexdigest()[:16]


def last_digest(meta: Mapping[str, Value]) -> str:
    source = meta.get("source")
    return str(source.get("digest", "")) if isinstance(source, dict) else ""


def base_of(here: Note, find_state: Callable[[str], Document | None]) -> Document | None:
    """The text that the last import wrote: the record itself when nobody edited it, or else from local history."""
    digest = last_digest(here.meta)
    if content_digest(here.meta, here.document.body) == digest:
        return here.document
    known = (find_state(state) for state in here.ancestors)
    return next(
        (one for one in known if one is not None and content_digest(one.meta, one.body) == digest), None
    )


def _clean(text: str) -> str:
    """What a UTF-8 file can hold: JSON may carry halves of surrogate pairs and NUL."""
    return re.sub("[\0\ufeff]", "", text).encode("utf-8", "replace").decode()


def _cleaned(value: Value) -> Value:
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _cleaned(item) for key, item in value.items()}
    return value
