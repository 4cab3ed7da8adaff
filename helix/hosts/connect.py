"""Connecting a host, and undoing it to the byte."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix.errors import AlreadyExists, HostFileError, NotConnected
from helix.hosts import change, splice
from helix.hosts.change import Done, Made
from helix.hosts.fragment import Server, entry
from helix.hosts.host import SERVER, Host, Machine, Scope
from helix.hosts.record import Records
from helix.hosts.registry import HOSTS

PROGRAM = "helix-mcp"


@dataclass(frozen=True)
class HostConnection:
    """A host that has a server of our name, in one of its files."""

    host: Host
    scope: Scope
    path: Path
    entry: Any

    @property
    def executable(self) -> str | None:
        """The program that the host starts; None when it connects to a URL."""
        command = self.entry.get("command") if isinstance(self.entry, dict) else None
        if isinstance(command, list) and command:
            command = command[0]
        return command if isinstance(command, str) else None

    @property
    def url(self) -> str | None:
        url = self.entry.get(self.host.shape.url) if isinstance(self.entry, dict) else None
        return url if isinstance(url, str) else None


@dataclass(frozen=True)
class HostStatus:
    """One host on one machine."""

    host: Host
    detected: bool
    connections: list[HostConnection]
    problems: list[str]
    """files of it that cannot be read"""


def connect_host(
    host: Host,
    scope: Scope,
    machine: Machine,
    server: Server,
    records: Records,
    *,
    force: bool = False,
    name: str = SERVER,
) -> Done:
    path = host.file(scope, machine)
    wanted = entry(host, server)

    def add(text: str, _earlier: list[list[str]]) -> Made | None:
        document = splice.parse(host.language, text)
        keys = _keys(host, document, name)
        present = splice.find(document, keys)
        if present == wanted:
            return None
        if present is not None and not force:
            raise AlreadyExists(
                f"{machine.shown(path)} has a server {name!r} with other settings already; --force replaces it, "
                f"and `helix connect {host.name}` prints what would be written"
            )
        return Made(splice.put(host.language, text, keys, wanted), splice.missing(document, keys))

    return change.make(path, _purpose(name), records, add)


def disconnect_host(
    host: Host,
    scope: Scope,
    machine: Machine,
    records: Records,
    *,
    force: bool = False,
    name: str = SERVER,
) -> Done:
    path = host.file(scope, machine)
    connection = find_connection(host, scope, machine, name)
    if connection is None:
        raise NotConnected(_not_there(host, scope, machine, path, name))
    if not force and not _is_ours(connection, records, name):
        raise NotConnected(
            f"the server {name!r} in {machine.shown(path)} was not written by `helix connect` and starts something "
            "else; --force takes it away",
            code="not-ours",
        )

    def is_undone(text: str, candidate: str) -> bool:
        return bool(_rest(host, text, name) == _rest(host, candidate, name))

    def take(text: str, made: list[list[str]]) -> str:
        keys = _keys(host, splice.parse(host.language, text), name)
        return splice.take(host.language, text, keys, made)

    def is_empty(text: str) -> bool:
        return not splice.parse(host.language, text)

    return change.undo(path, _purpose(name), records, is_undone=is_undone, take=take, is_empty=is_empty)


def find_connection(host: Host, scope: Scope, machine: Machine, name: str = SERVER) -> HostConnection | None:
    path = host.file(scope, machine)
    document = change.parsed(path, lambda text: splice.parse(host.language, text))
    present = splice.find(document, _keys(host, document, name))
    return None if present is None else HostConnection(host, scope, path, present)


def host_statuses(machine: Machine) -> list[HostStatus]:
    """Every host: whether it is on this machine, and where it is connected."""
    return [_status(host, machine) for host in HOSTS]


def _status(host: Host, machine: Machine) -> HostStatus:
    connections, problems, seen = [], [], set[Path]()
    for scope in host.scopes():
        path = host.file(scope, machine)
        if path in seen:  # a project in the home folder has one file for both
            continue
        seen.add(path)
        try:
            if (connection := find_connection(host, scope, machine)) is not None:
                connections.append(connection)
        except HostFileError as error:
            problems.append(error.message)
    return HostStatus(host, _is_detected(host, machine), connections, problems)


def _is_detected(host: Host, machine: Machine) -> bool:
    search = machine.env.get("PATH", "")
    return any(shutil.which(program, path=search) for program in host.programs) or any(
        machine.path(sign).exists() for sign in host.signs
    )


def _purpose(name: str) -> str:
    return "server" if name == SERVER else f"server-{name}"


def _keys(host: Host, document: dict[str, Any], name: str) -> Sequence[str]:
    newer = host.newer_servers and isinstance(splice.find(document, host.newer_servers), dict)
    return (*(host.newer_servers if newer else host.servers), name)


def _is_ours(connection: HostConnection, records: Records, name: str) -> bool:
    if records.find(connection.path.resolve(), _purpose(name)) is not None:
        return True
    if (program := connection.executable) is not None:
        return Path(program.replace("\\", "/")).stem == PROGRAM
    return (connection.url or "").endswith(("/mcp", f"/mcp/{name}"))


def _not_there(host: Host, scope: Scope, machine: Machine, path: Path, name: str) -> str:
    others = [one for one in host.scopes() if one != scope and find_connection(host, one, machine, name)]
    elsewhere = "; it is in " + machine.shown(host.file(others[0], machine)) if others else ""
    hint = " (--user)" if others == ["user"] else " (without --user)" if others else ""
    return f"{host.title} has no server {name!r} in {machine.shown(path)}{elsewhere}{hint}"


def _rest(host: Host, text: str, name: str) -> Any:
    """What the file says besides our server, and besides containers that are empty without it."""
    try:
        document: Any = splice.parse(host.language, text)
    except HostFileError:
        return None
    keys = _keys(host, document, name)
    if splice.find(document, keys) is None:
        document = splice.with_value(document, keys, None)
    return splice.canonical(splice.without(document, keys)[-1])
