"""The logs of sessions."""

from __future__ import annotations

from collections.abc import Iterator

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.vault.log.log_paths import FOLDER
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root

_BYTES_READ = 64 * 1024 * 1024
"""of logs, the latest first; `helix session verify` reads the others"""
_NAMED = 5

BROKEN = Kind(
    "log-broken",
    Severity.WARNING,
    "the log of a session does not verify",
    "Somebody changed a line, or a file is missing. What can be read is read; what is said of it cannot be relied on.",
    "Bring the file back from git, a backup or another machine. `helix session verify NAME` lists every place.",
)
TORN = Kind(
    "log-torn-aside",
    Severity.NOTE,
    "a write to a log was cut short, and its bytes were set aside",
    "It was never acknowledged. The log itself is whole.",
    "Look at the file if you wonder what it was, and delete it.",
)


def check_chains(examined: Examined) -> Iterator[Finding]:
    root = Root(examined.there)
    try:
        logs = SessionLogs(root, lambda: "")
        left = _BYTES_READ
        for session, size in _latest(examined, logs):
            left -= size
            if left < 0:
                return
            for problem in logs.verify(session).problems[:_NAMED]:
                yield BROKEN.at(problem.path, problem.reason, line=problem.line)
    finally:
        root.close()


def check_torn(examined: Examined) -> Iterator[Finding]:
    for file in sorted(examined.there.glob(f"{FOLDER}/*/*.torn")):
        yield TORN.at(str(file.relative_to(examined.there)), f"{file.lstat().st_size} bytes")


def _latest(examined: Examined, logs: SessionLogs) -> list[tuple[str, int]]:
    found = []
    for session in logs.sessions():
        files = [(examined.there / FOLDER / session / name).lstat() for name in logs.files(session)]
        changed = max(info.st_mtime for info in files)
        found.append((changed, session, sum(info.st_size for info in files)))
    return [(session, size) for _, session, size in sorted(found, reverse=True)]


AREA = Area("Sessions", (BROKEN, TORN), (check_chains, check_torn))
