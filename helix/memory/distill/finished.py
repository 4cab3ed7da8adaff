"""Which sessions a program is still to be asked about: finished ones, each once, a few a day, failures again later."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from helix.config import DistillConfig
from helix.memory.distill import FOLDER
from helix.memory.distill.look import PROPOSED
from helix.memory.distill.program import ProgramFailed, run
from helix.memory.distill.proposals import AskedSession
from helix.memory.distill.session_prompt import MadeMemory, read_answer, tell
from helix.state.permissions import make_folder
from helix.vault.times import format_time, parse_time

if TYPE_CHECKING:
    from helix.memory.event_log import EventLog
    from helix.vault.log.event import LogEvent

log = logging.getLogger(__name__)

ACTOR = "helix-distill"
_TURN = "transcript.turn"
_FEWEST_TURNS = 4
_MOST_EVENTS = 5_000
_OLDEST = 7 * 24 * 3600.0
"""seconds; what ended longer ago is left alone"""
_DAY = 24 * 3600.0
_AGAIN_AFTER = (600.0, 3600.0)
"""seconds after a failure; after the last of them it is given up"""


class Distiller:
    """Asks the program about one session after another."""

    def __init__(
        self,
        events: EventLog,
        state: Path,
        config: DistillConfig,
        is_stopped: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._events = events
        self._folder = state / FOLDER
        self._config = config
        self._is_stopped = is_stopped
        self._clock = clock

    def work(self) -> int:
        """Everything that is due now; says how many sessions were asked about."""
        asked = 0
        for session in self._due():
            if (
                self._is_stopped()
                or self._events.proposals().asked_since(self._clock() - _DAY) >= self._config.per_day
            ):
                break
            self._ask(session)
            asked += 1
        return asked

    def _due(self) -> list[str]:
        index, now = self._events.find_index(), self._clock()
        if index is None:
            return []
        found = []
        for session in index.sessions():
            last = parse_time(session.last)
            age = _OLDEST if last is None else now - last.timestamp()
            if age >= _OLDEST:
                break  # they are in the order of their ends
            known = self._events.proposals().asked(session.session)
            if age < self._config.quiet_minutes * 60 or now < known.not_before:
                continue
            if (
                len(index.span(session.session, known.through + 1, None, _FEWEST_TURNS, [_TURN]))
                == _FEWEST_TURNS
            ):
                found.append(session.session)
        return found

    def _ask(self, session: str) -> None:
        proposals, index, now = self._events.proposals(), self._events.index(), self._clock()
        known = proposals.asked(session)
        places = index.span(session, known.through + 1, None, _MOST_EVENTS)
        events = [event for _, event in index.read(places) if event is not None]
        through = places[-1].seq
        proposals.note_run(now)
        make_folder(self._folder)
        try:
            session_text = tell(events, self._config.max_prompt_chars)
            answer = run(
                self._config.command,
                session_text.prompt,
                folder=self._folder,
                timeout=self._config.timeout,
                is_stopped=self._is_stopped,
            )
            made, refused = read_answer(answer, session_text.seqs)
            self._propose(session, made, events)
        except ProgramFailed as error:
            self._note_failure(known._replace(session=session, at=now), through, str(error))
            return
        outcome = f"proposed {len(made)}" + (f", refused {refused} with a credential" if refused else "")
        proposals.note_asked(AskedSession(session, through, 0, 0.0, now, outcome))

    def _note_failure(self, known: AskedSession, through: int, reason: str) -> None:
        tries = known.tries + 1
        is_over = tries > len(_AGAIN_AFTER)
        log.warning("distilling a session failed (%d of %d): %s", tries, len(_AGAIN_AFTER) + 1, reason)
        self._events.proposals().note_asked(
            known._replace(
                through=through if is_over else known.through,
                tries=0 if is_over else tries,
                not_before=0.0 if is_over else self._clock() + _AGAIN_AFTER[tries - 1],
                outcome=f"failed: {reason}" + ("; given up" if is_over else ""),
            )
        )

    def _propose(self, session: str, made: Sequence[MadeMemory], events: Sequence[LogEvent]) -> None:
        from helix.vault.log.event import EventDraft

        hashes = {event.seq: event.hash for event in events}
        drafts = [
            EventDraft(
                PROPOSED,
                ACTOR,
                {
                    "kind": memory.kind,
                    "text": memory.text,
                    **({"title": memory.title} if memory.title else {}),
                    "evidence": [{"seq": seq, "hash": hashes[seq]} for seq in dict.fromkeys(memory.evidence)],
                },
                None,
            )
            for memory in made
        ]
        if drafts:
            self._events.append(session, drafts)


def summary(events: EventLog, config: DistillConfig, now: float) -> dict[str, object]:
    """Of the program, for who wants to know how it is doing."""
    if not config.command:
        return {"on": False, "today": 0, "per_day": config.per_day, "last": None}
    last = events.proposals().last_asked()
    return {
        "on": True,
        "today": events.proposals().asked_since(now - _DAY),
        "per_day": config.per_day,
        "last": None
        if last is None
        else {
            "session": last.session,
            "at": format_time(datetime.fromtimestamp(last.at, UTC)),
            "outcome": last.outcome,
        },
    }
