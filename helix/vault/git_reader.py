"""Git, for reading: in a folder of our own with settings of our own, to which the vault lends its objects.

Git runs programs that a repository names: filters, hooks, the other end of a fetch, and more with every release. No
list of what to switch off is ever complete. So git never gets to see the vault's settings, hooks or attributes
of the repository while Helix reads: it is started in an empty repository in a temporary folder, which names the
vault's objects as its objects, and commits by the names that we have read ourselves. What is not there cannot be run.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path

from helix.errors import HistoryError
from helix.vault.git_folder import GitFolder, Refs, is_ref, read_regular
from helix.vault.git_program import READ_SECONDS, last_words, run_git

LARGEST_BLOB = 16 * 1024 * 1024
"""No note is larger; git does not hold more of a file in memory than this either."""
SETTINGS_BYTES = 1024 * 1024
_SHALLOW_BYTES = 16 * 1024 * 1024
_REFLOG_BYTES = 16 * 1024 * 1024
_MOST_REFLOGS = 1000
_ALTERNATES_BYTES = 64 * 1024
_ALTERNATES_STEPS = 5
_MOST_ALTERNATES = 100

_OURS = f"""\
[core]
    repositoryFormatVersion = 1
    bare = true
    quotePath = off
    fsmonitor = false
    untrackedCache = false
    commitGraph = false
    multiPackIndex = false
    bigFileThreshold = {LARGEST_BLOB}
[diff]
    relative = false
[grep]
    fullName = true
[i18n]
    logOutputEncoding = UTF-8
[log]
    follow = false
    showRoot = true
    showSignature = false
[status]
    relativePaths = true
[gc]
    auto = 0
