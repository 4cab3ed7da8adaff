"""What is in the logs of sessions, and where: SQLite, derived from the files, which hold the events themselves.

A file that grew is read from where it was left. Words are found in every script without a model. Nothing is kept in
memory that grows with the logs.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from helix.errors import HelixError
from helix.index import analyze
from helix.index.event_chain import Chain
from helix.index.event_subject import FEEDBACK, subject_of
from helix.index.event_text import event_text, is_bookkeeping
from helix.index.feedback import weight_of
from helix.state.database import StateDatabase
from helix.vault.log.event import LogEvent
from helix.vault.log.log_file import Line
from helix.vault.log.log_paths import REFS, session_of
from helix.vault.log.session_logs import SessionLogs
from helix.vault.walk import Signature

# Another number means another index: it is dropped and made again from the logs, never migrated.
SCHEMA_VERSION = 300 + analyze.VERSION
EXTERNAL_REFS = ("external_ref", "claude_source_ref", "codex_source_ref")
"""fields of a payload that say where it was taken from"""

_WORDS_AT_MOST = 400
"""of one event"""
_ROWS_AT_MOST = 4_000
"""that are ranked for a question: words that stand in more events than that say little, and are left out first"""
_QUESTION_WORDS = 40
"""of a question that an answer was judged for"""
_BATCH = 2_000
_HALF_ERASED = 2
"""of an event whose content is erased in one file, and stands in another"""
# Words are found by `analyze`; here they are only told apart by the blanks between them. Quotes are doubled.
_SIGNS = "!\"\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~''"
_SCHEMA = f"""
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, events INTEGER NOT NULL DEFAULT 0, first TEXT, last TEXT
);
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, session INTEGER NOT NULL,
    mtime_ns INTEGER, size INTEGER, inode INTEGER, ctime_ns INTEGER,
    offset INTEGER NOT NULL, number INTEGER NOT NULL
);
CREATE INDEX files_session ON files (session);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL, prev BLOB,
    type TEXT NOT NULL, actor TEXT NOT NULL, time TEXT NOT NULL, file INTEGER NOT NULL, offset INTEGER NOT NULL,
    number INTEGER NOT NULL, erased INTEGER NOT NULL, ref TEXT, is_head INTEGER NOT NULL, UNIQUE (session, hash)
);
CREATE INDEX events_prev ON events (session, prev);
CREATE INDEX events_head ON events (session) WHERE is_head;
CREATE INDEX events_seq ON events (session, seq);
CREATE INDEX events_file ON events (file, offset);
CREATE INDEX events_type ON events (session, type);
CREATE INDEX events_ref ON events (session, ref) WHERE ref IS NOT NULL;
CREATE TABLE unlearned (
    session TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, project TEXT, PRIMARY KEY (session, hash)
);
CREATE TABLE subjects (event INTEGER PRIMARY KEY, family TEXT NOT NULL, subject TEXT NOT NULL, weight REAL, words TEXT);
CREATE INDEX subjects_subject ON subjects (family, subject);
CREATE VIRTUAL TABLE words USING fts5 (text, detail = none, tokenize = "ascii tokenchars '{_SIGNS}'");
CREATE VIRTUAL TABLE frequencies USING fts5vocab (words, row);
"""


class EventPlace(NamedTuple):
    """Where an event stands, and what is known of it without reading it."""

    id: int
    session: str
    seq: int
    hash: str
    prev: str | None
    type: str
    actor: str
    time: str
    path: str
    offset: int
    number: int
    is_erased: bool


class UnlearnedEvent(NamedTuple):
    """One that no memory could be made of, though there should be one."""

    session: str
    seq: int
    hash: str
    project: str | None
    """in which it was appended"""


class SessionCounts(NamedTuple):
    session: str
    events: int
    first: str
    last: str


_PLACE = """SELECT e.id, s.name, e.seq, lower(hex(e.hash)), lower(hex(e.prev)), e.type, e.actor, e.time, f.path,
    e.offset, e.number, e.erased FROM events e JOIN sessions s ON s.id = e.session JOIN files f ON f.id = e.file"""


class EventIndex(StateDatabase):
    keeps = "what was added to the logs of sessions since"

    def __init__(self, path: Path, logs: SessionLogs) -> None:
        self._logs = logs
        self._reading = threading.RLock()
        """one at a time reads files: who appends, and who follows the folder"""
        self._subjects_changed = 0
        self.holds_erased_words = False
        """whether words of events that were erased may still stand in the file"""
        super().__init__(path)

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """Events are erased by themselves; of memories nothing is kept here."""
        return True

    # Following the files

    def known(self, below: str | None = None) -> Mapping[str, Signature]:
        where = "" if below is None else " WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0')"
        with self._lock:
            rows = self._db.execute(
                f"SELECT path, mtime_ns, size, inode, ctime_ns FROM files{where}",
                () if below is None else (below,),
            ).fetchall()
        return {path: Signature(*signature) for path, *signature in rows}

    def count_known(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM files").fetchone()[0])

    def forget_signatures(self) -> None:
        with self.transaction():
            self._db.execute("UPDATE files SET mtime_ns = 0, offset = 0, inode = 0")

    def take_in(self, path: str, signature: Signature) -> None:
        """Read what is new in a file. One that was replaced, or is shorter than it was, is read from its beginning."""
        with self._reading:
            self._take_in(path, signature)

    def _take_in(self, path: str, signature: Signature) -> None:
        session = session_of(path)
        if session is None:
            return
        with self._lock:
            row = self._db.execute(
                "SELECT id, offset, number, inode FROM files WHERE path = ?", (path,)
            ).fetchone()
        if row is not None and (
            row[3] != signature.inode
            or signature.size < row[1]
            or not self._is_continued(path, row[0], row[1])
        ):
            self._read_again(session)
            return
        offset, number = (0, 1) if row is None else row[1:3]
        lines: list[Line] = []
        for line in self._logs.scan(path, offset, number):
            if line.is_torn:
                break
            lines.append(line)
            if len(lines) >= _BATCH:
                offset, number = self._add(path, session, signature, lines)
                lines = []
        self._add(path, session, signature, lines, (offset, number))

    def _is_continued(self, path: str, file: int, end: int) -> bool:
        """Whether what was read last still stands there: some sync tools write a file anew in its place."""
        if end == 0:
            return True
        with self._lock:
            last = self._db.execute(
                "SELECT lower(hex(hash)), offset FROM events WHERE file = ? ORDER BY offset DESC LIMIT 1",
                (file,),
            ).fetchone()
        if last is None or last[1] >= end:
            return False
        # From line end to line end: what was written anew is shifted.
        begin = max(last[1] - 1, 0)
        stands = self._logs.read_bytes(path, begin, end)
        return last[0].encode() in stands and stands.endswith(b"\n") and (begin == 0 or stands[:1] == b"\n")

    def drop(self, paths: Iterable[str]) -> None:
        for session in {session_of(path) for path in paths}:
            if session is not None:
                self.read_again(session)

    def _add(
        self,
        path: str,
        session: str,
        signature: Signature,
        lines: Sequence[Line],
        end: tuple[int, int] = (0, 1),
    ) -> tuple[int, int]:
        if lines:
            end = (lines[-1].end, lines[-1].number + 1)
        with self.transaction():
            self._db.execute("INSERT OR IGNORE INTO sessions (name) VALUES (?)", (session,))
            number = self._db.execute("SELECT id FROM sessions WHERE name = ?", (session,)).fetchone()[0]
            self._db.execute(
                "INSERT INTO files (path, session, mtime_ns, size, inode, ctime_ns, offset, number)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET mtime_ns = excluded.mtime_ns,"
                " size = excluded.size, inode = excluded.inode, ctime_ns = excluded.ctime_ns,"
                " offset = excluded.offset, number = excluded.number",
                (path, number, *signature, *end),
            )
            file = self._db.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()[0]
            new = [
                line.event.timestamp
                for line in lines
                if line.event is not None and self._put(number, file, line, line.event)
            ]
            if new:
                self._db.execute(
                    "UPDATE sessions SET events = events + ?1, first = min(coalesce(first, ?2), ?2),"
                    " last = max(coalesce(last, ?3), ?3) WHERE id = ?4",
                    (len(new), min(new), max(new), number),
                )
        return end

    def _put(self, session: int, file: int, line: Line, event: LogEvent) -> bool:
        """Whether it was not known yet."""
        ref = next((str(event.payload[key]) for key in EXTERNAL_REFS if event.payload.get(key)), None)
        is_erased = event.erased_at is not None
        self.holds_erased_words |= is_erased
        known = self._db.execute(
            "SELECT id, erased FROM events WHERE session = ? AND hash = ?",
            (session, bytes.fromhex(event.hash)),
        ).fetchone()
        if known is not None:
            # The same event in two files: in a copy that a sync tool made. An erasure counts wherever it stands, and
            # what the other file still holds of it has to go too.
            if is_erased == bool(known[1]):
                return False
            self._db.execute(
                "UPDATE events SET erased = ?, ref = NULL WHERE id = ?", (_HALF_ERASED, known[0])
            )
            if is_erased:
                self._drop_subjects([known[0]])
                self._drop_words([known[0]])
            return False
        event_hash, prev = (
            bytes.fromhex(event.hash),
            bytes.fromhex(event.prev_hash) if event.prev_hash else None,
        )
        self._db.execute("UPDATE events SET is_head = 0 WHERE session = ? AND hash = ?", (session, prev))
        added = self._db.execute(
            "INSERT INTO events"
            " (session, seq, hash, prev, type, actor, time, file, offset, number, erased, ref, is_head)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
            " NOT EXISTS (SELECT 1 FROM events c WHERE c.session = ?1 AND c.prev = ?3))",
            (
                session,
                event.seq,
                event_hash,
                prev,
                event.type,
                event.actor,
                event.timestamp,
                file,
                line.offset,
                line.number,
                is_erased,
                ref,
            ),
        )
        if (about := subject_of(event)) is not None:
            self._put_subject(added.lastrowid, event, *about)
        if not is_erased and not is_bookkeeping(event.type, event.payload):
            words = dict.fromkeys(analyze.tokens(event_text(event.payload)))
            text = " ".join([*list(words)[:_WORDS_AT_MOST], _mark(session)])
            self._db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (added.lastrowid, text))
        return True

    def _put_subject(self, row: int | None, event: LogEvent, family: str, subject: str) -> None:
        weight = words = None
        if family == FEEDBACK:
            query = event.payload.get("query")
            weight = weight_of(event.payload.get("feedback"), event.type)
            words = (
                " ".join(analyze.query_tokens(query)[:_QUESTION_WORDS]) if isinstance(query, str) else None
            )
        self._db.execute("INSERT INTO subjects VALUES (?, ?, ?, ?, ?)", (row, family, subject, weight, words))
        self._subjects_changed += 1

    def read_again(self, session: str) -> None:
        with self._reading:
            self._read_again(session)

    def _read_again(self, session: str) -> None:
        """All files of a session, from their beginnings: an event that stood in one of them may stand in another."""
        with self.transaction():
            of_session = "session = (SELECT id FROM sessions WHERE name = ?)"
            paths = [
                row[0] for row in self._db.execute(f"SELECT path FROM files WHERE {of_session}", (session,))
            ]
            ids = [
                row[0] for row in self._db.execute(f"SELECT id FROM events WHERE {of_session}", (session,))
            ]
            self._drop_words(ids)
            self._drop_subjects(ids)
            self._db.execute(f"DELETE FROM events WHERE {of_session}", (session,))
            self._db.execute(f"DELETE FROM files WHERE {of_session}", (session,))
            self._db.execute(
                "UPDATE sessions SET events = 0, first = NULL, last = NULL WHERE name = ?", (session,)
            )
        for path in paths:
            if (signature := self._signature(path)) is not None:
                self._take_in(path, signature)

    def _signature(self, path: str) -> Signature | None:
        try:
            return self._logs.signature(path)
        except (OSError, HelixError):
            return None

    def _drop_words(self, ids: Sequence[int]) -> None:
        self._db.executemany("DELETE FROM words WHERE rowid = ?", ((row,) for row in ids))

    def put_unlearned(self, session: str, seq: int, event_hash: str, project: str | None) -> None:
        with self.transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO unlearned VALUES (?, ?, ?, ?)", (session, seq, event_hash, project)
            )

    def drop_unlearned(self, session: str, event_hash: str) -> None:
        with self.transaction():
            self._db.execute("DELETE FROM unlearned WHERE session = ? AND hash = ?", (session, event_hash))

    def unlearned(self, limit: int) -> list[UnlearnedEvent]:
        """In the order in which they came."""
        with self._lock:
            rows = self._db.execute(
                "SELECT session, seq, hash, project FROM unlearned ORDER BY rowid LIMIT ?", (limit,)
            ).fetchall()
        return [UnlearnedEvent(*row) for row in rows]

    def forget_erased_words(self) -> None:
        """Merges all postings: a word of a deleted row stands in the file until then."""
        with self.transaction():
            self._db.execute("INSERT INTO words (words) VALUES ('optimize')")
        self.empty_log()
        self.holds_erased_words = False

    def _drop_subjects(self, ids: Sequence[int]) -> None:
        self._db.executemany("DELETE FROM subjects WHERE event = ?", ((row,) for row in ids))
        self._subjects_changed += 1

    # Asking

    def sessions(self, only: str | None = None) -> list[SessionCounts]:
        """Those with events, the one that something happened in last first; or one of them."""
        which = "name <> ?" if only is None else "name = ?"
        with self._lock:
            rows = self._db.execute(
                f"SELECT name, events, first, last FROM sessions WHERE events > 0 AND {which} ORDER BY last DESC, name",
                (only or REFS,),
            ).fetchall()
        return [SessionCounts(*row) for row in rows]

    def sizes(self) -> dict[str, int]:
        """How many bytes the files of each session have."""
        with self._lock:
            return dict(
                self._db.execute(
                    "SELECT s.name, sum(f.size) FROM files f JOIN sessions s ON s.id = f.session GROUP BY s.name"
                ).fetchall()
            )

    def types(self, session: str) -> dict[str, int]:
        with self._lock:
            return dict(
                self._db.execute(
                    "SELECT type, count(*) FROM events WHERE session = (SELECT id FROM sessions WHERE name = ?)"
                    " GROUP BY type ORDER BY count(*) DESC, type",
                    (session,),
                ).fetchall()
            )

    def actors(self, session: str) -> list[str]:
        with self._lock:
            rows = self._db.execute(
                "SELECT DISTINCT actor FROM events WHERE session = (SELECT id FROM sessions WHERE name = ?)"
                " ORDER BY actor LIMIT 50",
                (session,),
            ).fetchall()
        return [row[0] for row in rows]

    def heads(self, session: str) -> list[EventPlace]:
        """The ends of the chains, the longest first; one, unless two machines went on at once."""
        return self._places("WHERE s.name = ? AND e.is_head ORDER BY e.seq DESC, e.hash", (session,))

    def find(self, session: str, seq: int, prefix: str | None = None) -> list[EventPlace]:
        found = self._places("WHERE s.name = ? AND e.seq = ? ORDER BY e.hash", (session, seq))
        return [place for place in found if prefix is None or place.hash.startswith(prefix)]

    def find_seq(self, session: str, event_hash: str) -> int | None:
        """The number of the event with this hash."""
        with self._lock:
            row = self._db.execute(
                "SELECT seq FROM events WHERE session = (SELECT id FROM sessions WHERE name = ?) AND hash = ?",
                (session, bytes.fromhex(event_hash)),
            ).fetchone()
        return None if row is None else int(row[0])

    def half_erased(self, session: str) -> list[EventPlace]:
        """Events that are erased in one file, and whose content stands in another."""
        return self._places("WHERE s.name = ? AND e.erased = ?", (session, _HALF_ERASED))

    def find_ref(self, session: str, ref: str) -> EventPlace | None:
        return next(
            iter(self._places("WHERE s.name = ? AND e.ref = ? ORDER BY e.seq LIMIT 1", (session, ref))), None
        )

    def span(
        self, session: str, first: int, last: int | None, limit: int, kinds: Sequence[str] = ()
    ) -> list[EventPlace]:
        """The events of a session by their numbers, of every chain."""
        among = f" AND e.type IN ({', '.join('?' * len(kinds))})" if kinds else ""
        return self._places(
            f"WHERE s.name = ? AND e.seq >= ? AND e.seq <= ?{among} ORDER BY e.seq, e.hash LIMIT ?",
            (session, first, (1 << 62) if last is None else last, *kinds, limit),
        )

    def after(self, number: int, kinds: Sequence[str], limit: int) -> list[EventPlace]:
        """The events of some types that were taken in after one, in that order, of all sessions."""
        among = ", ".join("?" * len(kinds))
        return self._places(
            f"WHERE e.id > ? AND e.type IN ({among}) ORDER BY e.id LIMIT ?", (number, *kinds, limit)
        )

    def hash_at(self, number: int) -> str | None:
        """Of the event that has this number in the index; None when none has."""
        return next((place.hash for place in self._places("WHERE e.id = ?", (number,))), None)

    def before(self, session: str, seq: int, kinds: Sequence[str], limit: int) -> list[EventPlace]:
        """The events of some types that came before a number, the last first."""
        among = ", ".join("?" * len(kinds))
        return self._places(
            f"WHERE s.name = ? AND e.seq < ? AND e.type IN ({among}) ORDER BY e.seq DESC LIMIT ?",
            (session, seq, *kinds, limit),
        )

    def latest(self, session: str, first: int, last: int | None, limit: int) -> list[EventPlace]:
        """The last events of a session within some numbers, the last first."""
        return self._places(
            "WHERE s.name = ? AND e.seq >= ? AND e.seq <= ? ORDER BY e.seq DESC, e.hash LIMIT ?",
            (session, first, (1 << 62) if last is None else last, limit),
        )

    def chain(self, end: EventPlace) -> Chain:
        """What came before an event, and the event."""
        with self._lock:
            session = self._db.execute("SELECT session FROM events WHERE id = ?", (end.id,)).fetchone()[0]
            is_forked = self._db.execute(
                "SELECT 1 FROM events WHERE session = ? AND seq <= ? GROUP BY seq HAVING count(*) > 1 LIMIT 1",
                (session, end.seq),
            ).fetchone()
            if is_forked is None:
                return Chain(end.session, end.seq)
            # UNION and not UNION ALL: lines that somebody wrote by hand may name each other in a circle.
            beside = self._db.execute(
                "WITH RECURSIVE chain (id, prev) AS (SELECT id, prev FROM events WHERE id = ?1 UNION"
                " SELECT e.id, e.prev FROM events e JOIN chain c ON e.hash = c.prev WHERE e.session = ?2)"
                " SELECT id FROM events WHERE session = ?2 AND seq <= ?3 AND id NOT IN (SELECT id FROM chain)",
                (end.id, session, end.seq),
            ).fetchall()
        return Chain(end.session, end.seq, frozenset(row[0] for row in beside))

    def frequencies(self, words: Sequence[str], chain: Chain | None = None) -> tuple[int, dict[str, int]]:
        """How many events there are, and how many of them hold each of the words; of all, or of one chain."""
        if chain is not None:
            return self._count(chain), {word: len(self._matched(_quoted(word), chain)) for word in words}
        with self._lock:
            total = self._count_all()
            return total, {word: self._frequency(word) for word in words}

    def subjects_version(self) -> tuple[int, int]:
        """Another one when an event about something was added or erased, be it by another process."""
        with self._lock:
            [(last,)] = self._db.execute("SELECT max(event) FROM subjects")
        return (self._subjects_changed, last or 0)

    def subjects(self, family: str, limit: int) -> list[str]:
        """What events of a family are about, that of the last event first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT subject FROM subjects WHERE family = ? GROUP BY subject ORDER BY max(event) DESC LIMIT ?",
                (family, limit),
            ).fetchall()
        return [row[0] for row in rows]

    def about(self, family: str, subject: str | None, limit: int) -> list[EventPlace]:
        """The last events of a family, or of those about one thing, in the order in which they were taken in."""
        among = "" if subject is None else " AND subject = ?"
        return self._places(
            f"WHERE e.id IN (SELECT event FROM subjects WHERE family = ?{among} ORDER BY event DESC LIMIT ?)"
            " ORDER BY e.id",
            (family, *(() if subject is None else (subject,)), limit),
        )

    def feedback(self, limit: int) -> list[tuple[str, float, str | None, str]]:
        """What was said last of memories: of which, with what weight, of a question with which words, and when."""
        with self._lock:
            return self._db.execute(
                "SELECT s.subject, s.weight, s.words, e.time FROM subjects s JOIN events e ON e.id = s.event"
                " WHERE s.family = ? ORDER BY s.event DESC LIMIT ?",
                (FEEDBACK, limit),
            ).fetchall()

    def search_chain(self, query: str, chain: Chain, limit: int) -> list[tuple[EventPlace, float]]:
        """Events of a chain that hold words of the question, best first: whatever came later, the same ones."""
        words = analyze.query_tokens(query)
        total, found = self.frequencies(words, chain)
        known = [word for word in words if found[word]]
        if not known:
            return []
        weights = _weights(known, found, total)
        matched = self._matched(" OR ".join(map(_quoted, known)), chain)[:_ROWS_AT_MOST]
        scored = [(_score(text, weights), seq, rowid) for rowid, seq, text in matched]
        best = sorted(scored, key=lambda row: (-row[0], -row[1]))[:limit]
        places = self._by_id([rowid for _, _, rowid in best])
        return [(places[rowid], score) for score, _, rowid in best if rowid in places]

    def _count(self, chain: Chain) -> int:
        with self._lock:
            row = self._db.execute(
                "SELECT count(*) FROM events WHERE session = (SELECT id FROM sessions WHERE name = ?) AND seq <= ?",
                (chain.session, chain.seq),
            ).fetchone()
        return int(row[0]) - len(chain.beside)

    def _matched(self, match: str, chain: Chain) -> list[tuple[int, int, str]]:
        """Row, number and words of the events of a chain, the last first."""
        marks = self._marks([chain.session])
        if not marks:
            return []
        with self._lock:
            rows = self._db.execute(
                "SELECT words.rowid, e.seq, words.text FROM words JOIN events e ON e.id = words.rowid"
                " WHERE words MATCH ? AND e.seq <= ? ORDER BY e.seq DESC",
                (f"{_quoted(marks[0])} AND ({match})", chain.seq),
            ).fetchall()
        return [row for row in rows if row[0] not in chain.beside]

    def search(
        self, query: str, sessions: Sequence[str] | None, limit: int
    ) -> list[tuple[EventPlace, float]]:
        """Events that hold words of the question, best first."""
        words = analyze.query_tokens(query)
        marks = None if sessions is None else self._marks(sessions)
        if not words or marks == []:
            return []
        with self._lock:
            total = max(1, self._count_all())
            found = {word: self._frequency(word) for word in words}
        rare = sorted((word for word in words if found[word]), key=lambda word: found[word])
        chosen: list[str] = []
        rows = 0
        for word in rare:
            if chosen and marks is None and rows + found[word] > _ROWS_AT_MOST:
                break
            chosen.append(word)
            rows += found[word]
        if not chosen:
            return []
        match = " OR ".join(_quoted(word) for word in chosen)
        if marks is not None:
            match = f"({' OR '.join(_quoted(mark) for mark in marks)}) AND ({match})"
        with self._lock:
            matched = self._db.execute(
                "SELECT rowid, text FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?",
                (match, _ROWS_AT_MOST),
            ).fetchall()
        weights = _weights(rare, found, total)
        scored = [(_score(text, weights), rowid) for rowid, text in matched]
        # The same words said again later count as the better answer.
        best = sorted(scored, key=lambda pair: (-pair[0], -pair[1]))[:limit]
        places = self._by_id([rowid for _, rowid in best])
        return [(places[rowid], score) for score, rowid in best if rowid in places]

    def _count_all(self) -> int:
        """By the sessions: to count the events takes longer with each of them."""
        return int(self._db.execute("SELECT coalesce(sum(events), 0) FROM sessions").fetchone()[0])

    def _frequency(self, word: str) -> int:
        row = self._db.execute("SELECT doc FROM frequencies WHERE term = ?", (word,)).fetchone()
        return 0 if row is None else int(row[0])

    def _marks(self, sessions: Sequence[str]) -> list[str]:
        with self._lock:
            rows = [
                self._db.execute("SELECT id FROM sessions WHERE name = ?", (name,)).fetchone()
                for name in sessions
            ]
        return [_mark(row[0]) for row in rows if row is not None]

    def _by_id(self, ids: Sequence[int]) -> dict[int, EventPlace]:
        among = ", ".join("?" * len(ids))
        return {place.id: place for place in self._places(f"WHERE e.id IN ({among})", tuple(ids))}

    def _places(self, where: str, values: tuple[object, ...]) -> list[EventPlace]:
        with self._lock:
            rows = self._db.execute(f"{_PLACE} {where}", values).fetchall()
        # The hex of NULL is an empty text.
        return [EventPlace._make((*row[:4], row[4] or None, *row[5:11], bool(row[11]))) for row in rows]

    def read(self, places: Iterable[EventPlace]) -> Iterator[tuple[EventPlace, LogEvent | None]]:
        """With the events themselves, from their files; None for one whose file changed this very moment."""
        for place in places:
            event = self._logs.read_at(place.path, place.offset, place.number)
            yield place, event if event is not None and event.hash == place.hash else None

    def _prepare(self) -> None:
        with self.transaction():
            if self._db.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
                return
            for (name,) in self._db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN"
                " ('frequencies', 'words', 'unlearned', 'subjects', 'events', 'files', 'sessions')"
            ).fetchall():
                self._db.execute(f"DROP TABLE IF EXISTS {name}")
            for statement in _SCHEMA.split(";\n"):
                if statement.strip():
                    self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _mark(session: int) -> str:
    """A word that stands in every event of a session, and in no text: words have no such letter."""
    return f"\x7fs{session}"


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _weights(words: Iterable[str], found: Mapping[str, int], total: int) -> dict[str, float]:
    return {word: math.log(1 + (total - found[word] + 0.5) / (found[word] + 0.5)) for word in words}


def _score(text: str, weights: Mapping[str, float]) -> float:
    words = set(text.split(" "))
    covered = sum(weight for word, weight in weights.items() if word in words)
    return covered / (1 + 0.15 * math.log1p(len(words) / 20))
