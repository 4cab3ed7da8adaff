"""helix doctor as a person runs it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.commands import helix, helix_json
from tests.flows.daemon import free_port


@pytest.fixture
def vault(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    return place / "vault"


def test_a_clean_vault_in_one_line_of_judgement(vault: Path) -> None:
    said = helix("doctor")
    assert said.stdout.splitlines()[-1] == "nothing is wrong (2 notes)"
    found = helix_json("doctor")
    assert (found["errors"], found["warnings"], found["notes"], found["fixed"]) == (0, 0, 2, [])


def test_each_finding_names_file_line_reason_and_remedy(vault: Path) -> None:
    (vault / "bad.md").write_text("---\nid: a\nstatus: active\nid: b\n---\n")
    said = helix("doctor", ok=False).stdout
    assert "bad.md:4: the key 'id' stands twice" in said
    assert "→ Keep one of the two lines" in said
    assert "1 error, 2 notes" in said
    [one] = [one for one in helix_json("doctor", ok=False)["findings"] if one["severity"] == "error"]
    assert (one["path"], one["line"], one["code"], one["fixable"]) == ("bad.md", 4, "duplicate-key", False)


def test_it_fits_in_eighty_columns_without_colour_and_keeps_to_a_screen(vault: Path) -> None:
    for number in range(200):
        (vault / f"n{number}.md").write_text(
            f"---\nid: n{number}\nstatus: done\n---\nSee [[gone {number}]].\n"
        )
    said = helix("doctor").stdout
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) <= 80
    assert len(said.splitlines()) < 40
    assert "… and 197 more" in said
    assert len(helix_json("doctor")["findings"]) > 400


def test_fix_says_what_it_did_and_looks_again(vault: Path, place: Path) -> None:
    helix("token")
    os.chmod(place / "config" / "token", 0o644)
    first = next((vault / "global").glob("*.md"))
    (vault / "global" / f"{first.stem} (conflicted copy).md").write_text(first.read_text() + "More.\n")
    assert "token-readable-by-others" in helix("doctor", ok=False).stdout
    said = helix("doctor", "--fix").stdout
    assert "✓ set the mode of" in said
    assert "✓ merged" in said
    assert "nothing is wrong" in said
    assert os.stat(place / "config" / "token").st_mode & 0o777 == 0o600
    assert "More." in first.read_text()


def test_a_vault_that_cannot_be_opened_is_explained(vault: Path, place: Path) -> None:
    (vault / ".helix" / "vault.toml").write_text("id = \n")
    (vault / "bad.md").write_text("---\nid: a\nid: b\n---\n")
    (place / "config").mkdir(exist_ok=True)
    (place / "config" / "config.toml").write_text("prot = 1\n")
    codes = {one["code"] for one in helix_json("doctor", ok=False)["findings"]}
    assert {"bad-identity", "duplicate-key", "unknown-setting"} <= codes
