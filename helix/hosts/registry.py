"""The hosts that `helix connect` knows. Where a fact comes from is said in docs/hosts.md."""

from __future__ import annotations

import difflib

from helix.errors import BadValue
from helix.hosts.host import Host, Shape, UserFile

_TYPED = {"type": "stdio"}, {"type": "http"}

HOSTS = (
    Host(
        name="claude-code",
        title="Claude Code",
        language="json",
        servers=("mcpServers",),
        user=UserFile("~/.claude.json", moved_by="CLAUDE_CONFIG_DIR"),
        project=".mcp.json",
        shape=Shape(*_TYPED, bearer="${HELIX_TOKEN}"),
        programs=("claude",),
        signs=("~/.claude", "~/.claude.json"),
        asks="Claude Code asks once whether it may use the servers of .mcp.json.",
        afterwards="/mcp in Claude Code shows the server.",
    ),
    Host(
        name="claude-desktop",
        title="Claude Desktop",
        language="json",
        servers=("mcpServers",),
        user=UserFile(
            "$XDG_CONFIG_HOME/Claude/claude_desktop_config.json",
            mac="~/Library/Application Support/Claude/claude_desktop_config.json",
            windows="%APPDATA%/Claude/claude_desktop_config.json",
        ),
        shape=Shape(remote=None),
        signs=("$XDG_CONFIG_HOME/Claude", "~/Library/Application Support/Claude", "%APPDATA%/Claude"),
        afterwards="Quit Claude Desktop and start it again: it reads the file at its start.",
    ),
    Host(
        name="cursor",
        title="Cursor",
        language="jsonc",
        servers=("mcpServers",),
        user=UserFile("~/.cursor/mcp.json"),
        project=".cursor/mcp.json",
        shape=Shape(bearer="${env:HELIX_TOKEN}"),
        programs=("cursor", "cursor-agent"),
        signs=("~/.cursor",),
        afterwards="Switch the server on under Settings, MCP.",
    ),
    Host(
        name="vscode",
        title="VS Code",
        language="jsonc",
        servers=("servers",),
        user=UserFile(
            "$XDG_CONFIG_HOME/Code/User/mcp.json",
            mac="~/Library/Application Support/Code/User/mcp.json",
            windows="%APPDATA%/Code/User/mcp.json",
        ),
        project=".vscode/mcp.json",
        shape=Shape(*_TYPED, bearer="${env:HELIX_TOKEN}"),
        programs=("code",),
        signs=("$XDG_CONFIG_HOME/Code", "~/Library/Application Support/Code", "%APPDATA%/Code"),
        asks="VS Code asks once whether it may start the server.",
        afterwards="`MCP: List Servers` in the command palette shows it.",
    ),
    Host(
        name="windsurf",
        title="Windsurf",
        language="json",
        servers=("mcpServers",),
        user=UserFile("~/.codeium/windsurf/mcp_config.json"),
        shape=Shape(url="serverUrl", bearer="${env:HELIX_TOKEN}"),
        programs=("windsurf",),
        signs=("~/.codeium/windsurf",),
        afterwards="Press refresh in the MCP panel of Cascade.",
    ),
    Host(
        name="codex",
        title="Codex",
        language="toml",
        servers=("mcp_servers",),
        user=UserFile("~/.codex/config.toml", moved_by="CODEX_HOME"),
        project=".codex/config.toml",
        shape=Shape(bearer_key="bearer_token_env_var"),
        programs=("codex",),
        signs=("~/.codex",),
        asks="Codex reads the .codex/config.toml of projects that it was told to trust.",
        afterwards="/mcp in Codex shows the server.",
    ),
    Host(
        name="gemini",
        title="Gemini CLI",
        language="jsonc",
        servers=("mcpServers",),
        user=UserFile("~/.gemini/settings.json"),
        project=".gemini/settings.json",
        shape=Shape(remote={"type": "http"}, bearer="${HELIX_TOKEN}"),
        programs=("gemini",),
        signs=("~/.gemini",),
        asks="Gemini CLI uses the servers of folders that it was told to trust.",
        afterwards="/mcp in Gemini CLI shows the server.",
    ),
    Host(
        name="opencode",
        title="opencode",
        language="jsonc",
        servers=("mcp",),
        newer_servers=("mcp", "servers"),
        user=UserFile("$XDG_CONFIG_HOME/opencode/opencode.json"),
        also_named=(".jsonc",),
        project="opencode.json",
        shape=Shape(
            {"type": "local"},
            {"type": "remote"},
            env="environment",
            command_is_list=True,
            bearer="{env:HELIX_TOKEN}",
        ),
        programs=("opencode",),
        signs=("$XDG_CONFIG_HOME/opencode",),
    ),
    Host(
        name="zed",
        title="Zed",
        language="jsonc",
        servers=("context_servers",),
        user=UserFile(
            "$XDG_CONFIG_HOME/zed/settings.json",
            mac="~/.config/zed/settings.json",
            windows="%APPDATA%/Zed/settings.json",
        ),
        project=".zed/settings.json",
        programs=("zed", "zeditor"),
        signs=("$XDG_CONFIG_HOME/zed", "~/.config/zed", "%APPDATA%/Zed"),
        afterwards="The agent panel's settings show whether the server runs.",
    ),
    Host(
        name="hermes",
        title="Hermes",
        language="yaml",
        servers=("mcp_servers",),
        user=UserFile(
            "~/.hermes/config.yaml", windows="%LOCALAPPDATA%/hermes/config.yaml", moved_by="HERMES_HOME"
        ),
        shape=Shape(bearer="${HELIX_TOKEN}"),
        programs=("hermes",),
        signs=("~/.hermes", "%LOCALAPPDATA%/hermes"),
        afterwards="Start Hermes again, or say /reload-mcp in it.",
    ),
)

_BY_NAME = {host.name: host for host in HOSTS}


def get_host(name: str) -> Host:
    """By its name, in any case, with or without the dash."""
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    host = _BY_NAME.get(wanted) or next(
        (one for one in HOSTS if wanted.replace("-", "") == one.name.replace("-", "")), None
    )
    if host is None:
        near = difflib.get_close_matches(wanted, _BY_NAME, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; it is one of {', '.join(_BY_NAME)}"
        raise BadValue(f"there is no host {name!r}{hint}")
    return host
