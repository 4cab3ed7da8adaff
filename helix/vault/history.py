"""What a memory was before: its versions, the vault at a commit or a time, and commits of today's state.

A memory is found in the past as it is found today, by the `id` in its frontmatter. Git's own rename detection
guesses from likeness and loses a note that was moved and rewritten in one commit, so it is not used.
A note without an id is its path, as everywhere in Helix: its history is that of the path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from pathlib import Path, PurePosixPath

from helix.errors import BadValue, HistoryError, OutsideVault
from helix.vault.commit import commit, uncommitted
from helix.vault.commit_consent import CommitConsent
from helix.vault.git_folder import read_regular
from helix.vault.git_program import MOST_OUTPUT, can_be_passed, last_words
from helix.vault.git_trail import LOG_FORMAT, WALK_SECONDS, Commit, FileCommit, events, to_commit
from helix.vault.identity import id_in_frontmatter
from helix.vault.ignore import IGNORE_FILE
from helix.vault.repository import CommittedFile, Repository, run_as_owner
from helix.vault.templates import SETTINGS
from helix.vault.unified_diff import unified_diff

SHORT = 10
REMEMBERED_BLOBS = 200_000

# The longest piece of an id that every YAML writer writes in the same way, quoted or not.
_PLAIN_RUN = re.compile(r"[A-Za-z0-9_./@-]+")


@dataclass(frozen=True)
class Version:
    """A memory as a commit has it."""

    commit: str
    time: datetime
    """When it was committed, in UTC."""
    author: str
    subject: str
    path: str
    data_id: str
    """Git's name of the content: equal content, equal name."""

    @property
    def short(self) -> str:
        """Enough of the commit's name to show to a person, and for git to know it by."""
        return self.commit[:SHORT]


