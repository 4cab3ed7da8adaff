"""The logs of one vault's sessions as verbs reach them: what is appended is durable, and found by the next question."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from helix.errors import BadValue, HelixError, SessionNotFound, SessionsOff
from helix.state.database import StateDatabase
from helix.vault.log.log_paths import ERASED, FOLDER, REFS, check_session
from helix.vault.paths import Root
from helix.vault.times import format_time, utc_now

if TYPE_CHECKING:
    from helix.index.event_index import EventIndex, EventPlace, SessionCounts
    from helix.memory.distill.proposals import Proposals
    from helix.vault.log.event import EventDraft, LogEvent
    from helix.vault.log.integrity import Integrity
    from helix.vault.log.session_logs import SessionLogs

EVENTS_FILE = "events.db"
_WRITER_FILE = "writer"
_ARCHIVED, _RESTORED = "session.archived", "session.restored"
_STARTED = "hook.session_started"
_ORDERS_AT_MOST = 10_000
_VERIFIED_AT_MOST = 15
_PROJECTS_AT_MOST = 500


class EventLog:
    def __init__(
        self,
        root: Root,
        state: Path,
        keep: str,
        databases: list[StateDatabase],
        find_project: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        """`databases` are those that are opened anew when somebody deletes their files; `find_project` says of which
        project a folder is."""
        self._vault_root = root
        self._state = state
        self._keep = keep
        self._databases = databases
        self._find_project = find_project
        self._projects: dict[str, str | None] = {}
        self._index: EventIndex | None = None
        self._proposals: Proposals | None = None
        self._opening = threading.Lock()
        self._refs = threading.Lock()
        self._naming = threading.Lock()
        self._verified: dict[str, tuple[object, Integrity]] = {}
        self.is_followed = keep != "state"
        """whether the logs lie in the vault, so that others may change them"""
        self._own_root: Root | None = None
        self._logs: SessionLogs | None = None

    # Opened when first asked for: most vaults have no logs

    def find_index(self) -> EventIndex | None:
        """None when there is none: then no log was ever taken in."""
        if self._index is None and not self._index_path.exists():
            return None
        return self.index()

    def index(self) -> EventIndex:
        with self._opening:
            if self._index is None:
                # Here and not above: who has no logs does not load what reads them.
                from helix.index.event_index import EventIndex

                self._index = EventIndex(self._index_path, self.logs())
                self._databases.append(self._index)
                if not self.is_followed:
                    for session in self.logs().sessions():
                        self._take_in(session)
            return self._index

    def logs(self) -> SessionLogs:
        if self._logs is None:
            from helix.vault.log.session_logs import SessionLogs

            root = self._vault_root
            if not self.is_followed:
                self._index_path.parent.mkdir(mode=0o700, exist_ok=True)
                root = self._own_root = Root(self._index_path.parent)
            self._logs = SessionLogs(root, self._writer)
        return self._logs

    def proposals(self) -> Proposals:
        """What the logs propose to remember."""
        with self._opening:
            if self._proposals is None:
                from helix.memory.distill.proposals import PROPOSALS_FILE, Proposals

                self._proposals = Proposals(self._index_path.with_name(PROPOSALS_FILE))
                self._databases.append(self._proposals)
            return self._proposals

    def close(self) -> None:
        if self._proposals is not None:
            self._databases.remove(self._proposals)
            self._proposals.close()
            self._proposals = None
        if self._index is not None:
            self._databases.remove(self._index)
            self._index.close()
            self._index = None
        if self._own_root is not None:
            self._own_root.close()

    @property
    def _index_path(self) -> Path:
        # Apart, so that who changes the setting has an index of the other logs, and not a mixture.
        folder = self._state if self.is_followed else self._state / "own-sessions"
        return folder / EVENTS_FILE

    def _writer(self) -> str:
        """Which machine this is, in the names of files. A state folder that was lost means another one."""
        file = self._state / _WRITER_FILE
        with self._naming:
            with suppress(FileNotFoundError):
                if (name := file.read_text().strip()).isalnum():
                    return name
            name = f"m{secrets.token_hex(4)}"
            file.write_text(f"{name}\n")
            file.chmod(0o600)
            return name

    @property
    def is_kept(self) -> bool:
        return self._keep != "off"

    # Writing

    def append(self, session: str, drafts: Sequence[EventDraft]) -> tuple[list[LogEvent], str | None]:
        """The events, durable; and why they are not found yet, if they are not."""
        if session == REFS:
            raise BadValue(
                f"{REFS} is no session but the log of the refs; `helix session ref set` adds to it"
            )
        return self._append(session, drafts)

    def set_ref(self, draft: EventDraft) -> tuple[LogEvent, str | None]:
        [event], degraded = self._append(REFS, [draft])
        return event, degraded

    def import_lines(
        self, session: str, lines: Sequence[str], first_line: int, *, allow_secrets: bool
    ) -> tuple[list[LogEvent], str | None]:
        """Take over lines that somebody else sealed: those events that were not here yet, and why they are not found,
        if they are not."""
        from helix.vault.log.sealed_lines import read_sealed

        self._check_kept()
        check_session(session)
        with self._refs:
            self._tell(session)
            index = self.index()
            events = read_sealed(
                lines,
                session,
                first_line=first_line,
                find_seq=partial(index.find_seq, session),
                allow_secrets=allow_secrets,
            )
            new = [event for event in events if index.find_seq(session, event.hash) is None]
            if not new:
                return [], None
            # Lines follow each other, so that what is here already is the beginning of them.
            self.logs().adopt(session, new)
            return new, self._tell(session)

    def _check_kept(self) -> None:
        if self._keep == "off":
            raise SessionsOff(
                "nothing is added to logs of sessions here; set sessions.keep to `vault` or `state`"
            )

    def _append(self, session: str, drafts: Sequence[EventDraft]) -> tuple[list[LogEvent], str | None]:
        self._check_kept()
        self._bring_back(session)
        events = self.logs().append(session, drafts)
        return events, self._tell(session)

    def _bring_back(self, session: str) -> None:
        """One that goes on, so that its chain does."""
        if self.logs().is_archived(check_session(session)):
            self.restore(session)

    def archive(self, session: str, reason: str, limit: str | None = None) -> None:
        """Move a session to where nothing reads it; its log says last why."""
        from helix.vault.log.event import EventDraft

        self.get_index(session)
        why = {"reason": reason, **({} if limit is None else {"limit": limit})}
        self._append(session, [EventDraft(_ARCHIVED, "helix", why)])
        self.logs().archive(session)
        self.index().read_again(session)

    def restore(self, session: str) -> None:
        """Bring it back; its log says so, and its age counts from now."""
        from helix.vault.log.event import EventDraft

        self.logs().restore(session)
        self.logs().append(session, [EventDraft(_RESTORED, "helix", {})])
        self._tell(session)
        # What was erased meanwhile stood in files that nobody looked at.
        self.settle_erasures(session)

    def is_archived(self, session: str) -> bool:
        return self.logs().is_archived(session)

    def archived(self) -> list[str]:
        return self.logs().archived()

    def erase(self, session: str, places: Sequence[EventPlace]) -> None:
        """Take the content of events away, here and, by an event for each that says so, on every machine."""
        from helix.vault.log.event import EventDraft

        self._bring_back(session)
        orders = [{"seq": place.seq, "hash": place.hash} for place in places]
        # First the word and then the deed: who is stopped between them finishes it (`settle_erasures`), and an event
        # without content and without such a word was blanked by hand.
        self.logs().append(session, [EventDraft(ERASED, "helix", order) for order in orders])
        self.logs().erase(session, {place.hash for place in places}, format_time(utc_now()))
        self._tell(session)
        self.index().forget_erased_words()

    def settle_erasures(self, session: str) -> None:
        """What was erased on another machine is erased here too, whichever file of it has arrived."""
        index = self.index()
        orders = index.span(session, 1, None, _ORDERS_AT_MOST, [ERASED])
        late = {place.hash for place in index.half_erased(session)}
        for _, order in index.read(orders):
            seq, event_hash = (order.payload.get("seq"), order.payload.get("hash")) if order else (None, None)
            if not isinstance(seq, int) or not isinstance(event_hash, str):
                continue
            for place in index.find(session, seq, event_hash):
                if not place.is_erased and place.type != ERASED and len(event_hash) == len(place.hash):
                    late.add(place.hash)
        if late:
            self.logs().erase(session, late, format_time(utc_now()))
            # Some of them may be erased in their files already, by who wrote those anew.
            index.read_again(session)
        if index.holds_erased_words:
            index.forget_erased_words()

    def _tell(self, session: str) -> str | None:
        try:
            self.index()
            self._take_in(session)
        except (HelixError, OSError) as error:
            # Whatever it is: the line is durable, and the follower takes it in later.
            return f"safe on disk, but not found yet: {error}"
        return None

    def _take_in(self, session: str) -> None:
        index = self._index
        if index is None:
            return
        known = index.known(f"{FOLDER}/{session}")
        for name in self.logs().files(session):
            path = f"{FOLDER}/{session}/{name}"
            with suppress(FileNotFoundError):  # a sync tool took it away this moment
                signature = self.logs().signature(path)
                if known.get(path) != signature:
                    index.take_in(path, signature)

    @contextmanager
    def taking_refs(self) -> Iterator[None]:
        """Between looking for a reference and appending under it nobody else does the same."""
        with self._refs:
            yield

    def find_ref(self, session: str, ref: str) -> LogEvent | None:
        """The event that a session has taken from there already, however far the follower is."""
        if not self.logs().files(session):
            return None
        self._tell(session)
        place = self.index().find_ref(session, ref)
        return None if place is None else next((event for _, event in self.index().read([place])), None)

    # Reading

    def sessions(self) -> list[SessionCounts]:
        index = self.find_index()
        return [] if index is None else index.sessions()

    def get_index(self, session: str) -> EventIndex:
        """The index, when it knows the session."""
        check_session(session)
        index = self.find_index()
        if index is None or not index.heads(session):
            if self.logs().is_archived(session):
                raise SessionNotFound(
                    f"session {session!r} is archived; `helix session restore {session}` brings it back"
                )
            raise SessionNotFound(
                f"there is no session {session!r}; `helix session list` shows those there are"
            )
        return index

    def project_of(self, session: str) -> str | None:
        """The project of the folder that a session was started in, as far as its log says which that was."""
        if session not in self._projects:
            index = self.get_index(session)
            for _, event in index.read(index.span(session, 1, None, 1, [_STARTED])):
                folder = None if event is None else event.payload.get("workspace")
                found = self._find_project(folder) if isinstance(folder, str) and folder else None
                self._projects = {**dict(list(self._projects.items())[-_PROJECTS_AT_MOST:]), session: found}
        return self._projects.get(session)

    def verify(self, session: str) -> Integrity:
        self.get_index(session)
        return self.logs().verify(session)

    def integrity(self, session: str) -> Integrity:
        """The same; of files that have not been touched since, what was found then."""
        self.get_index(session)
        logs = self.logs()
        files = tuple(logs.signature(f"{FOLDER}/{session}/{name}") for name in logs.files(session))
        known = self._verified.get(session)
        if known is None or known[0] != files:
            known = (files, self.verify(session))
            self._verified = {**dict(list(self._verified.items())[-_VERIFIED_AT_MOST:]), session: known}
        return known[1]

    def find_places(self, session: str, first: int, last: int) -> list[EventPlace]:
        """The events with these numbers, of every chain, that have content that can be erased."""
        places = self.get_index(session).span(session, first, last, _ORDERS_AT_MOST)
        return [place for place in places if not place.is_erased and place.type != ERASED]

    def get_place(self, session: str, seq: int, prefix: str | None = None) -> EventPlace:
        found = self.get_index(session).find(session, seq, prefix)
        if not found:
            what = (
                f"event {seq}"
                if prefix is None
                else f"event {seq} with a hash that begins with {prefix[:12]}"
            )
            raise SessionNotFound(f"session {session!r} has no {what}")
        # Of two chains the one that goes on longer is meant, unless a hash is given.
        return found[0] if len(found) == 1 else self._on_main_chain(session, found)

    def read(self, places: Sequence[EventPlace]) -> Iterator[tuple[EventPlace, LogEvent | None]]:
        return self.index().read(places)

    def _on_main_chain(self, session: str, found: Sequence[EventPlace]) -> EventPlace:
        index = self.index()
        wanted = {place.hash: place for place in found}
        at: EventPlace | None = index.heads(session)[0]
        while at is not None and at.hash not in wanted and at.prev is not None:
            at = next(iter(index.find(session, at.seq - 1, at.prev)), None)
        return found[0] if at is None else wanted.get(at.hash, found[0])
