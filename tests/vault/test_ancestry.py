from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.vault import ancestry as ancestry_module
from helix.vault import frontmatter
from helix.vault.ancestry import STATES_PER_MEMORY, Ancestry
from helix.vault.frontmatter import Document
from helix.vault.hashes import content_hash
from helix.vault.merge import state_of
from tests.residue import residue


@pytest.fixture
def ancestry(tmp_path: Path) -> Iterator[Ancestry]:
    ancestry = Ancestry(tmp_path / "state" / "ancestry.db")
    yield ancestry
    ancestry.close()


def text(body: str) -> Document:
    return frontmatter.parse(f"---\nid: mem_a\n---\n{body}".encode())


def test_a_state_is_found_by_its_state_and_by_the_hash_of_its_file(ancestry: Ancestry) -> None:
    document = text("Some text.\n")
    ancestry.remember("mem_a", document)
    digest = content_hash(frontmatter.emit(document))
    assert ancestry.find("mem_a", state_of(document)) == document
    assert ancestry.find_by_hash("mem_a", digest) == document
    assert ancestry.find_by_hash("mem_a", digest[:12]) == document
    assert ancestry.memory_with_hash(digest[:12]) == "mem_a"


def test_a_state_of_another_memory_is_not_found(ancestry: Ancestry) -> None:
    document = text("Some text.\n")
    ancestry.remember("mem_a", document)
    assert ancestry.find("mem_b", state_of(document)) is None
    assert ancestry.memory_with_hash("?") is None


def test_it_outlives_the_process(tmp_path: Path) -> None:
    first = Ancestry(tmp_path / "ancestry.db")
    first.remember("mem_a", text("kept"))
    first.forget_texts("mem_b", "2026-06-18T09:00:00Z")
    first.close()
    second = Ancestry(tmp_path / "ancestry.db")
    assert second.find("mem_a", state_of(text("kept")))
    assert second.erased_at("mem_b") == "2026-06-18T09:00:00Z"
    second.close()


def test_of_one_memory_only_the_last_states_are_kept(ancestry: Ancestry) -> None:
    states = [text(f"Version {number}.") for number in range(STATES_PER_MEMORY + 5)]
    for document in states:
        ancestry.remember("mem_a", document)
    found = [ancestry.find("mem_a", state_of(document)) is not None for document in states]
    assert found == [False] * 5 + [True] * STATES_PER_MEMORY


def test_the_oldest_texts_go_when_there_are_too_many_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ancestry_module, "BYTES_KEPT", 4_000)
    monkeypatch.setattr(ancestry_module, "_PRUNE_EVERY", 10)
    ancestry = Ancestry(tmp_path / "ancestry.db")
    for number in range(200):
        ancestry.remember(f"mem_{number}", text(f"Version {number}."))
    assert ancestry.find("mem_0", state_of(text("Version 0."))) is None
    assert ancestry.find("mem_199", state_of(text("Version 199.")))
    ancestry.close()


def test_nothing_of_an_erased_memory_is_kept_and_its_first_date_stays(
    ancestry: Ancestry, tmp_path: Path
) -> None:
    ancestry.remember("mem_a", text("secret"))
    ancestry.forget_texts("mem_a", "2026-06-18T09:00:00Z")
    ancestry.forget_texts("mem_a", "2027-01-01T00:00:00Z")
    assert ancestry.find("mem_a", state_of(text("secret"))) is None
    assert ancestry.erased_at("mem_a") == "2026-06-18T09:00:00Z"


def test_a_damaged_text_is_an_unknown_one(ancestry: Ancestry, tmp_path: Path) -> None:
    ancestry.remember("mem_a", text("kept"))
    with sqlite3.connect(tmp_path / "state" / "ancestry.db") as db:
        db.execute("UPDATE states SET data = x'00'")
    assert ancestry.find("mem_a", state_of(text("kept"))) is None


def test_a_damaged_file_is_set_aside_and_stops_nothing(tmp_path: Path) -> None:
    garbage = b"not a database at all, but long enough to be read as one" * 100
    (tmp_path / "ancestry.db").write_bytes(garbage)
    ancestry = Ancestry(tmp_path / "ancestry.db")
    ancestry.remember("mem_a", text("kept"))
    assert ancestry.find("mem_a", state_of(text("kept")))
    assert (tmp_path / "ancestry.db.damaged").read_bytes() == garbage
    ancestry.close()


def test_no_byte_of_an_erased_text_stays_in_the_file(tmp_path: Path) -> None:
    ancestry = Ancestry(tmp_path / "ancestry.db")
    before = b"---\nid: mem_a\n---\n" + bytes(range(97, 123)) * 3 + b"\n"
    ancestry.remember("mem_a", frontmatter.parse(before))
    ancestry.remember("mem_b", frontmatter.parse(b"---\nid: mem_b\n---\nother\n"))
    ancestry.forget_texts("mem_a", "2026-01-01T00:00:00Z")
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert zlib.compress(before)[2:20] not in kept
    assert ancestry.erased_at("mem_a") == "2026-01-01T00:00:00Z"


def test_a_text_of_an_erased_memory_is_not_remembered_again(ancestry: Ancestry, tmp_path: Path) -> None:
    ancestry.forget_texts("mem_a", "2026-01-01T00:00:00Z")
    ancestry.remember("mem_a", text("a late text"))
    assert ancestry.find("mem_a", state_of(text("a late text"))) is None
    ancestry.remember("mem_b", text("another memory"))
    assert ancestry.find("mem_b", state_of(text("another memory")))


def test_texts_that_another_process_was_reading_when_they_were_erased_leave_the_log_at_the_next_try(
    tmp_path: Path,
) -> None:
    ancestry = Ancestry(tmp_path / "ancestry.db")
    ancestry.remember("mem_a", text("zqsecret " * 50))
    reader = sqlite3.connect(tmp_path / "ancestry.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM states").fetchone()
    ancestry.forget_texts("mem_a", "2026-01-01T00:00:00Z")
    assert not ancestry.erase(["mem_a"]), "the log still holds the pages as they were"
    reader.close()
    assert ancestry.erase(["mem_a"])
    assert residue("zqsecret", tmp_path) == []
    ancestry.close()
