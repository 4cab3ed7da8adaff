"""All logs of one vault: `sessions/<session>/<writer>.jsonl`, one file for each machine that wrote to a session.

An event is acknowledged when its line is durable. What several threads append to one session at once is written and
synced once for all of them. A file of another machine is only read, but for an erasure.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from helix.errors import HelixError, OutsideVault, SessionNotFound, StorageError, VaultUnavailable
from helix.vault.folder import Folder, NotRegular, close
from helix.vault.leftovers import unfinished_name
from helix.vault.log.event import EventDraft, LogEvent, check_draft, seal
from helix.vault.log.integrity import Head, Integrity, LogFault, check_links, descends, ends_of
from helix.vault.log.log_file import Line, last_event, last_line, read_lines
from helix.vault.log.log_paths import ARCHIVED, ERASED, FOLDER, check_session, session_of
from helix.vault.log.put_away import archived_sessions, bring_back, is_archived, put_away
from helix.vault.log.redact import redact
from helix.vault.paths import Root
from helix.vault.syscalls import sync_file
from helix.vault.times import Clock, parse_time, utc_now
from helix.vault.walk import Signature

ROTATE_BYTES = 16 * 1024 * 1024
_OPEN_SESSIONS = 256
"""whose ends are remembered; of another one the last line is read again"""
_PART = re.compile(r"(?P<writer>[A-Za-z0-9_-]+)(?:\.(?P<part>\d{4}))?\.jsonl")
_APPEND = os.O_WRONLY | os.O_APPEND


@dataclass
class _Waiting:
    drafts: Sequence[EventDraft]
    events: list[LogEvent] | None = None
    error: HelixError | None = None


@dataclass
class _Session:
    queue: list[_Waiting] = field(default_factory=list)
    turn: threading.Lock = field(default_factory=threading.Lock)
    """one at a time writes, for all who wait"""
    head: Head | None = None
    ends: Mapping[str, tuple[int, int]] | None = None
    """of each file, inode and size when `head` was found"""
    part: str = ""
    """the file that is appended to"""
    users: int = 0


class SessionLogs:
    def __init__(
        self,
        root: Root,
        writer: Callable[[], str],
        *,
        clock: Clock = utc_now,
        rotate_bytes: int = ROTATE_BYTES,
    ) -> None:
        """`writer` says which machine this is, in letters and digits; asked when something is appended."""
        self._root = root
        self._writer = writer
        self._clock = clock
        self._rotate_bytes = rotate_bytes
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._lock = threading.Lock()

    # Writing

    def append(self, session: str, drafts: Sequence[EventDraft]) -> list[LogEvent]:
        """Durable when it returns. Either all of them are, or none is."""
        check_session(session)
        if not drafts:
            return []
        waiting = _Waiting([check_draft(draft) for draft in drafts])
        with self._using(session) as state:
            with self._lock:
                state.queue.append(waiting)
            with state.turn:
                if waiting.events is None and waiting.error is None:
                    with self._lock:
                        batch, state.queue = state.queue, []
                    self._commit(session, state, batch)
        if waiting.error is not None:
            raise waiting.error
        return waiting.events or []

    def erase(self, session: str, hashes: Collection[str], erased_at: str) -> list[str]:
        """Take the payloads of events away, in every file that holds one; says which files those are."""
        with self._using(check_session(session)) as state, state.turn, self._open(session) as folder:
            state.ends = None
            changed = []
            for name in _log_names(folder):
                if self._rewrite(folder, name, session, hashes, erased_at):
                    changed.append(f"{FOLDER}/{session}/{name}")
            return changed

    def adopt(self, session: str, events: Sequence[LogEvent]) -> None:
        """Append events that somebody else sealed, as they are. They follow each other, and none of them is here yet.

        They have files of their own: what this machine seals itself is one chain in each file.
        """
        with (
            self._using(check_session(session)) as state,
            state.turn,
            self._open(session, make=True) as folder,
        ):
            state.ends = None
            name = self._import_file(folder, session, events[0])
            is_new = name not in _log_names(folder)
            fd = folder.open(name, _APPEND | (os.O_CREAT | os.O_EXCL if is_new else 0))
            try:
                _append_durably(fd, b"".join(event.to_line() for event in events))
            finally:
                close(fd)
            if is_new:
                folder.sync()

    def archive(self, session: str) -> None:
        """Move its files to where nothing reads them."""
        with self._using(check_session(session)) as state, state.turn, self._open(session):
            state.ends = state.head = None
            put_away(self._root, session)

    def restore(self, session: str) -> None:
        """Move them back."""
        if not self.is_archived(check_session(session)):
            raise SessionNotFound(
                f"no session {session!r} is archived; `helix session list --archived` shows those"
            )
        with self._using(session) as state, state.turn:
            state.ends = state.head = None
            bring_back(self._root, session)

    def is_archived(self, session: str) -> bool:
        return is_archived(self._root, session)

    def archived(self) -> list[str]:
        return archived_sessions(self._root)

    def archived_ends(self, session: str) -> tuple[LogEvent, LogEvent] | None:
        """The first and the last event of an archived session, without reading what is between them."""
        found: list[LogEvent] = []
        try:
            with self._root.folder(f"{ARCHIVED}/{session}") as folder:
                for name in _log_names(folder):
                    fd, info = folder.open_regular(name)
                    try:
                        for line in (
                            next(read_lines(fd, session), None),
                            last_line(fd, info.st_size, session),
                        ):
                            found += [line.event] if line is not None and line.event is not None else []
                    finally:
                        close(fd)
        except (OSError, OutsideVault):
            pass
        ordered = sorted(found, key=lambda event: event.seq)
        return (ordered[0], ordered[-1]) if ordered else None

    # Reading

    def sessions(self) -> list[str]:
        try:
            with self._root.folder(FOLDER) as folder:
                names = folder.names()
        except (FileNotFoundError, NotADirectoryError, OutsideVault):
            return []
        return sorted(name for name in names if self.files(name))

    def files(self, session: str) -> list[str]:
        """The names of the files of a session, in order; none for what is no session."""
        if session_of(f"{FOLDER}/{session}/x.jsonl") is None:
            return []
        try:
            with self._root.folder(f"{FOLDER}/{session}") as folder:
                return _log_names(folder)
        except (FileNotFoundError, NotADirectoryError, OutsideVault):
            return []

    def scan(self, path: str, offset: int = 0, number: int = 1) -> Iterator[Line]:
        """The lines of one file, from a place on."""
        session = session_of(path)
        if session is None:
            return
        folder_name, _, name = path.rpartition("/")
        with self._root.folder(folder_name) as folder:
            fd, _ = folder.open_regular(name)
        try:
            yield from read_lines(fd, session, offset, number)
        finally:
            close(fd)

    def read_bytes(self, path: str, start: int, end: int) -> bytes:
        """What stands between two places."""
        folder_name, _, name = path.rpartition("/")
        with self._root.folder(folder_name) as folder:
            fd, _ = folder.open_regular(name)
        try:
            return os.pread(fd, end - start, start)
        finally:
            close(fd)

    def signature(self, path: str) -> Signature:
        return Signature.of(self._root.stat(path))

    def read_at(self, path: str, offset: int, number: int) -> LogEvent | None:
        """The event at a place that was found before; None when something else stands there now."""
        try:
            line = next(self.scan(path, offset, number), None)
        except (OSError, HelixError):
            return None
        return None if line is None or line.offset != offset else line.event

    def verify(self, session: str) -> Integrity:
        """Read everything and believe nothing."""
        seen: dict[str, tuple[int, str]] = {}
        ordered: list[tuple[LogEvent, str, int]] = []
        problems: list[LogFault] = []
        erased: dict[str, LogFault] = {}
        orders: set[object] = set()
        for path, line in self._every_line(session):
            if line.event is None:
                reason = "a torn line, of which nothing is read" if line.is_torn else line.problem or ""
                problems.append(LogFault(path, line.number, reason))
                continue
            event = line.event
            if not event.is_intact:
                problems.append(LogFault(path, line.number, f"Event {event.seq} hash mismatch", event.seq))
                continue
            if event.erased_at is not None:
                reason = f"Event {event.seq} has no content, and no event says that it was erased"
                erased.setdefault(event.hash, LogFault(path, line.number, reason, event.seq))
            elif event.type == ERASED:
                orders.add(event.payload.get("hash"))
            if event.hash not in seen:
                seen[event.hash] = (event.seq, event.timestamp)
                bare = dataclasses.replace(event, payload={}, v1=None)
                ordered.append((bare, path, line.number))
        problems += check_links(ordered, seen)
        # A hand can write that too: what Helix erases it says in an event of its own, which nobody can add unseen.
        problems += [fault for event_hash, fault in erased.items() if event_hash not in orders]
        return Integrity(len(seen), ends_of(ordered), len(erased), problems)

    # Within

    @contextlib.contextmanager
    def _using(self, session: str) -> Iterator[_Session]:
        """What is remembered of a session: one value for all who use it at the same time."""
        with self._lock:
            state = self._sessions.setdefault(session, _Session())
            self._sessions.move_to_end(session)
            state.users += 1
        try:
            yield state
        finally:
            with self._lock:
                state.users -= 1
                oldest = next(iter(self._sessions))
                if len(self._sessions) > _OPEN_SESSIONS and not self._sessions[oldest].users:
                    del self._sessions[oldest]

    @contextlib.contextmanager
    def _open(self, session: str, *, make: bool = False) -> Iterator[Folder]:
        if not self._root.alive():
            raise VaultUnavailable(f"the folder at {self._root.path} is not the one that was opened")
        rel = f"{FOLDER}/{session}"
        try:
            with self._folder(rel, make=make) as folder:
                yield folder
        except (FileNotFoundError, NotADirectoryError) as error:
            raise SessionNotFound(f"there is no session {session!r}") from error
        except OSError as error:
            raise StorageError.from_os(error, f"write to the log of {session}") from error

    def _folder(self, rel: str, *, make: bool) -> Folder:
        try:
            return self._root.folder(rel)
        except (FileNotFoundError, NotADirectoryError):
            if not make:
                raise
        self._root.make_dirs(rel)
        return self._root.folder(rel)

    def _commit(self, session: str, state: _Session, batch: Sequence[_Waiting]) -> None:
        try:
            with self._open(session, make=True) as folder:
                self._find_end(folder, session, state)
                events = [self._sealed(session, state, waiting.drafts) for waiting in batch]
                self._write(folder, state, b"".join(event.to_line() for sealed in events for event in sealed))
        except HelixError as error:
            state.ends = None
            for waiting in batch:
                waiting.error = error
            return
        for waiting, sealed in zip(batch, events, strict=True):
            waiting.events = sealed

    def _sealed(self, session: str, state: _Session, drafts: Sequence[EventDraft]) -> list[LogEvent]:
        sealed = []
        for draft in drafts:
            payload, places = redact(draft.payload)
            before = state.head
            fields: dict[str, Any] = {
                "seq": 1 if before is None else before.seq + 1,
                "timestamp": self._stamp(draft.timestamp, before),
                "type": draft.type,
                "actor": draft.actor,
                "thread": session,
                "payload": payload,
                "prev_hash": None if before is None else before.hash,
                "security": {"sensitivity": "restricted" if places else "public", "redacted_paths": places},
            }
            event = LogEvent(**fields, hash=seal(fields))
            state.head = Head(event.seq, event.hash, event.timestamp)
            sealed.append(event)
        return sealed

    def _stamp(self, wanted: str | None, before: Head | None) -> str:
        """Never before the event in front of it, whatever the clocks say."""
        moment = parse_time(wanted) or self._clock()
        earliest = parse_time(before.timestamp) if before is not None else None
        return _format(moment if earliest is None else max(moment, earliest))

    def _write(self, folder: Folder, state: _Session, data: bytes) -> None:
        name = state.part
        is_new = name not in (state.ends or {})
        fd = folder.open(name, _APPEND | (os.O_CREAT | os.O_EXCL if is_new else 0))
        try:
            info = _append_durably(fd, data)
        finally:
            close(fd)
        if is_new:
            folder.sync()
        state.ends = {**(state.ends or {}), name: (info.st_ino, info.st_size)}

    def _find_end(self, folder: Folder, session: str, state: _Session) -> None:
        """Where the chain goes on. Looked for only if a file is not as it was left."""
        ends = {}
        for name in _log_names(folder):
            info = folder.stat(name)
            ends[name] = (info.st_ino, info.st_size)
        if ends != state.ends:
            writer = self._writer()
            own = [name for name in ends if _is_part(name, writer)]
            for name in own[-1:]:
                self._set_torn_aside(folder, name, session)
                info = folder.stat(name)
                ends[name] = (info.st_ino, info.st_size)
            last = self._last_of(folder, own, session)
            state.head = last if len(own) == len(ends) else self._continued(session, last)
            state.part = own[-1] if own else f"{writer}.jsonl"
            state.ends = ends
        if state.part in ends and ends[state.part][1] >= self._rotate_bytes:
            state.part = _next_part(state.part)

    def _last_of(self, folder: Folder, own: Sequence[str], session: str) -> Head | None:
        for name in reversed(own):
            fd, info = folder.open_regular(name)
            try:
                if (event := last_event(fd, info.st_size, session)) is not None:
                    return Head(event.seq, event.hash, event.timestamp)
            finally:
                close(fd)
        return None

    def _continued(self, session: str, own: Head | None) -> Head | None:
        """The end to go on from, where other machines wrote too: our own, unless another one went on from it."""
        parents: dict[str, str | None] = {}
        heads: dict[str, Head] = {}
        for _, line in self._every_line(session):
            if line.event is not None and line.event.is_intact:
                event = line.event
                parents[event.hash] = event.prev_hash
                heads[event.hash] = Head(event.seq, event.hash, event.timestamp)
        known = set(parents.values())
        ends = [head for name, head in heads.items() if name not in known]
        if own is not None and own.hash not in known:
            return own
        if own is not None:
            ends = [head for head in ends if descends(head.hash, own.hash, parents)] or ends
        return max(ends, key=lambda head: (head.seq, head.hash), default=own)

    def _set_torn_aside(self, folder: Folder, name: str, session: str) -> None:
        """A write that a crash cut short was never acknowledged. Its bytes are kept beside the log, and not in it."""
        fd, info = folder.open_regular(name)
        try:
            line = last_line(fd, info.st_size, session)
            if line is None or os.pread(fd, 1, line.end - 1) == b"\n":
                return
            if line.is_torn:
                _create(folder, f"{name}.{line.offset}.torn", _bytes_of(fd, line.offset, line.end))
        finally:
            close(fd)
        fd = folder.open(name, _APPEND)
        try:
            if line.is_torn:
                os.ftruncate(fd, line.offset)
            else:
                _write_all(fd, b"\n")  # a whole event whose line end an editor took away
            sync_file(fd)
        finally:
            close(fd)

    def _import_file(self, folder: Folder, session: str, first: LogEvent) -> str:
        """The one that ends with the event before, or a new one."""
        own = f"{self._writer()}-import-"
        for name in _log_names(folder):
            if name.startswith(own):
                self._set_torn_aside(folder, name, session)
                last = self._last_of(folder, [name], session)
                if last is not None and last.hash == first.prev_hash:
                    return name
        return f"{own}{first.hash[:12]}.jsonl"

    def _rewrite(
        self, folder: Folder, name: str, session: str, hashes: Collection[str], erased_at: str
    ) -> bool:
        fd, info = folder.open_regular(name)
        try:
            if not any(
                line.event is not None and line.event.hash in hashes and line.event.erased_at is None
                for line in read_lines(fd, session)
            ):
                return False
            temporary = unfinished_name()
            out = folder.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, info.st_mode & 0o777)
            try:
                for piece in _without(fd, session, hashes, erased_at, info.st_size):
                    _write_all(out, piece)
                sync_file(out)
            finally:
                os.close(out)
        finally:
            close(fd)
        folder.replace(temporary, name)
        folder.sync()
        return True

    def _every_line(self, session: str) -> Iterator[tuple[str, Line]]:
        for name in self.files(session):
            path = f"{FOLDER}/{session}/{name}"
            try:
                for line in self.scan(path):
                    yield path, line
            except (NotRegular, FileNotFoundError, OutsideVault):
                continue


def _without(fd: int, session: str, hashes: Collection[str], erased_at: str, size: int) -> Iterator[bytes]:
    """The bytes of a file, the lines of some events replaced."""
    copied = 0
    for line in read_lines(fd, session):
        event = line.event
        if event is None or event.hash not in hashes or event.erased_at is not None:
            continue
        yield from _bytes_of(fd, copied, line.offset)
        yield dataclasses.replace(event, payload={}, erased_at=erased_at, v1=None).to_line()
        copied = line.end
    yield from _bytes_of(fd, copied, size)


def _bytes_of(fd: int, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        piece = os.pread(fd, min(1 << 20, end - start), start)
        if not piece:
            return
        yield piece
        start += len(piece)


def _log_names(folder: Folder) -> list[str]:
    """In an order in which the parts of one writer follow each other."""
    names = [name for name in folder.names() if session_of(f"{FOLDER}/x/{name}") and not name.startswith(".")]
    return sorted(names, key=_writer_and_part)


def _writer_and_part(name: str) -> tuple[str, int]:
    found = _PART.fullmatch(name)
    return (name, 0) if found is None else (found["writer"], int(found["part"] or 1))


def _is_part(name: str, writer: str) -> bool:
    return _PART.fullmatch(name) is not None and _writer_and_part(name)[0] == writer


def _next_part(name: str) -> str:
    writer, part = _writer_and_part(name)
    return f"{writer}.{part + 1:04}.jsonl"


def _create(folder: Folder, name: str, pieces: Iterator[bytes]) -> None:
    fd = folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        for piece in pieces:
            _write_all(fd, piece)
        sync_file(fd)
    finally:
        os.close(fd)
    folder.sync()


def _append_durably(fd: int, data: bytes) -> os.stat_result:
    size = os.fstat(fd).st_size
    try:
        _write_all(fd, data)
        sync_file(fd)
    except OSError:
        # What was not acknowledged must not be found later as if it had been.
        with contextlib.suppress(OSError):
            os.ftruncate(fd, size)
        raise
    return os.fstat(fd)


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _format(moment: datetime) -> str:
    text = moment.astimezone(UTC).isoformat()
    return text.removesuffix("+00:00") + "Z"
