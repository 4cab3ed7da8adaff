"""inbox: everything that waits for a person, in one list, each with what can be done about it.

An action is a request that can be sent as it stands. A key stands for an item as it is now: what was dismissed is shown
again when it changes.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

from helix.errors import BadValue
from helix.index.catalog import Catalog, Row
from helix.memory.activity.journal import Asked, Journal
from helix.memory.maintenance.consolidate import Proposal
from helix.memory.maintenance.dismissed import Dismissed
from helix.memory.maintenance.worker import Upkeep
from helix.memory.reader import check_limit
from helix.memory.service import Service
from helix.memory.tokens import Payload
from helix.vault.text_merge import without_collisions
from helix.vault.vault import Edit

_KEY = re.compile(r"[a-z]+(?:-[a-z]+)*-[0-9a-f]{12}")
_REFUSALS = 50
_PATIENCE = 1.5
"""how long a question waits for a look at every memory; after that it gets what the look before found"""


class Inbox:
    def __init__(self, service: Service, upkeep: Upkeep, dismissed: Dismissed) -> None:
        self._service = service
        self._upkeep = upkeep
        self._dismissed = dismissed

    def list(self, *, limit: int = 20, max_tokens: int = 4000, cursor: str | None = None) -> Payload:
        check_limit(limit)
        reader, catalog = self._service.reader, self._service.live.catalog
        head: Payload = {}

        def entries(_: object) -> list[Payload]:
            proposals, is_current = self._upkeep.last_found(_PATIENCE)
            items = [
                *_unreadable(catalog),
                *_unmerged(self._service.live.everything()),
                *_waiting(catalog),
                *_proposed(catalog, proposals),
                *_refused(self._service.journal),
            ]
            hidden = self._dismissed.among(item["key"] for item in items)
            shown = [item for item in items if item["key"] not in hidden]
            head.update(counts=dict(Counter(item["what"] for item in shown)), looking=not is_current)
            return shown

        _, listing = reader.listed("inbox", reader.view(), cursor, entries)
        done = self._dismissed.among(item["key"] for item in listing.entries[listing.start :])
        return reader.page(
            "inbox",
            listing,
            lambda item: None if item["key"] in done else _titled(catalog, item),
            lambda items: {"items": list(items)},
            limit=limit,
            max_tokens=max_tokens,
            answer=head,
        )

    def dismiss(self, key: str) -> Payload:
        # Nothing else: what is kept here is not cleaned when a memory is erased.
        if not _KEY.fullmatch(key):
            raise BadValue("key is that of an item of the inbox")
        self._dismissed.add(key)
        return {"key": key, "status": "dismissed"}

    def keep_both(self, memory_id: str) -> Payload:
        """Of a merge that kept both texts: both are right. Only the line that warns of them goes."""

        row = self._service.live.row(memory_id)
        note = self._service.memories.change(
            row.id,
            lambda now: (
                None
                if (body := without_collisions(now.document.body)) == now.document.body
                else Edit({}, body)
            ),
        )
        return {"id": row.id, "status": "noop" if note.hash == row.hash else "updated", "hash": note.hash}

    def merge(self, memory_id: str) -> Payload:
        """Fold the copies of a memory into one now, and do not wait for them to be quiet."""
        note = self._service.memories.merge(self._service.live.row(memory_id).id)
        return {"id": note.id, "status": "merged", "hash": note.hash}


def _unreadable(catalog: Catalog) -> Iterator[Payload]:
    for one in catalog.problems():
        row = catalog.at(one.path)
        yield _item(
            "unreadable", [one.path, one.code, one.reason, str(one.line)], id=row.id if row else None,
            path=one.path, line=one.line, reason=one.reason, remedy=one.remedy, detail=one.detail or one.code,
        )  # fmt: skip


def _unmerged(rows: Iterable[Row]) -> Iterator[Payload]:
    for row in rows:
        if row.status == "active" and (line := row.meta.get("unmerged")):
            yield _item(
                "unmerged", [row.id, row.hash], _do("keep-both", "Keep both texts", "/inbox/keep-both", id=row.id),
                id=row.id, path=row.path, line=line,
                reason="two versions changed the same lines, and both were kept, one after the other",
                remedy="keep what is right and delete the rest and the line that warns, or keep both",
            )  # fmt: skip


def _waiting(catalog: Catalog) -> Iterator[Payload]:
    for memory_id, rows in catalog.duplicates().items():
        yield _item(
            "waiting-to-merge", [memory_id, *(f"{row.path} {row.hash}" for row in rows)],
            _do("merge", "Merge now", "/inbox/merge", id=memory_id),
            id=memory_id, path=rows[0].path, reason=f"this memory stands in {len(rows)} files",
            remedy="Helix folds them into one when they are quiet; no text is lost",
            detail=", ".join(row.path for row in rows),
        )  # fmt: skip


def _proposed(catalog: Catalog, proposals: Iterable[Proposal]) -> Iterator[Payload]:
    for one in proposals:
        rows = [catalog.find(each) for each in (one.memory_id, one.other_id) if each is not None]
        known = [row for row in rows if row is not None]
        if not known or any(row.status != "active" for row in known):
            continue  # it was looked for a while ago
        yield _item(
            one.what, [one.id, *(row.hash for row in known)], *_remedies(one),
            id=one.memory_id, other=one.other_id, path=known[0].path, reason=one.reason,
            remedy=_ADVICE[one.what],
        )  # fmt: skip


_ADVICE = {
    "duplicate": "let the older one stand for both, or say that they are two",
    "contradiction": "let the newer one replace the older, or say that both hold",
    "expired": "forget it, or say that it still holds",
    "stale-task": "forget it if it is done or was given up",
    "dangling-link": "edit the note: write the memory that is named, or take the link away",
}


def _remedies(one: Proposal) -> Iterator[Payload]:
    if one.action == "supersede" and one.other_id is not None:
        label = "Keep the older one" if one.what == "duplicate" else "Keep the newer one"
        yield _do("apply", label, "/consolidate", ids=[one.id])
        yield _do(
            "keep-both",
            "Keep both",
            "/relate",
            **{"from": one.other_id, "to": one.memory_id, "rel": "relates_to"},
        )
    elif one.action == "forget":
        yield _do("apply", "Forget it", "/consolidate", ids=[one.id])
        if one.what == "expired":
            yield _do(
                "still-holds",
                "It still holds",
                f"/memory/{quote(one.memory_id, safe='')}",
                "PATCH",
                valid_until="",
            )


def _refused(journal: Journal) -> Iterator[Payload]:
    for event in journal.before(None, Asked(whats=["refused"]), _REFUSALS):
        by = event.name or {"agent": "an agent", "person": "a person"}.get(event.who or "", "somebody")
        yield _item(
            "secret-refused", [str(event.seq)], reason=f"a text with what looks like {event.detail} was not written",
            remedy="write it again without the credential, and say where that is kept",
            detail=f"{event.time}, by {by}",
        )  # fmt: skip


def _item(what: str, identity: Iterable[str], *actions: Payload, **said: object) -> Payload:
    digest = hashlib.sha256("\n".join([what, *identity]).encode("utf-8", "replace")).hexdigest()[:12]
    key = f"{what}-{digest}"
    blank = {"id": None, "other": None, "path": None, "line": None, "reason": "", "remedy": "", "detail": ""}
    every = [*actions, _do("dismiss", "Dismiss", "/inbox/dismiss", key=key)]
    return {"key": key, "what": what, **blank, **said, "actions": every}


def _do(name: str, label: str, route: str, method: str = "POST", **body: object) -> Payload:
    return {"name": name, "label": label, "method": method, "route": route, "body": body}


def _titled(catalog: Catalog, item: Mapping[str, object]) -> Payload | None:
    """With the titles as they are now; None when the memory was erased since the item was listed."""
    rows = {name: catalog.find(str(item[name])) for name in ("id", "other") if isinstance(item[name], str)}
    if any(row is not None and row.status == "erased" for row in rows.values()):
        return None
    titles = {name: row.meta["title"][:200] for name, row in rows.items() if row is not None}
    return {**item, "title": titles.get("id"), "other_title": titles.get("other")}
