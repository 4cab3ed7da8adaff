"""Which workspaces there are, and which of them somebody may ask for.

The list is a file of the config folder, never of a vault: what is in a vault can be written by whoever may edit a note.
It can be read, copied and mended by hand; what a command or a person changes in it counts from the next request on.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import IO

from helix.config import Config
from helix.errors import AlreadyExists, BadValue, ConfigError, Forbidden, WorkspaceNotFound
from helix.memory.principal import Principal
from helix.vault.times import format_time, utc_now

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MAIN = "main"
"""the name of the daemon's own workspace, which is there without being listed, and of the org that it is in"""
WORKSPACES_FILE = "workspaces.json"
_LOCK = ".workspaces.lock"
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_NO_PLACE = -1


@dataclass(frozen=True)
class ListedWorkspace:
    """A workspace, as it is listed."""

    org: str
    name: str
    vault: Path
    created_at: str = ""
    archived_at: str | None = None

    @property
    def full_name(self) -> str:
        """By which it is known on the whole daemon; in the org `main` that is its name."""
        return self.name if self.org == MAIN else f"{self.org}.{self.name}"

    @property
    def is_main(self) -> bool:
        return (self.org, self.name) == (MAIN, MAIN)


def checked_name(name: str, what: str = "a workspace") -> str:
    if not _NAME.fullmatch(name):
        raise BadValue(f"{name[:80]!r} cannot be the name of {what}; it has 1 to 40 of a-z, 0-9 and dash")
    return name


def split_name(name: str) -> tuple[str | None, str]:
    """`acme.web` is `web` of the org `acme`; a name without an org is of whoever asks."""
    org, dot, rest = name.strip().rpartition(".")
    return (org if dot else None), rest


class Workspaces:
    """The list, read again when the file was written."""

    def __init__(self, config_dir: Path, main_vault: Path) -> None:
        self._folder = config_dir
        self._path = config_dir / WORKSPACES_FILE
        self._main = ListedWorkspace(MAIN, MAIN, main_vault)
        self._lock = threading.Lock()
        self._signature: tuple[int, int, int] | None = None
        self._listed: tuple[ListedWorkspace, ...] = ()

    def all(self) -> Sequence[ListedWorkspace]:
        """The daemon's own one first, then the others as they were made."""
        with self._lock:
            signature = _signature(self._path)
            if signature != self._signature:
                self._listed, self._signature = _read(self._path), signature
            return (self._main, *self._listed)

    def find(self, name: str) -> ListedWorkspace | None:
        """By its full name."""
        org, short = split_name(name)
        wanted = (org or MAIN, short)
        return next((one for one in self.all() if (one.org, one.name) == wanted), None)

    def get(self, name: str) -> ListedWorkspace:
        found = self.find(name)
        if found is None:
            raise WorkspaceNotFound(f"there is no workspace {name[:80]!r}; `helix workspace list` shows them")
        return found

    def open_to(self, principal: Principal) -> Sequence[ListedWorkspace]:
        """Those that somebody may ask for, archived ones too, the one that is meant when they name none first."""
        if principal.sees_everything:
            return self.all()
        if principal.org is None:
            return ()
        names = principal.workspaces
        return [
            listed
            for listed in self.all()
            if listed.org == principal.org and (names is None or listed.name in names)
        ]

    def chosen(self, principal: Principal, named: str | None) -> ListedWorkspace:
        """The workspace that a request is about. To whoever may not ask for it none is known from one that is not
        there."""
        offered = self.open_to(principal)
        if named is None:
            if not offered:
                raise Forbidden("whoever asks is bound to no workspace; an admin of the server can say which")
            found = offered[0]
        else:
            org, name = split_name(named)
            wanted = (org or principal.org or MAIN, name)
            match = next((one for one in offered if (one.org, one.name) == wanted), None)
            if match is None:
                raise _not_offered(principal, named, offered)
            found = match
        if found.archived_at is not None:
            raise Forbidden(
                f"the workspace {found.name} is archived; name another one, or ask for it to be restored"
            )
        return found

    # Changing the list

    def add(self, org: str, name: str, vault: Path) -> ListedWorkspace:
        made = ListedWorkspace(
            checked_name(org, "an org"), checked_name(name), vault.absolute(), format_time(utc_now())
        )
        with self._changing() as listed:
            known = (self._main, *listed)
            if any((one.org, one.name) == (made.org, made.name) for one in known):
                raise AlreadyExists(f"there is a workspace {made.full_name} already")
            for other in known:
                if _overlap(other.vault, made.vault):
                    raise AlreadyExists(
                        f"{made.vault} is the vault of {other.full_name}, or lies in it, or around it; "
                        "a workspace has a folder of its own"
                    )
            listed.append(made)
        return made

    def change(self, name: str, change: Callable[[ListedWorkspace], ListedWorkspace]) -> ListedWorkspace:
        with self._changing() as listed:
            found = next((one for one in listed if one.full_name == self.get(name).full_name), None)
            if found is None:
                raise BadValue("the daemon's own workspace stays: it is the vault that the daemon runs for")
            changed = listed[listed.index(found)] = change(found)
        return changed

    def archive(self, name: str) -> ListedWorkspace:
        now = format_time(utc_now())
        return self.change(name, lambda listed: replace(listed, archived_at=listed.archived_at or now))

    def restore(self, name: str) -> ListedWorkspace:
        return self.change(name, lambda listed: replace(listed, archived_at=None))

    def remove(self, name: str) -> None:
        """Of a workspace that could not be made."""
        with self._changing() as listed:
            listed[:] = [one for one in listed if one.full_name != name]

    @contextmanager
    def _changing(self) -> Iterator[list[ListedWorkspace]]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with (self._folder / _LOCK).open("a", encoding="utf-8") as lock:
                _take(lock)
                listed = list(_read(self._path))
                yield listed
                _write(self._path, listed)
        except OSError as error:
            raise ConfigError(
                f"{self._path} cannot be written ({error.strerror}); mend its permissions"
            ) from error


