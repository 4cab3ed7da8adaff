"""The verbs for commands: done by the daemon when one runs, else in this process.

Both doors are made from the table of verbs and give the same answers, so no command knows which one it went through.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlencode

import typer

from helix.cli.open_vault import config_of
from helix.cli.output import Progress, err
from helix.config import Config
from helix.daemon_client import PATIENCE, Daemon, find_daemon
from helix.errors import BadValue, DaemonUnreachable
from helix.memory.size_limits import MOST_TOKENS
from helix.memory.verbs.verb import Verb
from helix.vault.log.log_paths import check_session
from helix.verb_table import VERBS

Payload = dict[str, Any]

ROOM = MOST_TOKENS
"""tokens that an answer may have: a person's terminal is no context window"""
_PAGE = 50
_PAGE_OF_GRAPH = 500
_READING_PATIENCE = 60.0
CLIENT = "cli"


@dataclass(frozen=True)
class Viewpoint:
    """From where a command looks, and where what it writes belongs."""

    project: str | None
    scope: str
    """`project` sees it and what is global, `global` only that, `all` everything"""


class Door(Protocol):
    """Who does a verb. Raises HelixError only."""

    def ask(self, verb: Verb, fields: Mapping[str, Any]) -> Payload: ...
    def consolidate(self, *, dry_run: bool, only: Sequence[str], progress: Progress) -> Payload: ...


class Verbs:
    """Every verb by its name, with its fields; what is None is left to the verb. Raises HelixError only."""

    def __init__(self, door: Door, standing: Viewpoint) -> None:
        self._door = door
        self._standing = standing

    def ask(self, name: str, /, **fields: Any) -> Payload:
        verb = VERBS[name]
        given = {key: value for key, value in fields.items() if value is not None}
        return self._door.ask(verb, {**self._defaults(verb), **given})

    def consolidate(self, *, dry_run: bool, only: Sequence[str], progress: Progress) -> Payload:
        return self._door.consolidate(dry_run=dry_run, only=only, progress=progress)

    def _defaults(self, verb: Verb) -> Payload:
        """A person at a terminal sees from where they stand, in full."""
        wanted: Payload = {} if verb.changes else {"scope": self._standing.scope}
        if "cursor" in verb.fields:
            wanted |= {"response_format": "detailed", "max_tokens": ROOM}
        return {name: value for name, value in wanted.items() if name in verb.fields}


class DaemonDoor:
    """The daemon, over REST."""

    def __init__(self, daemon: Daemon, standing: Viewpoint) -> None:
        self._daemon = daemon
        self._headers = {"Helix-Client": CLIENT}
        if standing.project:
            self._headers["Helix-Project"] = quote(standing.project, safe="")

    def ask(self, verb: Verb, fields: Mapping[str, Any]) -> Payload:
        path, sent = spell(verb, fields)
        return self._daemon.ask(
            path,
            method=verb.route.method,
            body=sent,
            headers=self._headers,
            timeout=PATIENCE if verb.changes else _READING_PATIENCE,
        )

    def consolidate(self, *, dry_run: bool, only: Sequence[str], progress: Progress) -> Payload:
        applied = [] if dry_run else self.ask(VERBS["consolidate"], {"ids": list(only)})["applied"]
        pages = gather(
            lambda **page: self.ask(VERBS["proposals"], {"max_tokens": ROOM, **page}), "proposals", None
        )
        return {"applied": applied, "proposals": pages["proposals"]}


def spell(verb: Verb, fields: Mapping[str, Any]) -> tuple[str, Payload | None]:
    """A verb as a request over HTTP: the path with its address, and the body."""
    path, sent = verb.route.path, {}
    for name, value in fields.items():
        wire = verb.fields[name].wire
        if f"{{{wire}}}" in path:
            if wire == "session_id":
                check_session(str(value))  # a slash in it would make another path
            path = path.replace(f"{{{wire}}}", quote(str(value), safe=""))
        elif name == "filters" and verb.route.method == "GET":
            sent.update(value)
        elif value is not None:
            sent[wire] = value
    if verb.route.method != "GET":
        return path, sent
    words = {name: str(value).lower() if isinstance(value, bool) else value for name, value in sent.items()}
    return f"{path}?{urlencode(words)}", None


