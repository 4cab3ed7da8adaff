"""Strands: the same bytes for the same vault, and nothing believed of one that comes from outside."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from helix.errors import BadValue
from helix.memory.portability.export_archive import Strand
from helix.memory.portability.export_manifest import Selection, manifest_of
from helix.memory.portability.zip_reader import Bounds
from helix.vault.new_memory import NewMemory
from tests.memory.portability.rig import Place, outcome

ODD = b"\xef\xbb\xbf---\r\nid: mem_2026-01-02_odd_bbbbbb # by hand\r\nmine: [1,  2]\r\n---\r\nno end"


def manifest_in(strand: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(strand)) as archive:
        return dict(json.loads(archive.read("manifest.json")))


def entries_in(strand: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(strand)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def filled(place: Place) -> dict[str, str]:
    """A memory of each status, by name."""
    place.write("odd/Überblick.md", ODD)
    place.write("loose.md", b"# Loose\n\nhas no id, see [[mem_2026-01-02_odd_bbbbbb]]\n")
    place.took()
    made = {
        "old": place.memories.add(
            NewMemory("retries twice\n", "Old", scope="project", project="billing")
        ).note.id,
        "gone": place.memories.add(NewMemory("the word is narwhal\n", "Gone", tags=["x"])).note.id,
        "erased": place.memories.add(NewMemory("the word is walrus\n", "Erased")).note.id,
    }
    new = NewMemory("retries thrice\n", "New", scope="project", project="billing", tags=["Auth"])
    made["new"] = place.memories.add(new, supersedes=[made["old"]]).note.id
    place.memories.forget(made["gone"])
    place.memories.erase(made["erased"])
    return made


def test_every_file_travels_byte_for_byte_and_the_manifest_says_what_is_in_it(here: Place) -> None:
    made = filled(here)
    strand = here.export(include_deleted=True)
    entries = entries_in(strand)
    files = {f"memories/{path}": data for path, data in here.files().items()}
    assert {name: data for name, data in entries.items() if name.startswith("memories/")} == files
    manifest = manifest_in(strand)
    assert (manifest["format"], manifest["version"], manifest["record_format"]) == ("helix-strand", 1, 1)
    assert manifest["embedder"] == "bundled"
    assert manifest["created_at"] == "2026-06-18T09:00:00Z"
    assert manifest["counts"] == {
        "memories": 6,
        "edges": 2,
        "active": 3,
        "deleted": 1,
        "erased": 1,
        "superseded": 1,
    }
    for entry in manifest["entries"]:
        assert hashlib.sha256(entries[entry["name"]]).hexdigest() == entry["sha256"]
        assert len(entries[entry["name"]]) == entry["size"]
    edges = [json.loads(line) for line in entries["edges.jsonl"].splitlines()]
    assert {"from": made["new"], "kind": "supersedes", "to": made["old"]} in edges


def test_the_same_vault_gives_the_same_bytes_and_the_manifest_can_be_had_alone(here: Place) -> None:
    filled(here)
    strand = here.export()
    assert here.export() == strand
    alone = manifest_of(here.vault, here.catalog, Selection(), embedder="bundled")
    assert alone.to_dict() == manifest_in(strand)


def test_a_deleted_memory_travels_without_its_text_unless_asked_for(here: Place, there: Place) -> None:
    made = filled(here)
    strand = here.export()
    everything = b"".join(entries_in(strand).values())
    assert b"narwhal" not in everything
    assert b"walrus" not in everything
    there.bring(strand)
    statuses = {row.id: row.status for row in there.catalog.memories(include_hidden=True)}
    assert statuses[made["gone"]] == "deleted"
    assert statuses[made["erased"]] == "erased"
    assert b"narwhal" in b"".join(entries_in(here.export(include_deleted=True)).values())


def test_a_tombstone_deletes_the_memory_elsewhere_and_keeps_its_text_there(here: Place, there: Place) -> None:
    note = here.memories.add(NewMemory("the word is narwhal\n", "Word")).note
    alive = here.export()
    there.bring(alive)
    here.memories.forget(note.id)
    assert outcome(there.bring(here.export())) == (0, 0, 1, 0)
    there_now = there.memories.get(note.id)
    assert there_now.memory.status == "deleted"
    assert "narwhal" in there_now.document.body
    before = there.files()
    assert outcome(there.bring(alive)) == (0, 0, 0, 1)  # the older strand does not bring it back
    assert outcome(there.bring(here.export())) == (0, 0, 0, 1)
    assert there.files() == before


def test_a_restoration_is_not_undone_by_an_older_tombstone(here: Place, there: Place) -> None:
    note = here.memories.add(NewMemory("text\n", "Word")).note
    here.memories.forget(note.id)
    tombstones, whole = here.export(), here.export(include_deleted=True)
    there.bring(whole)
    there.memories.restore(note.id)
    assert outcome(there.bring(tombstones)) == (0, 0, 0, 1)
    assert outcome(there.bring(whole)) == (0, 0, 0, 1)
    assert there.memories.get(note.id).memory.status == "active"


def test_a_bare_tombstone_holds_back_a_text_that_comes_after_it(here: Place, there: Place) -> None:
    note = here.memories.add(NewMemory("the word is narwhal\n", "Word")).note
    alive = here.export()
    here.memories.forget(note.id)
    there.bring(here.export())
    there.bring(alive)
    assert there.memories.get(note.id).memory.status == "deleted"
    assert "narwhal" in there.memories.get(note.id).document.body
    before = there.files()
    there.bring(alive)
    assert there.files() == before


def test_what_was_erased_anywhere_is_erased_and_never_comes_back(here: Place, there: Place) -> None:
    note = here.memories.add(NewMemory("the word is narwhal\n", "Word")).note
    alive = here.export()
    there.bring(alive)
    here.memories.erase(note.id)
    assert outcome(there.bring(here.export())) == (0, 1, 0, 0)
    assert there.files() == here.files()
    assert there.vault.ancestry.find_by_hash(note.id, note.hash) is None
    for place in (here, there):
        assert outcome(place.bring(alive)) == (0, 0, 0, 1)
        assert b"narwhal" not in b"".join(place.files().values())
        [file] = place.files()
        (place.root / file).unlink()
        place.reconciler.rebuild(accept_missing=True)
        assert place.bring(alive)["skipped"][0]["reason"] == "was erased in this vault for good"
        assert place.files() == {}


@pytest.mark.parametrize(
    ("selection", "titles"),
    [
        ({"project": "billing"}, {"Old", "New"}),
        ({"tag": "auth"}, {"New"}),
        ({"scope": "project", "kind": "fact"}, {"Old", "New"}),
        ({"kind": "decision"}, set()),
    ],
)
def test_a_selection_takes_what_it_names_and_nothing_else(
    here: Place, there: Place, selection: dict[str, str], titles: set[str]
) -> None:
    filled(here)
    strand = here.export(**selection)
    there.bring(strand)
    assert set(there.notes()) == titles
    assert manifest_in(strand)["selection"] == selection


def test_a_file_that_cannot_be_read_is_left_out_and_named(here: Place) -> None:
    here.memories.add(NewMemory("text\n", "Fine"))
    here.write("bad.md", b"---\nid: mem_bad_x\n---\ntext\n")
    here.took()
    here.write("bad.md", b"---\nid: [\n---\ntext\n")
    manifest = manifest_in(here.export())
    assert manifest["counts"]["memories"] == 1
    assert [one["path"] for one in manifest["left_out"]] == ["bad.md"]


def test_conflict_copies_that_wait_to_be_merged_arrive_as_one_memory(here: Place, there: Place) -> None:
    note = here.memories.add(NewMemory("first\n", "Word")).note
    data = here.files()[note.path]
    here.write(note.path, data.replace(b"first", b"first, by one"))
    here.write(note.path.replace(".md", " (conflicted copy).md"), data.replace(b"first", b"first, by two"))
    here.took()
    strand = here.export()
    assert there.bring(strand)["made"] == 1
    [row] = there.catalog.memories()
    body = there.vault.read(row.path).document.body
    assert "first, by one" in body
    assert "first, by two" in body
    before = there.files()
    assert outcome(there.bring(strand)) == (0, 0, 0, 1)
    assert there.files() == before


def test_a_note_without_an_id_goes_to_its_own_path_or_not_at_all(here: Place, there: Place) -> None:
    here.write("README.md", b"mine\n")
    here.took()
    there.write("README.md", b"theirs\n")
    there.took()
    said = there.bring(here.export())
    assert "has no id" in said["skipped"][0]["reason"]
    assert there.files() == {"README.md": b"theirs\n"}
    [row] = here.catalog.memories()
    strand = here.export()
    here.memories.adopt(row.id)
    assert outcome(here.bring(strand)) == (0, 0, 0, 1)


def test_a_taken_path_gives_the_memory_another_one_and_a_hidden_one_too(here: Place, there: Place) -> None:
    here.write("notes/plan.md", b"---\nid: mem_2026-01-01_plan_aaaaaa\n---\nmine\n")
    here.write("private/plan.md", b"---\nid: mem_2026-01-01_plan_bbbbbb\n---\nmine too\n")
    here.took()
    there.write("notes/PLAN.md" if (there.root / "NOTES").exists() else "notes/plan.md", b"theirs\n")
    there.write(".helixignore", b"private/\n")
    there.took()
    assert there.bring(here.export())["made"] == 2
    files = there.files()
    assert files["notes/plan.md"] == b"theirs\n"
    assert sorted(path.split("/")[0] for path in files) == [".helixignore", "imported", "imported", "notes"]
    assert outcome(there.bring(here.export())) == (0, 0, 0, 2)


def test_one_bad_record_does_not_stop_the_rest(here: Place, there: Place) -> None:
    good = b"---\nid: mem_2026-01-01_good_aaaaaa\n---\ntext\n"
    records = {
        "memories/good.md": good,
        "memories/bad.md": b"---\nid: [\n---\ntext\n",
        "memories/latin.md": b"caf\xe9\n",
        "memories/stub.md": b"---\nid: s\nmerged_into: '[[x]]'\nstatus: deleted\n---\n",
        "memories/.obsidian/app.md": b"---\nid: ..\n---\nhidden\n",
        "memories/case.md": b"---\nid: MEM_2026-01-01_GOOD_AAAAAA\n---\ntext\n",
        "memories/big.md": b"x" * (5 * 1024 * 1024),
    }
    there.write("good.md", good)
    there.took()
    said = there.bring(forged(records))
    assert outcome(said) == (1, 0, 0, 1)
    assert len(said["skipped"]) == 5
    assert all(one["reason"] for one in said["skipped"])
    assert there.catalog.problems() == []
    assert [row.id for row in there.catalog.memories() if row.path.startswith("imported/")] == [".."]


# What a strand from outside may try


def forged(
    records: dict[str, bytes], change: Callable[[dict[str, Any]], None] = lambda manifest: None
) -> bytes:
    entries = [
        {"name": name, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in records.items()
    ]
    manifest = {"format": "helix-strand", "version": 1, "record_format": 1, "entries": entries}
    change(manifest)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in records.items():
            archive.writestr(name, data)
        archive.writestr("manifest.json", json.dumps(manifest))
    return target.getvalue()


def changed(**values: object) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: manifest.update(values)


GOOD = {"memories/a.md": b"---\nid: mem_2026-01-01_a_aaaaaa\n---\ntext\n"}


@pytest.mark.parametrize(
    ("strand", "why"),
    [
        (forged({**GOOD, "memories/../../evil.md": b"x"}), "leads out"),
        (forged({**GOOD, "/etc/evil.md": b"x"}), "leads out"),
        (forged({**GOOD, "memories\\..\\evil.md": b"x"}), "leads out"),
        (forged({**GOOD, "C:evil.md": b"x"}), "leads out"),
        (forged({**GOOD, "other/evil.md": b"x"}), "belongs into no strand"),
        (forged(GOOD, changed(version=2)), "update Helix"),
        (forged(GOOD, changed(record_format=9)), "update Helix"),
        (forged(GOOD, changed(version="1")), "no usable version"),
        (forged(GOOD, changed(version=True)), "no usable version"),
        (forged(GOOD, changed(format="zip")), "does not say"),
        (forged(GOOD, changed(entries={})), "lists no entries"),
        (forged(GOOD, changed(entries=[])), "does not list"),
        (forged(GOOD, changed(entries=[{"name": 1}])), "no name"),
        (forged(GOOD, lambda it: it["entries"].append(it["entries"][0])), "twice"),
        (forged(GOOD, lambda it: it["entries"][0].update(sha256="0" * 64)), "SHA-256"),
        (forged(GOOD, lambda it: it["entries"][0].update(name="memories/b.md")), "lacks"),
        (forged({"memories/a.md": b"x" * (65 * 1024 * 1024)}), "zip bomb"),
        (b"not a zip", "not a zip"),
        (forged(GOOD)[:-40], "not a zip"),
    ],
)
def test_a_strand_that_is_not_what_it_should_be_is_refused_before_anything_is_written(
    here: Place, strand: bytes, why: str
) -> None:
    with pytest.raises(BadValue, match=why):
        here.bring(strand, form="strand")
    assert here.files() == {}


def test_a_symbolic_link_in_a_strand_is_refused(here: Place) -> None:
    target = io.BytesIO(forged(GOOD))
    with zipfile.ZipFile(target, "a") as archive:
        link = zipfile.ZipInfo("memories/link.md")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BadValue, match="symbolic link"):
        here.bring(target.getvalue())
    assert here.files() == {}


def test_a_byte_that_was_changed_on_the_way_is_noticed(here: Place, there: Place) -> None:
    filled(here)
    strand = bytearray(here.export())
    strand[len(strand) // 3] ^= 0x20
    with pytest.raises(BadValue):
        there.bring(bytes(strand))
    assert there.files() == {}


def test_the_bounds_hold_for_entries_sizes_and_ratio() -> None:
    many = forged({f"memories/{number}.md": b"x" for number in range(20)})
    with pytest.raises(BadValue, match="entries"):
        Strand(io.BytesIO(many), Bounds(entries=10))
    with pytest.raises(BadValue, match="unpack"):
        Strand(io.BytesIO(many), Bounds(total=100))
    with pytest.raises(BadValue, match="more than 3"):
        Strand(io.BytesIO(forged({"memories/a.md": b"long"})), Bounds(largest=3))


def test_what_a_strand_says_cannot_be_retold(here: Place) -> None:
    with pytest.raises(BadValue, match="as they are"):
        here.bring(forged(GOOD), project="other")
