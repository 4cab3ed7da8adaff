"""The hosts of agents: does what they were told of Helix still lead to it?"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.errors import HostFileError
from helix.hosts.host import SERVER, Host, Machine
from helix.hosts.registry import HOSTS
from helix.hosts.splice import find, parse

# Where Claude Code keeps hooks; their commands may name an executable of ours.
_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
_OURS = ("helix", "helixd", "helix-mcp")

GONE = Kind(
    "host-program-gone",
    Severity.ERROR,
    "a host is told to start a Helix that is not there",
    "Its agents have no memory, and most hosts do not say so.",
    "`helix connect HOST --install --force` writes the entry anew.",
)
VAULT_GONE = Kind(
    "host-vault-gone",
    Severity.ERROR,
    "a host is told of a vault that is not there",
    "Its agents would get an error, or a new and empty memory.",
    "Correct HELIX_VAULT in the entry, or run `helix connect HOST --install --force`.",
)
UNREADABLE = Kind(
    "host-file-unreadable",
    Severity.WARNING,
    "the file of a host cannot be read",
    "The host reads it no better, and starts without its servers.",
    "Correct the line that is named.",
)
HOOK_GONE = Kind(
    "hook-program-gone",
    Severity.WARNING,
    "a hook of Claude Code calls a Helix that is not there",
    "Sessions begin without their digest, and nothing of them is recorded.",
    "`helix hooks --install` writes the hooks anew.",
)


@dataclass(frozen=True)
class _Entry:
    host: Host
    file: Path
    said: Mapping[str, Any]


def check_entries(examined: Examined) -> Iterator[Finding]:
    machine = _machine(examined)
    for host, file in _files(machine):
        try:
            document = parse(host.language, file.read_text("utf-8-sig"))
        except HostFileError as error:
            yield UNREADABLE.at(machine.shown(file), f"{host.title}: {error.reason}", line=error.line)
            continue
        except (OSError, UnicodeDecodeError) as error:
            yield UNREADABLE.at(machine.shown(file), f"{host.title}: {error}")
            continue
        for keys in filter(None, (host.servers, host.newer_servers)):
            said = find(document, (*keys, SERVER))
            if isinstance(said, dict):
                yield from _judge(_Entry(host, file, said), machine)


def _judge(entry: _Entry, machine: Machine) -> Iterator[Finding]:
    host, where = entry.host, machine.shown(entry.file)
    command = entry.said.get("command")
    program = command[0] if isinstance(command, list) and command else command
    if isinstance(program, str) and not _is_there(program, machine):
        remedy = GONE.remedy.replace("HOST", host.name)
        yield GONE.at(where, f"{host.title} starts {program}, which is not there", remedy=remedy)
    env = entry.said.get(host.shape.env)
    vault = env.get("HELIX_VAULT") if isinstance(env, dict) else None
    if isinstance(vault, str) and "$" not in vault and not Path(vault).expanduser().is_dir():
        remedy = VAULT_GONE.remedy.replace("HOST", host.name)
        yield VAULT_GONE.at(where, f"{host.title} is told of {vault}", remedy=remedy)


def check_hooks(examined: Examined) -> Iterator[Finding]:
    machine = _machine(examined)
    files = {machine.home / name for name in _SETTINGS} | {machine.folder / name for name in _SETTINGS}
    for file in sorted(files):
        try:
            said = json.loads(file.read_text("utf-8-sig"))
        except (OSError, ValueError):
            continue  # Claude Code itself complains of a file that it cannot read
        for command in dict.fromkeys(_commands(said.get("hooks") if isinstance(said, dict) else None)):
            program = _program(command)
            if Path(program).name in _OURS and not _is_there(program, machine):
                yield HOOK_GONE.at(machine.shown(file), f"a hook calls {program}, which is not there")


def _commands(hooks: Any) -> Iterator[str]:
    """Every `command` below, however deep: event, matcher, hook."""
    if isinstance(hooks, dict):
        if isinstance(hooks.get("command"), str):
            yield hooks["command"]
        for value in hooks.values():
            yield from _commands(value)
    elif isinstance(hooks, list):
        for value in hooks:
            yield from _commands(value)


def _program(command: str) -> str:
    """The first word, which may be in quotes."""
    command = command.strip()
    if command[:1] in ("'", '"'):
        return command[1:].partition(command[0])[0]
    return command.partition(" ")[0]


def _is_there(program: str, machine: Machine) -> bool:
    if "$" in program or program in ("npx", "uvx", "pipx"):
        return True  # only the host knows what it stands for
    if os.path.isabs(program):
        return os.access(program, os.X_OK)
    return shutil.which(program, path=machine.env.get("PATH", "")) is not None


def _machine(examined: Examined) -> Machine:
    around = examined.around
    return Machine(around.home, around.env, around.platform, around.folder)


def _files(machine: Machine) -> Iterator[tuple[Host, Path]]:
    for host in HOSTS:
        for scope in host.scopes():
            file = host.file(scope, machine)
            if file.is_file():
                yield host, file


AREA = Area("Hosts of agents", (GONE, VAULT_GONE, UNREADABLE, HOOK_GONE), (check_entries, check_hooks))
