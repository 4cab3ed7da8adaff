"""A log file from elsewhere: read whole and verified, then handed on in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from helix.errors import BadValue
from helix.vault.log.event import NotAnEvent, from_line
from helix.vault.log.log_paths import check_session
from helix.vault.log.sealed_lines import read_sealed

_LINES_AT_ONCE = 200
_BYTES_AT_ONCE = 1024 * 1024


@dataclass(frozen=True)
class LogToImport:
    session: str
    lines: Sequence[str]

    def batches(self) -> Iterator[tuple[int, Sequence[str]]]:
        """Parts that fit into a request, each with the number of its first line."""
        first, size = 0, 0
        for at, line in enumerate(self.lines):
            length = len(line.encode())
            if at > first and (at - first >= _LINES_AT_ONCE or size + length > _BYTES_AT_ONCE):
                yield first + 1, self.lines[first:at]
                first, size = at, 0
            size += length
        if self.lines:
            yield first + 1, self.lines[first:]


def read_log_file(file: Path, *, allow_secrets: bool = False) -> LogToImport:
    """The session is what its events say. Raises BadValue with the number of the first line that is wrong."""
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadValue(f"{file.name} is no log: it is not UTF-8") from error
    except OSError as error:
        raise BadValue(f"{file} cannot be read: {error.strerror}") from error
    # No blank lines: the number of a line is that of its event.
    lines = text.removesuffix("\n").split("\n") if text.strip() else []
    if not lines:
        raise BadValue(f"{file.name} is empty; a log has one line for each event")
    try:
        session = check_session(from_line(lines[0].encode(), 1, file.stem).thread)
    except NotAnEvent as error:
        raise BadValue(f"line 1: {error}") from error
    read_sealed(lines, session, allow_secrets=allow_secrets)
    return LogToImport(session, lines)
