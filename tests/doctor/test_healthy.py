"""No false alarm: what is healthy is called healthy, with the daemon up and down."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from helix.doctor.examine import examine
from helix.doctor.examined import Examined, NothingToExamine
from helix.doctor.finding import Area, Finding, Severity
from helix.doctor.machine import PYTHON
from helix.vault.history import History
from helix.vault.starter import find_example, find_template, start_vault
from helix.vault.times import format_time, utc_now
from tests.doctor.patient import Patient, admitted
from tests.flows.daemon import running_daemon

DOWN = {"daemon-not-running"}


def starter(vault: Path) -> None:
    start_vault(vault, find_template())


def with_example(vault: Path) -> None:
    start_vault(vault, find_template(), find_example())


def in_git(vault: Path) -> None:
    start_vault(vault, find_template(), find_example())
    History.start(vault, "Start the vault")


def in_syncthing(vault: Path) -> None:
    starter(vault)
    (vault / ".stfolder").mkdir()


def in_dropbox(vault: Path) -> None:
    starter(vault)
    (vault / ".dropbox.cache").mkdir()
    (vault.parent / ".dropbox").mkdir()


@pytest.fixture(autouse=True)
def _no_settings_of_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.mark.parametrize("fill", [starter, with_example, in_git, in_syncthing, in_dropbox])
def test_a_healthy_vault_is_called_healthy(fill: Callable[[Path], None]) -> None:
    with admitted(fill) as patient:
        assert patient.codes() == DOWN
        patient.use()
        assert patient.codes() == DOWN, "also once Helix knows it"


def test_a_vault_in_use_is_healthy() -> None:
    """After writes of Helix, with hosts connected, a token made and an own setting."""
    with admitted(in_git) as patient:
        patient.program("bin", "helix", "helixd", "helix-mcp")
        patient.configure('log_level = "info"\n[git]\nquiet = 10\n')
        (patient.home / ".claude.json").write_text('{"mcpServers": {"helix": {"command": "helix-mcp"}}}')
        now = format_time(utc_now())
        made = patient.note("mem_2026-06-01_new_abcdef", f"created_at: {now}\nupdated_at: {now}\n")
        patient.use()
        made.write_text(made.read_text().replace("worth keeping", "well worth keeping"))
        patient.use()
        assert patient.codes() == DOWN
        assert patient.fix() == []


def test_notes_of_obsidian_are_healthy() -> None:
    """No ids, links to pictures and views, tags of their own, Templater's files: a note at most."""
    with admitted(lambda vault: vault.mkdir()) as patient:
        patient.write(
            "Home.md", "# Home\n\n![[map.png]] [[Trails]] [[Trails#Long ones|the long ones]] #home\n"
        )
        patient.write(
            "Trails.md", "---\ntags: hiking\naliases: [Paths]\n---\n[[Home]] and [[views/all.base]]\n"
        )
        patient.write("map.png", b"\x89PNG")
        patient.write(
            "Ideas.md", "---\nstatus: draft\nscope: mine\ncreated_at: yesterday\n---\nMore trails.\n"
        )
        patient.write("Untitled.md", "")
        patient.write("views/all.base", "views: []\n")
        patient.write(".obsidian/workspace.json", "{}")
        findings = patient.examine().findings
        own_words = {"unknown-status", "unknown-scope", "bad-date", "empty-note"}
        assert {finding.code for finding in findings} == {*DOWN, "vault-unnamed", "no-id", *own_words}
        assert {finding.severity for finding in findings} == {Severity.NOTE}


def test_a_running_daemon_is_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    with admitted(starter) as patient:
        for name, value in {**patient.env, "HOME": str(patient.home)}.items():
            if name != "PATH":
                monkeypatch.setenv(name, value)
        with running_daemon() as daemon:
            assert patient.codes() <= {"index-behind"}
            patient.note("mem_2026-06-01_new_abcdef")
            assert patient.codes() <= {"index-behind"}
            other = Patient(
                patient.place, {**patient.env, "HELIX_VAULT": str(patient.place / "second")}, patient.stack
            )
            starter(other.vault)
            assert other.codes() == {"port-of-another-vault"}
            daemon.process.kill()
            daemon.process.wait()
        assert "stale-daemon-file" in patient.codes()
        assert patient.fix()
        assert "stale-daemon-file" not in patient.codes()


def test_a_check_that_fails_says_so_and_hides_no_other() -> None:
    def fails(examined: Examined) -> list[Finding]:
        raise ZeroDivisionError("one of those days")

    def has_nothing(examined: Examined) -> list[Finding]:
        raise NothingToExamine

    def finds(examined: Examined) -> list[Finding]:
        return [PYTHON.at("here", "it is old")]

    with admitted() as patient:
        found = examine(patient._examined(), [Area("All", (), (fails, has_nothing, finds))]).findings
    assert [finding.code for finding in found] == ["check-failed", "python-too-old"]
    assert "one of those days" in found[0].what


def test_looking_changes_nothing() -> None:
    with admitted(in_git) as patient:
        patient.note("mem_2026-06-01_ill_abcdef", "status: done\n")
        before = _everything(patient.place)
        patient.examine()
        assert _everything(patient.place) == before


def _everything(place: Path) -> dict[str, bytes]:
    listing = subprocess.run(["find", str(place), "-type", "f"], capture_output=True, check=True, text=True)
    return {name: Path(name).read_bytes() for name in listing.stdout.splitlines()}
