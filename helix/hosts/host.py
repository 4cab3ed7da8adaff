"""What a host is: a program that runs agents, the files in which it keeps its servers, and how it spells one.

All of it is data. Where the files are depends on a `Machine`, which is handed in: nothing here reads the
environment or the home folder by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

Language: TypeAlias = Literal["json", "jsonc", "toml", "yaml"]
Scope: TypeAlias = Literal["user", "project"]

SERVER = "helix"
"""The name under which a host knows our server, unless it is connected under another."""

_ROOT = re.compile(r"^(?:~|\$(\w+)|%(\w+)%)(?=/)")
# What a variable means where nobody set it. The first is the rule of freedesktop.org, the others are Windows'.
_UNSET = {"XDG_CONFIG_HOME": ".config", "APPDATA": "AppData/Roaming", "LOCALAPPDATA": "AppData/Local"}


@dataclass(frozen=True)
class Machine:
    """Where we are: whose home, on which system, in which project."""

    home: Path
    env: Mapping[str, str]
    platform: str
    """as in `sys.platform`"""
    folder: Path
    """the project's"""

    def path(self, template: str) -> Path:
        """A path that begins with `~`, `$VARIABLE` or `%VARIABLE%`."""
        root = _ROOT.match(template)
        if root is None:
            return self.folder / template
        variable = root[1] or root[2]
        base = self.home
        if variable:
            value = self.env.get(variable, "").strip()
            # The rule of freedesktop.org: a path that is not absolute counts as not set.
            base = Path(value) if Path(value).is_absolute() else self.home / _UNSET[variable]
        return base / template[root.end() + 1 :]

    def shown(self, path: Path) -> str:
        """As a person writes it: `~/.cursor/mcp.json`, or `.mcp.json` in the project."""
        for base, before in ((self.folder, ""), (self.home, "~/")):
            if path.is_relative_to(base):
                return before + path.relative_to(base).as_posix()
        return str(path)


@dataclass(frozen=True)
class UserFile:
    """Where a user's own configuration is; on the other systems too, where that differs."""

    linux: str
    mac: str = ""
    windows: str = ""
    moved_by: str = ""
    """an environment variable that names the folder of the file instead"""

    def template(self, machine: Machine) -> str:
        if Path(machine.env.get(self.moved_by, "").strip()).is_absolute():
            return f"${self.moved_by}/{self.linux.rpartition('/')[2]}"
        other = {"darwin": self.mac, "win32": self.windows}.get(machine.platform, "")
        return other or self.linux


@dataclass(frozen=True)
class Shape:
    """How a host spells a server."""

    local: Mapping[str, str] = field(default_factory=dict)
    """what stands in the entry of a program besides its command"""
    remote: Mapping[str, str] | None = field(default_factory=dict)
    """what stands in the entry of a URL besides the URL; None: this host starts programs only"""
    env: str = "env"
    url: str = "url"
    command_is_list: bool = False
    bearer: str = ""
    """how a header takes the token from the environment; empty: this host cannot"""
    bearer_key: str = ""
    """the key that names the variable, in a host that has one"""


@dataclass(frozen=True)
class Host:
    name: str
    title: str
    language: Language
    servers: tuple[str, ...]
    """the keys that lead to the servers"""
    user: UserFile
    project: str = ""
    shape: Shape = Shape()
    also_named: tuple[str, ...] = ()
    """other endings of the same file: `.jsonc` beside `.json`"""
    newer_servers: tuple[str, ...] = ()
    """where the servers stand in a file that is written in the host's newer way"""
    programs: tuple[str, ...] = ()
    """what is on the PATH where it is installed"""
    signs: tuple[str, ...] = ()
    """folders that are there where it was used"""
    afterwards: str = ""
    """what is left to do for the person"""
    asks: str = ""
    """what the host asks before it uses the file of a project"""

    def scopes(self) -> tuple[Scope, ...]:
        return ("project", "user") if self.project else ("user",)

    def file(self, scope: Scope, machine: Machine) -> Path:
        path = machine.path(self.project if scope == "project" else self.user.template(machine))
        endings = (path, *(path.with_suffix(suffix) for suffix in self.also_named))
        return next((one for one in endings if one.exists()), path)
