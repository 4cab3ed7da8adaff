"""Two vaults that exchange strands, and vaults of any content: nothing is lost, and it ends."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helix.errors import NoteError
from helix.vault import frontmatter
from helix.vault.ids import is_usable
from helix.vault.new_memory import NewMemory
from tests.memory.portability.rig import Place, outcome
from tests.scale import scaled
from tests.vault.notes import metas, nasty_text, written_notes


@contextmanager
def two_places() -> Iterator[tuple[Place, Place]]:
    with tempfile.TemporaryDirectory() as folder:
        places = Place(Path(folder) / "one"), Place(Path(folder) / "two")
        try:
            yield places
        finally:
            for place in places:
                place.close()


def test_two_vaults_that_exchange_strands_end_with_the_same_records() -> None:
    with two_places() as (one, two):
        shared = one.memories.add(NewMemory("first\n\nmiddle\n\nlast\n", "Shared", tags=["a"])).note
        erased = one.memories.add(NewMemory("narwhal\n", "Erased")).note
        deleted = one.memories.add(NewMemory("gone\n", "Deleted")).note
        two.bring(one.export())
        assert two.files() == one.files()

        for place, old, new in ((one, "first", "first by one"), (two, "last", "last by two")):
            place.now += timedelta(minutes=5)
            note = place.memories.get(shared.id)
            data = frontmatter.emit(note.document).decode()
            place.write(note.path, data.replace(f"\n{old}\n", f"\n{new}\n").encode())
            place.memories.add(NewMemory(f"only {new}\n", f"Own of {new}"))
            place.took()
        one.memories.erase(erased.id)
        two.memories.forget(deleted.id)

        from_one, from_two = one.export(include_deleted=True), two.export(include_deleted=True)
        one.bring(from_two)
        two.bring(from_one)
        assert one.files() == two.files()
        body = one.memories.get(shared.id).document.body
        assert body == "first by one\n\nmiddle\n\nlast by two\n"
        assert one.memories.get(erased.id).memory.status == "erased"
        assert one.memories.get(deleted.id).memory.status == "deleted"
        for place, strand in ((one, two.export()), (two, one.export()), (one, from_one), (two, from_two)):
            said = place.bring(strand)
            assert outcome(said)[:3] == (0, 0, 0)


def _is_fit(data: bytes) -> bool:
    try:
        frontmatter.parse(data)
    except NoteError:
        return False
    return True


@st.composite
def records(draw: st.DrawFn) -> dict[str, bytes]:
    """Files of a vault: with ids and without, of every status, as people and as Helix write them."""
    files: dict[str, bytes] = {}
    for number in range(draw(st.integers(1, 6))):
        name = draw(st.sampled_from(["", "projekte/äöü ", "深い/フォルダ/", "a b/"])) + f"note {number}.md"
        shape = draw(st.sampled_from(["record", "by hand", "plain", "erased"]))
        memory_id = f"mem_2026-01-0{number + 1}_x_{'abcdef'[number] * 6}"
        if shape == "plain":
            data = draw(nasty_text).encode("utf-8", "replace")
        elif shape == "by hand":
            data = draw(written_notes())
        elif shape == "erased":
            data = frontmatter.create(
                {"id": memory_id, "status": "erased", "deleted_at": "2026-02-02T00:00:00Z"}, ""
            )
        else:
            meta = {
                **draw(metas),
                "id": memory_id,
                "status": draw(st.sampled_from(["active", "superseded", "deleted", "done", "erased"])),
                "updated_at": "2026-03-01T00:00:00Z",
            }
            meta.pop("merged_into", None)
            data = frontmatter.create(meta, "body\n").replace(
                b"body", draw(nasty_text).encode("utf-8", "replace")
            )
            if draw(st.booleans()):
                data = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        if _is_fit(data):
            files[name] = data
    ids = [frontmatter.parse(data).meta.get("id") for data in files.values()]
    usable = [str(one).casefold() for one in ids if is_usable(one)]
    return files if len(usable) == len(set(usable)) else {}


@settings(max_examples=scaled(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(records(), st.booleans())
def test_import_then_export_then_import_is_a_fixed_point(
    files: dict[str, bytes], include_deleted: bool
) -> None:
    with two_places() as (one, two):
        for path, data in files.items():
            one.write(path, data)
        one.took()
        first = one.export(include_deleted=include_deleted)
        said = two.bring(first)
        assert said["skipped"] == []
        if include_deleted:
            assert two.files() == one.files()
        after = two.files()
        second = two.export(include_deleted=include_deleted)
        assert second == first
        for place, strand in ((two, first), (two, second), (one, second)):
            before = place.files()
            again = place.bring(strand)
            assert outcome(again)[:3] == (0, 0, 0)
            assert place.files() == before
        assert two.files() == after
