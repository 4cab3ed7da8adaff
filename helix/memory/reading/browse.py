"""get, recent, today, stats, conflicts: looking at memories without a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, TypedDict

from helix.errors import BadValue, MemoryNotFound
from helix.index.filters import Where, to_predicate
from helix.memory import answers
from helix.memory.arguments import check_limit, to_filters
from helix.memory.budget import NO_HEAD, fit_text
from helix.memory.pagination import position_in
from helix.memory.place import reaches
from helix.memory.reading.presentation import brief, check_format, full
from helix.memory.reading.search import asks_for_hidden, check_scope, with_keys
from helix.memory.reading.view import NOW, Row, View, When
from helix.memory.request import Request, verb
from helix.vault.note import Note
from helix.vault.problem import Problem
from helix.vault.times import format_time, parse_time

_HASH_SHOWN = 8


@verb("get")
def get(
    request: Request,
    memory_id: str,
    *,
    response_format: str = "detailed",
    include_deleted: bool = False,
    max_tokens: int = 8000,
    cursor: str | None = None,
    when: When = NOW,
) -> answers.MemoryPage:
    """One memory. A text that is longer than the budget is read on with the cursor."""
    detailed = check_format(response_format)
    view = request.view(when)
    note = view.get(memory_id)
    if not note.memory.visible and not include_deleted:
        raise MemoryNotFound(_why_hidden(view, note))
    body = note.memory.body.strip()
    start = position_in(cursor, note.hash[:_HASH_SHOWN], len(body))
    rest = body[start:]

    def render(text: str, is_cut: bool, shape: Callable[[Note, str], answers.Memory]) -> answers.MemoryPage:
        end = start + len(text)
        end += len(body[end:]) - len(body[end:].lstrip())
        following = f"{end}.{note.hash[:_HASH_SHOWN]}" if is_cut else None
        return {**shape(note, text), "truncated": is_cut, "next_cursor": following, "tokens_used": 0}

    budget = request.budget(max_tokens)
    if detailed:
        try:
            return fit_text(lambda text, is_cut: render(text, is_cut, full), rest, budget)[0]
        except BadValue:
            # The details alone are too long: the text matters more.
            pass
    return fit_text(lambda text, is_cut: render(text, is_cut, brief), rest, budget)[0]


@verb("recent")
def recent(
    request: Request,
    *,
    scope: str = "project",
    filters: Mapping[str, str] | None = None,
    since: str | None = None,
    include_deleted: bool = False,
    limit: int = 20,
    max_tokens: int = 2000,
    response_format: str = "concise",
    cursor: str | None = None,
    when: When = NOW,
) -> answers.Memories:
    """The last changed first."""
    return _recent(
        request, scope=scope, filters=filters, since=since, include_deleted=include_deleted, limit=limit,
        max_tokens=max_tokens, response_format=response_format, cursor=cursor, when=when,
    )  # fmt: skip


def _recent(
    request: Request,
    *,
    scope: str,
    filters: Mapping[str, str] | None,
    since: str | None,
    include_deleted: bool,
    limit: int,
    max_tokens: int,
    response_format: str,
    cursor: str | None,
    when: When,
) -> answers.Memories:
    detailed = check_format(response_format)
    check_limit(limit)
    earliest = parse_time(since) if since is not None else None
    if since is not None and earliest is None:
        raise BadValue(f"since is {since[:60]!r}; write a time like 2026-06-18 or 2026-06-18T09:12:44Z")
    hidden_too = include_deleted or asks_for_hidden(filters)

    def entries(view: View) -> list[list[Any]]:
        seen = Where(reaches=reaches(check_scope(scope), request.place), active_only=not hidden_too)
        rows = filter(to_predicate(seen), view.latest(earliest))
        return [[row.id, hidden_too] for row in _filtered(view, list(rows), filters or {})]

    view, listing = request.listed("recent", request.view(when), cursor, entries, quotes=False)

    def render(entry: list[Any]) -> answers.Memory | None:
        note = view.find(entry[0])
        if note is None or not (note.memory.visible or entry[1]):
            return None
        text = note.memory.body.strip()
        return full(note, text) if detailed else {**brief(note, text), "updated": note.memory.updated_at}

    return request.page(
        "recent", listing, render, lambda _, items, end: answers.Memories({"results": list(items), **end}),
        head=NO_HEAD, limit=limit, max_tokens=max_tokens,
    )  # fmt: skip


@verb("today")
def today(
    request: Request,
    *,
    scope: str = "project",
    filters: Mapping[str, str] | None = None,
    limit: int = 20,
    max_tokens: int = 2000,
    response_format: str = "concise",
    cursor: str | None = None,
    when: When = NOW,
) -> answers.Memories:
    """What changed in the last 24 hours."""
    since = format_time(request.view(when).now() - timedelta(hours=24))
    return _recent(
        request, scope=scope, filters=filters, since=since, include_deleted=False, limit=limit,
        max_tokens=max_tokens, response_format=response_format, cursor=cursor, when=when,
    )  # fmt: skip


@verb("stats")
def stats(
    request: Request,
    *,
    scope: str = "all",
    max_tokens: int = 2000,
    cursor: str | None = None,
    when: When = NOW,
) -> answers.Stats:
    """How many memories there are, by status, scope, kind, project and tag; all but the first count active ones."""

    def entries(view: View) -> list[list[Any]]:
        rows = view.rows(reaches(check_scope(scope), request.place), include_hidden=True)
        active = [row for row in rows if row.status == "active"]
        counts = {
            "status": Counter(row.status for row in rows),
            "scope": Counter(row.scope for row in active),
            "kind": Counter(row.kind for row in active),
            "project": Counter(row.project or "" for row in active),
            "tag": Counter(tag for row in active for tag in row.tags),
        }
        return [
            [name, value, number]
            for name, counter in counts.items()
            for value, number in sorted(counter.items(), key=lambda item: (-item[1], item[0]))
            if value
        ]

    _, listing = request.listed("stats", request.view(when), cursor, entries)

    memories = sum(entry[2] for entry in listing.entries if entry[0] == "status")

    def render(entry: list[Any]) -> _Count:
        return {"of": entry[0], "value": entry[1], "count": entry[2]}

    return request.page(
        "stats",
        listing,
        render,
        lambda _, items, end: answers.Stats({"memories": memories, **_counts_by(items), **end}),
        head=NO_HEAD,
        limit=len(listing.entries) or 1,
        max_tokens=max_tokens,
    )


class _Count(TypedDict):
    of: Literal["status", "scope", "kind", "project", "tag"]
    value: str
    count: int


def _counts_by(items: Sequence[_Count]) -> answers.CountsBy:
    def counts(of: str) -> dict[str, int]:
        return {item["value"]: item["count"] for item in items if item["of"] == of}

    return {
        "by_status": counts("status"),
        "by_scope": counts("scope"),
        "by_kind": counts("kind"),
        "by_project": counts("project"),
        "by_tag": counts("tag"),
    }


@verb("conflicts")
def conflicts(
    request: Request, *, limit: int = 50, max_tokens: int = 4000, cursor: str | None = None
) -> answers.Conflicts:
    """What needs a person: notes that cannot be read, and ids that stand in several files."""
    check_limit(limit)

    def entries(view: View) -> list[answers.Conflict]:
        problems = [_unreadable(problem) for problem in view.problems()]
        waiting: list[answers.Conflict] = [
            {"id": memory_id, "paths": [row.path for row in rows], "code": "waiting-to-merge"}
            for memory_id, rows in view.duplicates().items()
        ]
        return [*problems, *waiting]

    view, listing = request.listed("conflicts", request.view(), cursor, entries)

    def render(entry: answers.Conflict) -> answers.Conflict | None:
        return None if _is_hidden(view, entry) else entry

    return request.page(
        "conflicts",
        listing,
        render,
        lambda _, items, end: answers.Conflicts({"conflicts": list(items), **end}),
        head=NO_HEAD,
        limit=limit,
        max_tokens=max_tokens,
    )


def _unreadable(problem: Problem) -> answers.Conflict:
    return {
        "path": problem.path, "code": problem.code, "reason": problem.reason,
        "remedy": problem.remedy, "line": problem.line, "detail": problem.detail,
    }  # fmt: skip


def _is_hidden(view: View, entry: answers.Conflict) -> bool:
    if "paths" in entry:
        return view.hides(entry["id"] or "")
    return view.hides_file(entry["path"] or "")


@verb("strand_manifest")
def strand_manifest(
    request: Request, *, max_tokens: int = 4000, cursor: str | None = None
) -> answers.StrandManifest:
    """What an export would hold, entry by entry; the first page also says what it is."""
    head: answers.StrandHead = {}

    def entries(_: View) -> list[answers.StrandEntry]:
        manifest = request.manifest()
        head.update(manifest.head())
        return [entry.to_dict() for entry in manifest.entries]

    view, listing = request.listed("strand manifest", request.view(), cursor, entries)

    def render(entry: answers.StrandEntry) -> answers.StrandEntry | None:
        return None if view.hides(entry.get("id") or "") else entry

    return request.page(
        "strand manifest",
        listing,
        render,
        _manifest,
        head=head,
        limit=len(listing.entries) or 1,
        max_tokens=max_tokens,
    )


def _manifest(
    head: answers.StrandHead, items: Sequence[answers.StrandEntry], end: answers.Page
) -> answers.StrandManifest:
    return {**head, "entries": list(items), **end}


def _why_hidden(view: View, note: Note) -> str:
    memory = note.memory
    if memory.status == "superseded":
        newer = [
            edge.source
            for edge in view.links().edges
            if edge.rel == "supersedes" and edge.target == memory.id
        ]
        instead = f"; get {newer[0]}, which replaced it" if newer else ""
        return f"{memory.id} was superseded{instead}, or ask with include_deleted"
    if memory.status == "erased":
        return f"{memory.id} was erased for good"
    return f"{memory.id} was forgotten; ask with include_deleted to see it, or restore it"


def _filtered(view: View, rows: Sequence[Row], given: Mapping[str, str]) -> list[Row]:
    if not given:
        return list(rows)
    filters, own = to_filters(given)
    filtered = list(filter(to_predicate(filters), rows))
    if own:
        known = with_keys(view, own)
        filtered = [row for row in filtered if row.id in known]
    return filtered