"""

# What says how this machine's file system or the owner writes files, or which branch follows which, and nothing more.
# Each is taken over only with a value that can mean nothing else.
_BOOLEAN = r"(?i:true|false|yes|no|on|off|1|0)"
_NAME = r"[\w.][\w./-]*"
_HARMLESS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(key), re.compile(value))
    for key, value in (
        (r"core\.(?:filemode|ignorecase|precomposeunicode|symlinks|trustctime)", _BOOLEAN),
        (r"core\.autocrlf", rf"{_BOOLEAN}|(?i:input)"),
        (r"core\.eol", r"(?i:lf|crlf|native)"),
        (r"core\.checkstat", r"(?i:default|minimal)"),
        (rf"branch\.{_NAME}\.remote", _NAME),
        (rf"branch\.{_NAME}\.merge", rf"refs/{_NAME}"),
        (rf"remote\.{_NAME}\.fetch", rf"\+?refs/{_NAME}(?:/\*)?:refs/{_NAME}(?:/\*)?"),
    )
)
_OWNERS = r"^(core\.(autocrlf|eol|excludesfile)|safe\.directory)$"

Settings = list[tuple[str, str]]


class GitReader:
    def __init__(self, folder: GitFolder) -> None:
        self._folder = folder
        self._workdir = Path(tempfile.mkdtemp(prefix="helix-git-"))
        weakref.finalize(self, shutil.rmtree, self._workdir, ignore_errors=True)
        self._taken_over: str | None = None
        (self._workdir / "refs").mkdir()
        (self._workdir / "info").mkdir()
        self._write("HEAD", b"ref: refs/heads/main\n")
        self._write("config", _OURS.encode())

    def renew(self) -> Refs:
        """Read the names of commits again. Nothing else of the repository ever changes under its name."""
        _check_objects(self._folder.shared / "objects", _ALTERNATES_STEPS, set())
        refs = self._folder.read_refs()
        head = refs.head if refs.is_detached else f"ref: {refs.head}"
        self._write("HEAD", os.fsencode(f"{head}\n"))
        lines = (f"{commit} {name}\n" for name, commit in sorted(refs.commits.items()))
        self._write("packed-refs", os.fsencode("".join(lines)))
        if shallow := read_regular(self._folder.shared / "shallow", _SHALLOW_BYTES):
            self._write("shallow", shallow)
        self._write_settings(refs)
        return refs

    def run(
        self,
        *arguments: str,
        feed: bytes = b"",
        accept: Sequence[int] = (0,),
        seconds: float = READ_SECONDS,
    ) -> subprocess.CompletedProcess[bytes]:
        """Ask about commits and what is in them."""
        return _checked(
            run_git(self._workdir, self._environment(), *arguments, feed=feed, seconds=seconds), accept
        )

    def run_in_work_tree(
        self,
        folder: Path,
        *arguments: str,
        feed: bytes = b"",
        accept: Sequence[int] = (0,),
        seconds: float = READ_SECONDS,
    ) -> subprocess.CompletedProcess[bytes]:
        """Ask about the files on disk: without filters, since nothing here says what a filter is."""
        self.use_work_tree()
        index = self._folder.own / "index"
        environment = self._environment() | {
            "GIT_WORK_TREE": str(self._folder.top),
            "GIT_INDEX_FILE": str(index if _is_regular(index) else self._workdir / "index"),
        }
        return _checked(run_git(folder, environment, *arguments, feed=feed, seconds=seconds), accept)

    def use_reflogs(self) -> None:
        """For revisions such as `main@{yesterday}`: the logs of what names meant before."""
        left = _REFLOG_BYTES
        for name, path in self._reflogs():
            data = read_regular(path, left)
            if data is not None:
                left -= len(data)
                copy = self._workdir / "logs" / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(data)
        self.use_work_tree()  # and which branch follows which, for `@{upstream}`

    def use_work_tree(self) -> None:
        """What git has to know of a work tree: what is ignored, the attributes, and how files are written here."""
        if self._taken_over is not None:
            return
        for name in ("exclude", "attributes"):
            if data := read_regular(self._folder.shared / "info" / name, SETTINGS_BYTES):
                self._write(f"info/{name}", data)
        owners = self.owners_settings()
        self._taken_over = "".join(_spelled([*owners, *self.settings()])) + _excludes(owners)
        self.renew()

    def settings(self, *, all_of_them: bool = False) -> Settings:
        """What the repository's own settings say, as text. What they include is not read.

        With `all_of_them` it is an error if any cannot be read: git, which knows no bound, might read them.
        """
        found: Settings = []
        for path in {
            self._folder.shared / "config": None,
            self._folder.own / "config.worktree": None,
        }:
            data = read_regular(path, SETTINGS_BYTES)
            is_read = data is not None or not os.path.lexists(path)
            if data:
                arguments = ("config", "--file", "-", "--no-includes", "-z", "--list")
                listed = run_git(self._workdir, self._environment(), *arguments, feed=data)
                found += _to_settings(listed.stdout)
                is_read = listed.returncode == 0
            if all_of_them and not is_read:
                raise HistoryError(f"{path} is no file of settings that can be read", code="git-failed")
        return found

    def owners_settings(self) -> Settings:
        """Those of the person at this machine, of the few that are asked for. No repository is looked at."""
        environment = owners_environment() | {"GIT_DIR": str(self._workdir)}
        listed = run_git(self._workdir, environment, "config", "--includes", "-z", "--get-regexp", _OWNERS)
        return _to_settings(listed.stdout)

    def _environment(self) -> dict[str, str]:
        nowhere = str(self._workdir)
        return {
            # Not one variable of git is handed on but where its own programs are.
            **{
                name: value
                for name, value in os.environ.items()
                if not name.upper().startswith("GIT_") or name == "GIT_EXEC_PATH"
            },
            "PATH": os.pathsep.join(
                entry for entry in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(entry)
            ),
            "HOME": nowhere,
            "XDG_CONFIG_HOME": nowhere,
            "GIT_DIR": nowhere,
            "GIT_OBJECT_DIRECTORY": str(self._folder.shared / "objects"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            # There is no remote in our settings to fetch from. Should git ever find one, it may not.
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "",
        }

    def _write(self, name: str, data: bytes) -> None:
        (self._workdir / name).write_bytes(data)

    def _write_settings(self, refs: Refs) -> None:
        lines = [_OURS]
        if refs.is_sha256:
            lines.append("[extensions]\n    objectFormat = sha256\n")
        self._write("config", os.fsencode("".join([*lines, self._taken_over or ""])))

    def _reflogs(self) -> Iterator[tuple[str, Path]]:
        yield "HEAD", self._folder.own / "logs" / "HEAD"
        logs = self._folder.shared / "logs"
        found = 0
        for folder, _, files in os.walk(logs / "refs"):
            for file in files:
                path = Path(folder, file)
                name = path.relative_to(logs).as_posix()
                found += 1
                if found > _MOST_REFLOGS:
                    return
                if is_ref(name):
                    yield name, path


def owners_environment() -> dict[str, str]:
    """The person's own, but for what git sets for its hooks: it would point us at another repository."""
    return {name: value for name, value in os.environ.items() if name not in _FOREIGN_REPOSITORY}


