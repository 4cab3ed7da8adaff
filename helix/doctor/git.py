"""The git repository of the vault."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial

from helix.doctor.examined import Examined, NothingToExamine
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.vault.repository import Repository, run_git

_OLD_LOCK = 600.0
_WORKSPACE = ".obsidian/workspace*.json"
_MANY = 200

NO_REPOSITORY = Kind(
    "autocommit-without-repository",
    Severity.ERROR,
    "autocommit is on, and the vault is in no git repository",
    "Nothing is committed, though the settings promise it.",
    "`helix init --git`, or set `autocommit = false` under [git] in config.toml.",
)
UNUSABLE = Kind(
    "git-unusable",
    Severity.WARNING,
    "there is a .git, and git cannot use it",
    "There is no history, and nothing is committed.",
    "Do what git says.",
)
UNFINISHED = Kind(
    "git-unfinished",
    Severity.WARNING,
    "a merge, rebase or the like is not finished",
    "Files may hold conflict markers, and nothing is committed by itself until it is done.",
    "Resolve what is left and `git commit`, or call it off: `git merge --abort`, `git rebase --abort`.",
)
OLD_LOCK = Kind(
    "git-index-lock",
    Severity.WARNING,
    "a git that was killed left its lock",
    "Nobody can commit, neither you nor Helix.",
    "When no git runs in the vault: `rm .git/index.lock`.",
)
IDENTITY = Kind(
    "git-without-identity",
    Severity.WARNING,
    "autocommit is on, and git does not know who you are",
    "Commits are made in the name of Helix, or refused.",
    "`git config --global user.name` and `git config --global user.email`.",
)
DETACHED = Kind(
    "git-detached-head",
    Severity.WARNING,
    "no branch is checked out",
    "What is committed now belongs to no branch, and is lost from sight when you switch.",
    "`git switch -c NAME` keeps it, `git switch BRANCH` leaves it.",
)
UNION = Kind(
    "git-union-merge",
    Severity.WARNING,
    "git puts both sides of a note one after the other",
    "merge=union can leave two `status:` lines in a note, which nobody can read.",
    "Remove `merge=union` for *.md from .gitattributes.",
)
LINE_ENDS = Kind(
    "git-changes-line-ends",
    Severity.WARNING,
    "git changes the line ends of notes",
    "Every checkout is then a change of every note, on this machine and on the others.",
    "Add the line `* -text` to .gitattributes.",
)
WORKSPACE = Kind(
    "obsidian-workspace-in-git",
    Severity.NOTE,
    "git takes in which panes are open in Obsidian",
    "The file changes with every click, and makes a conflict of every merge.",
    "`git rm --cached` it and add `.obsidian/workspace*.json` to .gitignore.",
)
IGNORED = Kind(
    "notes-ignored-by-git",
    Severity.WARNING,
    "git ignores notes of the vault",
    "They have no history and reach no other machine with git.",
    "Look at the rule with `git check-ignore -v FILE`.",
)


def _repository(examined: Examined) -> Repository:
    found = Repository.look_for(examined.there)
    if isinstance(found, str):
        raise NothingToExamine
    return found


def check_repository(examined: Examined) -> Iterator[Finding]:
    found = Repository.look_for(examined.there)
    if not isinstance(found, str):
        return
    if os.path.lexists(examined.there / ".git"):
        yield UNUSABLE.at(".git", found)
    elif examined.config.git.autocommit:
        yield NO_REPOSITORY.at(str(examined.vault), found)


def check_state(examined: Examined) -> Iterator[Finding]:
    repository = _repository(examined)
    busy = repository.busy()
    if busy == "index.lock":
        lock = repository.git_dir / "index.lock"
        if time.time() - lock.stat().st_mtime > _OLD_LOCK:
            yield OLD_LOCK.at(str(lock), "it is older than ten minutes")
    elif busy is not None:
        yield UNFINISHED.at(str(repository.git_dir), f"a {busy} is under way")
    git = partial(run_git, examined.there)
    if git("symbolic-ref", "--quiet", "HEAD").returncode and repository.head() is not None:
        yield DETACHED.at(str(repository.git_dir), "HEAD is a commit, not a branch")
    if examined.config.git.autocommit and not all(
        git("config", key).stdout.strip() for key in ("user.name", "user.email")
    ):
        yield IDENTITY.at(str(repository.git_dir), "user.name or user.email is not set")


def check_attributes(examined: Examined) -> Iterator[Finding]:
    _repository(examined)
    note = next(iter(sorted(examined.walk.notes)), "note.md")
    git = partial(run_git, examined.there)
    said = (
        git("check-attr", "-z", "merge", "text", "eol", "--", note)
        .stdout.decode(errors="replace")
        .split("\0")
    )
    attributes = dict(zip(said[1::3], said[2::3], strict=False))
    if attributes.get("merge") == "union":
        yield UNION.at(".gitattributes", f"merge is union for {note}")
    converts = git("config", "core.autocrlf").stdout.strip().lower() in (b"true", b"input")
    if attributes.get("text") != "unset" and (converts or attributes.get("eol") not in (None, "unspecified")):
        yield LINE_ENDS.at(".gitattributes", f"core.autocrlf or eol is set, and nothing excepts {note}")


def check_files(examined: Examined) -> Iterator[Finding]:
    _repository(examined)
    taken = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", _WORKSPACE)
    for name in run_git(examined.there, *taken).stdout.split(b"\0")[:-1]:
        yield WORKSPACE.at(os.fsdecode(name), "it is tracked, or would be by `git add -A`")
    notes = sorted(examined.walk.notes)[:_MANY]
    feed = b"\0".join(os.fsencode(note) for note in notes)
    said = run_git(examined.there, "check-ignore", "-z", "--stdin", feed=feed) if notes else None
    if said is not None and (ignored := said.stdout.split(b"\0")[:-1]):
        yield IGNORED.at(os.fsdecode(ignored[0]), f"{len(ignored)} of the first {len(notes)} notes")


AREA = Area(
    "Git",
    (NO_REPOSITORY, UNUSABLE, UNFINISHED, OLD_LOCK, IDENTITY, DETACHED, UNION, LINE_ENDS, WORKSPACE, IGNORED),
    (check_repository, check_state, check_attributes, check_files),
)
