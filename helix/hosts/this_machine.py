"""This process: the machine it runs on, the project it runs in, the installation it belongs to."""

from __future__ import annotations

import filecmp
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from helix.config import ENVIRONMENT, Config
from helix.errors import HelixError
from helix.hosts.connect import PROGRAM
from helix.hosts.host import Machine

# A host that was started from the desktop does not see what was exported in a shell, and Codex hands on a few
# variables only. So the settings that say which vault and which daemon are written down; a token never is.
_CARRIED = (
    "HELIX_VAULT",
    "HELIX_STATE_DIR",
    "HELIX_CONFIG_DIR",
    "HELIX_HOST",
    "HELIX_PORT",
    "HELIX_URL",
    "HELIX_WORKSPACE",
)


def this_machine() -> Machine:
    return Machine(Path.home(), os.environ, sys.platform, project_folder(Path.cwd()))


def project_folder(folder: Path) -> Path:
    """The repository around a folder, or the folder itself."""
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)


def get_executable() -> str:
    """helix-mcp of this installation, which a host can start wherever it runs, and after an upgrade too."""
    beside = (str(Path(sys.executable).parent), str(Path(sys.argv[0]).absolute().parent))
    program = shutil.which(PROGRAM, path=os.pathsep.join(beside)) or shutil.which(PROGRAM)
    if program is None:
        raise HelixError(f"{PROGRAM} is neither beside helix nor on the PATH; install Helix again")
    return lasting(Path(program).absolute(), this_machine(), beside[1])


def lasting(program: Path, machine: Machine, *places: str) -> str:
    """Of the names of a program the one that its installer keeps.

    pipx and uv put it into an environment of theirs, whose place is their own affair, and a link to it (on Windows a
    copy) into a folder of programs.
    """
    named = (machine.env.get(name, "") for name in ("PIPX_BIN_DIR", "UV_TOOL_BIN_DIR", "XDG_BIN_HOME"))
    searched = (
        *places,
        *named,
        str(machine.home / ".local/bin"),
        *machine.env.get("PATH", "").split(os.pathsep),
    )
    for folder in searched:
        link = Path(folder, program.name)
        if folder and Path(folder).is_absolute() and link != program and _is_same(link, program):
            return str(link)
    return str(program)


def _is_same(link: Path, program: Path) -> bool:
    try:
        if os.name == "nt":
            return filecmp.cmp(link, program, shallow=False)
        return link.is_symlink() and link.samefile(program)
    except OSError:
        return False


def carried(config: Config, env: Mapping[str, str], *, vault_was_typed: bool = False) -> dict[str, str]:
    """The settings that were given to this process and that helix-mcp needs, too."""
    names = [name for name in _CARRIED if env.get(name, "").strip()]
    if vault_was_typed and "HELIX_VAULT" not in names:
        names.insert(0, "HELIX_VAULT")
    return {name: str(getattr(config, ENVIRONMENT[name])) for name in names}
