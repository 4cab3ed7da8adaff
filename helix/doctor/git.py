"""The git repository of the vault."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from helix.doctor.examined import Examined, NothingToExamine
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.vault.commit_consent import CommitConsent
from helix.vault.commit_programs import programs_of
from helix.vault.repository import Repository

_OLD_LOCK = 600.0
_WORKSPACE = ".obsidian/workspace*.json"
_MANY = 200
_MANY_NAMED = 12

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
PROGRAMS = Kind(
    "autocommit-runs-programs",
    Severity.WARNING,
    "autocommit is on, and the repository names programs that you have not agreed to",
    "Whoever made the repository chose them, and git would run them as you. Helix does not commit there meanwhile.",
    "Look at each in .git/config and .git/hooks, remove what is not yours, then run `helix init --autocommit` there.",
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
    if repository.folder.read_refs().is_detached:
        yield DETACHED.at(str(repository.git_dir), "HEAD is a commit, not a branch")


def check_autocommit(examined: Examined) -> Iterator[Finding]:
    repository = _repository(examined)
    if not examined.config.git.autocommit:
        return
    needed = ("user.name", "user.email")
    if not all(repository.run_as_owner("config", key, accept=None).stdout.strip() for key in needed):
        yield IDENTITY.at(str(repository.git_dir), "user.name or user.email is not set")
    named = programs_of(repository)
    if named and CommitConsent(examined.config.config_dir).why_not(repository) is not None:
        more = f" and {len(named) - _MANY_NAMED} more" if len(named) > _MANY_NAMED else ""
        yield PROGRAMS.at(str(repository.folder.shared), ", ".join(named[:_MANY_NAMED]) + more)


def check_attributes(examined: Examined) -> Iterator[Finding]:
    repository = _repository(examined)
    note = next(iter(sorted(examined.walk.files)), "note.md")
    answer = repository.run_in_vault("check-attr", "-z", "merge", "text", "eol", "--", note)
    fields = answer.stdout.decode(errors="replace").split("\0")
    attributes = dict(zip(fields[1::3], fields[2::3], strict=False))
    if attributes.get("merge") == "union":
        yield UNION.at(".gitattributes", f"merge is union for {note}")
    converts = repository.run_in_vault("config", "core.autocrlf", accept=(0, 1)).stdout.strip().lower()
    is_converted = converts in (b"true", b"input") or attributes.get("eol") not in (None, "unspecified")
    if attributes.get("text") != "unset" and is_converted:
        yield LINE_ENDS.at(".gitattributes", f"core.autocrlf or eol is set, and nothing excepts {note}")


def check_files(examined: Examined) -> Iterator[Finding]:
    repository = _repository(examined)
    taken = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", _WORKSPACE)
    for name in repository.run_in_vault(*taken).stdout.split(b"\0")[:-1]:
        yield WORKSPACE.at(os.fsdecode(name), "it is tracked, or would be by `git add -A`")
    notes = sorted(examined.walk.files)[:_MANY]
    if not notes:
        return
    feed = b"\0".join(os.fsencode(note) for note in notes)
    listed = repository.run_in_vault("check-ignore", "-z", "--stdin", feed=feed, accept=(0, 1, 128))
    if ignored := listed.stdout.split(b"\0")[:-1]:
        yield IGNORED.at(os.fsdecode(ignored[0]), f"{len(ignored)} of the first {len(notes)} notes")


AREA = Area(
    "Git",
    (
        *(NO_REPOSITORY, UNUSABLE, UNFINISHED, OLD_LOCK, IDENTITY, PROGRAMS, DETACHED),
        *(UNION, LINE_ENDS, WORKSPACE, IGNORED),
    ),
    (check_repository, check_state, check_autocommit, check_attributes, check_files),
)
