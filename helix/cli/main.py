"""The `helix` command: which commands there are, and the page that lists them.

Nothing else is imported here. `helix --help` is answered from the table below, and a command loads its own module
and no other, because a shell user waits for every import.
"""

from __future__ import annotations

import io
import os
import sys

ABOUT = "A memory for coding agents that you can read: markdown files in your folder."

SECTIONS = (
    (
        "Memories",
        (
            # a command: its name, where it is, and its help in one line, with which its docstring begins
            ("remember", "helix.cli.remember:remember", "Write a memory, unless it is there already."),
            ("recall", "helix.cli.recall:recall", "Find memories by words and by meaning."),
            ("context", "helix.cli.context:context", "Print the memories that a task needs, packed for an agent."),
            ("get", "helix.cli.get:get", "Print one memory, now or in the past."),
            ("edit", "helix.cli.edit:edit", "Change a memory in your editor."),
            ("file", "helix.cli.changes:file", "Say of which project memories are."),
            ("forget", "helix.cli.changes:forget", "Mark a memory as deleted; its file stays."),
            ("restore", "helix.cli.changes:restore", "Bring a forgotten memory back."),
            ("relate", "helix.cli.changes:relate", "Draw a typed edge from one memory to another."),
            ("recent", "helix.cli.recent:recent", "List the memories, last changed first."),
            ("projects", "helix.cli.projects:projects", "List the projects, last changed first."),
            ("graph", "helix.cli.graph:graph", "Show which memories lead to which."),
            ("history", "helix.cli.history:history", "List the versions of a memory in git, across renames."),
            ("diff", "helix.cli.history:diff", "Show what changed in a memory since a revision."),
        ),
    ),
    (
        "Sessions",
        (
            ("session", "helix.cli.session:app", "Read, verify and add to the logs of what agents did."),
            ("skill", "helix.cli.skill:app", "List and read what agents learned to do, publish and pull it."),
            ("cite", "helix.cli.session:cite", "Print the event that a citation names."),
        ),
    ),
    (
        "Documents and sources",
        (
            ("ingest", "helix.cli.ingest:ingest", "Turn a file, or a folder of them, into notes."),
            ("documents", "helix.cli.documents:app", "List, show and forget the documents in the vault."),
            ("jobs", "helix.cli.jobs:app", "List, show and cancel long work."),
            ("source", "helix.cli.source:app", "Search folders and repositories where they are."),
            ("code", "helix.cli.code:app", "Find symbols, and what changing them may break."),
        ),
    ),
    (
        "The vault",
        (
            ("init", "helix.cli.setup:init", "Make a vault: a folder of markdown files that you share."),
            ("inbox", "helix.cli.inbox:app", "Show what waits for you, and accept what sessions propose."),
            ("doctor", "helix.cli.doctor:doctor", "Explain what is wrong, and what to do about it."),
            ("conflicts", "helix.cli.maintenance:conflicts", "List what needs a person: files not read or merged."),
            ("adopt", "helix.cli.changes:adopt", "Give notes that have no id of their own a real one."),
            (
                "consolidate",
                "helix.cli.maintenance:consolidate",
                "Find what could be tidied, and tidy what is certain.",
            ),
            ("import", "helix.cli.import_export:import_memories", "Bring memories in, from a strand or another tool."),
            ("export", "helix.cli.import_export:export", "Write the memories into one file that any Helix imports."),
            ("reindex", "helix.cli.reindex:reindex", "Read every file again and make all derived data anew."),
        ),
    ),
    (
        "The daemon",
        (
            ("up", "helix.cli.daemon:up", "Start the daemon in the background, unless it runs."),
            ("down", "helix.cli.daemon:down", "Stop the daemon; everything acknowledged is on disk."),
            ("freeze", "helix.cli.freeze:freeze", "Refuse changes until the vault is thawed."),
            ("thaw", "helix.cli.freeze:thaw", "Take changes again."),
            ("status", "helix.cli.daemon:status", "Say which vault this is, who follows it and how it is."),
            ("service", "helix.cli.service:app", "Start the daemon with your session, by systemd or launchd."),
            ("token", "helix.cli.token:token", "Print the token of this machine."),
        ),
    ),
    (
        "A team",
        (
            ("team", "helix.cli.team:app", "Begin to share a vault with others."),
            ("workspace", "helix.cli.workspace:app", "Make, list and archive the workspaces of a daemon."),
            ("user", "helix.cli.user:app", "Add, list and remove people, and set their passwords."),
            ("key", "helix.cli.key:app", "Make, list and revoke the keys of a team."),
            ("client", "helix.cli.client:app", "Name programs that people let in, and end what they were granted."),
            ("login", "helix.cli.login:login", "Log in to a server of a team, in a browser on any machine."),
            (
                "logout",
                "helix.cli.login:logout",
                "Log out of a server: end what was granted there.",
            ),
            ("whoami", "helix.cli.login:whoami", "Say as whom the commands come in, and what they may."),
            ("audit", "helix.cli.audit:audit", "Say who of a team did what, when and from where."),
        ),
    ),
    (
        "Your agents",
        (
            ("project", "helix.cli.project_members:app", "Say which project this folder is of, and who works on it."),
            ("connect", "helix.cli.connect:connect", "Give a host the memory: print its set-up, or install it."),
            ("disconnect", "helix.cli.connect:disconnect", "Take out of a host's file what connect put there."),
            ("hooks", "helix.cli.hooks:app", "Let Claude Code start with the memories of its project."),
            ("capture", "helix.cli.capture:app", "Take the transcripts of your agents into logs of sessions."),
            ("harness", "helix.cli.harness:app", "Tell harnesses, such as Claude Code, the rules of a project."),
            ("asset", "helix.cli.asset:app", "Share files with others: prompts, templates, snippets."),
            ("secret", "helix.cli.secret:app", "Keep secrets, and run programs with them."),
            ("hook-event", "helix.cli.hook_event:hook_event", "Add what a hook saw to the log of a session."),
        ),
    ),
    (
        "Helix itself",
        (
            ("config", "helix.cli.settings:app", "Show and change the settings."),
            ("model", "helix.cli.models:app", "Choose the model that searches by meaning."),
            ("bench", "helix.cli.bench:bench", "Measure searching and writing on this machine."),
            ("version", "helix.cli.version:version", "Say which Helix this is."),
        ),
    ),
)  # fmt: skip

