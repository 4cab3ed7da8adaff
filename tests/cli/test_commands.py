"""The commands, from the outside: real processes on a real vault."""

from __future__ import annotations

import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cli.commands import helix, helix_json, listed, remembered
from tests.waiting import wait_for


@pytest.fixture
def vault(place: Path) -> Path:
    helix("init")
    return place / "vault"


def test_init_makes_a_vault_that_has_nothing_wrong_with_it(vault: Path) -> None:
    assert (vault / "README.md").exists()
    assert [one for one in helix_json("doctor")["findings"] if one["path"].endswith(".md")] == []
    assert len(listed()) >= 5


def test_init_in_a_folder_of_notes_changes_none_of_them_and_adds_no_examples(place: Path) -> None:
    note = place / "vault" / "old.md"
    note.parent.mkdir()
    note.write_bytes(b"\xef\xbb\xbf# Old\r\nno frontmatter")
    helix("init")
    assert note.read_bytes() == b"\xef\xbb\xbf# Old\r\nno frontmatter"
    assert [row["title"] for row in listed()] == ["Old"]
    assert not (place / "vault" / "global").exists()


def test_a_second_init_says_so_and_changes_nothing(vault: Path) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    assert "vault already" in helix("init", ok=False).stderr
    helix("init", "--if-missing")
    assert {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()} == before


def test_without_a_vault_every_command_says_how_to_make_one(place: Path) -> None:
    assert "helix init" in helix("recent", ok=False).stderr
    assert helix_json("recent", ok=False)["code"] == "vault-missing"


def test_a_memory_goes_through_its_whole_life(vault: Path) -> None:
    made = remembered("Auth client retries 3x with jitter", "--kind", "decision", "--project", "billing-api")
    file = vault / made["path"]
    assert file.stem == made["id"]
    assert "Auth client retries 3x with jitter\n" in file.read_text()

    decisions = ("--project", "billing-api", "--kind", "decision")
    assert [row["id"] for row in listed(*decisions)] == [made["id"]]
    assert helix_json("forget", made["id"])["status"] == "forgotten"
    assert listed(*decisions) == []
    assert [row["id"] for row in listed(*decisions, "--include-deleted")] == [made["id"]]
    assert file.exists()
    assert helix_json("restore", made["id"])["memory_status"] == "active"

    better = remembered("Retries 5x now", "--project", "billing-api", "--supersedes", made["id"])
    assert helix_json("get", "--include-deleted", made["id"])["status"] == "superseded"
    assert helix_json("get", better["id"])["edges"] == [{"rel": "supersedes", "to": made["id"]}]

    erased = helix("forget", better["id"], "--hard")
    assert "version history" in erased.stderr
    assert "Retries 5x" not in (vault / better["path"]).read_text()
    assert (vault / better["path"]).exists()
    assert helix_json("restore", better["id"], ok=False)["code"] == "erased"


def test_no_file_in_the_vault_holds_an_erased_text_when_the_command_says_so(vault: Path) -> None:
    made = remembered("The word is narwhal", "--title", "Note")
    helix("forget", made["id"], "--hard")
    assert [path for path in vault.rglob("*") if path.is_file() and b"narwhal" in path.read_bytes()] == []


def test_a_command_removes_what_earlier_ones_swapped_out(vault: Path) -> None:
    made = remembered("A text")
    helix("forget", made["id"])
    [old] = vault.glob("global/.~helix-*")
    wait_for(lambda: time.time() - old.stat().st_ctime > 2.5)
    helix("recent")
    assert not old.exists()


def test_a_restored_memory_that_was_replaced_stays_replaced(vault: Path) -> None:
    old = remembered("Port is 8080")
    helix("remember", "Port is 9090", "--supersedes", old["id"])
    helix("forget", old["id"])
    assert helix_json("restore", old["id"])["memory_status"] == "superseded"


def test_text_comes_from_standard_input_and_an_empty_one_is_refused(vault: Path) -> None:
    helix("remember", "-", "--title", "From a pipe", feed="first\nsecond\n")
    [row] = [row for row in listed() if row["title"] == "From a pipe"]
    assert (vault / row["path"]).read_text().endswith("---\nfirst\nsecond\n")
    assert helix_json("remember", "  ", ok=False)["code"] == "bad-value"


def test_a_renamed_file_is_still_the_same_memory(vault: Path) -> None:
    made = remembered("The build cache lives on heron")
    (vault / "elsewhere").mkdir()
    (vault / made["path"]).rename(vault / "elsewhere" / "Build cache.md")
    assert helix_json("get", "--include-deleted", made["id"])["path"] == "elsewhere/Build cache.md"
    helix("forget", made["id"])
    assert "status: deleted" in (vault / "elsewhere" / "Build cache.md").read_text()


def test_a_note_without_an_id_is_left_alone_until_it_is_adopted(vault: Path) -> None:
    note = vault / "Zettel.md"
    note.write_text("Just text\n")
    [row] = [row for row in listed() if row["path"] == "Zettel.md"]
    assert row["id"].startswith("file_zettel_")
    assert note.read_text() == "Just text\n"
    [adopted] = helix_json("adopt", row["id"])
    assert adopted["id"].startswith("mem_")
    assert note.read_text().endswith("---\nJust text\n")
    assert helix_json("get", "--include-deleted", adopted["id"])["text"] == "Just text"


