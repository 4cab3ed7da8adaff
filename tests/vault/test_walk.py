from __future__ import annotations

import os
from pathlib import Path

import pytest

from helix.vault.ignore import Ignore
from helix.vault.walk import Signature, walk


def notes(folder: Path, rules: str = "", below: str = "") -> list[str]:
    return sorted(walk(str(folder), Ignore(rules), below).files)


def put(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)


def test_every_note_is_found_at_any_depth_and_nothing_else(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "b/c.md", "b/d/e/f.md", "b/x.png", ".git/n.md", "b/.obsidian/n.md", "b/n.md~")
    assert notes(tmp_path) == ["a.md", "b/c.md", "b/d/e/f.md"]
    assert notes(tmp_path, below="b/d") == ["b/d/e/f.md"]
    assert notes(tmp_path, "d/\n") == ["a.md", "b/c.md"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    put(vault, "a.md")
    put(outside, "secret.md")
    (vault / "link.md").symlink_to(outside / "secret.md")
    (vault / "folder").symlink_to(outside)
    assert notes(vault) == ["a.md"]


def test_a_name_that_is_not_utf8_is_told_apart_and_shown_escaped(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    with open(os.path.join(os.fsencode(tmp_path), b"caf\xe9.md"), "wb"):
        pass
    found = walk(str(tmp_path), Ignore())
    assert (list(found.files), found.odd_names) == (["a.md"], ["caf\\xe9.md"])


def test_a_folder_with_temp_files_of_ours_is_named_once(tmp_path: Path) -> None:
    put(tmp_path, "b/.~helix-0123456789abcdef.tmp", "b/.~helix-fedcba9876543210.tmp", "b/n.md")
    found = walk(str(tmp_path), Ignore())
    assert (list(found.files), found.temporary) == (["b/n.md"], ["b"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list every folder")
def test_a_folder_that_may_not_be_listed_is_named(tmp_path: Path) -> None:
    put(tmp_path, "a/n.md")
    (tmp_path / "a").chmod(0)
    try:
        assert walk(str(tmp_path), Ignore()).unreadable == ["a"]
    finally:
        (tmp_path / "a").chmod(0o755)


def test_a_folder_that_is_gone_holds_nothing_but_a_vault_that_is_gone_is_an_error(tmp_path: Path) -> None:
    assert notes(tmp_path, below="gone") == []
    with pytest.raises(FileNotFoundError):
        walk(str(tmp_path / "gone"), Ignore())


def test_a_signature_changes_with_an_edit_that_keeps_size_and_mtime(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    before = (tmp_path / "a.md").stat()
    os.utime(tmp_path / "a.md", ns=(0, before.st_mtime_ns - 1))
    (tmp_path / "a.md").write_text("b.md")
    os.utime(tmp_path / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    after = (tmp_path / "a.md").stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert Signature.of(after) != Signature.of(before)


def test_a_signature_fits_into_the_catalog_whatever_the_drive_calls_its_files() -> None:
    times = {"st_mtime_ns": 10**18, "st_ctime_ns": 10**18}
    info = os.stat_result((0o100644, 2**64 - 1, 0, 1, 0, 0, 5, 0, 0, 0), times)
    assert all(-(2**63) <= number < 2**63 for number in Signature.of(info))
