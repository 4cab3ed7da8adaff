"""The verbs of the memory service, for commands: done by the daemon when one runs, else in this process.

Both doors take the same words and give the same answers, so no command knows which one it went through.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import typer

from helix.cli.open_vault import config_of
from helix.cli.output import Progress, err
from helix.config import Config
from helix.daemon_client import Daemon, find_daemon
from helix.errors import BadValue, DaemonUnreachable

Payload = dict[str, Any]

ROOM = 200_000
"""tokens that an answer may have: a person's terminal is no context window"""
_PAGE = 50
_PAGE_OF_GRAPH = 500
CLIENT = "cli"


@dataclass(frozen=True)
class Standing:
    """From where a command looks, and where what it writes belongs."""

    project: str | None
    scope: str
    """`project` sees it and what is global, `global` only that, `all` everything"""


class Verbs(Protocol):
    """Words are those of REST; what is None is left to the service. Raises HelixError only."""

    def remember(self, wish: Mapping[str, Any]) -> Payload: ...
    def recall(self, question: str, *, filters: Mapping[str, str], **words: Any) -> Payload: ...
    def context(self, task: str, *, filters: Mapping[str, str], **words: Any) -> Payload: ...
    def get(self, memory_id: str, **words: Any) -> Payload: ...
    def recent(self, *, filters: Mapping[str, str], **words: Any) -> Payload: ...
    def graph(self, **words: Any) -> Payload: ...
    def neighbors(self, memory_id: str, **words: Any) -> Payload: ...
    def history(self, memory_id: str, **words: Any) -> Payload: ...
    def conflicts(self, **words: Any) -> Payload: ...
    def file(self, memory_ids: Sequence[str], *, project: str, idempotency_key: str | None) -> Payload: ...
    def forget(self, memory_id: str, *, mode: str, idempotency_key: str | None) -> Payload: ...
    def restore(self, memory_id: str, *, at: str | None, idempotency_key: str | None) -> Payload: ...
    def relate(self, source: str, to: str, rel: str, *, idempotency_key: str | None) -> Payload: ...
    def consolidate(self, *, dry_run: bool, only: Sequence[str], progress: Progress) -> Payload: ...


@contextmanager
def open_verbs(
    context: typer.Context, standing: Standing | None = None, *, writes: bool = False
) -> Iterator[Verbs]:
    """`writes` says that the command changes memories: then a daemon that hangs is not gone round."""
    standing = standing or Standing(None, "all")
    daemon = find_daemon(config_of(context))
    trouble = "no daemon runs" if daemon is None else _why_silent(daemon)
    if daemon is not None and not trouble:
        from helix.cli.verbs_rest import RestVerbs

        yield RestVerbs(daemon, standing)
        return
    if daemon is not None and writes:
        raise DaemonUnreachable(f"{trouble}; nothing was written. `helix down` and `helix up` start it anew")
    from helix.cli.verbs_local import open_local

    with open_local(context, standing) as verbs:
        if not writes:
            err.print(f"helix: {trouble}; this is read from the vault itself", style="dim")
        yield verbs


def standing_of(
    context: typer.Context, project: str | None, only_global: bool, everything: bool = False
) -> Standing:
    """What --project, --global and --all mean; without them it is the project of the current folder."""
    if sum((project is not None, only_global, everything)) > 1:
        raise BadValue("--project, --global and --all exclude each other; give one of them")
    if only_global or everything:
        return Standing(None, "global" if only_global else "all")
    found = project or project_here(config_of(context))
    return Standing(found, "project") if found else Standing(None, "all")


def project_here(config: Config) -> str | None:
    """As helix-mcp sees it: HELIX_PROJECT, `.helix-project`, or the git repository around the current folder.

    Inside the vault there is none: whoever stands in the middle of all memories means all of them.
    """
    from helix_mcp.project import find_project

    if said := os.environ.get("HELIX_PROJECT", "").strip():
        return said
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


def _without_pages(said: Payload) -> Payload:
    return {key: value for key, value in said.items() if key not in ("next_cursor", "tokens_used")}


def _why_silent(daemon: Daemon) -> str:
    try:
        daemon.health()
    except DaemonUnreachable as error:
        return error.trouble
    return ""
