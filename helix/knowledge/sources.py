"""source_connect, sources, source_health, source_index, source_purge: folders that are searched where they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from helix.errors import SourceNotFound
from helix.knowledge.source_answers import (
    ConnectedSource,
    PurgedSource,
    SourceHealth,
    SourceList,
    SourceSummary,
)
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.memory.tokens import clean
from helix.memory.writing.write import check_secrets, check_visibility, to_project
from helix.sources.own_sources import OwnSources
from helix.sources.source import SourceFolder
from helix.sources.sources import Health

_PROBLEMS = 100


@verb("source_connect")
def source_connect(
    request: Request,
    *,
    path: str,
    name: str | None = None,
    project: str | None = None,
    visibility: str | None = None,
) -> ConnectedSource:
    named = None if project is None else to_project(project)
    check_secrets(False, {"name": name, "project": project})
    own = request.sources()
    source, is_new = own.connect(
        path, name=name, project=named, visibility=check_visibility(visibility, named)
    )
    return {**_summary(own, source), "status": "connected" if is_new else "known"}


@verb("sources")
def sources(
    request: Request, *, limit: int = 50, max_tokens: int = 2000, cursor: str | None = None
) -> SourceList:
    check_limit(limit, 200)
    own = request.sources()

    def entries(_: View) -> list[str]:
        return [source.id for source in own.seen()]

    def render(source_id: str) -> SourceSummary | None:
        try:
            return _summary(own, own.get(source_id))
        except SourceNotFound:  # purged since the page before
            return None

    def build(_: Any, items: Sequence[SourceSummary], end: Page) -> SourceList:
        return {"sources": list(items), **end}

    _, listing = request.listed("sources", request.view(), cursor, entries)
    return request.page("sources", listing, render, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens)


@verb("source_health")
def source_health(request: Request, *, source_id: str) -> SourceHealth:
    own = request.sources()
    return _details(own, own.get(source_id))


@verb("source_index")
def source_index(request: Request, *, source_id: str, anew: bool = False) -> SourceHealth:
    own = request.sources()
    source = own.get(source_id)
    own.look(source, anew=anew)
    return _details(own, source)


@verb("source_purge")
def source_purge(request: Request, *, source_id: str) -> PurgedSource:
    own = request.sources()
    source = own.get(source_id)
    files = own.health(source, 0).counts.files
    own.purge(source)
    return {"id": source.id, "name": source.name, "status": "purged", "files": files}


def _summary(own: OwnSources, source: SourceFolder, health: Health | None = None) -> SourceSummary:
    health = health or own.health(source, 0)
    summary: SourceSummary = {
        "id": source.id,
        "name": source.name,
        "project": source.project,
        "visibility": cast(Any, source.visibility),
        "state": health.state,
        "files": health.counts.files,
        "lines": health.counts.lines,
        "commit": health.commit,
        "looked": health.looked,
        "created": source.created_at,
    }
    if source.owner is not None:
        summary["owner"] = source.owner
    # Others learn nothing of the disk of this machine.
    if own.may_tell_folder(source):
        summary["folder"] = clean(str(source.folder))
    return summary


def _details(own: OwnSources, source: SourceFolder) -> SourceHealth:
    health = own.health(source, _PROBLEMS)
    about = health.about
    return {
        **_summary(own, source, health),
        "passages": health.counts.passages,
        "done": health.done,
        "total": health.total,
        "trouble": health.trouble
        if own.may_tell_folder(source)
        else (health.trouble and "it cannot be listed"),
        "cut": about.get("cut"),
        "ignored": int(about.get("ignored") or 0),
        "left_out": json.loads(about.get("left_out") or "{}"),
        "problems": [{"path": clean(path), "reason": reason} for path, reason in health.problems],
        "problem_count": health.problem_count,
    }
