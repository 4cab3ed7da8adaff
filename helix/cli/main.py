"""The `helix` command: which commands there are, and the page that lists them.

Nothing else is imported here. `helix --help` is answered from the table below, and a command loads its own module
and no other, because a shell user waits for every import.
"""

from __future__ import annotations

import os
import sys

ABOUT = "A memory for coding agents that you can read: markdown files in a folder of yours."

SECTIONS = (
    (
        "Memories",
        (
            # a command: its name, where it is, and its help in one line, with which its docstring begins
            ("add", "helix.cli.memories:add", "Write a new memory."),
            ("search", "helix.cli.find:search", "Find memories by words and by meaning."),
            ("list", "helix.cli.memories:list_memories", "List the memories, last changed first."),
            ("show", "helix.cli.memories:show", "Print one memory, now or in the past."),
            ("forget", "helix.cli.memories:forget", "Mark a memory as deleted; its file stays."),
            ("restore", "helix.cli.memories:restore", "Bring a forgotten memory back."),
            ("history", "helix.cli.past:history", "List the versions of a memory in git."),
            ("diff", "helix.cli.past:diff", "Show what changed in a memory."),
        ),
    ),
    (
        "The vault",
        (
            ("init", "helix.cli.setup:init", "Make a vault: a folder that people and agents share."),
            ("adopt", "helix.cli.memories:adopt", "Give notes that have no id of their own a real one."),
            ("consolidate", "helix.cli.tidy:consolidate", "Find what could be tidied, and tidy what is certain."),
            ("import", "helix.cli.carry:import_memories", "Bring memories in, from a strand or another tool."),
            ("export", "helix.cli.carry:export", "Write the memories into one file."),
            ("reindex", "helix.cli.care:reindex", "Read every file again and make all derived data anew."),
            ("doctor", "helix.cli.doctor:doctor", "Explain what is wrong, and what to do about it."),
        ),
    ),
    (
        "The daemon",
        (
            ("status", "helix.cli.care:status", "Say which vault this is, who follows it and how it is."),
            ("token", "helix.cli.token:token", "Print the token of this machine."),
        ),
    ),
    (
        "Your agents",
        (
            ("connect", "helix.cli.connect:connect", "Give a host the memory: print its set-up, or install it."),
            ("disconnect", "helix.cli.connect:disconnect", "Take out of a host's file what connect put there."),
            ("hooks", "helix.cli.hooks:app", "Let Claude Code start with the memories of its project."),
        ),
    ),
    (
        "Helix itself",
        (
            ("model", "helix.cli.models:app", "Choose the model that searches by meaning."),
        ),
    ),
)  # fmt: skip

OPTIONS = (
    ("--vault FOLDER", "The vault folder (HELIX_VAULT, ~/helix-vault)."),
    ("--install-completion", "Set up completion for your shell."),
    ("--show-completion", "Print what --install-completion would set up."),
    ("-h, --help", "Show this page; `helix COMMAND --help` shows one command."),
)

_HELP: tuple[list[str], ...] = ([], ["-h"], ["--help"])
_COMPLETES = "_HELIX_COMPLETE"  # set by a shell that asks for completions, with no arguments


def main() -> None:
    if sys.argv[1:] in _HELP and _COMPLETES not in os.environ:
        sys.stdout.write(help_page(bold=sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
        return
    from helix.cli.app import run

    run()


def commands() -> dict[str, tuple[str, str]]:
    """Where each command is and what it says of itself, by name."""
    return {name: (place, about) for _, listed in SECTIONS for name, place, about in listed}


def help_page(*, bold: bool = False) -> str:
    lines = ["Usage: helix [OPTIONS] COMMAND [ARGUMENTS]", "", ABOUT]
    width = max(len(name) for name in (*commands(), *(name for name, _ in OPTIONS)))
    listed = [(title, [(name, about) for name, _, about in rows]) for title, rows in SECTIONS]
    for title, rows in (*listed, ("Options", OPTIONS)):
        lines += ["", f"\033[1m{title}\033[0m" if bold else title]
        lines += [f"  {name:<{width}}  {about}" for name, about in rows]
    return "\n".join(lines) + "\n"
