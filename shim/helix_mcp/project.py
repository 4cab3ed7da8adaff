"""Which project the agent works in: `.helix-project`, or the git repository around the current folder.

A `.helix-project` may have come with a stranger's repository, and the name in it says whose memories are told. So one
that says anything else than the repository would be called by itself counts once the user has said that it may.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT_FILE = ".helix-project"
TRUSTED_FILE = "trusted-projects.json"
_LONGEST_NAME = 200


class Project:
    """The name of the project, empty when there is none, and the file that was not believed, if there is one."""

    def __init__(self, name: str, ignored: str = "", ignored_name: str = "") -> None:
        self.name = name
        self.ignored = ignored
        self.ignored_name = ignored_name

    @property
    def remark(self) -> str:
        if not self.ignored:
            return ""
        instead = f"it is {self.name!r} here until then" if self.name else "there is none here until then"
        return (
            f"{self.ignored} names the project {self.ignored_name!r} and may have come from somebody else; "
            f"`helix project trust` says that it may, {instead}"
        )


def find_project(folder: str, config_folder: str) -> Project:
    """The project around a folder; what the user trusts is written in the config folder."""
    parents = _upwards(folder)
    own = next(
        (
            _repository(parent, git)
            for parent in parents
            if os.path.lexists(git := os.path.join(parent, ".git"))
        ),
        "",
    )
    ignored = Project(own)
    for parent, name in _named(parents):
        if name == own or trusted(config_folder).get(os.path.realpath(parent)) == name:
            return Project(name)
        if not ignored.ignored:
            ignored = Project(own, os.path.join(parent, PROJECT_FILE), name)
    return ignored


def trusted(config_folder: str) -> dict[str, str]:
    """The names that the user trusts, by folder. None of them where the file cannot be read."""
    try:
        with open(os.path.join(config_folder, TRUSTED_FILE), encoding="utf-8") as file:
            import json

            names = json.load(file)
    except (OSError, ValueError):
        return {}
    return names if isinstance(names, dict) else {}


def _named(parents: list[str]) -> Iterator[tuple[str, str]]:
    for parent in parents:
        if name := _first_line(os.path.join(parent, PROJECT_FILE))[:_LONGEST_NAME]:
            yield parent, name


def _upwards(folder: str) -> list[str]:
    folders = [folder]
    while (parent := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(parent)
    return folders


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
    """Empty when it cannot be read: a folder, no file, no permission. A pipe, which anybody may have put there, is not
    waited for."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace", opener=_without_waiting) as file:
            return file.readline(4096).strip() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else ""
    except (OSError, ValueError):
        return ""


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
