"""Secrets on disk: encrypted, of one vault, in a file that is its owner's alone."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from pathlib import Path
from typing import ClassVar

import keyring
import pytest
from keyring.backends.chainer import ChainerBackend
from keyrings.alt.file import PlaintextKeyring

from helix.errors import AlreadyExists, BadValue, SecretNotFound, SecretsUnreadable
from helix.secrets.key import KEY_FILE
from helix.secrets.store import SECRETS_FILE, SecretStore

VALUE = "walrus-token-4711-tusk"


@pytest.fixture
def store(tmp_path: Path) -> SecretStore:
    return SecretStore(tmp_path / "config", "vault-one")


def _bytes_below(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_a_value_is_given_back_and_stands_nowhere_as_it_is(store: SecretStore, tmp_path: Path) -> None:
    store.add("github", VALUE)
    assert store.values(["github"]) == {"github": VALUE}
    assert VALUE.encode() not in _bytes_below(tmp_path)
    if sys.platform != "win32":
        for name in (SECRETS_FILE, KEY_FILE):
            assert stat.S_IMODE(os.stat(tmp_path / "config" / name).st_mode) == 0o600


def test_a_name_tells_when_it_was_set_rotated_and_used(store: SecretStore) -> None:
    first = store.add("github", VALUE)
    assert (first.version, first.last_used_at) == (1, None)
    assert store.rotate("github", VALUE + "-new").version == 2
    assert store.values(["github"]) == {"github": VALUE + "-new"}
    [known] = store.names()
    assert known.last_used_at is not None


def test_what_was_rotated_or_deleted_is_gone_from_the_file(store: SecretStore, tmp_path: Path) -> None:
    store.add("github", VALUE)
    with sqlite3.connect(tmp_path / "config" / SECRETS_FILE) as db:
        [(sealed,)] = db.execute("SELECT value FROM secrets").fetchall()
    store.rotate("github", VALUE + "-new")
    assert sealed not in (tmp_path / "config" / SECRETS_FILE).read_bytes()
    store.delete("github")
    assert store.names() == []
    with pytest.raises(SecretNotFound):
        store.values(["github"])


def test_a_secret_of_one_vault_is_none_of_another(store: SecretStore, tmp_path: Path) -> None:
    store.add("github", VALUE)
    other = SecretStore(tmp_path / "config", "vault-two")
    assert other.names() == []
    with pytest.raises(SecretNotFound):
        other.rotate("github", VALUE)
    other.add("github", "another-value")
    assert store.values(["github"]) == {"github": VALUE}


def test_a_value_that_was_moved_under_another_name_cannot_be_decrypted(
    store: SecretStore, tmp_path: Path
) -> None:
    store.add("github", VALUE)
    store.add("gitlab", "another-value")
    with sqlite3.connect(tmp_path / "config" / SECRETS_FILE) as db:
        db.execute(
            "UPDATE secrets SET value = (SELECT value FROM secrets WHERE name = 'github') WHERE name = 'gitlab'"
        )
    with pytest.raises(SecretsUnreadable, match="rotate gitlab"):
        store.values(["gitlab"])


def test_a_key_that_is_gone_is_not_replaced_by_a_new_one(store: SecretStore, tmp_path: Path) -> None:
    store.add("github", VALUE)
    key = tmp_path / "config" / KEY_FILE
    kept = key.read_bytes()
    key.unlink()
    for use in (lambda: store.values(["github"]), lambda: store.add("gitlab", "another-value")):
        with pytest.raises(SecretsUnreadable, match="backup"):
            use()
    key.write_bytes(kept)
    assert store.values(["github"]) == {"github": VALUE}
    key.unlink()
    store.delete("github")
    store.add("github", VALUE + "-again")
    assert store.values(["github"]) == {"github": VALUE + "-again"}


def _ring(place: Path, priority: float) -> PlaintextKeyring:
    class Ring(PlaintextKeyring):  # type: ignore[misc]
        pass

    Ring.priority = priority
    ring = Ring()
    ring.file_path = str(place / f"ring-{priority}.cfg")
    return ring


def test_the_key_is_in_the_keyring_of_the_machine_where_there_is_one(
    store: SecretStore, tmp_path: Path
) -> None:
    before = keyring.get_keyring()
    ring = _ring(tmp_path, priority=5)
    keyring.set_keyring(ring)
    try:
        store.add("github", VALUE)
        assert not (tmp_path / "config" / KEY_FILE).exists()
        assert store.values(["github"]) == {"github": VALUE}
        ring.delete_password("helix-memory", "vault-one")
        with pytest.raises(SecretsUnreadable, match="keyring"):
            store.values(["github"])
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize("priorities", [(0.5, 0.6), (0.5, 5)])
def test_of_several_keyrings_only_one_that_encrypts_is_taken(
    store: SecretStore, tmp_path: Path, priorities: tuple[float, float]
) -> None:
    class Chain(ChainerBackend):
        priority = 10
        backends: ClassVar = [_ring(tmp_path, priority) for priority in priorities]

    before = keyring.get_keyring()
    keyring.set_keyring(Chain())  # type: ignore[no-untyped-call]
    try:
        store.add("github", VALUE)
        assert store.values(["github"]) == {"github": VALUE}
        assert not (tmp_path / "ring-0.5.cfg").exists()
        assert not (tmp_path / "ring-0.6.cfg").exists()
        assert (tmp_path / "ring-5.cfg").exists() == (5 in priorities)
        assert (tmp_path / "config" / KEY_FILE).exists() == (5 not in priorities)
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a b", "ä", "x" * 129, "a\n"])
def test_a_name_that_could_be_a_path_is_refused(store: SecretStore, name: str) -> None:
    with pytest.raises(BadValue, match="letters, digits"):
        store.add(name, VALUE)


@pytest.mark.parametrize("value", ["", "walrus7", "x" * 40_000, "with\0nul-in-it"])
def test_a_value_that_cannot_be_kept_is_refused_without_being_quoted(store: SecretStore, value: str) -> None:
    with pytest.raises(BadValue) as refused:
        store.add("github", value)
    assert not value or value not in refused.value.message


def test_a_name_is_taken_once(store: SecretStore) -> None:
    store.add("github", VALUE)
    with pytest.raises(AlreadyExists, match="rotate github"):
        store.add("github", "another-value")
    assert store.values(["github"]) == {"github": VALUE}
