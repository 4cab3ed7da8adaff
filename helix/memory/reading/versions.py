"""history, diff: what git knows of a memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from helix.memory.budget import Budget, cut_at_line, fit_text
from helix.memory.pagination import place_in
from helix.memory.reader import Reader, check_limit
from helix.memory.reading.view import View
from helix.memory.tokens import Payload, clean
from helix.vault.history import Version
from helix.vault.times import format_time

_DIGEST_SHOWN = 8


def history(
    reader: Reader,
    memory_id: str,
    versions: Callable[[str], Sequence[Version]],
    *,
    limit: int = 20,
    max_tokens: int = 2000,
    cursor: str | None = None,
) -> Payload:
    """The versions of a memory in git, newest first."""
    check_limit(limit)

    def entries(view: View) -> list[list[str]]:
        found = versions(memory_id)
        if not found:
            view.row(memory_id)  # says that it never was
        return [
            [one.commit, format_time(one.time), one.author, one.subject, one.path, memory_id] for one in found
        ]

    _, listing = reader.listed("history", reader.view(), cursor, entries)
    names = ("commit", "time", "author", "subject", "path")
    said = listing.entries[0][-1] if listing.entries else memory_id
    return reader.page(
        "history",
        listing,
        lambda entry: dict(zip(names, entry[:-1], strict=True)),
        lambda items: {"id": said, "versions": list(items)},
        limit=limit,
        max_tokens=max_tokens,
    )


def diff(
    reader: Reader,
    memory_id: str,
    compare: Callable[[str, str, str | None], str],
    *,
    old: str,
    new: str | None = None,
    max_tokens: int = 8000,
    cursor: str | None = None,
) -> Payload:
    """What changed in a memory's file from one revision to another, or to the file as it is, as a unified diff.

    A longer one is read on with the cursor, and its pieces put together are the whole, byte for byte.
    """
    budget = Budget(max_tokens, reader.count)
    whole = clean(compare(memory_id, old, new))
    digest = hashlib.sha256(whole.encode()).hexdigest()[:_DIGEST_SHOWN]
    start = place_in(cursor, digest, len(whole))

    def render(text: str, is_cut: bool) -> Payload:
        following = f"{start + len(text)}.{digest}" if is_cut else None
        return {
            "id": memory_id, "from": old, "to": new, "diff": text,
            "truncated": is_cut, "next_cursor": following,
        }  # fmt: skip

    return fit_text(render, whole[start:], budget, cut_at_line)[0]
