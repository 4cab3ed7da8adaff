"""Commit some files of the vault as they are on disk, and nothing else that the person has in hand.

`git commit --only` does the exact thing: it holds the index lock, commits from an index made of HEAD and
these paths, runs the person's hooks, and then either renews both or leaves both as they were. Only new files
need a step before it, because it refuses names that git has never heard of.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from helix.errors import BadValue, HistoryError
from helix.vault.git_program import last_words
from helix.vault.repository import Repository

COMMIT_SECONDS = 120.0
_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")
_FALLBACK = {"user.name": "Helix", "user.email": "helix@localhost"}


def commit(repository: Repository, paths: Sequence[str], message: str) -> str | None:
    """The new commit, or None when all of them are as HEAD has them, ignored, or gone without a trace."""
    if not message.strip():
        raise BadValue("a commit needs a message")
    named = {repository.in_repository(path) for path in paths}
    known, new = _changes(repository, named) if named else (set(), set())
    if not known and not new:
        return None
    if busy := repository.busy():
        raise HistoryError(
            f"git is busy ({busy}); the files are saved, and are committed when it is done", code="git-busy"
        )
    if _unresolved(repository) & known:
        # Left by a stash or a three-way apply, which leave no other mark. Committing would call it resolved.
        raise HistoryError(
            "one of the files has a git conflict to resolve; all are committed after that", code="git-busy"
        )
    try:
        if new:
            repository.run_as_owner(
                "--literal-pathspecs",
                "add",
                "--intent-to-add",
                *_FROM_STDIN,
                feed=_lines(new),
            )
        done = repository.run_as_owner(
            *_identity(repository),
            "--literal-pathspecs",
            "commit",
            "--quiet",
            "--only",
            "--cleanup=whitespace",
            f"--message={message}",
            *_FROM_STDIN,
            feed=_lines(known | new),
            accept=(0, 1),
            seconds=COMMIT_SECONDS,
        )
        if done.returncode:
            raise HistoryError(f"the commit was refused: {last_words(done)}", code="git-failed")
    except HistoryError:
        if new:
            _forget(repository, new)
        raise
    return repository.head()


def uncommitted(repository: Repository, paths: Sequence[str]) -> set[str]:
    """Those of these files that a commit would change something of."""
    named = {repository.in_repository(path): path for path in paths}
    known, new = _changes(repository, set(named))
    return {named[name] for name in known | new}


def _changes(repository: Repository, named: set[str]) -> tuple[set[str], set[str]]:
    """Which of these differ from HEAD: files that git knows, and new ones that it does not ignore."""
    base = repository.head() or _empty_tree(repository)
    differing = repository.run_as_owner(
        "--literal-pathspecs",
        "diff",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules",
        base,
        "--",
        _vault(repository),
    )
    untracked = repository.run_as_owner(
        "--literal-pathspecs", "ls-files", "-z", "--others", "--exclude-standard", "--", _vault(repository)
    )
    known = named & _names(differing.stdout)
    new = named & _names(untracked.stdout)
    # In both: the person told git to stop tracking the file and kept it. That is theirs to commit.
    return {name for name in known - new if not _is_folder(repository, name)}, new - known


def _unresolved(repository: Repository) -> set[str]:
    listing = repository.run_as_owner(
        "--literal-pathspecs", "ls-files", "-z", "--unmerged", "--", _vault(repository)
    ).stdout
    return _names(b"".join(line.partition(b"\t")[2] + b"\0" for line in listing.split(b"\0")[:-1]))


def _is_folder(repository: Repository, name: str) -> bool:
    """A file that became a folder: its name would commit all that is in there."""
    return os.path.isdir(repository.root / name.removeprefix(repository.prefix))


def _empty_tree(repository: Repository) -> str:
    return repository.run_as_owner("hash-object", "-t", "tree", "--stdin").stdout.decode("ascii").strip()


def _identity(repository: Repository) -> list[str]:
    """Nothing where the person has told git who they are; Helix's own name where git would have to guess."""
    asks = (("var", "GIT_AUTHOR_IDENT"), ("var", "GIT_COMMITTER_IDENT"))
    strictly = ("-c", "user.useConfigOnly=true")
    if all(repository.run_as_owner(*strictly, *ask, accept=None).returncode == 0 for ask in asks):
        return []
    missing = [
        key
        for key in _FALLBACK
        if not repository.run_as_owner("config", "--get", key, accept=None).stdout.strip()
    ]
    return [word for key in missing for word in ("-c", f"{key}={_FALLBACK[key]}")]


def _forget(repository: Repository, new: set[str]) -> None:
    """Take back the announcement of new files, so that a refused commit leaves the index as it was.

    Only what is still a mere announcement: a hook that hangs after the commit was made changes nothing of it.
    """
    announced = repository.run_as_owner(
        "--literal-pathspecs",
        "diff",
        "--name-only",
        "-z",
        "--diff-filter=A",
        "--no-ext-diff",
        "--",
        _vault(repository),
        accept=None,
    )
    repository.run_as_owner(
        "update-index",
        "--force-remove",
        "-z",
        "--stdin",
        feed=_lines(new & _names(announced.stdout)),
        accept=None,
    )


def _vault(repository: Repository) -> str:
    """The vault as a path, seen from the top of the work tree, where git runs."""
    return repository.prefix or "."


def _names(answer: bytes) -> set[str]:
    return {os.fsdecode(name) for name in answer.split(b"\0")[:-1]}


def _lines(names: Iterable[str]) -> bytes:
    """Names for git's standard input."""
    return b"".join(os.fsencode(name) + b"\0" for name in sorted(names))