OPTIONS = (
    ("--vault FOLDER", "The vault folder (HELIX_VAULT, ~/helix-vault)."),
    ("--version", "Say which Helix this is."),
    ("--install-completion", "Set up completion for your shell."),
    ("--show-completion", "Print what --install-completion would set up."),
    ("-h, --help", "Show this page, or after a command its own."),
)

_HELP: tuple[list[str], ...] = ([], ["-h"], ["--help"])
_COMPLETES = "_HELIX_COMPLETE"  # set by a shell that asks for completions, with no arguments


def main() -> None:
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read the output has seen enough, as `head` does; what is still buffered must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)


def _run() -> None:
    try:
        if sys.argv[1:] in _HELP and _COMPLETES not in os.environ:
            sys.stdout.write(help_page(bold=sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
        else:
            from helix.cli.app import app

            for stream in (sys.stdout, sys.stderr):
                if isinstance(stream, io.TextIOWrapper):  # a file name may be no text, a console no UTF-8
                    stream.reconfigure(errors="backslashreplace")
            app(prog_name="helix")
    finally:
        sys.stdout.flush()


def commands() -> dict[str, tuple[str, str]]:
    """Where each command is and what it says of itself, by name."""
    return {name: (location, about) for _, listed in SECTIONS for name, location, about in listed}


def help_page(*, bold: bool = False) -> str:
    lines = ["Usage: helix [OPTIONS] COMMAND [ARGUMENTS]", "", ABOUT]
    listed = [(title, [(name, about) for name, _, about in rows]) for title, rows in SECTIONS]
    for title, rows in (*listed, ("Options", OPTIONS)):
        lines += ["", f"\033[1m{title}\033[0m" if bold else title]
        width = max(len(name) for name, _ in (OPTIONS if rows is OPTIONS else commands().items()))
        lines += [f"  {name:<{width}}  {about}" for name, about in rows]
    return "\n".join(lines) + "\n"
