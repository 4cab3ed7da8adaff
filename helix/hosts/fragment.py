"""What a host has to be told of Helix: an entry as data, and as the text that a person can paste."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from helix.errors import BadValue
from helix.hosts.entry_text import nested, spell_toml_table, spell_yaml
from helix.hosts.host import SERVER, Host, Machine
from helix.hosts.registry import HOSTS

Entry: TypeAlias = dict[str, Any]

TOKEN_VARIABLE = "HELIX_TOKEN"  # noqa: S105 (the name of a variable)


@dataclass(frozen=True)
class Program:
    """Our server as a program that the host starts. No secret belongs into `env`."""

    executable: str
    env: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class ServerUrl:
    """Our server as a URL that the host connects to."""

    url: str
    needs_token: bool = False


Server: TypeAlias = Program | ServerUrl


def entry(host: Host, server: Server) -> Entry:
    """Our server in the host's words. No secret is ever in it: at most the name of a variable."""
    return _program(host, server) if isinstance(server, Program) else _address(host, server)


def text(host: Host, server: Server, name: str = SERVER) -> str:
    """What a file holds that holds nothing else."""
    keys = (*host.servers, name)
    made = entry(host, server)
    if host.language == "toml":
        return spell_toml_table(keys, made)
    whole = nested(keys, made)
    return (
        spell_yaml(whole)
        if host.language == "yaml"
        else json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    )


def snippets(
    executable: str, url: str, machine: Machine, env: Mapping[str, str] | None = None
) -> list[Entry]:
    """For every host: its files, the text that belongs into them, and the command that puts it there.

    `http_fragment` is None for hosts that only start programs.
    """
    program, address = Program(executable, env or {}), ServerUrl(url)
    return [
        {
            "name": host.name,
            "title": host.title,
            "files": {
                "user": machine.shown(host.file("user", machine)),
                "project": host.project or None,
            },
            "language": host.language,
            "fragment": text(host, program),
            "http_fragment": None if host.shape.remote is None else text(host, address),
            "command": f"helix connect {host.name} --install",
        }
        for host in HOSTS
    ]


def _program(host: Host, server: Program) -> Entry:
    made: Entry = dict(host.shape.local)
    if host.shape.command_is_list:
        made["command"] = [server.executable, *server.arguments]
    else:
        made |= {"command": server.executable, "args": list(server.arguments)}
    if server.env:
        made[host.shape.env] = dict(server.env)
    return made


def _address(host: Host, server: ServerUrl) -> Entry:
    shape = host.shape
    if shape.remote is None:
        raise BadValue(f"{host.title} starts its servers as programs; leave --http out")
    made: Entry = {**shape.remote, shape.url: server.url}
    if not server.needs_token:
        return made
    if shape.bearer_key:
        made[shape.bearer_key] = TOKEN_VARIABLE
    elif shape.bearer:
        made["headers"] = {"Authorization": f"Bearer {shape.bearer}"}
    else:
        raise BadValue(
            f"the daemon asks for a token, and {host.title} could only be given one by writing it into its file; "
            "leave --http out: helix-mcp finds the token by itself"
        )
    return made
