"""Where the daemon is and what is said to it. The one place of the SDK that looks at the environment and the disk.

The rules are those of `helix-mcp`, so that a program and an agent in the same folder share one memory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from helix_mcp import __version__
from helix_mcp.address import Address, BadAddress, percent_encoded
from helix_mcp.folders import config_folder
from helix_mcp.login import Login
from helix_mcp.project import find_project
from helix_mcp.proof import Owner
from helix_mcp.settings import BadConfig, read_config

from helix.client.errors import BadSettings

_CLIENT = "helix-python"


@dataclass(frozen=True)
class ClientSettings:
    url: str
    is_loopback: bool
    is_secure: bool
    headers: Mapping[str, str]
    owner: Owner = field(repr=False)
    """knows the token, and what has to prove that it knows it too"""


def find_settings(
    url: str | None,
    token: str | None,
    project: str | None,
    session: str | None,
    client: str | None,
    env: Mapping[str, str],
    folder: str,
    workspace: str | None = None,
) -> ClientSettings:
    """What is given counts first, then `HELIX_*`, then config.toml; an empty project, session or workspace is none."""
    config = config_folder(env)
    try:
        in_file = read_config(os.path.join(config, "config.toml"))

        def setting(name: str, default: str = "") -> str:
            return (
                env.get(f"HELIX_{name.upper()}", "").strip() or str(in_file.get(name, "")).strip() or default
            )

        host, port = setting("host", "127.0.0.1"), setting("port", "7878")
        chosen = url or setting("url")
        workspace = setting("workspace") if workspace is None else workspace
        address = Address(chosen or f"http://{f'[{host}]' if ':' in host else host}:{port}")
    except (BadAddress, BadConfig) as error:
        raise BadSettings(str(error)) from error
    silent = token == ""
    token = setting("token") if token is None else token
    if not (token.isascii() and token.isprintable()):
        raise BadSettings("the token has characters that cannot stand in a header; set HELIX_TOKEN again")
    owner = Owner(
        address,
        os.path.join(config, "token"),
        token,
        chosen=bool(chosen),
        silent=silent,
        login=None if silent else Login(config, address),
    )
    if project is None:
        project = env.get("HELIX_PROJECT", "").strip() or find_project(folder, config).name
    if session is None:
        session = env.get("HELIX_SESSION", "").strip()
    return ClientSettings(
        address.url,
        address.is_loopback,
        address.is_secure,
        _headers(project, session, client, workspace),
        owner,
    )


def _headers(project: str, session: str, client: str | None, workspace: str) -> dict[str, str]:
    headers = {
        "Accept": "application/json",
        "User-Agent": f"{_CLIENT}/{__version__}",
        "Helix-Client": percent_encoded(client or _CLIENT),
        "Helix-Project": percent_encoded(project),
        "Helix-Session": percent_encoded(session),
        "Helix-Workspace": percent_encoded(workspace),
    }
    return {name: value for name, value in headers.items() if value}


def with_headers(settings: ClientSettings, changes: Mapping[str, str | None]) -> ClientSettings:
    """With other values for these headers: None leaves one as it is, an empty text takes it away."""
    headers = {
        **settings.headers,
        **{name: percent_encoded(value) for name, value in changes.items() if value is not None},
    }
    return replace(settings, headers={name: value for name, value in headers.items() if value})
