"""A new vault: the template's files and a name of its own. Existing files are never touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helix.errors import AlreadyExists, ConfigError, HelixError, StorageError
from helix.vault.files import Files, Write, Written
from helix.vault.paths import Root
from helix.vault.vault_id import IDENTITY_FILE, new_identity, read_identity


@dataclass(frozen=True)
class Started:
    vault: Path
    created: list[str]
    was_vault: bool
    """the folder was a vault already"""
    was_in_use: bool
    """it held files of somebody's, so the examples were left out"""


def find_template() -> Path:
    """The starter vault: inside the installed package, or at the top of a checkout."""
    return _find_shipped("vault_template", "vault_template", "the starter vault")


def find_example() -> Path:
    """The memories of an invented team, to look around in."""
    return _find_shipped("example_vault", "examples/vault", "the example")


def start_vault(folder: Path, *sources: Path) -> Started:
    """Make `folder` a vault with the files of `sources`. One that holds notes only gets its name, and keeps every
    byte else."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError.from_os(error, f"make the folder {folder}") from error
    if read_identity(folder) is not None:
        return Started(folder, [], was_vault=True, was_in_use=False)
    was_in_use = any(folder.iterdir())
    writes = [Write(IDENTITY_FILE, new_identity(), None)]
    if not was_in_use:
        for source in sources:
            files = sorted(path for path in source.rglob("*") if path.is_file())
            writes += [Write(path.relative_to(source).as_posix(), path.read_bytes(), None) for path in files]
    root = Root(folder)
    try:
        created = _written(Files(root).commit(writes))
    finally:
        root.close()
    return Started(folder, created, was_vault=False, was_in_use=was_in_use)


def _find_shipped(packaged: str, in_checkout: str, what: str) -> Path:
    package = Path(__file__).resolve().parent.parent
    for folder in (package / packaged, package.parent / in_checkout):
        if folder.is_dir():
            return folder
    raise ConfigError(f"{what} is missing from this installation; install helix-memory again")


def _written(outcomes: Sequence[Written | HelixError]) -> list[str]:
    created = []
    for outcome in outcomes:
        if isinstance(outcome, Written):
            created.append(outcome.path)
        elif not isinstance(outcome, AlreadyExists):
            raise outcome
    return created
