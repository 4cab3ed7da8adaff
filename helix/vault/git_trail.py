"""The trail that files leave in git's log: which commit changed which file from what to what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from helix.vault.repository import Repository, is_regular

# Walking all of a long history takes longer than any other read; 2,000 commits take a third of a second.
WALK_SECONDS = 300.0

LOG_FORMAT = "--format=%H%x00%ct%x00%aN%x00%s"
_LAST_SECOND = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())


@dataclass(frozen=True)
class Commit:
    id: str
    time: datetime
    author: str
    subject: str


@dataclass(frozen=True)
class FileCommit:
    """A commit that changed the file at a path. A merge has one only where it differs from every parent."""

    commit: Commit
    path: str
    old: tuple[str, ...]
    new: str | None
    """None when the commit took the file away."""


def events(repository: Repository, head: str, home: str) -> Iterator[FileCommit]:
    """Every change of a markdown file (and of `home`) in the history of HEAD, children before parents."""
    log = repository.run(
        "--literal-pathspecs",
        "log",
        "-z",
        "--raw",
        "-c",
        "--no-renames",
        "--no-abbrev",
        "--date-order",
        "--full-history",
        LOG_FORMAT,
        head,
        "--",
        # Without a path git skips a comparison per commit, which is half of the time.
        *([repository.prefix] if repository.prefix else []),
        seconds=WALK_SECONDS,
    )
    tokens = iter(log.stdout.split(b"\0"))
    commit_now: Commit | None = None
    for token in tokens:
        if not token.strip():
            continue  # git ends a commit without changes with an empty field
        if not token.lstrip(b"\n").startswith(b":"):
            commit_now = to_commit([token, *(next(tokens) for _ in range(3))])
            continue
        path = repository.in_vault(next(tokens))
        if commit_now is not None and path is not None and (path.endswith(".md") or path == home):
            yield _to_event(commit_now, path, token)


def to_commit(fields: Sequence[bytes]) -> Commit:
    identity, seconds, author, subject = (field.decode(errors="replace") for field in fields)
    # A broken clock or importer leaves years that Python cannot say, or no time at all.
    time = datetime.fromtimestamp(min(int(seconds or 0), _LAST_SECOND), tz=UTC)
    return Commit(identity, time, author, subject)


def _to_event(commit_now: Commit, path: str, raw: bytes) -> FileCommit:
    """From git's raw format: as many colons as parents, a mode and a blob for each parent and the result."""
    text = raw.lstrip(b"\n")
    facts = text.lstrip(b":").split()
    sides = (len(facts) - 1) // 2
    files = [
        blob.decode("ascii") if is_regular(mode) else None
        for mode, blob in zip(facts[:sides], facts[sides : 2 * sides], strict=True)
    ]
    return FileCommit(commit_now, path, tuple(blob for blob in files[:-1] if blob), files[-1])
