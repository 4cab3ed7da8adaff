"""history, diff: what git knows of a memory."""

from __future__ import annotations

import hashlib

from helix.memory import answers
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD, cut_at_line, fit_text
from helix.memory.pagination import position_in
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.memory.tokens import clean
from helix.vault.times import format_time

_DIGEST_SHOWN = 8


@verb("history")
def history(
    request: Request,
    memory_id: str,
    *,
    limit: int = 20,
    max_tokens: int = 2000,
    cursor: str | None = None,
) -> answers.Versions:
    """The versions of a memory in git, newest first."""
    check_limit(limit)

    def entries(view: View) -> list[list[str]]:
        found = request.versions.list(memory_id)
        if not found:
            # Says that it never was.
            view.row(memory_id)
        return [
            [
                version.commit,
                format_time(version.time),
                version.author,
                version.subject,
                version.path,
                memory_id,
            ]
            for version in found
        ]

    _, listing = request.listed("history", request.view(), cursor, entries)
    listed_id = listing.entries[0][-1] if listing.entries else memory_id
    request.versions.check(listed_id)
    return request.page(
        "history",
        listing,
        _version,
        lambda _, items, end: answers.Versions({"id": listed_id, "versions": list(items), **end}),
        head=NO_HEAD,
        limit=limit,
        max_tokens=max_tokens,
    )


def _version(entry: list[str]) -> answers.Version:
    commit, time, author, subject, path, _ = entry
    return {"commit": commit, "time": time, "author": author, "subject": subject, "path": path}


@verb("diff")
def diff(
    request: Request,
    memory_id: str,
    old: str,
    new: str | None = None,
    *,
    max_tokens: int = 8000,
    cursor: str | None = None,
) -> answers.Diff:
    """What changed in a memory's file from one revision to another, or to the file as it is, as a unified diff.

    A longer one is read on with the cursor, and its pieces put together are the whole, byte for byte.
    """
    budget = request.budget(max_tokens)
    whole = clean(request.versions.diff(memory_id, old, new))
    digest = hashlib.sha256(whole.encode()).hexdigest()[:_DIGEST_SHOWN]
    start = position_in(cursor, digest, len(whole))

    def render(text: str, is_cut: bool) -> answers.Diff:
        following = f"{start + len(text)}.{digest}" if is_cut else None
        return {
            "id": memory_id, "from": old, "to": new, "diff": text,
            "truncated": is_cut, "next_cursor": following, "tokens_used": 0,
        }  # fmt: skip

    return fit_text(render, whole[start:], budget, cut_at_line)[0]