@dataclass(frozen=True)
class WorkspaceConfig(Config):
    """The settings of a command that works in one of the daemon's further workspaces: the vault is that one's."""

    full_name: str = ""
    main: Config | None = None
    """those of the daemon"""


def in_workspace(config: Config) -> Config:
    """With the vault of the workspace that is chosen, where one is chosen and the daemon is of this machine."""
    if not config.workspace or config.url:
        return config
    found = Workspaces(config.config_dir, config.vault).get(config.workspace)
    if found.archived_at is not None:
        raise BadValue(
            f"the workspace {found.full_name} is archived; `helix workspace restore {found.full_name}`, or "
            "`helix workspace switch main`"
        )
    if found.is_main:
        return config
    same = {field.name: getattr(config, field.name) for field in fields(config)}
    return WorkspaceConfig(**{**same, "vault": found.vault}, full_name=found.full_name, main=config)


def _not_offered(
    principal: Principal, named: str, offered: Sequence[ListedWorkspace]
) -> Forbidden | WorkspaceNotFound:
    if principal.sees_everything:
        return WorkspaceNotFound(f"there is no workspace {named[:80]!r}; `helix workspace list` shows them")
    known = ", ".join(one.name for one in offered) or "none"
    return Forbidden(f"there is no workspace {named[:80]!r} for this key; it opens: {known}")


def _overlap(folder: Path, other: Path) -> bool:
    """Two followers of one file would be two truths."""
    first, second = Path(os.path.realpath(folder)), Path(os.path.realpath(other))
    return first.is_relative_to(second) or second.is_relative_to(first)


def _signature(path: Path) -> tuple[int, int, int]:
    try:
        info = os.stat(path)
    except OSError:
        return (_NO_PLACE, 0, 0)
    return info.st_mtime_ns, info.st_size, info.st_ino


def _read(path: Path) -> tuple[ListedWorkspace, ...]:
    try:
        entries = json.loads(path.read_text("utf-8"))["workspaces"]
        listed = tuple(
            ListedWorkspace(
                checked_name(entry["org"], "an org"),
                checked_name(entry["name"]),
                Path(entry["vault"]),
                str(entry.get("created_at", "")),
                entry.get("archived_at"),
            )
            for entry in entries
        )
    except FileNotFoundError:
        return ()
    except BadValue as error:
        raise ConfigError(f"{path}: {error.message}") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"the workspaces cannot be read from {path} ({error}); mend it, or bring it back from a backup"
        ) from error
    if len({(one.org, one.name) for one in listed} | {(MAIN, MAIN)}) != len(listed) + 1:
        raise ConfigError(f"{path} lists a workspace twice, or one that is called {MAIN} in the org {MAIN}")
    return listed


def _write(path: Path, listed: Sequence[ListedWorkspace]) -> None:
    entries = [
        {
            "org": workspace.org, "name": workspace.name, "vault": str(workspace.vault),
            "created_at": workspace.created_at, "archived_at": workspace.archived_at,
        }
        for workspace in listed
    ]  # fmt: skip
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    with os.fdopen(
        os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump({"workspaces": entries}, file, indent=2, ensure_ascii=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _take(lock: IO[str]) -> None:
    """Two commands at once; on Windows the later one wins."""
    if fcntl is not None:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
