"""What a person saved into a file at the moment Helix swapped it: it comes back into the memory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from helix.errors import AlreadyExists, EditRefused, MemoryErased, NoteError
from helix.vault import frontmatter, ids
from helix.vault.edit import edit
from helix.vault.files import LeftoverFinding, Write
from helix.vault.identity import id_in_frontmatter
from helix.vault.note import ancestors_of
from helix.vault.revision import Changes
from helix.vault.vault import Vault


def recover(
    vault: Vault,
    late: LeftoverFinding,
    locate: Callable[[str], str | None],
    is_erased_record: Callable[[str], bool] = lambda _: False,
) -> str:
    """Merge a late save back into its memory. Returns the path.

    `is_erased_record` is asked whether an erased record's content hash begins so.
    """
    # Asked before anything is kept: erased wins for good, also over a save that cannot be read.
    if is_of_erased(vault, late, is_erased_record):
        vault.files.discard(late)
        return late.leftover.path
    memory_id = vault.ancestry.memory_with_hash(late.leftover.new or "?")
    try:
        saved = frontmatter.parse(late.data)
    except NoteError:
        return _set_aside(vault, late)
    memory_id = memory_id or (str(saved.meta["id"]) if ids.is_usable(saved.meta.get("id")) else None)
    path = None if memory_id is None else locate(memory_id)
    if memory_id is None or path is None:
        return _set_aside(vault, late)
    base = vault.ancestry.find_by_hash(memory_id, late.leftover.old or "?")
    # An editor that had the file open before it was given an id saves it without one.
    known: Changes = {} if ids.is_usable(saved.meta.get("id")) else {"id": memory_id}
    if base is not None:
        known["rev"] = [base.state, *ancestors_of(base.meta)]
    try:
        saved = edit(saved, known)
        vault.edit(path, memory_id, lambda note: vault.take_in(note, saved))
    except MemoryErased:
        pass  # erased wins for good, over a late save too
    except (NoteError, EditRefused):
        return _set_aside(vault, late)
    vault.files.discard(late)
    return path


def is_of_erased(vault: Vault, found: LeftoverFinding, is_erased_record: Callable[[str], bool]) -> bool:
    """Whether a swapped-out file holds what an erased memory once said."""
    written = found.leftover.new or "?"
    memory_id = vault.ancestry.memory_with_hash(written) or id_in_frontmatter(found.data)
    return is_erased_record(written) or (
        memory_id is not None and vault.ancestry.erased_at(memory_id) is not None
    )


def _set_aside(vault: Vault, late: LeftoverFinding) -> str:
    """Keep a late save that cannot be merged as a file of its own, which the follower then reports."""
    folder = late.leftover.path.rpartition("/")[0]
    name = f"note (helix late save {late.hash[:8]}).md"
    path = f"{folder}/{name}" if folder else name
    with contextlib.suppress(AlreadyExists):  # a crash came between the writing and the discarding
        vault.files.write(Write(path, late.data, None))
    vault.files.discard(late)
    return path
