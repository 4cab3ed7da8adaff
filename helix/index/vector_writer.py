"""Writes vectors to disk, in a short-lived process: LanceDB is in memory only while it is needed.

A job takes what is on disk, drops and adds, and leaves the table and then the serving file. The serving file is what
the next job starts from, and the table where there is none that can be used. So whichever of the two a kill leaves
behind, what was not written yet is missing from both or is put again, and nothing that was dropped comes back.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from helix.errors import HelixError, IndexBroken, StorageError
from helix.index import vector_file
from helix.index.vector_file import FILE_NAME, UnusableFile, VectorFile
from helix.index.vector_rows import VectorRows

_LIMIT = 600.0  # seconds; 200,000 rows take ten on a quiet machine
_AT_CLOSING = 5.0
_LOWEST_PRIORITY = 19
_LOCK = "writer.lock"
TABLE_FOLDER = "chunks.lance"


@dataclass(frozen=True)
class WriteJob:
    folder: str
    digest: str
    dimensions: int
    resident_rows: int
    """how many the serving file may hold; beyond it the table itself is searched"""
    dropped: list[str]
    """memories that are gone; those of the fresh rows need not be named"""
    is_purge: bool = False
    """nothing of what was dropped, now or earlier, may stay in any file"""


RunJob = Callable[[WriteJob, VectorRows], None]


def run_here(job: WriteJob, fresh: VectorRows) -> None:
    folder = Path(job.folder)
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        _write(job, fresh)


def _write(job: WriteJob, fresh: VectorRows) -> None:
    folder = Path(job.folder)
    try:
        serving = VectorFile(folder / FILE_NAME, job.digest, job.dimensions)
        before = serving.contents() if serving.is_resident else None
    except UnusableFile:
        before = None
    from helix.index.vector_table import VectorTable, discard_table

    try:
        table = VectorTable(folder, job.digest, job.dimensions)
        if before is None and table.count_rows() <= job.resident_rows:
            before = table.contents()
    except IndexBroken:
        if before is None:
            raise
        discard_table(folder)  # a power cut; the serving file has all of it
        table = VectorTable(folder, job.digest, job.dimensions)
    if before is None:
        table.change(fresh, job.dropped)
        if job.is_purge:
            table.overwrite(table.contents())
        _serve(job, table.contents() if table.count_rows() <= job.resident_rows else None)
        return
    rows = before.merged(fresh, job.dropped)
    table.overwrite(rows)
    _serve(job, rows if len(rows.vectors) <= job.resident_rows else None)


def _serve(job: WriteJob, rows: VectorRows | None) -> None:
    written = VectorRows.of([], job.dimensions) if rows is None else rows
    vector_file.write(Path(job.folder), written, job.digest, is_resident=rows is not None)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """The process of a daemon that was killed may still be at work when the next daemon starts one."""
    with (folder / _LOCK).open("wb") as file:
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class WriterProcess:
    """Runs jobs in a process of their own, one at a time."""

    def __init__(self, limit: float = _LIMIT) -> None:
        self._limit = limit
        self._process: subprocess.Popen[bytes] | None = None
        self._idle = threading.Event()
        self._idle.set()

    def __call__(self, job: WriteJob, fresh: VectorRows) -> None:
        # `-P` keeps the current folder, which may be the vault, out of the places where Python looks for modules.
        command = [sys.executable, "-P", "-m", "helix.index.vector_writer"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self._idle.clear()
        try:
            with subprocess.Popen(command, **pipes) as self._process:  # type: ignore[call-overload]
                try:
                    output, errors = self._process.communicate(_to_bytes(job, fresh), self._limit)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    raise StorageError(
                        f"writing the vector index took longer than {self._limit:.0f} s"
                    ) from None
                _raise_from(output, errors, self._process.returncode)
        except OSError as error:
            raise StorageError(
                f"the process that writes the vector index cannot be started: {error}"
            ) from error
        finally:
            self._process = None
            self._idle.set()

    def close(self) -> bool:
        """Give it a moment, and end it then: what it had not written is put again at the next start. Whether it was
        idle in time."""
        process = self._process
        if self._idle.wait(_AT_CLOSING):
            return True
        if process is not None:
            process.kill()
        return False


def _raise_from(output: bytes, errors: bytes, status: int) -> None:
    try:
        answer = json.loads(output)
    except ValueError:
        last = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise StorageError(f"the process that writes the vector index ended with {status}: {last}") from None
    if message := answer["trouble"]:
        raise (IndexBroken if answer["is_broken"] else StorageError)(message)


def _to_bytes(job: WriteJob, rows: VectorRows) -> bytes:
    """A line for all but the vectors, and these."""
    counts = rows.counts.tolist()
    line = json.dumps([asdict(job), rows.ids, rows.hashes, rows.created, rows.filed, counts]).encode()
    return b"".join((line, b"\n", rows.vectors.tobytes()))


def _from_stream(asked: IO[bytes]) -> tuple[WriteJob, VectorRows]:
    fields, ids, hashes, created, filed, counts = json.loads(asked.readline())
    job = WriteJob(**fields)
    vectors = np.frombuffer(asked.read(), np.float16).reshape(sum(counts), job.dimensions)
    return job, VectorRows(ids, hashes, created, filed, np.array(counts, np.int64), vectors)


def main(asked: IO[bytes], answers: IO[str]) -> None:
    job, fresh = _from_stream(asked)
    # For a purge somebody waits, who erased something or asked for everything anew.
    if hasattr(os, "nice") and not job.is_purge:
        os.nice(_LOWEST_PRIORITY)
    answer: dict[str, Any] = {"trouble": None, "is_broken": False}
    try:
        run_here(job, fresh)
    except (HelixError, OSError) as error:
        answer = {"trouble": str(error), "is_broken": isinstance(error, IndexBroken)}
    answers.write(json.dumps(answer))


if __name__ == "__main__":
    # Ctrl-C is for the command that asked; a daemon that was killed in the middle of asking asks for nothing.
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        main(sys.stdin.buffer, sys.stdout)
