"""`helix-mcp hook`: what Claude Code runs at the events of a session. It asks the daemon over REST, or gives up.

An agent waits for its hooks, so this one has a deadline over everything it does: whatever hangs, a moment later
the process is gone, with status 0 and nothing said. A daemon that does not run is not started for it.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from helix_mcp.settings import Settings

HELP = """\
usage: helix-mcp hook [OPTIONS]

Read the JSON of a Claude Code hook on standard input. At the start of a session print the memories of its project;
before a compaction, when the agent stops and at the end note what the session was about. `helix hooks install` sets
it up.

  --budget N   tokens that the memories may take (default: 1500)
  --remind     before the agent stops, remind it once in a long session to write what a later one should know
  --explain    say on standard error why nothing was done, and take the time that it needs
  --help       print this

HELIX_URL, or HELIX_HOST and HELIX_PORT, say where the daemon is; HELIX_TOKEN is shown to it.
"""

BUDGET = 1500
DISTILLING = "HELIX_DISTILLING"
# Of the 300 ms that an agent sees at most, some are for the end of the process.
_DEADLINE = 0.28
_SHORTEST = 0.02
# So long the daemon is waited for, where something is kept that can be told instead.
_PATIENCE = 0.2
_LOOK_EVERY = 0.01
# What an interpreter needs to get here, where the system does not say when it started.
_USUAL_START = 0.05
_LARGEST_INPUT = 8 * 1024 * 1024


def run(arguments: list[str]) -> None:
    if "--help" in arguments or "-h" in arguments:
        sys.stdout.write(HELP)
        return
    if os.environ.get(DISTILLING):
        return  # the daemon itself asks this agent about a session: that is none to be recorded, or told of others
    if "--explain" in arguments:
        _work(arguments, Output())
        return
    output = Output()
    _thread.start_new_thread(output.end_in_time, (_age(),))
    try:
        _work(arguments, output)
    finally:  # whatever happened: an agent is never told of it
        os._exit(0)


class Output:
    """What is printed, once: the daemon's answer, or what is kept for when that takes too long."""

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._is_done = False
        self.instead: Callable[[], bytes] | None = None
        """makes what is printed when there is no answer in time"""

    def put(self, line: bytes) -> None:
        with self._lock:
            if not self._is_done:
                self._is_done = True
                os.write(1, line)

    def end_in_time(self, age: float) -> None:
        """In a thread of its own: whatever hangs or fails elsewhere, or here, the process ends."""
        began = time.monotonic() - age
        try:
            time.sleep(max(began + _PATIENCE - time.monotonic(), _SHORTEST))
            while time.monotonic() < began + _DEADLINE:
                if not self._is_done and self.instead is not None and (line := self.instead()):
                    self.put(line)
                    break
                time.sleep(_LOOK_EVERY)
        finally:
            os._exit(0)


def _age() -> float:
    """Seconds since this process began: a busy machine takes long to start an interpreter."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return _USUAL_START


def _work(arguments: list[str], output: Output) -> None:
    import json

    from helix_mcp.settings import Options, Settings

    try:
        event = json.loads(_input())
        name = event.get("hook_event_name") if isinstance(event, dict) else None
        options = Options()
        options.session = str(event.get("session_id", "")) if name else ""
        folder = str(event.get("cwd", "")) if name else ""
        settings = Settings(options, os.environ, folder or os.getcwd())
        if settings.remark and "--explain" in arguments:
            sys.stderr.write(f"helix-mcp hook: {settings.remark}\n")
        _act(name, event, settings, arguments, output)
    except (ValueError, OSError) as reason:
        if "--explain" in arguments:
            sys.stderr.write(f"helix-mcp hook: {reason}\n")


def _act(
    name: object, event: dict[str, Any], settings: Settings, arguments: list[str], output: Output
) -> None:
    budget = _budget(arguments)
    if name == "SessionStart":
        _start_session(event, settings, budget, output)
    elif name == "UserPromptSubmit":
        from helix_mcp.digest import user_prompt
        from helix_mcp.rest import Rest

        output.put(_told(name, user_prompt(event, Rest(settings), budget, settings.project)))
    elif name in ("PreCompact", "Stop", "SessionEnd"):
        import json

        from helix_mcp.rest import Rest
        from helix_mcp.session_record import record

        rest = Rest(settings)
        if "--remind" in arguments:
            from helix_mcp.reminder import reminder

            if words := reminder(event, rest):
                output.put(json.dumps({"decision": "block", "reason": words}).encode() + b"\n")
        record(event, rest, settings.project)
    else:
        raise ValueError(f"nothing is done at {name!r}")


def _start_session(event: dict[str, Any], settings: Settings, budget: int, output: Output) -> None:
    from helix_mcp.kept_digest import KeptDigest
    from helix_mcp.settings import url_of

    kept = KeptDigest(settings.state_folder, url_of(settings), settings.project, budget)
    if event.get("source") != "resume":
        output.instead = lambda: _told("SessionStart", kept.find())
    # After that: where the processor is short, these take as long as the daemon's answer.
    from helix_mcp.digest import session_start
    from helix_mcp.rest import Rest

    rest, asked = Rest(settings), time.time_ns()
    context, memories = session_start(event, rest, budget, settings.project)
    output.put(_told("SessionStart", context))
    kept.keep(memories, rest, asked)


def _told(name: str, context: str) -> bytes:
    """As a host takes it; nothing for nothing."""
    import json

    output = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}
    return json.dumps(output).encode() + b"\n" if context else b""


def _input() -> bytes:
    pieces: list[bytes] = []
    while piece := os.read(0, 65536):
        pieces.append(piece)
        if sum(map(len, pieces)) > _LARGEST_INPUT:
            raise ValueError("the input is longer than any event")
    return b"".join(pieces)


def _budget(arguments: list[str]) -> int:
    for position, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        value = value or "".join(arguments[position + 1 : position + 2])
        if name == "--budget" and value.isdigit():
            return int(value)
    return BUDGET
