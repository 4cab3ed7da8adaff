"""rules, harnesses, harness_sync, harness_remove: what agents are told of a project, out of notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypedDict

from helix.errors import BadValue
from helix.harnesses.harness import HARNESSES, named
from helix.harnesses.rules import ProjectRule, find_rule, is_near, is_rule, spell
from helix.harnesses.sync import FileOutcome, FileState, ProjectFiles
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.memory.writing.write import to_project
from helix.workbench.harness_answers import (
    HarnessFile,
    HarnessFiles,
    MarkedRule,
    RuleList,
    SyncedFile,
    SyncedFiles,
)


class _Head(TypedDict, total=False):
    project: str | None


@verb("rules")
def rules(
    request: Request,
    *,
    project: str | None = None,
    limit: int = 100,
    max_tokens: int = 8000,
    cursor: str | None = None,
) -> RuleList:
    check_limit(limit, 200)
    name = _project(request, project)
    head: _Head = {} if cursor is not None else {"project": name}

    def entries(view: View) -> list[str]:
        return [rule.id for rule in _marked(view, name)]

    view, listing = request.listed("rules", request.view(), cursor, entries)

    def render(memory_id: str) -> MarkedRule | None:
        note = view.find(memory_id)
        rule = None if note is None else find_rule(note, name, view.now())
        if rule is None:
            return None
        return {
            "id": rule.id,
            "title": rule.title,
            "text": rule.text,
            "importance": rule.importance,
            "created": rule.created_at,
        }

    def build(head: _Head, items: Sequence[MarkedRule], end: Page) -> RuleList:
        return {**head, "rules": list(items), **end}

    return request.page("rules", listing, render, build, head=head, limit=limit, max_tokens=max_tokens)


@verb("harnesses")
def harnesses(
    request: Request,
    *,
    folder: str,
    project: str | None = None,
    limit: int = 100,
    max_tokens: int = 2000,
    cursor: str | None = None,
) -> HarnessFiles:
    check_limit(limit, 200)
    files = _files(request, folder)

    def entries(view: View) -> list[HarnessFile]:
        content = _content(view, _project(request, project))
        return [_shown(state) for state in files.states(content, HARNESSES)]

    def build(_: Any, items: Sequence[HarnessFile], end: Page) -> HarnessFiles:
        return {"files": list(items), **end}

    _, listing = request.listed("harnesses", request.view(), cursor, entries)
    return request.page(
        "harnesses", listing, lambda entry: entry, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens
    )


@verb("harness_sync")
def harness_sync(
    request: Request,
    *,
    folder: str,
    project: str | None = None,
    harness_names: Sequence[str] = (),
    force: bool = False,
    dry_run: bool = False,
) -> SyncedFiles:
    files, name = _files(request, folder), _project(request, project)
    content = _content(request.view(), name)
    vault = request.vault_folder or Path()
    done = files.sync(content, name, vault, named(harness_names), force=force, dry_run=dry_run)
    return _outcome(files, done, dry_run)


@verb("harness_remove")
def harness_remove(
    request: Request,
    *,
    folder: str,
    harness_names: Sequence[str] = (),
    force: bool = False,
    dry_run: bool = False,
) -> SyncedFiles:
    files = _files(request, folder)
    return _outcome(files, files.remove(named(harness_names), force=force, dry_run=dry_run), dry_run)


def _project(request: Request, project: str | None) -> str | None:
    return request.place.project if project is None else to_project(project)


def _files(request: Request, folder: str) -> ProjectFiles:
    if request.vault_folder is None or request.state_folder is None:
        raise BadValue(
            "only the owner of the daemon's machine names folders on it; `helix harness` writes the files of yours"
        )
    return ProjectFiles.at(folder, request.state_folder, request.vault_folder)


def _content(view: View, project: str | None) -> str:
    return spell(_marked(view, project), project)


def _marked(view: View, project: str | None) -> Iterator[ProjectRule]:
    for row in view.everything():
        if (
            row.status == "active"
            and is_rule(row.kind, row.tags)
            and is_near(row.scope, row.project, project)
        ):
            note = view.find(row.id)
            rule = None if note is None else find_rule(note, project, view.now())
            if rule is not None:
                yield rule


def _shown(state: FileState) -> HarnessFile:
    return {
        "file": state.file,
        "harnesses": list(state.harnesses),
        "state": state.state,
        "problem": state.problem,
    }


def _outcome(files: ProjectFiles, done: Sequence[FileOutcome], dry_run: bool) -> SyncedFiles:
    changes: list[SyncedFile] = [
        {**_shown(each), "changed": each.changed, "removed": each.removed, "diff": each.diff} for each in done
    ]
    return {"folder": str(files.folder), "dry_run": dry_run, "files": changes}
