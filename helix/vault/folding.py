"""Several files with one id become one: conflict copies, and copies that a person made."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from dataclasses import dataclass

from helix.errors import EditRefused, HelixError, StaleHash, StateUnwritable
from helix.vault import frontmatter, ids, merge
from helix.vault.conflict_names import are_named_alike, choose_best, choose_survivor
from helix.vault.files import Write, Written
from helix.vault.frontmatter import Document
from helix.vault.hashes import content_hash
from helix.vault.links import to_link
from helix.vault.note import Note
from helix.vault.vault import Vault
from helix.vault.yaml_load import Value


@dataclass(frozen=True)
class MergePlan:
    """What a merge of files would write: worked out from what they say, which may take a while."""

    notes: Sequence[Note]
    merged: Document
    erased_at: str | None


@dataclass(frozen=True)
class Merged:
    survivor: Note
    absorbed: list[str]


def lacks_base(vault: Vault, memory_id: str, paths: Sequence[str]) -> bool:
    """Whether a merge of these files would miss a text that another machine may know."""
    try:
        documents = [vault.read_file(path).document for path in paths]
        find = functools.partial(vault.ancestry.find, memory_id)
        return merge.lacks_base(sorted(documents, key=frontmatter.emit), find)
    except (FileNotFoundError, HelixError):
        return False  # the merge itself says what is wrong


def plan_merge(vault: Vault, memory_id: str, paths: Sequence[str]) -> MergePlan:
    """Work out the merge of all files that carry one id. Nothing is written, so nobody need wait for it."""
    notes = [vault.read_file(path) for path in sorted(paths)]
    if any(note.id != memory_id for note in notes):
        raise StaleHash(f"the copies of {memory_id} changed while they were read")
    _check_one_memory(memory_id, notes)
    erased_at = vault.ancestry.erased_at(memory_id)
    documents = sorted((note.document for note in notes), key=frontmatter.emit)
    here = {note.state: note.document for note in notes}
    if erased_at is not None:
        documents.append(merge.erased_record(memory_id, erased_at))

    def find(state: str) -> Document | None:
        return here.get(state) or vault.ancestry.find(memory_id, state)

    merged = functools.reduce(lambda left, right: merge.merge(left, right, find), documents)
    return MergePlan(notes, merge.fold(merged, documents), erased_at)


def merge_copies(
    vault: Vault, memory_id: str, paths: Sequence[str], planned: MergePlan | None = None
) -> Merged:
    """Fold all files that carry one id into one. Raises NoteError or StaleHash and has then lost nothing.

    What was planned is written only if every file still says what it said then.
    """
    vault.check_alive()
    plan = planned or plan_merge(vault, memory_id, paths)
    notes, merged = plan.notes, plan.merged
    is_current = all(_hash_at(vault, note.path) == note.hash for note in notes)
    if not is_current or vault.ancestry.erased_at(memory_id) != plan.erased_at:
        raise StaleHash(f"the copies of {memory_id} changed while they were merged")
    if plan.erased_at is None:
        vault.ancestry.remember(memory_id, *(note.document for note in notes))
    home = choose_survivor(memory_id, [note.path for note in notes])
    if home not in paths and vault.root.exists(home):
        # Its own name is taken by another file.
        home = choose_best(memory_id, [note.path for note in notes])
    survivor = Note(home, merged, folder=vault.folder_of(home))
    vault.check_size(merged.data)
    if not survivor.is_erased:
        vault.ancestry.remember(memory_id, merged)
    before = next((note.hash for note in notes if note.path == home), None)
    vault.files.write(Write(home, merged.data, before))
    absorbed = [note for note in notes if note.path != home]
    stubs = [Write(note.path, _stub(memory_id, note.path), note.hash) for note in absorbed]
    for outcome in vault.files.commit(stubs):
        if not isinstance(outcome, Written):
            raise outcome
    if survivor.is_erased:
        stub_hashes = {stub.path: content_hash(stub.data) for stub in stubs}
        vault.discard_texts(memory_id, {home: survivor.hash, **stub_hashes})
        with contextlib.suppress(StateUnwritable):
            vault.ancestry.forget_texts(memory_id, str(merged.meta.get("deleted_at")))
    return Merged(survivor, [note.path for note in absorbed])


def _hash_at(vault: Vault, path: str) -> str:
    return content_hash(vault.root.read(path, vault.max_note_bytes))


def _check_one_memory(memory_id: str, notes: Sequence[Note]) -> None:
    """Refuse to merge files that Helix gave no id to nor wrote to: it may be a word of another tool."""
    is_ours = memory_id.startswith(ids.PREFIX) or any(note.ancestors for note in notes)
    paths = [note.path for note in notes]
    if not is_ours and not are_named_alike(paths):
        raise EditRefused(
            f"{', '.join(paths)} all have the id {memory_id!r}, which seems to be of another tool; "
            "they are not merged. Give each an id of its own, or remove the lines"
        )


def _stub(memory_id: str, path: str) -> bytes:
    """From the id and the path alone: two machines that fold the same copy write the same stub."""
    meta: dict[str, Value] = {
        "id": ids.stub_id(memory_id, path),
        "status": "deleted",
        "merged_into": to_link(memory_id),
    }
    body = "This conflict copy was folded into its memory. You may delete this file.\n"
    return frontmatter.create(meta, body)
