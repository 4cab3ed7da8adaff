"""The git repository a vault lives in, and the one place that runs the git program.

Everything here answers in paths relative to the vault, which may be the top of the repository or a folder
deep inside a larger one. Reading takes no lock, runs no hook, opens no pager and ends within a bound.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path, PurePosixPath

from helix.errors import BadValue, HistoryError, OutsideVault

READ_SECONDS = 60.0
STOP_SECONDS = 5.0
BATCH_BYTES = 16 * 1024 * 1024
BATCH_BLOBS = 5000
UNKNOWN_BYTES = 16 * 1024  # most notes are far smaller; a guess too high only costs a process more

# Settings of the user that would change the answers we parse, or run a program of theirs while we only read.
_READ_SETTINGS = (
    "core.quotepath=off",
    "core.fsmonitor=false",
    "diff.relative=false",
    "grep.fullName=true",
    "i18n.logOutputEncoding=UTF-8",
    "log.follow=false",
    "log.showRoot=true",
    "log.showSignature=false",
)

# Set by git for its hooks and aliases: inherited, they would point us at another repository than the vault's.
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


@dataclass(frozen=True)
class Entry:
    """A regular file in a commit."""

    path: str
    blob: str
    size: int


@dataclass(frozen=True)
class Repository:
    root: Path
    prefix: str
    """The vault's folder below the top of the repository: empty, or ending in a slash."""
    git_dir: Path
    """Of a linked worktree this is its own one: merges, rebases and the index lock are per worktree."""

    @classmethod
    def look_for(cls, root: Path) -> Repository | str:
        """The repository that holds this folder, or a sentence that says why there is none to use."""
        if not root.is_dir():
            return f"There is no folder {root}."
        try:
            place = run_git(root, "rev-parse", "--is-inside-work-tree", "--absolute-git-dir")
            prefix = run_git(root, "rev-parse", "--show-prefix")
        except HistoryError as error:
            return error.message
        complaint = place.stderr.decode(errors="replace")
        if "dubious ownership" in complaint:
            return (
                f"Git does not trust {root} because another user owns it; "
                f'if you do, run: git config --global --add safe.directory "{root}"'
            )
        if "not a git repository" in complaint:
            return (
                f"{root} is not in a git repository; run git init there to keep a history of your memories."
            )
        if place.returncode or prefix.returncode:
            failed = place if place.returncode else prefix
            return f"Git cannot read the repository of {root}: {last_words(failed)}"
        inside, _, git_dir = place.stdout.partition(b"\n")
        if inside != b"true":
            return f"{root} is inside a git folder without a work tree, so its files have no history."
        return cls(root, _without_newline(prefix.stdout), Path(_without_newline(git_dir)))

    def run(
        self,
        *arguments: str,
        feed: bytes = b"",
        accept: tuple[int, ...] = (0,),
        seconds: float = READ_SECONDS,
        writes: bool = False,
    ) -> subprocess.CompletedProcess[bytes]:
        done = run_git(self.root, *arguments, feed=feed, seconds=seconds, writes=writes)
        if done.returncode not in accept:
            raise HistoryError(f"git failed: {last_words(done)}", code="git-failed")
        return done

    def in_repository(self, path: str) -> str:
        """A path of the vault as git names it, from the top of the repository."""
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts or not can_be_passed(path):
            raise OutsideVault(f"{path!r} is not a path inside the vault")
        return self.prefix + "/".join(parts)

    def in_vault(self, name: bytes) -> str | None:
        """The inverse of `in_repository`; None for a file elsewhere in the repository."""
        path = os.fsdecode(name)
        return path.removeprefix(self.prefix) if path.startswith(self.prefix) else None

    def commit_id(self, revision: str) -> str:
        """The commit that a person's words name: a branch, a tag, a commit or git's ways to say one."""
        refused = HistoryError(
            f"{revision!r} names no commit here; give a commit, branch or tag that git log shows",
            code="bad-revision",
        )
        if not revision or revision.startswith("-") or "\n" in revision or not can_be_passed(revision):
            raise refused
        found = run_git(
            self.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        )
        if found.returncode:
            raise refused
        return found.stdout.decode("ascii").strip()

    def head(self) -> str | None:
        """The commit that is checked out; None before the first one."""
        found = run_git(self.root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return None if found.returncode else found.stdout.decode("ascii").strip()

    def entry(self, commit: str, path: str) -> Entry | None:
        name = self.in_repository(path)
        found = self._ls_tree(commit, "-l", only=name)
        return next((entry for entry in found if self.prefix + entry.path == name), None)

    def entries(self, commit: str) -> Iterator[Entry]:
        """Every regular file of the vault at a commit; symbolic links and submodules are not files."""
        return self._ls_tree(commit, "-r", "-l", only=self.prefix)

    def _ls_tree(self, commit: str, *options: str, only: str) -> Iterator[Entry]:
        limit = ("--", only) if only else ()
        listing = self.run("--literal-pathspecs", "ls-tree", "-z", "--full-tree", *options, commit, *limit)
        for line in listing.stdout.split(b"\0")[:-1]:
            facts, _, name = line.partition(b"\t")
            mode, _, blob, size = facts.split()
            path = self.in_vault(name)
            if is_regular(mode) and path is not None:
                yield Entry(path, blob.decode("ascii"), int(size))

    def blobs(self, wanted: Iterable[str], sizes: Iterable[int] | None = None) -> Iterator[bytes]:
        """The contents of these blobs, in their order: few processes, and never all in memory."""
        batch: list[str] = []
        weight = 0
        for blob, size in zip(wanted, sizes or repeat(UNKNOWN_BYTES), strict=False):
            if batch and (weight + size > BATCH_BYTES or len(batch) >= BATCH_BLOBS):
                yield from self._cat(batch)
                batch, weight = [], 0
            batch.append(blob)
            weight += size
        if batch:
            yield from self._cat(batch)

    def _cat(self, blobs: Sequence[str]) -> Iterator[bytes]:
        asked = "".join(f"{blob}\n" for blob in blobs).encode("ascii")
        answer = memoryview(self.run("cat-file", "--batch", "--buffer", feed=asked).stdout)
        at = 0
        for blob in blobs:
            header = bytes(answer[at : at + 200]).partition(b"\n")[0]
            facts = header.split()
            if len(facts) != 3 or facts[1] != b"blob":
                # A shallow or partial clone, or a damaged one, knows names of contents that it does not have.
                raise HistoryError(f"the content {blob} is missing from this repository", code="git-failed")
            start = at + len(header) + 1
            at = start + int(facts[2])
            yield bytes(answer[start:at])
            at += 1

    def busy(self) -> str | None:
        """The plain name of what the person has under way in git, during which nobody else should commit."""

        def has(name: str) -> bool:
            return os.path.exists(self.git_dir / name)

        if has("rebase-apply/applying"):
            return "am"
        if has("rebase-merge") or has("rebase-apply"):
            return "rebase"
        for marker, name in (
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
            ("BISECT_LOG", "bisect"),
        ):
            if has(marker):
                return name
        if has("sequencer/todo"):
            # Several commits are being picked or reverted and one was just resolved: its marker is gone.
            return "cherry-pick or revert"
        return "index.lock" if has("index.lock") else None


def is_regular(mode: bytes) -> bool:
    return mode.startswith(b"100")


def run_git(
    folder: Path, *arguments: str, feed: bytes = b"", seconds: float = READ_SECONDS, writes: bool = False
) -> subprocess.CompletedProcess[bytes]:
    git = shutil.which("git")
    # An empty or relative entry of the PATH would run a program called git that lies in the current folder.
    if git is None or not os.path.isabs(git):
        raise HistoryError(
            "Git is not installed, or not on the PATH, so there is no history.", code="git-failed"
        )
    if not all(can_be_passed(argument) for argument in arguments):
        raise BadValue("git cannot be given text with a NUL character or half a surrogate pair in it")
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN_REPOSITORY}
    environment |= {"LC_ALL": "C", "LANGUAGE": "", "GIT_TERMINAL_PROMPT": "0"}
    settings: list[str] = []
    if not writes:
        environment["GIT_OPTIONAL_LOCKS"] = "0"
        settings = [word for setting in _READ_SETTINGS for word in ("-c", setting)]
    try:
        process = subprocess.Popen(
            [git, "--no-pager", *settings, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A session of its own: git's children can be stopped with it, and none can ask on the terminal.
            start_new_session=True,
        )
    except OSError as error:
        raise HistoryError(
            f"git could not be started: {error.strerror or error}", code="git-failed"
        ) from error
    try:
        out, err = process.communicate(feed, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        raise HistoryError(
            f"git took longer than {seconds:g} seconds and was stopped", code="git-failed"
        ) from late
    finally:
        if process.poll() is None:
            _stop(process)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask first: a git that is killed outright leaves its index.lock behind and blocks the person."""
    _signal(process, gently=True)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        _signal(process, gently=False)
        process.wait(STOP_SECONDS)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _signal(process: subprocess.Popen[bytes], *, gently: bool) -> None:
    if sys.platform == "win32":
        process.terminate() if gently else process.kill()
    else:
        os.killpg(process.pid, signal.SIGTERM if gently else signal.SIGKILL)


def last_words(done: subprocess.CompletedProcess[bytes]) -> str:
    """The line of git's complaint to show: the fatal one, or the last, where a hook says why it refused."""
    text = (done.stderr.strip() or done.stdout.strip()).decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("fatal:")]
    return (fatal or lines or [f"exit code {done.returncode}"])[-1]


def can_be_passed(text: str) -> bool:
    """Whether a program can be given this at all, as an argument or a file name."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _without_newline(answer: bytes) -> str:
    return os.fsdecode(answer.removesuffix(b"\n"))
