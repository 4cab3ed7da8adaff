"""The command: its options, its standard streams, its end."""

from __future__ import annotations

import os
import sys

from helix_mcp import __version__
from helix_mcp.address import BadAddress
from helix_mcp.endpoint import say
from helix_mcp.lines import Lines, Stopped
from helix_mcp.relay import Relay
from helix_mcp.settings import BadConfig, Options, Settings

HELP = """\
usage: helix-mcp [OPTIONS]
       helix-mcp hook [OPTIONS]

Speak MCP on standard input and output, and pass it on to the Helix daemon, which is started when none runs.

  --dialect NAME   the dialect of the tools (default: helix)
  --names dotted   list the tools as memory.search instead of memory_search
  --tools sessions list the tools over logs of sessions, too
  --project NAME   the project (HELIX_PROJECT; default: .helix-project, or the git repository around this folder)
  --workspace NAME the workspace of the daemon (HELIX_WORKSPACE; default: the first that your key opens)
  --session ID     the session (HELIX_SESSION; default: a new one)
  --no-start       never start a daemon
  --version        print the version
  --help           print this

HELIX_URL, or HELIX_HOST and HELIX_PORT, say where the daemon is; HELIX_TOKEN is shown to it.
"""

# How long calls under way may take at the end. Hosts close the input, and kill two seconds after a SIGTERM.
_AFTER_EOF = 5.0
_AFTER_SIGNAL = 1.0


class BadUsage(ValueError):
    """An option that makes no sense."""


def run() -> None:
    try:
        options = parse(sys.argv[1:])
        if options is None:
            return
        settings = Settings(options, os.environ, _current_folder())
    except BadUsage as error:
        sys.stderr.write(f"helix-mcp: {error}; see helix-mcp --help\n")
        sys.exit(2)
    except (BadAddress, BadConfig) as error:
        sys.stderr.write(f"helix-mcp: {error}\n")
        sys.exit(1)
    if settings.remark:
        say(settings.remark)
    _serve(Relay(settings))


def parse(arguments: list[str]) -> Options | None:
    """None when there is nothing left to do. By hand: argparse would cost a tenth of the start."""
    options = Options()
    waiting = list(arguments)
    while waiting:
        name, equals, value = waiting.pop(0).partition("=")
        if name in ("--help", "-h"):
            sys.stdout.write(HELP)
            return None
        if name == "--version":
            sys.stdout.write(f"helix-mcp {__version__}\n")
            return None
        if name == "--no-start" and not equals:
            options.no_start = True
        elif name in ("--dialect", "--names", "--tools", "--project", "--workspace", "--session"):
            if not equals and waiting:
                value = waiting.pop(0)
            if not value.strip():
                raise BadUsage(f"{name} needs a value")
            setattr(options, name[2:], value.strip())
        else:
            raise BadUsage(f"there is no option {name!r}")
    if options.names not in ("", "dotted"):
        raise BadUsage(f"--names takes `dotted`, not {options.names!r}")
    return options


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted under us
        return os.sep


def _serve(relay: Relay) -> None:
    """Until the input ends or a signal comes. Threads may still wait for the daemon: they do not hold the end up."""
    patience = _AFTER_EOF
    try:
        for line in Lines():
            relay.accept(line)
    except Stopped:
        patience = _AFTER_SIGNAL
    try:
        relay.finish(patience)
    except Stopped:
        relay.finish(_AFTER_SIGNAL)
    os._exit(0)
