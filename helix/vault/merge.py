"""Two versions of one record become one.

The result depends on the two versions (and on the text of their last common state) alone: no clock, no
machine name, no order of arrival. Two daemons that merge apart write the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from helix.vault import frontmatter
from helix.vault.edit import REMOVE, Remove, edit
from helix.vault.frontmatter import Document
from helix.vault.hashes import state_hash
from helix.vault.note import STATUSES, ancestors_of, is_erased_record, is_later, status_of
from helix.vault.ownership import VISIBILITIES
from helix.vault.text_merge import merge_text
from helix.vault.times import parse_time, stamp_after
from helix.vault.yaml_load import Value

FindState = Callable[[str], Document | None]
"""The text of a state by its hash, where local history still has it."""

# A merge takes in the lists of both sides: with 16, folds of several copies used the list up, and later versions
# of one memory listed no common state.
ANCESTORS_KEPT = 32
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def merge(first: Document, second: Document, find_state: FindState) -> Document:
    """The record that both versions say, in the bytes of the later one where nothing had to change."""
    older, newer = sorted((first, second), key=_order)
    if erased := [version for version in (older, newer) if is_erased(version)]:
        return _merge_erased(erased)
    older_state, newer_state = state_of(older), state_of(newer)
    if older_state == newer_state or older_state in ancestors_of(newer.meta):
        return newer
    if newer_state in ancestors_of(older.meta):
        return older
    shared = _common_state(newer, older)
    return _merge_versions(None if shared is None else find_state(shared), newer, older)


def lacks_base(versions: Sequence[Document], find_state: FindState) -> bool:
    """Whether merging these asks for a state whose text another machine may know and this one does not."""
    known = {state_of(version) for version in versions}
    taken_in: set[str] = set()
    for version in versions:
        states = (state_of(version), *ancestors_of(version.meta))
        shared = next((state for state in states if state in taken_in), None)
        if shared is not None and shared not in known and find_state(shared) is None:
            return True
        taken_in.update(states)
    return False


def fold(merged: Document, versions: Sequence[Document]) -> Document:
    """The record that stays when its other files become stubs: a write of its own, a second after the last.

    It must differ from every version it came from. A sync client may still be about to delete the very file
    that stays (it carries out a rename as a new file and, later, a deletion); it spares a file that changed.
    """
    register = "deleted_at" if is_erased(merged) else "updated_at"
    stamp = stamp_after(_EPOCH, merged.meta.get(register))
    if register == "deleted_at":
        return erased_record(merged.meta.get("id"), stamp)
    meta = {**merged.meta, register: stamp}
    # States that were only steps of this merge stood in no file, so nothing can descend from them.
    real = {state for version in versions for state in (state_of(version), *ancestors_of(version.meta))}
    taken_in = [state for state in (state_of(merged), *ancestors_of(merged.meta)) if state in real]
    # A version that said nothing new may have left no trace in a step: its late copy must not count as unseen.
    silent = sorted({state_of(version) for version in versions}.difference(taken_in))
    taken_in = [*silent, *taken_in]
    return edit(merged, {register: stamp, "rev": with_ancestors(meta, merged.body, taken_in)})


def is_erased(document: Document) -> bool:
    """Whether nothing is left of the memory. Only then is it erased: a person who types the status erases nothing."""
    return is_erased_record(document.meta, document.body)


def state_of(document: Document) -> str:
    return document.state


def with_ancestors(meta: Mapping[str, Value], body: str, ancestors: Iterable[str]) -> list[Value]:
    """The `rev` of a state that Helix writes: its own hash, then the states it has taken in."""
    states: dict[Value, None] = dict.fromkeys((state_hash(meta, body), *ancestors))
    return list(states)[:ANCESTORS_KEPT]


def erased_record(memory_id: Value, deleted_at: Value) -> Document:
    """What is left of an erased memory: no title, no tags, no text, no provenance."""
    return frontmatter.new_document({"id": memory_id, "status": "erased", "deleted_at": deleted_at}, "")


def settle_registers(meta: Mapping[str, Value], now: datetime | None = None) -> dict[str, Value]:
    """The register that a flipped status line asks for, or nothing.

    People flip `status` in an editor; Helix itself never writes a status that its registers deny. Without a
    clock (in a merge) the stamp comes from the record's own times, so that every machine stamps the same.
    """
    deleted = is_later(meta.get("deleted_at"), meta.get("restored_at"))
    written = str(meta.get("status") or "").strip().lower()
    if written == "deleted" and not deleted:
        own = parse_time(meta.get("updated_at")) or parse_time(meta.get("created_at")) or _LONG_AGO
        return _stamped("deleted_at", now or max(own, _EPOCH), meta.get("restored_at"))
    if written in ("active", "superseded") and deleted:
        return _stamped("restored_at", now or _LONG_AGO, meta.get("deleted_at"))
    return {}


def _stamped(register: str, now: datetime, other: Value) -> dict[str, Value]:
    """Nothing where no readable time is left after the other register: it would be asked for again and again."""
    stamp = stamp_after(now, other)
    return {register: stamp} if is_later(stamp, other) else {}


def _order(document: Document) -> tuple[datetime, str, bytes]:
    return (
        parse_time(document.meta.get("updated_at")) or _LONG_AGO,
        state_of(document),
        frontmatter.emit(document),
    )


def _merge_erased(records: Sequence[Document]) -> Document:
    dates = [record.meta.get("deleted_at") for record in records]
    last = max(dates, key=lambda date: (parse_time(date) or _LONG_AGO, str(date)))
    return erased_record(records[-1].meta.get("id"), last)


def _common_state(newer: Document, older: Document) -> str | None:
    """The last state both sides have taken in.

    Only the last one will do: an older common state would take a line that came back since for a line that
    the other side removed.
    """
    theirs = {state_of(older), *ancestors_of(older.meta)}
    states = (state_of(newer), *ancestors_of(newer.meta))
    return next((state for state in states if state in theirs), None)


def _merge_versions(base: Document | None, newer: Document, older: Document) -> Document:
    base_meta = None if base is None else base.meta
    wanted = _merge_meta(base_meta, _settled(newer.meta), _settled(older.meta))
    body = merge_text(None if base is None else base.body, newer.body, older.body)
    taken_in = [
        state_of(newer),
        state_of(older),
        *_interleave(ancestors_of(newer.meta), ancestors_of(older.meta)),
    ]
    wanted["rev"] = with_ancestors(wanted, body, taken_in)
    changes: dict[str, Value | Remove] = {
        key: value for key, value in wanted.items() if key not in newer.meta or newer.meta[key] != value
    }
    changes.update({key: REMOVE for key in newer.meta if key not in wanted})
    return edit(newer, changes, body)


def _settled(meta: Mapping[str, Value]) -> dict[str, Value]:
    return {**meta, **settle_registers(meta)}


def _merge_meta(
    base: Mapping[str, Value] | None, newer: Mapping[str, Value], older: Mapping[str, Value]
) -> dict[str, Value]:
    merged: dict[str, Value] = {}
    for key in dict.fromkeys((*newer, *older)):
        if key in ("rev", "status"):
            continue
        if key in ("updated_at", "deleted_at", "restored_at"):
            merged[key] = max(newer.get(key), older.get(key), key=_instant)
        elif key == "created_at":
            merged[key] = min(
                (side[key] for side in (newer, older) if parse_time(side.get(key))),
                key=_instant,
                default=newer.get(key),
            )
        elif key in newer and key in older and newer[key] == older[key]:
            merged[key] = newer[key]
        elif base is None:
            merged[key] = _without_base(key, newer, older)
        elif (value := _with_base(key, base, newer, older)) is not REMOVE:
            merged[key] = value
    if (status := _merge_status(base, merged, newer, older)) is not None:
        merged["status"] = status
    # Keep the newer side's order of keys; what only the older one has comes last.
    return {key: merged[key] for key in dict.fromkeys((*newer, *merged)) if key in merged}


def _without_base(key: str, newer: Mapping[str, Value], older: Mapping[str, Value]) -> Value:
    if key in newer and key in older:
        left, right = newer[key], older[key]
        if isinstance(left, list) and isinstance(right, list):
            return _merge_lists([], left, right)
        return _tighter(left, right) if key == "visibility" else left
    return newer[key] if key in newer else older[key]


def _with_base(
    key: str, base: Mapping[str, Value], newer: Mapping[str, Value], older: Mapping[str, Value]
) -> Value | Remove:
    left, right, known = newer.get(key, REMOVE), older.get(key, REMOVE), base.get(key, REMOVE)
    if left == known:
        return right
    if right == known:
        return left
    if isinstance(left, list) and isinstance(right, list):
        return _merge_lists(known if isinstance(known, list) else [], left, right)
    if key == "visibility" and left is not REMOVE and right is not REMOVE:
        return _tighter(left, right)
    # Both changed it: the later write, unless it removed what the other one rewrote.
    return right if left is REMOVE else left


def _tighter(left: Value, right: Value) -> Value:
    """Of two that say for whom a record is. A word that is none of them shows it to nobody else."""
    known = {visibility: rank for rank, visibility in enumerate(VISIBILITIES)}
    return min(left, right, key=lambda word: known.get(str(word).strip().lower(), -1))


def _merge_lists(known: list[Value], left: list[Value], right: list[Value]) -> list[Value]:
    """What both have or one has added; what one side removed is not in it."""
    before, ours, theirs = ({_spelled(item) for item in items} for items in (known, left, right))
    kept = [item for item in left if (spelled := _spelled(item)) in theirs or spelled not in before]
    return kept + [
        item for item in right if (spelled := _spelled(item)) not in ours and spelled not in before
    ]


def _spelled(item: Value) -> str:
    """Not the value itself, which may be a list; and 1 is not True."""
    return json.dumps(item, sort_keys=True, ensure_ascii=False)


def _merge_status(
    base: Mapping[str, Value] | None,
    merged: Mapping[str, Value],
    newer: Mapping[str, Value],
    older: Mapping[str, Value],
) -> Value:
    if is_later(merged.get("deleted_at"), merged.get("restored_at")):
        return "deleted"
    written = [side["status"] for side in (newer, older) if side.get("status") is not None]
    if not set(STATUSES).intersection(str(item).lower() for item in written):
        return written[0] if written else None  # another tool's `status: done` is not ours to change
    both = (status_of(newer), status_of(older))
    for hidden in ("erased", "superseded"):  # `erased` is what a person typed: it hides the text, which stays
        if hidden in both and not (base is not None and status_of(base) == hidden and "active" in both):
            return hidden
    return "active"


def _instant(value: Value) -> tuple[datetime, str]:
    return (parse_time(value) or _LONG_AGO, str(value))


def _interleave(left: list[str], right: list[str]) -> list[str]:
    longest = max(len(left), len(right))
    return [items[index] for index in range(longest) for items in (left, right) if index < len(items)]
