from __future__ import annotations

from pathlib import Path

import pytest

from helix.errors import VaultError
from helix.vault.vault_id import IDENTITY_FILE, new_identity, read_identity, state_folder


def name(folder: Path, text: bytes) -> Path:
    (folder / ".helix").mkdir(parents=True, exist_ok=True)
    (folder / IDENTITY_FILE).write_bytes(text)
    return folder


def test_a_new_identity_reads_back_and_is_no_others(tmp_path: Path) -> None:
    one, other = (read_identity(name(tmp_path / part, new_identity())) for part in "ab")
    assert one
    assert other
    assert one != other


def test_a_folder_that_was_never_initialised_has_none(tmp_path: Path) -> None:
    assert read_identity(tmp_path) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"id = ", "bad-identity"),
        (b"\xff", "bad-identity"),
        (b'id = "../../etc"\n', "bad-identity"),
        (b"format = 1\n", "bad-identity"),
        (b'id = "a"\nformat = 2\n', "unknown-format"),
    ],
)
def test_an_identity_that_cannot_be_used_is_refused_and_not_replaced(
    tmp_path: Path, text: bytes, code: str
) -> None:
    with pytest.raises(VaultError) as caught:
        read_identity(name(tmp_path, text))
    assert caught.value.code == code
    assert (tmp_path / IDENTITY_FILE).read_bytes() == text


def test_two_copies_of_one_vault_do_not_share_their_derived_data(tmp_path: Path) -> None:
    identity = new_identity()
    one, other = (name(tmp_path / part, identity) for part in "ab")
    assert state_folder(tmp_path, one) != state_folder(tmp_path, other)


def test_a_vault_keeps_its_derived_data_however_its_path_is_written(tmp_path: Path) -> None:
    vault = name(tmp_path / "vault", new_identity())
    (tmp_path / "link").symlink_to(vault)
    assert state_folder(tmp_path, vault) == state_folder(tmp_path, tmp_path / "link")
    assert vault not in state_folder(tmp_path, vault).parents