def test_history_diff_and_restore_read_git(vault: Path) -> None:
    helix("init", "--git")
    made = remembered("First wording\nsecond line")
    run = ["git", "-C", str(vault), "-c", "user.name=T", "-c", "user.email=t@localhost"]
    subprocess.run([*run, "add", "-A"], check=True)
    subprocess.run([*run, "commit", "-qm", "first"], check=True)
    file = vault / made["path"]
    file.write_text(file.read_text().replace("First wording", "Second wording"))
    (vault / "moved").mkdir()
    file.rename(vault / "moved" / "renamed.md")
    subprocess.run([*run, "add", "-A"], check=True)
    subprocess.run([*run, "commit", "-qm", "second"], check=True)

    assert [version["subject"] for version in helix_json("history", made["id"])["versions"]] == [
        "second",
        "first",
    ]
    assert "-First wording" in helix("diff", made["id"], "HEAD~1").stdout
    assert helix_json("get", "--include-deleted", made["id"], "--ref", "HEAD~1")["text"].startswith(
        "First wording"
    )
    helix("restore", made["id"], "--at", "HEAD~1")
    assert helix_json("get", "--include-deleted", made["id"])["text"].startswith("First wording")


def test_a_memory_whose_file_was_deleted_comes_back_from_git(vault: Path) -> None:
    made = remembered("Do not lose me")
    helix("init", "--git")
    (vault / made["path"]).unlink()
    assert made["id"] not in {row["id"] for row in listed()}
    helix("restore", made["id"], "--at", "HEAD")
    assert "Do not lose me" in helix_json("get", "--include-deleted", made["id"])["text"]


def test_reindex_brings_everything_back_after_the_state_folder_is_deleted(vault: Path, place: Path) -> None:
    made = remembered("Survives")
    before = listed("--include-deleted")
    for path in sorted((place / "state").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    helix("reindex")
    assert listed("--include-deleted") == before
    assert made["id"] in {row["id"] for row in before}


def test_many_missing_files_stop_everything_until_a_person_accepts(vault: Path) -> None:
    for number in range(30):
        helix_or_file = vault / f"n{number}.md"
        helix_or_file.write_text(f"---\nid: n{number}\n---\ntext\n")
    assert len(listed()) > 30
    for number in range(30):
        (vault / f"n{number}.md").unlink()
    assert "accept-missing" in helix("recent").stderr
    assert helix_json("status")["memories"]["active"] > 30
    assert helix_json("reindex", ok=False)["code"] == "vault-unavailable"
    helix("reindex", "--accept-missing")
    assert helix_json("status")["memories"]["active"] < 30


def test_an_unknown_setting_names_the_nearest_one(vault: Path, place: Path) -> None:
    (place / "config").mkdir()
    (place / "config" / "config.toml").write_text("valt = '/x'\n")
    assert "'vault'" in helix("recent", ok=False).stderr


def test_commands_at_the_same_time_wait_for_each_other(vault: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda number: remembered(f"Note {number}"), range(6)))
        found = list(pool.map(lambda one: helix_json("get", "--include-deleted", one["id"]), made))
    assert [one["id"] for one in found] == [one["id"] for one in made]


def test_a_text_that_could_not_be_read_back_is_refused_and_not_acknowledged(vault: Path) -> None:
    before = sorted(vault.rglob("*.md"))
    for feed in ("a line\n" * 700_000, "a\x00b", "\udcff"):
        refused = helix("remember", "-", "--title", "Note", ok=False, feed=feed)
        assert refused.stderr.startswith("helix: "), refused.stderr
    assert helix("remember", "text", "--title", "t" * 70_000, ok=False).stderr.startswith("helix: ")
    assert sorted(vault.rglob("*.md")) == before


def test_tags_are_found_whatever_their_case(vault: Path) -> None:
    made = remembered("text #Inline", "--tag", "Auth")
    for tag in ("auth", "AUTH", "inline"):
        assert [row["id"] for row in listed("--tag", tag)] == [made["id"]]


def test_trouble_with_files_is_a_sentence_and_never_a_traceback(place: Path, vault: Path) -> None:
    (place / "file").write_text("x")
    for arguments in (
        ("--vault", str(place / "file"), "init"),
        ("--vault", str(place / "file" / "below"), "init"),
    ):
        said = helix(*arguments, ok=False).stderr
        assert said.startswith("helix: "), said
    shutil.rmtree(place / "state", ignore_errors=True)
    (place / "state").write_text("x")
    said = helix("recent", ok=False).stderr
    assert said.startswith("helix: "), said
    assert str(place / "state") in said


def test_a_note_that_cannot_be_read_is_named_in_the_answer(vault: Path) -> None:
    made = remembered("text")
    file = vault / made["path"]
    file.write_text(file.read_text().replace("title: text", "title: [text"))
    assert made["path"] in helix("get", made["id"], ok=False).stderr
    assert made["path"] in helix("forget", made["id"], ok=False).stderr