_FOREIGN_REPOSITORY = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_EXTERNAL_DIFF",
        "GIT_GLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NAMESPACE",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_WORK_TREE",
    }
)


def _checked(
    done: subprocess.CompletedProcess[bytes], accept: Sequence[int]
) -> subprocess.CompletedProcess[bytes]:
    if done.returncode not in accept:
        raise HistoryError(f"git failed: {last_words(done)}", code="git-failed")
    return done


def _to_settings(listed: bytes) -> Settings:
    """From git's own list: a key, a newline and the value, or the key alone, which means yes."""
    settings: Settings = []
    for item in listed.split(b"\0")[:-1]:
        key, newline, value = os.fsdecode(item).partition("\n")
        settings.append((key, value if newline else "true"))
    return settings


def _spelled(settings: Settings) -> Iterator[str]:
    """The harmless ones among these, as lines of a file of settings; the later one of two is the one that counts."""
    remotes: set[str] = set()
    for key, value in settings:
        if any(keys.fullmatch(key) and values.fullmatch(value) for keys, values in _HARMLESS):
            section, _, rest = key.partition(".")
            name, _, variable = rest.rpartition(".")
            if section == "remote" and name not in remotes:
                remotes.add(name)
                # Without an address git takes the remote for none; with this one there is nowhere to go.
                yield f'[remote "{name}"]\n    url = nowhere\n'
            yield f'[{section} "{name}"]\n' if name else f"[{section}]\n"
            yield f"    {variable} = {value}\n"


def _excludes(owners: Settings) -> str:
    """What the person ignores everywhere: git finds it by the home folder, which it is not told."""
    named = [value for key, value in owners if key == "core.excludesfile"]
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    file = os.path.expanduser(named[-1]) if named else os.path.join(config, "git", "ignore")
    quoted = file.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'[core]\n    excludesFile = "{quoted}"\n' if os.path.isfile(file) else ""


def _check_objects(objects: Path, steps: int, seen: set[bytes]) -> None:
    """Git opens whatever lies here under the name of a pack or an object; for a pipe it would wait until it is stopped.

    So it does in the object folders that the alternates name: that must be a file, and those must be folders. Each is
    looked at once, as git does: a few that name each other over and over are more ways than can be walked.
    """
    _check_files(objects)
    listed = objects / "info" / "alternates"
    if not os.path.lexists(listed):
        return
    data = read_regular(listed, _ALTERNATES_BYTES)
    if data is None or steps == 0:
        raise HistoryError(f"{listed} is no list of object folders that can be read", code="git-failed")
    for line in dict.fromkeys(data.splitlines()):
        if not line or line.startswith(b"#"):
            continue
        # The address of another machine: Windows would log in there.
        if line.startswith((b"//", b"\\\\", b'"')):
            raise HistoryError(f"{listed} names a folder that Helix does not open", code="git-failed")
        path = Path(os.path.realpath(objects / os.fsdecode(line)))
        if os.fsencode(path) in seen:
            continue
        seen.add(os.fsencode(path))
        if len(seen) > _MOST_ALTERNATES:
            raise HistoryError(
                f"{listed} and those after it name more than {_MOST_ALTERNATES} folders", code="git-failed"
            )
        if path.is_dir():
            _check_objects(path, steps - 1, seen)


def _check_files(objects: Path) -> None:
    for folder in (objects / "pack", *(objects / f"{number:02x}" for number in range(256))):
        try:
            entries = os.scandir(folder)
        except OSError:
            continue
        with entries:
            for entry in entries:
                # A link into nowhere is not there for git either.
                if not entry.is_file() and not entry.is_dir() and os.path.exists(entry.path):
                    raise HistoryError(f"{entry.path} is no regular file; remove it", code="git-failed")


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
