"""The git repository a vault lives in, and the doors to it.

Everything here answers in paths relative to the vault, which may be the top of the repository or a folder
deep inside a larger one. Reading runs nothing that the repository names, takes no lock and ends within a bound.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path, PurePosixPath

from helix.errors import HistoryError, OutsideVault
from helix.vault.git_folder import GitFolder
from helix.vault.git_program import READ_SECONDS, can_be_passed, find_git, last_words, run_git
from helix.vault.git_reader import LARGEST_BLOB, GitReader, Settings, owners_environment
from helix.vault.paths import check

BATCH_BYTES = 16 * 1024 * 1024
BATCH_BLOBS = 5000
_WORK_TREE_SECONDS = 10.0

# Settings of the owner that would change the answers we parse.
_PLAIN_ANSWERS = ("core.quotepath=off", "diff.relative=false")


@dataclass(frozen=True)
class CommittedFile:
    """A regular file in a commit."""

    path: str
    blob: str


@dataclass(frozen=True)
class Repository:
    root: Path
    prefix: str
    """The vault's folder below the top of the repository: empty, or ending in a slash."""
    folder: GitFolder
    reader: GitReader

    @classmethod
    def look_for(cls, root: Path) -> Repository | str:
        """The repository that holds this folder, or a sentence that says why there is none to use."""
        try:
            find_git()
            folder = GitFolder.look_for(root)
            if isinstance(folder, str):
                return folder
            reader = GitReader(folder)
            if folder.belongs_to_another_user() and not _is_trusted(folder.top, reader.owners_settings()):
                return (
                    f"Git does not trust {root} because another user owns it; "
                    f'if you do, run: git config --global --add safe.directory "{folder.top}"'
                )
            reader.renew()
        except HistoryError as error:
            return error.message
        except OSError as error:
            return f"Git cannot read the repository of {root}: {error.strerror or error}"
        below = Path(os.path.realpath(root)).relative_to(folder.top).as_posix()
        return cls(root, "" if below == "." else f"{below}/", folder, reader)

    @property
    def git_dir(self) -> Path:
        """Of a linked worktree this is its own one: merges, rebases and the index lock are per worktree."""
        return self.folder.own

    def run(
        self,
        *arguments: str,
        feed: bytes = b"",
        accept: tuple[int, ...] = (0,),
        seconds: float = READ_SECONDS,
    ) -> subprocess.CompletedProcess[bytes]:
        """Ask git about commits. Paths are those of the repository."""
        return self.reader.run(*arguments, feed=feed, accept=accept, seconds=seconds)

    def run_in_vault(
        self,
        *arguments: str,
        feed: bytes = b"",
        accept: tuple[int, ...] = (0,),
        seconds: float = _WORK_TREE_SECONDS,
    ) -> subprocess.CompletedProcess[bytes]:
        """Ask git about the files on disk. Paths are those of the vault."""
        return self.reader.run_in_work_tree(self.root, *arguments, feed=feed, accept=accept, seconds=seconds)

    def run_as_owner(
        self,
        *arguments: str,
        feed: bytes = b"",
        accept: tuple[int, ...] | None = (0,),
        seconds: float = READ_SECONDS,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git as its owner would at the top of the work tree: with the repository's settings, filters and hooks.

        For commits alone, which the owner has asked for. With None every exit code is accepted.
        """
        done = run_as_owner(self.folder.top, *arguments, feed=feed, seconds=seconds)
        if accept is not None and done.returncode not in accept:
            raise HistoryError(f"git failed: {last_words(done)}", code="git-failed")
        return done

    def in_repository(self, path: str) -> str:
        """A path of the vault as git names it, from the top of the repository."""
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts or not can_be_passed(path):
            raise OutsideVault(f"{path!r} is not a path inside the vault")
        return self.prefix + "/".join(parts)

    def in_vault(self, name: bytes) -> str | None:
        """The inverse of `in_repository`; None for a file elsewhere in the repository, or in no repository at all.

        Git makes no tree with `/home/me/CLAUDE.md` or `..` as a name in it, but it reads and clones one.
        """
        path = os.fsdecode(name)
        if not path.startswith(self.prefix):
            return None
        try:
            return check(path.removeprefix(self.prefix))
        except OutsideVault:
            return None

    def commit_id(self, revision: str) -> str:
        """The commit that a person's words name: a branch, a tag, a commit or git's ways to say one."""
        refused = HistoryError(
            f"{revision!r} names no commit here; give a commit, branch or tag that git log shows",
            code="bad-revision",
        )
        if not revision or revision.startswith("-") or "\n" in revision or not can_be_passed(revision):
            raise refused
        self.reader.renew()
        if "@{" in revision:
            self.reader.use_reflogs()
        arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        found = self.run(*arguments, accept=(0, 1, 128))
        if found.returncode:
            raise refused
        return found.stdout.decode("ascii").strip()

    def head(self) -> str | None:
        """The commit that is checked out; None before the first one."""
        return self.reader.renew().head_commit

    def entry(self, commit: str, path: str) -> CommittedFile | None:
        name = self.in_repository(path)
        return next(
            (entry for entry in self._ls_tree(commit, only=name) if self.prefix + entry.path == name), None
        )

    def entries(self, commit: str) -> Iterator[CommittedFile]:
        """Every regular file of the vault at a commit; symbolic links and submodules are not files."""
        return self._ls_tree(commit, "-r", only=self.prefix)

    def _ls_tree(self, commit: str, *options: str, only: str) -> Iterator[CommittedFile]:
        limit = ("--", only) if only else ()
        listing = self.run("--literal-pathspecs", "ls-tree", "-z", "--full-tree", *options, commit, *limit)
        for line in listing.stdout.split(b"\0")[:-1]:
            facts, _, name = line.partition(b"\t")
            mode, _, blob = facts.split()
            path = self.in_vault(name)
            if is_regular(mode) and path is not None:
                yield CommittedFile(path, blob.decode("ascii"))

    def blobs(self, wanted: Iterable[str]) -> Iterator[bytes | None]:
        """The contents of these blobs, in their order: few processes, and never all in memory.

        None for one that a shallow or partial clone, or a damaged one, names and does not have: it is not fetched.
        None as well for one that is larger than any note, however small it was packed.
        """
        rest = iter(wanted)
        while portion := list(islice(rest, BATCH_BLOBS)):
            sizes = self._sizes(portion)
            batch: list[str] = []
            weight = 0
            for blob in portion:
                size = sizes.get(blob, LARGEST_BLOB + 1)
                readable = size <= LARGEST_BLOB
                if batch and (not readable or weight + size > BATCH_BYTES):
                    yield from self._cat(batch)
                    batch, weight = [], 0
                if readable:
                    batch.append(blob)
                    weight += size
                else:
                    yield None
            if batch:
                yield from self._cat(batch)

    def _sizes(self, blobs: Sequence[str]) -> dict[str, int]:
        """Of those that are blobs and that are there."""
        lines = self.run("cat-file", "--batch-check", "--buffer", feed=_lines(blobs)).stdout.split(b"\n")
        facts = (line.split() for line in lines)
        return {
            fact[0].decode("ascii"): int(fact[2]) for fact in facts if len(fact) == 3 and fact[1] == b"blob"
        }

    def _cat(self, blobs: Sequence[str]) -> Iterator[bytes]:
        answer = memoryview(self.run("cat-file", "--batch", "--buffer", feed=_lines(blobs)).stdout)
        at = 0
        for blob in blobs:
            header = bytes(answer[at : at + 200]).partition(b"\n")[0]
            facts = header.split()
            if len(facts) != 3 or facts[1] != b"blob":
                raise HistoryError(
                    f"the content {blob} cannot be read from this repository", code="git-failed"
                )
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


def run_as_owner(
    folder: Path, *arguments: str, feed: bytes = b"", seconds: float = READ_SECONDS
) -> subprocess.CompletedProcess[bytes]:
    settings = (*_PLAIN_ANSWERS, "safe.bareRepository=explicit")
    given = chain.from_iterable(("-c", setting) for setting in settings)
    # A look is no reason to write the index anew: a lock that is not needed is not taken.
    environment = owners_environment() | {"GIT_OPTIONAL_LOCKS": "0"}
    # Its hooks and filters may need what they need.
    return run_git(folder, environment, *given, *arguments, feed=feed, seconds=seconds, is_limited=False)


def _is_trusted(top: Path, owners: Settings) -> bool:
    """As git reads `safe.directory`: an empty one takes back all before it."""
    trusted = False
    for key, value in owners:
        if key == "safe.directory":
            folder = os.path.realpath(os.path.expanduser(value.removesuffix("/*"))) if value else ""
            below = value.endswith("/*") and top.is_relative_to(folder)
            trusted = bool(value) and (trusted or value == "*" or below or folder == str(top))
    return trusted


def _lines(blobs: Iterable[str]) -> bytes:
    return "".join(f"{blob}\n" for blob in blobs).encode("ascii")
