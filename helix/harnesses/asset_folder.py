"""Assets as files of a folder: written once, brought up to date, and taken away when they were tombstoned.

None is ever made executable. A file that says something else than what was written is a person's and stays.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from helix.errors import BadValue, HostFileError

RECORDS = "assets.json"
FileStanding = Literal["written", "current", "edited", "taken", "removed", "gone"]


@dataclass(frozen=True)
class AssetFact:
    """What a listing tells of an asset."""

    id: str
    name: str
    hash: str
    is_deleted: bool


@dataclass(frozen=True)
class PulledTo:
    """What was written there."""

    id: str
    hash: str


@dataclass(frozen=True)
class AssetOutcome:
    id: str
    name: str
    path: str
    state: FileStanding


class AssetFolder:
    def __init__(self, folder: Path, state_dir: Path, vault: Path) -> None:
        self._folder = folder.resolve()
        if self._folder.is_relative_to(vault.resolve()):
            raise BadValue(f"{folder} lies in the vault, where files are memories; give another folder")
        if self._folder.exists() and not self._folder.is_dir():
            raise BadValue(f"{folder} is no folder")
        self._state_file = state_dir / RECORDS
        self._records = self._read()

    def pull(
        self, asset: AssetFact, fetch: Callable[[str], bytes], *, force: bool = False, dry_run: bool = False
    ) -> AssetOutcome:
        """`fetch` gives what is in the asset of an id; asked only where the file is to be written."""
        if Path(asset.name).name != asset.name or asset.name in ("", ".", ".."):
            raise BadValue(f"{asset.name[:80]!r} is not the name of a file")
        place = self._folder / asset.name
        known = self._records.get(str(place))
        state = self._judge(place, asset, known, force)
        if not dry_run and state == "written":
            _write(place, fetch(asset.id), asset.hash)
            self._keep(place, PulledTo(asset.id, asset.hash))
        elif not dry_run and state == "removed":
            place.unlink()
            self._keep(place, None)
        elif not dry_run and state == "current" and known != PulledTo(asset.id, asset.hash):
            self._keep(place, PulledTo(asset.id, asset.hash))
        return AssetOutcome(asset.id, asset.name, str(place), state)

    def _judge(self, place: Path, asset: AssetFact, known: PulledTo | None, force: bool) -> FileStanding:
        if not os.path.lexists(place):
            return "gone" if asset.is_deleted else "written"
        present = None if place.is_symlink() or not place.is_file() else _hash(place.read_bytes())
        is_ours = known is not None and known.id == asset.id
        if asset.is_deleted:
            if not is_ours:
                return "gone"
            return "removed" if known is not None and present == known.hash else "edited"
        if present == asset.hash:
            return "current"
        if present is not None and (force or (is_ours and known is not None and present == known.hash)):
            return "written"
        return "edited" if is_ours else "taken"

    def _keep(self, place: Path, record: PulledTo | None) -> None:
        if record is None:
            self._records.pop(str(place), None)
        else:
            self._records[str(place)] = record
        self._state_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self._state_file.with_suffix(f".{os.getpid()}.tmp")
        draft.write_text(json.dumps({path: asdict(one) for path, one in self._records.items()}), "utf-8")
        draft.replace(self._state_file)

    def _read(self) -> dict[str, PulledTo]:
        try:
            found = json.loads(self._state_file.read_text("utf-8"))
            return {path: PulledTo(**record) for path, record in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}  # what was written is then no more ours than what a person wrote: it stays


def _write(place: Path, data: bytes, expected: str) -> None:
    if _hash(data) != expected:
        raise BadValue(f"{place.name} changed while it was pulled; pull it again")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_name(f".{place.name}.helix-{secrets.token_hex(4)}.tmp")
        try:
            # Whatever it was where it comes from: a file that is pulled is not executable.
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise HostFileError(f"it cannot be written ({error.strerror or error})").at(str(place)) from error


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
