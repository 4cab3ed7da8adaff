"""The reference page of the commands, made from the commands. `make docs` writes it, a test compares it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

from helix.cli.app import load
from helix.cli.main import commands
from helix.codes import EXIT_STATUS

_HEAD = """# Commands

Made from the code by `make docs`; do not edit. Every command takes the vault from `helix --vault FOLDER COMMAND`,
`HELIX_VAULT` or the [configuration](configuration.md). Commands that print data take `--json`. Colour and progress bars
are for terminals only; `NO_COLOR` turns colour off.

- **The daemon.** A command asks the daemon that follows the vault, wherever it listens, or the one that `HELIX_URL`
  names. Without one it does the same by itself, and a command that reads says so on standard error. When the daemon
  hangs, nothing is written behind its back. `edit`, `adopt` and `import` change files as an editor does, guarded by
  their hashes, and the daemon follows.
- **The project.** Like `helix-mcp`, a command knows the project by `HELIX_PROJECT`, by a `.helix-project` that you
  trust, or by the git repository around the current folder, and sees that project and what is global; outside of
  any, and in the vault itself, it sees everything. `--project NAME` looks from another one, `--global` sees only
  what is global, `--all` every project. `helix remember` files a memory under the project, or as global outside of
  any.
- **Completion.** `helix --install-completion` sets up bash, zsh or fish: commands, options, and the ids, projects,
  kinds and tags of your vault.

| exit status | meaning |
|---|---|
{statuses}
What each error means and what to do is on the page [errors](errors.md).

"""


def render() -> str:
    statuses = "".join(f"| {status} | {meaning} |\n" for status, meaning in EXIT_STATUS.items())
    head = _HEAD.replace("{statuses}", statuses)
    return head + "\n".join(_command(f"helix {name}", command) for name, command in every_command())


def every_command() -> list[tuple[str, Any]]:
    """All commands, those of groups with the names of their groups before their own."""
    return [found for name in commands() for found in _within(name, load(name))]


def _within(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    members = getattr(command, "commands", {})
    if not members or command.invoke_without_command:
        yield name, command
    for own, member in members.items():
        yield from _within(f"{name} {own}", member)


def _command(name: str, command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    usage = " ".join([name, *(_placeholder(one) for one in arguments), "[OPTIONS]"])
    lines = [f"## {name}", "", inspect.cleandoc(command.help or ""), "", f"    {usage}", ""]
    if arguments or options:
        lines += ["| parameter | meaning |", "|---|---|"]
        lines += [f"| `{_placeholder(one)}` | {_cell(one.help)} |" for one in arguments]
        lines += [
            f"| `{', '.join((*option.opts, *option.secondary_opts))}` | {_cell(option.help)} |"
            for option in options
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