@contextmanager
def open_verbs(
    context: typer.Context, standing: Viewpoint | None = None, *, writes: bool = False
) -> Iterator[Verbs]:
    """`writes` says that the command changes memories: then a daemon that hangs is not gone round."""
    standing = standing or Viewpoint(None, "all")
    daemon = find_daemon(config_of(context))
    trouble = "no daemon runs" if daemon is None else _why_silent(daemon)
    if daemon is not None and not trouble:
        yield Verbs(DaemonDoor(daemon, standing), standing)
        return
    if daemon is not None and writes:
        raise DaemonUnreachable(f"{trouble}; nothing was written. `helix down` and `helix up` start it anew")
    from helix.cli.verbs_local import open_local

    with open_local(context, standing) as door:
        if not writes:
            err.print(f"helix: {trouble}; this is read from the vault itself", style="dim")
        yield Verbs(door, standing)


def viewpoint_of(
    context: typer.Context, project: str | None, only_global: bool, everything: bool = False
) -> Viewpoint:
    """What --project, --global and --all mean; without them it is the project of the current folder."""
    if sum((project is not None, only_global, everything)) > 1:
        raise BadValue("--project, --global and --all exclude each other; give one of them")
    if only_global or everything:
        return Viewpoint(None, "global" if only_global else "all")
    found = project or project_here(config_of(context))
    return Viewpoint(found, "project") if found else Viewpoint(None, "all")


def project_here(config: Config) -> str | None:
    """As helix-mcp sees it: HELIX_PROJECT, `.helix-project`, or the git repository around the current folder.

    Inside the vault there is none: whoever stands in the middle of all memories means all of them.
    """
    from helix_mcp.project import find_project

    if named := os.environ.get("HELIX_PROJECT", "").strip():
        return named
    try:
        here = os.getcwd()
    except FileNotFoundError:  # somebody deleted the folder that the shell is in
        return None
    if Path(here).is_relative_to(os.path.realpath(config.vault)):
        return None
    found = find_project(here, str(config.config_dir))
    if found.remark:
        err.print(f"helix: {found.remark}", style="yellow")
    return found.name or None


def gather(
    ask: Callable[..., Payload],
    key: str,
    limit: int | None,
    enough: Callable[[Payload], bool] = lambda page: False,
) -> Payload:
    """The answers of several pages as one, up to a limit, or to a page after which no more is wanted."""
    found: list[Any] = []
    first: Payload = {}
    cursor: str | None = None
    while True:
        page = ask(limit=_PAGE if limit is None else min(_PAGE, limit - len(found)), cursor=cursor)
        first = first or page
        found += page[key]
        cursor = page["next_cursor"]
        if cursor is None or (limit is not None and len(found) >= limit) or enough(page):
            return {**_without_pages(first), key: found, "truncated": cursor is not None}


def gather_graph(ask: Callable[..., Payload]) -> Payload:
    nodes: list[Any] = []
    edges: list[Any] = []
    cursor: str | None = None
    while True:
        page = ask(limit=_PAGE_OF_GRAPH, cursor=cursor)
        nodes, edges, cursor = nodes + page["nodes"], edges + page["edges"], page["next_cursor"]
        if cursor is None:
            return {"nodes": nodes, "edges": edges}


def _without_pages(page: Payload) -> Payload:
    return {key: value for key, value in page.items() if key not in ("next_cursor", "tokens_used")}


def _why_silent(daemon: Daemon) -> str:
    try:
        daemon.health()
    except DaemonUnreachable as error:
        return error.trouble
    return ""
