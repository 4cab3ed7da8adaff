"""What a repository would have git run, read as text: for the owner to look at before Helix commits there."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path

from helix.errors import HistoryError
from helix.vault.git_folder import read_regular
from helix.vault.repository import Repository

_MOST_HOOKS = 1000
_LARGEST_HOOK = 4 * 1024 * 1024

# Settings whose value is a command or a file of commands, whether or not a commit is what runs them. In a partial
# clone git fetches what it misses, and an address can be a command too (`ext::`).
_RUNS = re.compile(
    r"""
      alias\..+
    | browser\..+\.(?:cmd|path)
    | core\.(?:alternaterefscommand|askpass|editor|fsmonitor|gitproxy|hookspath|pager|sshcommand)
    | credential\.(?:.+\.)?helper
    | diff\.external | diff\..+\.(?:command|textconv)
    | difftool\..+\.(?:cmd|path) | mergetool\..+\.(?:cmd|path)
    | extensions\.partialclone | remote\..+\.promisor | protocol\.(?:.+\.)?allow
    | filter\..+\.(?:clean|process|smudge)
    | gc\.recentobjectshook
    | gpg\.(?:.+\.)?program | gpg\.ssh\.defaultkeycommand
    | guitool\..+\.cmd | instaweb\..+ | man\..+\.(?:cmd|path)
    | hook\..+\.command
    | include\.path | includeif\..+\.path
    | interactive\.difffilter
    | merge\..+\.driver
    | pager\..+
    | remote\..+\.(?:receivepack|uploadpack|vcs)
    | sendemail\..+
    | sequence\.editor
    | submodule\..+\.update
    | tar\..+\.command
    | trailer\..+\.(?:cmd|command)
    | uploadpack\.packobjectshook
    | web\.browser
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SWITCHES = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0", ""})


def programs_of(repository: Repository) -> list[str]:
    """The settings that name programs, and the hooks. What cannot be read as a whole is an error."""
    keys = dict.fromkeys(key for key, _ in _telling(repository))
    return [*keys, *(f"hooks/{name}" for name in _hooks(repository.folder.shared / "hooks"))]


def _telling(repository: Repository) -> list[tuple[str, str]]:
    return [
        (key, value)
        for key, value in repository.reader.settings(all_of_them=True)
        if _runs(key, value) or (key == "core.worktree" and _is_elsewhere(repository, value))
    ]


def _is_elsewhere(repository: Repository, work_tree: str) -> bool:
    """No program, but git would take the notes to commit from another folder, and a shared vault would share them."""
    folder = repository.folder
    return os.path.realpath(folder.own / work_tree) != os.path.realpath(folder.top)


def _runs(key: str, value: str) -> bool:
    if key.startswith(("core.fsmonitor", "pager.")) and value.lower() in _SWITCHES:
        return False  # built into git, or a plain yes or no
    return _RUNS.fullmatch(key) is not None


def _hooks(folder: Path) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise HistoryError(f"{folder} cannot be read ({error.strerror})", code="git-failed") from error
    if len(names) > _MOST_HOOKS:
        raise HistoryError(f"{folder} holds more than {_MOST_HOOKS:,} files", code="git-failed")
    return [name for name in names if not name.endswith(".sample") and _can_run(folder / name)]


def _can_run(path: Path) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and (os.name == "nt" or bool(mode & 0o111))


def program_texts(repository: Repository) -> list[list[str]]:
    """What each of them is: the value of the setting, or the hash of the hook."""
    settings = [[key, value] for key, value in _telling(repository)]
    folders = [repository.folder.shared / "hooks"]
    folders += [
        repository.folder.top / os.path.expanduser(value)
        for key, value in settings
        if key == "core.hookspath"
    ]
    hooks = [(folder, name) for folder in folders for name in _hooks(folder)]
    return settings + [[f"hooks/{name}", _hash_of(folder / name)] for folder, name in hooks]


def _hash_of(hook: Path) -> str:
    data = read_regular(hook, _LARGEST_HOOK)
    if data is None:
        raise HistoryError(f"{hook} cannot be read, or is larger than any hook", code="git-failed")
    return hashlib.sha256(data).hexdigest()
