"""assets, asset_publish, asset_pull, asset_tombstone: files that a team shares. Nothing of them is ever run."""

from __future__ import annotations

import base64 as encoding
import binascii
import mimetypes
import re
from collections.abc import Sequence
from typing import Any

from helix.errors import BadValue, MemoryNotFound
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.reading.view import Row, View
from helix.memory.request import Request, verb
from helix.memory.writing.store import Edit
from helix.memory.writing.write import check_secrets, check_visibility, to_project
from helix.vault.authors import doing
from helix.vault.new_memory import NewMemory
from helix.workbench.asset_answers import Asset, AssetList, PublishedAsset, PulledAsset, TombstonedAsset

KIND = "asset"
_NAME, _TYPE, _SIZE, _HASH, _VERSION = (
    f"asset_{name}" for name in ("name", "type", "size", "hash", "version")
)
_REFUSED = re.compile(r'[/\\\x00-\x1f\x7f<>:"|?*]')
_LONGEST_NAME = 200
_LONGEST_DESCRIPTION = 2000


@verb("assets")
def assets(
    request: Request,
    *,
    include_deleted: bool = False,
    limit: int = 50,
    max_tokens: int = 4000,
    cursor: str | None = None,
) -> AssetList:
    check_limit(limit, 200)
    shown = ("active", "deleted") if include_deleted else ("active",)

    def entries(view: View) -> list[str]:
        found = [row for row in view.everything() if _is_asset(row) and row.status in shown]
        return [row.id for row in sorted(found, key=lambda row: (str(row.extra[_NAME]), row.id))]

    view, listing = request.listed("assets", request.view(), cursor, entries)

    def render(memory_id: str) -> Asset | None:
        row = view.find_row(memory_id)
        return None if row is None or not _is_asset(row) or row.status not in shown else _asset(view, row)

    def build(_: Any, items: Sequence[Asset], end: Page) -> AssetList:
        return {"assets": list(items), **end}

    return request.page("assets", listing, render, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens)


@verb("asset_publish")
def asset_publish(
    request: Request,
    *,
    asset_name: str,
    text: str | None = None,
    base64: str | None = None,
    asset_type: str = "file",
    description: str = "",
    visibility: str | None = None,
    project: str | None = None,
    allow_secrets: bool = False,
) -> PublishedAsset:
    name, data = _checked_name(asset_name), _data(text, base64)
    most = request.assets.most_bytes
    if len(data) > most:
        raise BadValue(
            f"{name} has {len(data):,} bytes; an asset has at most {most:,} (`assets.most_bytes` of the settings)"
        )
    _check_text(allow_secrets, name, description, data)
    own = None if project is None else to_project(project)
    seen_by = check_visibility(visibility, own) or ("project" if own else "team")
    with request.keys.of_vault().held(f"asset-{own or ''}-{name}"), doing(detail=f"asset {name}"):
        before = _find(request.view(), name, own, request.principal.user)
        if before is None:
            return _created(request, name, data, asset_type, description, seen_by, own)
        changed = request.assets.hash_of(data) != before.extra.get(_HASH)
        wanted: dict[str, Any] = {_TYPE: asset_type}
        if visibility is not None:
            wanted["visibility"] = seen_by
        if changed:
            wanted |= _facts(request, data, _version(before) + 1)

        def edit(_: Any) -> Edit:
            return Edit(wanted, f"{description.strip()}\n" if description.strip() else None)

        same = not changed and before.extra.get(_TYPE) == asset_type
        if same and not description.strip() and visibility in (None, before.visibility):
            request.assets.keep(before.id, data)  # it may not have come here with its note
            return _published(before.id, name, _version(before), request.assets.hash_of(data), "noop")
        # The note first, as far as that is refused to somebody; and no note says what is not there.
        request.store.change(before.id, lambda _: None)
        request.assets.keep(before.id, data)
        stored = request.store.change(before.id, edit)
        version = _version(before) + (1 if changed else 0)
        return _published(before.id, name, version, request.assets.hash_of(data), "updated", stored.degraded)


@verb("asset_pull")
def asset_pull(request: Request, *, memory_id: str, have: str | None = None) -> PulledAsset:
    view = request.view()
    row = view.row(memory_id)
    if not _is_asset(row) or row.status not in ("active", "deleted"):
        raise MemoryNotFound(f"{row.id} is no asset; `helix asset list` shows those there are")
    asset = _asset(view, row)
    if row.status == "deleted" or have == asset["hash"]:
        return {**asset, "base64": None}
    data = request.assets.find(row.id, asset["hash"])
    if data is None:
        raise MemoryNotFound(
            f"the file of {asset['name']} is not in this vault yet, or not as it was; wait for the sync, or publish it "
            "again"
        )
    return {**asset, "base64": encoding.b64encode(data).decode("ascii")}


