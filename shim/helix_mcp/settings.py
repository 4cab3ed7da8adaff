"""Everything the shim is told: options, environment, the user's files."""

from __future__ import annotations

import os

from helix_mcp import __version__
from helix_mcp.address import Address, percent_encoded
from helix_mcp.folders import config_folder, expanded, state_folder
from helix_mcp.project import find_project
from helix_mcp.proof import Owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_HOST, _PORT = "127.0.0.1", "7878"
_SESSION_VARIABLES = {"zaxy": "EVENTLOOM_THREAD"}
"""in which dialects that work in the session of a project, unless one is named, name it"""


class BadConfig(ValueError):
    """What the user set cannot be right."""


class Options:
    """What stands on the command line."""

    def __init__(self) -> None:
        self.dialect = ""
        self.names = ""
        self.tools = ""
        self.project = ""
        self.session = ""
        self.workspace = ""
        self.no_start = False


class Settings:
    def __init__(self, options: Options, env: Mapping[str, str], folder: str) -> None:
        config = config_folder(env)
        in_file = read_config(os.path.join(config, "config.toml"))

        def setting(name: str, default: str = "") -> str:
            return (
                env.get(f"HELIX_{name.upper()}", "").strip() or str(in_file.get(name, "")).strip() or default
            )

        host, port = setting("host", _HOST), setting("port", _PORT)
        chosen = setting("url")
        self.address = Address(chosen or f"http://{f'[{host}]' if ':' in host else host}:{port}")
        self.may_start = not options.no_start and self.address.is_loopback and not self.address.is_secure
        at = in_file.get("state_dir")
        self.state_folder = (
            expanded(at)
            if isinstance(at, str) and not env.get("HELIX_STATE_DIR", "").strip()
            else state_folder(env)
        )
        self.dialect, self.is_dotted, self.tools = options.dialect, options.names == "dotted", options.tools
        self.path = f"{self.address.path}/mcp"
        if options.dialect:
            self.path += f"/{percent_encoded(options.dialect)}"
        asked = {"names": options.names, "tools": options.tools}
        if query := "&".join(f"{key}={percent_encoded(value)}" for key, value in asked.items() if value):
            self.path += f"?{query}"
        token = setting("token")
        if not (token.isascii() and token.isprintable()):
            raise BadConfig("the token has characters that cannot stand in a header; set HELIX_TOKEN again")
        login = None
        if chosen and not token and os.path.exists(os.path.join(config, "logins.json")):
            from helix_mcp.login import Login  # only here: most people have a daemon of their own

            login = Login(config, self.address)
        token_file = os.path.join(config, "token")
        self.owner = Owner(self.address, token_file, token, chosen=bool(chosen), login=login)
        self.project = options.project or env.get("HELIX_PROJECT", "").strip()
        self.workspace = options.workspace or setting("workspace")
        self.remark = ""
        if not self.project:
            project = find_project(folder, config)
            self.project, self.remark = project.name, project.remark
        session = options.session or env.get("HELIX_SESSION", "").strip()
        if not session:
            named_in = _SESSION_VARIABLES.get(options.dialect)
            session = os.urandom(16).hex() if named_in is None else env.get(named_in, "").strip()
        self.headers = {
            "Host": self.address.host_header,
            "Helix-Client": f"helix-mcp/{__version__}",
        }
        if self.workspace:
            self.headers["Helix-Workspace"] = percent_encoded(self.workspace)
        if session:
            self.headers["Helix-Session"] = percent_encoded(session)
        if self.project:
            self.headers["Helix-Project"] = percent_encoded(self.project)


def url_of(settings: Settings) -> str:
    """Where the daemon says, in the state folder of a vault, that it serves it."""
    return settings.address.url + (f"/w/{settings.workspace}" if settings.workspace else "")


def read_config(path: str) -> dict[str, Any]:
    """The user's settings; the parser is imported only for those who have any."""
    try:
        with open(path, "rb") as file:
            import tomllib

            return tomllib.load(file)
    except OSError:
        return {}
    except ValueError as error:
        raise BadConfig(f"{path}: {error}; mend the file or move it away") from error
