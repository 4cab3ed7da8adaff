"""Everything that the checks look at. Each thing is found out when a check first asks for it, and once.

Nothing here opens the vault as a command does: no lock is kept, nothing is taken in, nothing is written. So the doctor
sees what is there, with the daemon up or down, and also where nothing could be opened.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from helix.access.workspaces import in_workspace
from helix.config import ENVIRONMENT, Config, find_config_dir, load
from helix.doctor.entries import Entries, list_entries
from helix.doctor.presence import Presence, look_who_follows
from helix.errors import ConfigError, HelixError, NoteError, StorageError, VaultError
from helix.follow.mend import REFUSALS
from helix.follow.stable_read import Looked, examine_note
from helix.index.catalog import CATALOG_FILE, Row, read_needing, read_problems, read_signatures
from helix.memory.reading.link_graph import Links
from helix.vault.ignore import Ignore, read_ignore
from helix.vault.note import Note
from helix.vault.paths import Root
from helix.vault.problem import Problem
from helix.vault.vault_id import read_identity, state_folder
from helix.vault.walk import Signature, Walk, walk

Progress = Callable[[int, int], None]

_NO_FOLDER = Path("/no/config.toml/is/here")
_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")


class NothingToExamine(Exception):
    """What a check needs is not there. Another check says so."""


@dataclass(frozen=True)
class Surroundings:
    """What lies around the vault: whose process this is, and what the system grants it."""

    env: Mapping[str, str]
    home: Path
    folder: Path
    """the current one: hosts keep files in projects too"""
    platform: str = sys.platform
    python: tuple[int, int, int] = field(default_factory=lambda: sys.version_info[:3])
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free
    watch_limit: int | None = field(default_factory=lambda: _read_number(_WATCHES))
    """how many folders all programs of this user may watch together; None where there is no such limit"""

    @classmethod
    def of_process(cls) -> Surroundings:
        try:
            folder = Path.cwd()
        except FileNotFoundError:  # somebody removed it
            folder = Path.home()
        return cls(dict(os.environ), Path.home(), folder)


class Examined:
    def __init__(
        self,
        around: Surroundings,
        flags: Mapping[str, object] | None = None,
        progress: Progress = lambda done, total: None,
    ) -> None:
        self.around = around
        self.config_error: ConfigError | None = None
        self.config = self._settings(dict(flags or {}))
        self._progress = progress

    def _settings(self, flags: dict[str, object]) -> Config:
        """The settings in force, or as much of them as can be read."""
        env, home = self.around.env, self.around.home
        try:
            config = load(env, home, flags)
            self.main_vault = config.vault
            return self._in_workspace(config, flags)
        except ConfigError as error:
            self.config_error = error
        config_dir = find_config_dir(env, home, flags)
        for names in (tuple(ENVIRONMENT), ("HELIX_VAULT", "HELIX_STATE_DIR")):
            some = {name: env[name] for name in names if name in env and name != "HELIX_CONFIG_DIR"}
            try:
                config = load(some, home, {**flags, "config_dir": _NO_FOLDER})
            except ConfigError:
                continue
            self.main_vault = config.vault
            return replace(config, config_dir=config_dir)
        raise self.config_error

    def _in_workspace(self, config: Config, flags: Mapping[str, object]) -> Config:
        """As commands do: who names a folder means that folder."""
        if flags.get("vault"):
            return config
        try:
            return in_workspace(config)
        except HelixError:
            return config  # the check of the workspaces says why

    # The vault

    @property
    def vault(self) -> Path:
        return self.config.vault

    @cached_property
    def there(self) -> Path:
        """The vault's folder, when there is one that can be listed."""
        try:
            os.scandir(self.vault).close()
        except OSError as error:
            raise NothingToExamine from error
        return self.vault

    @cached_property
    def identity(self) -> str | VaultError | None:
        """The vault's id; None where nobody ran `helix init`; or why it cannot be read."""
        try:
            return read_identity(self.there)
        except VaultError as error:
            return error
        except StorageError as error:
            raise NothingToExamine from error

    @cached_property
    def state(self) -> Path:
        """Where the derived data of this vault is, or would be."""
        if isinstance(self.identity, VaultError):
            raise NothingToExamine
        return state_folder(self.config.state_dir, self.there)

    @cached_property
    def ignore(self) -> Ignore:
        root = Root(self.there)
        try:
            return read_ignore(root)
        except StorageError as error:
            return Ignore(why_unread=error.message)
        finally:
            root.close()

    @cached_property
    def entries(self) -> Entries:
        """Every file and folder, records or not."""
        return list_entries(self.there)

    @cached_property
    def walk(self) -> Walk:
        return walk(os.path.realpath(self.there), self.ignore)

    @cached_property
    def looked(self) -> dict[str, Looked]:
        """Every note, read now: what it holds, or what is wrong with it."""
        found: dict[str, Looked] = {}
        paths = sorted(self.walk.files)
        root = Root(self.there)
        try:
            for done, path in enumerate(paths, 1):
                if (looked := self._look(root, path)) is not None:
                    found[path] = looked
                if done % 100 == 0 or done == len(paths):
                    self._progress(done, len(paths))
        finally:
            root.close()
        return found

    def _look(self, root: Root, path: str) -> Looked | None:
        signature = self.walk.files[path]
        try:
            return examine_note(path, signature, root.read(path, self.config.max_note_bytes))
        except FileNotFoundError:
            return None  # moved away a moment ago
        except (NoteError, StorageError) as error:
            return Looked(signature, None, Problem.of(path, error))

    @cached_property
    def notes(self) -> list[Note]:
        """Those that can be read, in the order of their paths."""
        return [one.note for one in self.looked.values() if one.note is not None]

    @cached_property
    def memories(self) -> list[Note]:
        """The same without what is left of merged copies."""
        return [note for note in self.notes if not note.is_stub]

    @cached_property
    def links(self) -> Links:
        return Links(Row.of(note) for note in self.memories)

    # What Helix made of it

    @cached_property
    def seen(self) -> dict[str, Signature] | None:
        """The files as the catalog last saw them; None when there is no catalog that can be read."""
        try:
            return read_signatures(self.state / CATALOG_FILE)
        except sqlite3.Error:
            return None

    @cached_property
    def refused(self) -> list[Problem]:
        """What Helix should have written by itself and could not."""
        try:
            return read_problems(self.state / CATALOG_FILE, REFUSALS)
        except sqlite3.Error:
            return []

    @cached_property
    def old_files(self) -> list[str]:
        """Files of which Helix knows that their memory was erased or hidden since."""
        try:
            return read_needing(self.state / CATALOG_FILE, ("erase", "bury"))
        except sqlite3.Error:
            return []

    # Who else is at work

    @cached_property
    def presence(self) -> Presence:
        try:
            return look_who_follows(self.state, self.config)
        except (OSError, HelixError) as error:
            raise NothingToExamine from error


def _read_number(path: Path) -> int | None:
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None