@verb("asset_tombstone")
def asset_tombstone(request: Request, *, memory_id: str) -> TombstonedAsset:
    row = request.view().row(memory_id)
    if not _is_asset(row) or row.status == "erased":
        raise MemoryNotFound(f"{row.id} is no asset; `helix asset list` shows those there are")
    name = str(row.extra[_NAME])
    with doing(detail=f"asset {name}"):
        request.store.forget(row.id)
    return {"id": row.id, "name": name, "status": "deleted"}


def _created(
    request: Request,
    name: str,
    data: bytes,
    kind: str,
    description: str,
    visibility: str,
    project: str | None,
) -> PublishedAsset:
    new = NewMemory(
        body=f"{description.strip() or f'The file {name}.'}\n", title=name, kind=KIND,
        scope="project" if project else "global", project=project,
        more={
            "owner": request.principal.user, "visibility": visibility, _NAME: name, _TYPE: kind,
            **_facts(request, data, 1),
        },
    )  # fmt: skip
    stored = request.store.add(new)
    digest = request.assets.keep(stored.note.id, data)
    return _published(stored.note.id, name, 1, digest, "created", stored.degraded)


def _facts(request: Request, data: bytes, version: int) -> dict[str, Any]:
    return {_SIZE: len(data), _HASH: request.assets.hash_of(data), _VERSION: version}


def _is_asset(row: Row) -> bool:
    return (
        row.kind == KIND and isinstance(row.extra.get(_NAME), str) and isinstance(row.extra.get(_HASH), str)
    )


def _find(view: View, name: str, project: str | None, user: str | None) -> Row | None:
    """The asset of this name that is meant: one's own first, then the oldest."""
    rows = [
        row
        for row in view.everything()
        if _is_asset(row) and row.status == "active" and (row.extra[_NAME], row.project) == (name, project)
    ]
    return min(rows, key=lambda row: (row.owner != user, row.created_at or "", row.id), default=None)


def _asset(view: View, row: Row) -> Asset:
    name, size = str(row.extra[_NAME]), row.extra.get(_SIZE)
    note = view.find(row.id)
    return {
        "id": row.id,
        "name": name,
        "type": str(row.extra.get(_TYPE) or "file"),
        "media_type": mimetypes.guess_type(name)[0] or "application/octet-stream",
        "size": size if isinstance(size, int) else 0,
        "hash": str(row.extra[_HASH]),
        "version": _version(row),
        "owner": row.owner,
        "visibility": row.visibility,
        "project": row.project,
        "description": "" if note is None else note.memory.body.strip()[:_LONGEST_DESCRIPTION],
        "updated": row.updated_at or "",
        "status": row.status,
    }


def _version(row: Row) -> int:
    version = row.extra.get(_VERSION)
    return version if isinstance(version, int) and not isinstance(version, bool) else 1


def _published(
    memory_id: str, name: str, version: int, digest: str, status: Any, degraded: str | None = None
) -> PublishedAsset:
    answer: PublishedAsset = {
        "id": memory_id,
        "name": name,
        "version": version,
        "hash": digest,
        "status": status,
    }
    if degraded:
        answer["degraded"] = degraded
    return answer


def _checked_name(name: str) -> str:
    """Good for a file on every system, in no other folder and not hidden."""
    wrong = (
        not name.strip() or name.startswith((".", " ")) or name.endswith((".", " ")) or _REFUSED.search(name)
    )
    if wrong or len(name) > _LONGEST_NAME:
        raise BadValue(f"an asset is not called {name[:80]!r}; give the name of a file, such as review.md")
    return name


def _data(text: str | None, base64: str | None) -> bytes:
    if (text is None) == (base64 is None):
        raise BadValue("give one of text and base64")
    if text is not None:
        return text.encode("utf-8", "replace")
    try:
        return encoding.b64decode(base64 or "", validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadValue(f"base64 is none: {error}") from error


def _check_text(allowed: bool, name: str, description: str, data: bytes) -> None:
    if len(description) > _LONGEST_DESCRIPTION:
        raise BadValue(
            f"the description has {len(description)} characters; at most {_LONGEST_DESCRIPTION} fit"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    check_secrets(allowed, {"text": text, "name": name, "description": description})
