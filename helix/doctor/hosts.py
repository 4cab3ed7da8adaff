"""The hosts of agents: does what they were told of Helix still lead to it?"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.errors import HelixError, HostFileError
from helix.hosts import hooks
from helix.hosts.connect import HostConnection, find_connection
from helix.hosts.host import Machine
from helix.hosts.registry import HOSTS
from helix.hosts.this_machine import project_folder

_VARIABLE = re.compile(r"\w+=")

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
    "Its agents get an error, or a new and empty memory.",
    "`helix connect HOST --install --force` writes the entry anew, with the vault of these settings.",
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
    "`helix hooks install` writes the hooks anew.",
)


def check_connections(examined: Examined) -> Iterator[Finding]:
    machine = _machine(examined)
    for host in HOSTS:
        for scope in host.scopes():
            try:
                found = find_connection(host, scope, machine)
            except HostFileError as error:
                where = machine.shown(host.file(scope, machine))
                yield UNREADABLE.at(where, f"{host.title}: {error.reason}", line=error.line)
            except (HelixError, OSError) as error:
                yield UNREADABLE.at(machine.shown(host.file(scope, machine)), f"{host.title}: {error}")
            else:
                if found is not None:
                    yield from _judge(found, machine)


def _judge(found: HostConnection, machine: Machine) -> Iterator[Finding]:
    where, title = machine.shown(found.path), found.host.title
    name = f"{found.host.name} --user" if found.scope == "user" and found.host.project else found.host.name
    program = found.executable
    if program is not None and not _is_there(program, machine):
        remedy = GONE.remedy.replace("HOST", name)
        yield GONE.at(where, f"{title} starts {program}, which is not there", remedy=remedy)
    env = found.entry.get(found.host.shape.env) if isinstance(found.entry, dict) else None
    vault = env.get("HELIX_VAULT") if isinstance(env, dict) else None
    if isinstance(vault, str) and "$" not in vault and not Path(vault).expanduser().is_dir():
        remedy = VAULT_GONE.remedy.replace("HOST", name)
        yield VAULT_GONE.at(where, f"{title} is told of {vault}", remedy=remedy)


def check_hooks(examined: Examined) -> Iterator[Finding]:
    machine = _machine(examined)
    for where in get_args(hooks.Where):
        try:
            commands = hooks.installed_commands(where, machine)
        except (HelixError, OSError):
            continue  # Claude Code itself complains of a file that it cannot read
        option = "" if where == "project" else f" --{where}"
        for program in dict.fromkeys(map(_program, commands)):
            if not _is_there(program, machine):
                file = machine.shown(hooks.file_of(where, machine))
                remedy = HOOK_GONE.remedy.replace("install", f"install{option}")
                yield HOOK_GONE.at(file, f"a hook calls {program}, which is not there", remedy=remedy)


def _program(command: str) -> str:
    """The first word that is not a variable of its own."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return next((word for word in words if not _VARIABLE.match(word)), "")


def _is_there(program: str, machine: Machine) -> bool:
    if "$" in program:
        return True  # only the host knows what it stands for
    if os.path.isabs(program):
        return os.access(program, os.X_OK)
    return shutil.which(program, path=machine.env.get("PATH", "")) is not None


def _machine(examined: Examined) -> Machine:
    around = examined.around
    return Machine(around.home, around.env, around.platform, project_folder(around.folder))


AREA = Area("Hosts of agents", (GONE, VAULT_GONE, UNREADABLE, HOOK_GONE), (check_connections, check_hooks))
