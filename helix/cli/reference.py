"""The reference page of the commands, made from the commands. `make docs` writes it, a test compares it."""

from __future__ import annotations

import inspect
import sys
from typing import Any

from helix.cli.app import load
from helix.cli.main import commands

_HEAD = """# Commands

Made from the code by `make docs`; do not edit. Exit status: 0 done, 1 an error (said on standard error, or as
`{"error", "code"}` with `--json`), 2 wrong usage, 130 stopped with Ctrl-C. `helix --install-completion` sets up your
shell.
Every command takes the vault from `helix --vault FOLDER COMMAND`, `HELIX_VAULT` or the configuration.

"""


def render() -> str:
    return _HEAD + "\n".join(_command(f"helix {name}", command) for name, command in every_command())


def every_command() -> list[tuple[str, Any]]:
    """All commands, those of groups with the name of their group before their own."""
    found: list[tuple[str, Any]] = []
    for name in commands():
        command = load(name)
        members = getattr(command, "commands", {})
        found += [(f"{name} {one}", member) for one, member in members.items()] or [(name, command)]
    return found


def _command(name: str, command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    usage = " ".join([name, *(_placeholder(one) for one in arguments), "[OPTIONS]"])
    lines = [f"## {name}", "", inspect.cleandoc(command.help or ""), "", f"    {usage}", ""]
    if arguments or options:
        lines += ["| parameter | meaning |", "|---|---|"]
        lines += [f"| `{_placeholder(one)}` | {_cell(one.help)} |" for one in arguments]
        lines += [
            f"| `{', '.join((*one.opts, *one.secondary_opts))}` | {_cell(one.help)} |" for one in options
        ]
        lines.append("")
    return "\n".join(lines)


def _placeholder(argument: Any) -> str:
    name = argument.metavar or str(argument.name).upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render())
