"""Which project the agent works in: `.helix-project`, or the git repository around the current folder."""

from __future__ import annotations

import os

_LONGEST_NAME = 200


def find_project(folder: str) -> str:
    """The name of the project around a folder; empty when there is none."""
    parents = list(_upwards(folder))
    for parent in parents:
        if name := _first_line(os.path.join(parent, ".helix-project")):
            return name
    for parent in parents:
        if os.path.lexists(git := os.path.join(parent, ".git")):
            return _repository(parent, git)
    return ""


def _upwards(folder: str) -> list[str]:
    found = [folder]
    while (parent := os.path.dirname(found[-1])) != found[-1]:
        found.append(parent)
    return found


def _repository(folder: str, git: str) -> str:
    """The name of the main repository: all its worktrees are one project."""
    gitdir = _first_line(git).removeprefix("gitdir:").strip()
    if gitdir:
        gitdir = os.path.join(folder, gitdir)
        # Only worktrees have a `commondir`; a submodule is a project of its own.
        if common := _first_line(os.path.join(gitdir, "commondir")):
            shared = os.path.normpath(os.path.join(gitdir, common))
            folder = os.path.dirname(shared) if os.path.basename(shared) == ".git" else shared
    return os.path.basename(folder).removesuffix(".git")[:_LONGEST_NAME]


def _first_line(path: str) -> str:
    """Empty when it cannot be read: a folder, no file, no permission."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            return file.readline(4096).strip()
    except OSError:
        return ""