class History:
    """The past of a vault that is, or is inside, the work tree of a git repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        # Content never changes under its name, so what was read once is true for good.
        self._ids: dict[str, str | None] = {}

    @classmethod
    def find(cls, vault_root: Path) -> History | None:
        found = Repository.look_for(vault_root)
        return None if isinstance(found, str) else cls(found)

    @classmethod
    def get(cls, vault_root: Path) -> History:
        found = Repository.look_for(vault_root)
        if isinstance(found, str):
            raise HistoryError(found)
        return cls(found)

    @classmethod
    def why_not(cls, vault_root: Path) -> str:
        """A sentence for the person where `find` finds nothing; empty where it does."""
        found = Repository.look_for(vault_root)
        return found if isinstance(found, str) else ""

    @classmethod
    def start(cls, vault_root: Path, message: str) -> History:
        """The repository of a vault, made if there is none, with everything in the vault committed."""
        if cls.find(vault_root) is None:
            done = run_as_owner(vault_root, "init", "--quiet")
            if done.returncode:
                raise HistoryError(f"git init failed: {last_words(done)}", code="git-failed")
        history = cls.find(vault_root)
        if history is None:
            raise HistoryError(cls.why_not(vault_root))
        listed = history._repository.run_in_vault(
            "ls-files", "-z", "--cached", "--others", "--exclude-standard"
        )
        history.commit([os.fsdecode(name) for name in listed.stdout.split(b"\0") if name], message)
        return history

    def busy(self) -> str | None:
        """merge, rebase, cherry-pick, revert, bisect, am or index.lock, when that is under way."""
        return self._repository.busy()

    def why_no_commit(self, consent: CommitConsent) -> str | None:
        """Why Helix does not commit here by itself; None when the owner has agreed to what that runs."""
        return consent.why_not(self._repository)

    def agree_to_commits(self, consent: CommitConsent) -> None:
        consent.agree(self._repository)

    def commit(self, paths: Sequence[str], message: str) -> str | None:
        """Commit exactly these files as they are on disk; None when there is nothing to commit.

        What else the person has staged stays staged. Raises HistoryError `git-busy` or `git-failed`.
        """
        return commit(self._repository, paths, message)

    def uncommitted(self, paths: Sequence[str]) -> set[str]:
        """Those of these files that differ from HEAD, or that git does not know yet."""
        return uncommitted(self._repository, paths) if paths else set()

    def versions(self, memory_id: str, path: str, limit: int | None = None) -> list[Version]:
        """The memory's contents through the history of HEAD, newest first, wherever the file was.

        Merged branches are part of that history, also where the merge kept the other side's text. A commit
        that only moved the file is not a version. `path` is where the memory is now, or was last.
        """
        head = self._repository.head()
        if head is None:
            return []
        home = "/".join(PurePosixPath(path).parts)
        log = list(events(self._repository, head, home))
        # A life of the memory at another path came to an end there or goes on today: look for its id in
        # all that was ever replaced or removed, and in HEAD. What was only added needs no reading.
        self._learn(blob for event in log for blob in event.old)
        paths = {event.path for event in log if memory_id in (self._ids[blob] for blob in event.old)}
        today = self._locate(head, memory_id, home)
        paths |= {home} if today is None else {home, today.path}
        trail = [event for event in log if event.path in paths]
        self._learn(event.new for event in trail if event.new is not None)
        versions = [
            Version(
                event.commit.id,
                event.commit.time,
                event.commit.author,
                event.commit.subject,
                event.path,
                blob,
            )
            for event, blob in self._of_memory(memory_id, home, trail)
        ]
        changed = [
            version
            for version, older in zip_longest(versions, versions[1:])
            if older is None or older.data_id != version.data_id
        ]
        return changed if limit is None else changed[: max(limit, 0)]

    def read(self, version_or_commit: Version | str, path: str | None = None) -> bytes:
        """The file at this path in a commit. A version knows its own path."""
        if isinstance(version_or_commit, Version):
            if path in (None, version_or_commit.path):
                return self._content(version_or_commit.data_id)
            version_or_commit = version_or_commit.commit
        if path is None:
            raise BadValue("reading from a commit needs the path to read")
        entry = self._repository.entry(self._repository.commit_id(version_or_commit), path)
        if entry is None:
            raise HistoryError(
                f"{path} did not exist at {version_or_commit}; look for the memory by its id instead"
            )
        return self._content(entry.blob)

    def at(
        self, memory_id: str, path_hint: str, when: datetime | None = None, ref: str | None = None
    ) -> tuple[Version, bytes]:
        """The memory as it was at a commit, branch or tag, or at a time, and that commit.

        A time means the last commit at or before it on the first-parent line of HEAD (of `ref`, where both
        are given): what this branch held then, not what was still on its way on another one. The version
        names the commit that was looked into, which need not be the one that last changed the memory.
        """
        commit_id = self._commit_at(when, ref)
        entry = self._locate(commit_id, memory_id, path_hint)
        if entry is None:
            raise HistoryError(
                f"{memory_id} was not in the vault at commit {commit_id[:SHORT]}; "
                "its list of versions shows when it was"
            )
        facts = self._facts(commit_id)
        version = Version(facts.id, facts.time, facts.author, facts.subject, entry.path, entry.blob)
        return version, self._content(entry.blob)

    def commit_at(self, when: datetime | None = None, ref: str | None = None) -> tuple[str, datetime]:
        """The commit that a time, or a commit, branch or tag, means (as in `at`), and when it was made."""
        commit_id = self._commit_at(when, ref)
        return commit_id, self._facts(commit_id).time

    def list_at(self, commit: str) -> Iterator[tuple[str, bytes]]:
        """Every file of the vault at a commit, branch or tag that may be a note, or says which are none."""
        commit_id = self._repository.commit_id(commit)
        entries = [
            entry
            for entry in self._repository.entries(commit_id)
            if entry.path.endswith(".md") or entry.path in (IGNORE_FILE, *SETTINGS)
        ]
        contents = self._repository.blobs(entry.blob for entry in entries)
        for entry, content in zip(entries, contents, strict=True):
            if content is None:
                raise _unread(entry.blob)
            yield entry.path, content

    def diff(self, memory_id: str, path: str, rev_a: str, rev_b: str | None = None) -> str:
        """The unified diff of a memory between two revisions, or between one and the file on disk."""
        before, old = self.at(memory_id, path, ref=rev_a)
        if rev_b is None:
            label, new = path, self._on_disk(path)
            if b"\r\n" in new and b"\r\n" not in old:
                # Git for Windows stores with LF what it checks out with CRLF; the person changed nothing.
                new = new.replace(b"\r\n", b"\n")
        else:
            after, new = self.at(memory_id, path, ref=rev_b)
            label = f"{after.path} at {after.short}"
        return unified_diff(old, new, f"{before.path} at {before.short}", label)

    def _of_memory(
        self, memory_id: str, home: str, trail: Iterable[FileCommit]
    ) -> Iterator[tuple[FileCommit, str]]:
        """The events, newest first, that hold this memory and no other one that lived at the same paths.

        Content without an id belongs to the memory that got its id there later, back to where the file began.
        """
        unnamed_is_ours = {home}
        named: set[str] = set()
        for event in trail:
            if event.new is None:
                if event.path in named:
                    unnamed_is_ours.discard(event.path)
                continue
            found = self._ids[event.new]
            if found == memory_id:
                unnamed_is_ours.add(event.path)
                named.add(event.path)
                yield event, event.new
            elif found is not None:
                unnamed_is_ours.discard(event.path)
            elif event.path in unnamed_is_ours:
                yield event, event.new

    def _locate(self, commit_id: str, memory_id: str, hint: str) -> CommittedFile | None:
        """Where the memory is in a commit: at the hint, at any path that has its id, or there unnamed."""
        hinted = self._repository.entry(commit_id, hint)
        found = self._id_of(hinted) if hinted else None
        if hinted and found == memory_id:
            return hinted
        mentions = self._mentions(commit_id, memory_id)
        self._learn(entry.blob for entry in mentions)
        named = [entry for entry in mentions if self._ids[entry.blob] == memory_id]
        # Two files with one id are a conflict copy: the one with the name it was born with is the memory.
        named.sort(key=lambda entry: (PurePosixPath(entry.path).stem != memory_id, entry.path))
        if named:
            return named[0]
        return hinted if found is None else None

    def _mentions(self, commit_id: str, memory_id: str) -> list[CommittedFile]:
        """The markdown files of a commit that have the id in them anywhere, as name or as link."""
        needle = max(_PLAIN_RUN.findall(memory_id), key=len, default=memory_id)
        if not needle or not can_be_passed(needle):
            return []
        listing = self._repository.run(
            "grep",
            "-lzaF",
            "--full-name",
            "--no-color",
            "--no-textconv",
            "--no-recurse-submodules",
            "-e",
            needle,
            commit_id,
            "--",
            f":(glob){_literally(self._repository.prefix)}**/*.md",
            accept=(0, 1),
        )
        start = len(commit_id) + 1
        paths = {self._repository.in_vault(line[start:]) for line in listing.stdout.split(b"\0")[:-1]}
        return (
            [entry for entry in self._repository.entries(commit_id) if entry.path in paths] if paths else []
        )

    def _id_of(self, entry: CommittedFile) -> str | None:
        self._learn([entry.blob])
        return self._ids[entry.blob]

    def _learn(self, blobs: Iterable[str]) -> None:
        wanted = dict.fromkeys(blobs)  # in the order of the log, in which git unpacks them fastest
        if len(self._ids) + len(wanted) > REMEMBERED_BLOBS:
            self._ids = {blob: self._ids[blob] for blob in wanted if blob in self._ids}
        unread = [blob for blob in wanted if blob not in self._ids]
        for blob, content in zip(unread, self._repository.blobs(unread), strict=True):
            self._ids[blob] = None if content is None else id_in_frontmatter(content)

    def _facts(self, commit_id: str) -> Commit:
        header = self._repository.run("log", "-z", "-1", "--no-walk", LOG_FORMAT, commit_id, "--").stdout
        return to_commit(header.split(b"\0")[:4])

    def _content(self, blob: str) -> bytes:
        content = next(self._repository.blobs([blob]))
        if content is None:
            raise _unread(blob)
        return content

    def _commit_at(self, when: datetime | None, ref: str | None) -> str:
        if ref is not None:
            start = self._repository.commit_id(ref)
        else:
            head = self._repository.head()
            if head is None:
                raise HistoryError("nothing has been committed in this vault yet; commit it first")
            start = head
        if when is None:
            return start
        if when.tzinfo is None:
            raise BadValue("a time in the past needs its time zone, such as 2026-06-18T09:12:44Z")
        # rev-list reads a negative number as an error and not as a time before 1970.
        newest = max(0, int(when.timestamp()))
        found = self._repository.run(
            "rev-list", "--first-parent", "-1", f"--min-age={newest}", start, "--", seconds=WALK_SECONDS
        )
        if not found.stdout:
            raise HistoryError(f"the history begins after {when.isoformat()}; ask for a later time")
        return found.stdout.decode("ascii").strip()

    def _on_disk(self, path: str) -> bytes:
        self._repository.in_repository(path)
        file = self._repository.root / path
        try:
            inside = file.resolve().is_relative_to(self._repository.root.resolve())
        except (OSError, RuntimeError) as error:  # a name that no disk takes, links in a circle
            raise HistoryError(f"{path} cannot be looked for on disk: {error}") from error
        if not inside:
            raise OutsideVault(f"{path} is a link that leaves the vault")
        content = read_regular(file, MOST_OUTPUT)
        if content is None:
            raise HistoryError(f"{path} cannot be read from disk as a note; name a second revision instead")
        return content


def _unread(blob: str) -> HistoryError:
    return HistoryError(
        f"the content {blob} is missing from this repository, or larger than any note; "
        "Helix fetches nothing, `git fetch` may",
        code="git-failed",
    )


def _literally(path: str) -> str:
    """A path as a pattern that means this path alone."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", path)
