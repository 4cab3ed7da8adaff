"""Export and import as a user runs them, beside a daemon and without one."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.cli.commands import BIN, helix, helix_json, listed, remembered
from tests.flows.daemon import free_port, running_daemon
from tests.memory.portability.rig import FIXTURES
from tests.waiting import wait_for


@pytest.fixture
def vault(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    work = place / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    helix("init")
    return place / "vault"


@pytest.fixture
def other(place: Path) -> tuple[str, str]:
    """A second vault, as the option that names it."""
    helix("--vault", str(place / "other"), "init")
    return ("--vault", str(place / "other"))


def test_a_strand_carries_the_memories_from_one_vault_to_another(
    vault: Path, place: Path, other: tuple[str, str]
) -> None:
    made = remembered("The word is narwhal", "--project", "zoo", "--tag", "sea")
    said = helix_json("export", "zoo.strand", "--project", "zoo")
    assert (said["file"], said["counts"]["memories"], said["embedder"]) == ("zoo.strand", 1, "none")
    assert "entries" not in said
    rehearsed = helix_json(*other, "import", "zoo.strand", "--dry-run")
    assert (rehearsed["made"], rehearsed["dry_run"]) == (1, True)
    assert not (place / "other" / made["path"]).exists()
    assert helix_json(*other, "import", "zoo.strand")["made"] == 1
    assert (place / "other" / made["path"]).read_bytes() == (vault / made["path"]).read_bytes()
    assert helix_json(*other, "import", "zoo.strand")["unchanged"] == 1
    assert "1 unchanged" in helix(*other, "import", "zoo.strand").stdout
    assert helix_json(*other, "recall", "narwhal")["results"][0]["id"] == made["id"]


def test_export_names_the_file_after_the_vault_and_replaces_none_uninvited(vault: Path) -> None:
    assert helix("export").stdout.startswith("vault.strand: 8 memories")
    before = Path("vault.strand").read_bytes()
    refused = helix_json("export", ok=False)
    assert (refused["code"], Path("vault.strand").read_bytes()) == ("already-exists", before)
    helix("export", "--force")
    assert Path("vault.strand").read_bytes() == before
    assert [path.name for path in Path().iterdir()] == ["vault.strand"]
    assert helix_json("export", "no/such/folder.strand", ok=False)["code"] == "io-error"


def test_export_to_standard_output_is_the_same_strand(vault: Path) -> None:
    helix("export", "file.strand")
    piped = subprocess.run(
        [str(BIN / "helix"), "export", "-"], capture_output=True, check=True, env=os.environ
    )
    assert piped.stdout == Path("file.strand").read_bytes()
    assert b"8 memories" in piped.stderr
    assert helix_json("export", "-", ok=False)["code"] == "bad-value"


def test_import_says_what_it_made_and_why_it_skipped(vault: Path) -> None:
    done = helix("import", str(FIXTURES / "mem0" / "export.json"), "--tag", "from-mem0")
    assert done.stdout.startswith("mem0: 2 made, 0 updated, 0 merged, 0 unchanged, 0 kept, 3 skipped")
    assert "is deleted in the source" in done.stderr
    assert len(listed("--tag", "from-mem0")) == 2
    assert [one for one in helix_json("doctor")["findings"] if one["severity"] == "error"] == []


def test_a_source_that_cannot_be_imported_is_an_error_with_a_way_out(vault: Path) -> None:
    Path("strange.dat").write_bytes(b"\1\2\3")
    assert "--format" in helix("import", "strange.dat", ok=False).stderr
    assert helix_json("import", "missing", ok=False)["code"] == "bad-value"
    assert helix_json("import", "strange.dat", "--format", "strand", ok=False)["code"] == "bad-value"
    Path("notes.md").write_text("text\n")
    assert helix_json("import", "notes.md", "--scope", "project", ok=False)["code"] == "bad-value"


def test_beside_a_daemon_an_import_is_found_at_once(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    with running_daemon():
        said = helix_json("import", str(FIXTURES / "obsidian"), "--project", "notes")
        assert (said["made"], said["degraded"]) == (2, None)
        assert len([row for row in listed() if row["project"] == "notes"]) == 2
        assert helix_json("import", str(FIXTURES / "obsidian"), "--project", "notes")["unchanged"] == 2
        strand = helix_json("export", "notes.strand", "--project", "notes")
        assert strand["counts"]["memories"] == 2
        assert helix_json("import", "notes.strand")["unchanged"] == 2
        assert any(
            "How we retry" in hit["title"] for hit in helix_json("recall", "--all", "retry jitter")["results"]
        )


def test_an_import_that_is_killed_is_finished_by_the_next_one(vault: Path) -> None:
    memories = [{"id": f"m-{number}", "memory": f"fact number {number}"} for number in range(600)]
    Path("export.json").write_text(json.dumps(memories))
    process = subprocess.Popen([str(BIN / "helix"), "import", "export.json"], env=os.environ)
    folder = vault / "global"
    wait_for(lambda: process.poll() is not None or len(list(folder.glob("mem_*_fact-number-*"))) >= 30, 60)
    process.kill()
    process.wait()
    said = helix_json("import", "export.json")
    assert said["made"] + said["unchanged"] == 600
    assert len([row for row in listed() if row["title"].startswith("fact number")]) == 600
    assert helix_json("import", "export.json")["unchanged"] == 600
    assert [one for one in helix_json("doctor")["findings"] if one["severity"] == "error"] == []


def test_a_strand_holds_records_and_nothing_else_of_the_vault(vault: Path) -> None:
    (vault / "secret.txt").write_text("token")
    (vault / ".env").write_text("token")
    helix("export", "all.strand")
    with zipfile.ZipFile("all.strand") as archive:
        names = [name for name in archive.namelist() if name not in ("manifest.json", "edges.jsonl")]
    assert all(name.startswith("memories/") and name.endswith(".md") for name in names)
