"""The key that secrets are encrypted with: in the keyring of the operating system where there is one, else in a file.

Which of the two it was stands beside the secrets. A key that is gone is never replaced by a new one: what was
encrypted with the old one would be lost without a word.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from pathlib import Path
from typing import Literal

from helix.errors import ExtraMissing, SecretsUnreadable
from helix.state.permissions import FILE

KEY_FILE = "secrets.key"
Place = Literal["keyring", "file"]
_SIZE = 32
_SERVICE = "helix-memory"


def make_key(config_dir: Path, account: str) -> tuple[Place, bytes]:
    """A new key, and where it is from now on."""
    key = secrets.token_bytes(_SIZE)
    if _put_in_keyring(account, key):
        return "keyring", key
    path = config_dir / KEY_FILE
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE)
    except FileExistsError:
        return "file", _read_file(path)  # its secrets were all deleted, or another program made it just now
    with os.fdopen(descriptor, "wb") as file:
        file.write(base64.b64encode(key) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return "file", key


def read_key(config_dir: Path, place: Place, account: str) -> bytes:
    return _read_file(config_dir / KEY_FILE) if place == "file" else _read_keyring(account)


def _read_file(path: Path) -> bytes:
    try:
        return _decoded(path.read_text("ascii"))
    except (OSError, ValueError) as error:
        raise SecretsUnreadable(
            f"the key of the secrets, {path}, cannot be read ({error}); bring it back from a backup, or delete the "
            "secrets with `helix secret delete` and set them again"
        ) from error


def _put_in_keyring(account: str, key: bytes) -> bool:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return False
    chosen = keyring.get_keyring()
    # Where there are several, each is asked in turn and the first that takes it has it: also one that encrypts nothing.
    several = getattr(chosen, "backends", (chosen,))
    # Below 1 are those that refuse everything, which a machine without a desktop has, and those that encrypt nothing.
    ring = next((one for one in several if one.priority >= 1), None)
    if ring is None:
        return False
    try:
        ring.set_password(_SERVICE, account, base64.b64encode(key).decode())
        return keyring.get_password(_SERVICE, account) is not None
    except KeyringError:
        return False


def _read_keyring(account: str) -> bytes:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as error:
        raise ExtraMissing(
            "the key of the secrets is in the keyring of this machine; install what reads it: "
            "pip install 'helix-memory[secrets]'"
        ) from error
    try:
        kept = keyring.get_password(_SERVICE, account)
        if kept is not None:
            return _decoded(kept)
        why = "it is not there"
    except (KeyringError, ValueError) as error:
        why = str(error) or type(error).__name__
    raise SecretsUnreadable(
        f"the key of the secrets cannot be read from the keyring of this machine ({why}); unlock the keyring, or "
        "delete the secrets with `helix secret delete` and set them again"
    )


def _decoded(text: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except binascii.Error as error:
        raise ValueError("it is no key") from error
    if len(key) != _SIZE:
        raise ValueError("it is no key")
    return key
