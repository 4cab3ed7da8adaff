"""Which vault a folder is: `.helix/vault.toml`, carried along by sync so that every machine agrees."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import tomllib
from pathlib import Path

from helix.errors import VaultError, VaultMissing
from helix.vault.paths import read_settings

IDENTITY_FILE = ".helix/vault.toml"
FORMAT_VERSION = 1
DAEMON_FILE = "daemon.json"
"""in a vault's state folder for as long as a daemon runs: where it answers"""
_LONGEST = 4096  # bytes: it has three lines


def new_identity() -> bytes:
    return (
        "# Says which vault this is. Leave it in place; Helix keeps its index under this name, outside the vault.\n"
        f'id = "{secrets.token_hex(8)}"\n'
        f"format = {FORMAT_VERSION}\n"
    ).encode()


def read_identity(vault: Path) -> str | None:
    """The id in the vault, or None for a folder that `helix init` has not seen."""
    try:
        data = read_settings(vault, IDENTITY_FILE, _LONGEST)
    except VaultMissing:
        return None
    except VaultError as error:
        raise VaultError(
            f"{vault}: {error.message}; restore the file, or remove it and run `helix init`",
            code="bad-identity",
        ) from error
    if data is None:
        return None
    try:
        settings = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise VaultError(
            f"{vault / IDENTITY_FILE} cannot be read ({error}); restore it, or remove it and run `helix init`",
            code="bad-identity",
        ) from error
    form = settings.get("format", FORMAT_VERSION)
    if form != FORMAT_VERSION:
        raise VaultError(
            f"this vault has format {form!r}, this Helix reads format {FORMAT_VERSION}; update Helix",
            code="unknown-format",
        )
    name = settings.get("id")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise VaultError(f"{vault / IDENTITY_FILE} has no usable id", code="bad-identity")
    return name


def state_folder(state_dir: Path, vault: Path) -> Path:
    """Where derived data of this vault lives.

    The real path is part of the name: a copy of the folder, or a second clone of its repository, carries the
    same id, and two folders must never share one catalog.
    """
    digest = hashlib.sha256(os.fsencode(os.path.realpath(vault))).hexdigest()[:8]
    unnamed = state_dir / "vaults" / f"unnamed-{digest}"
    if (unnamed / DAEMON_FILE).exists():
        # A daemon followed the folder before `helix init`, or a sync client, gave it an id. Its lock and its
        # catalog stay where it has them until it stops, and everybody else must look there too.
        return unnamed
    identity = read_identity(vault)
    return unnamed if identity is None else state_dir / "vaults" / f"{identity}-{digest}"
