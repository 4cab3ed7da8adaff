"""Proposals as a request sees them: what the logs say, what is no memory yet and was not put away; and accepting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from helix.errors import HelixError, IndexNotReady, MemoryNotFound
from helix.index.filters import Reach, Where
from helix.memory import answers
from helix.memory.activity.event import EventFilter
from helix.memory.distill.look import look
from helix.memory.distill.proposals import ProposalPlace, Proposals
from helix.memory.judgement.resemble import Verdict, resemble
from helix.memory.judgement.worth import why_not_worth
from helix.memory.publishing.published_skills import EDIT_KIND, accept_edit
from helix.memory.request import Request, verb
from helix.memory.writing.write import NewText, to_compared, to_new, write

if TYPE_CHECKING:
    from helix.memory.event_log import EventLog
    from helix.vault.log.event import LogEvent

_PATIENCE = 1.0
"""seconds that an answer waits for what is new in the logs"""
_MOST_LISTED = 500
_COMPARED = 6
_LONGEST_TURN = 2_000
_LONGEST_TITLE = 120


@dataclass(frozen=True)
class ProposedText:
    key: str
    rule: answers.Rule
    kind: str
    text: str
    title: str | None
    session: str
    project: str | None
    uri: str
    said_by: str
    said_at: str
    turn: str
    """all of what was said there, as far as it is shown"""
    times: int
    """in how many places it is said"""

    def to_new_text(self) -> NewText:
        return NewText(
            text=self.text,
            title=self.title,
            kind=self.kind,
            # What nobody can say of which project it is, everybody should see.
            scope="project",
            project=self.project,
            tags=("from-session",),
            source={"agent": self.said_by, "session": self.session, "uri": self.uri},
            valid_from=self.said_at,
            idempotency_key=self.key,
        )

    def to_answer(self) -> answers.ProposedMemory:
        return {
            "text": self.text, "title": self.title, "kind": self.kind, "project": self.project, "rule": self.rule,
            "session": self.session, "uri": self.uri, "said_by": self.said_by, "said_at": self.said_at,
            "times": self.times,
        }  # fmt: skip


def waiting(request: Request) -> tuple[list[str], bool]:
    """The keys of what could be accepted, what was said last first; and whether the logs were gone through to their
    ends."""
    log = request.events
    index = None if log is None else log.find_index()
    if log is None or index is None:
        return [], True
    proposals = log.proposals()
    is_current = look(index, proposals, _PATIENCE)
    return list(_not_written(request, proposals.keys()))[:_MOST_LISTED], is_current


def find_proposed(request: Request, key: str) -> ProposedText | None:
    """None for what was erased, says nothing that is worth keeping, or is a memory by now."""
    log = request.events
    if log is None or log.find_index() is None:
        return None
    proposals = log.proposals()
    places = proposals.places(key)
    readings = [(place, found) for place in places if (found := _read(log, place)) is not None]
    if not readings:
        proposals.drop(places)
        return None
    proposed = replace(readings[0][1], times=len(readings))
    if why_not_worth(proposed.text, proposed.kind) is not None or _is_known(request, proposals, proposed):
        return None
    return proposed


@verb("accept")
def accept(
    request: Request,
    *,
    key: str,
    text: str | None = None,
    title: str | None = None,
    kind: str | None = None,
    project: str | None = None,
) -> answers.Accepted:
    """Make a memory of what was proposed, in these words or in others. It names what was said as its source.

    Of an edit of a skill it makes what the skill says from now on.
    """
    if key.startswith(f"{EDIT_KIND}-"):
        return accept_edit(request, key, text)
    proposed = find_proposed(request, key)
    if proposed is None:
        raise MemoryNotFound(
            f"nothing is proposed under {key[:60]!r}; it is a memory by now, or was erased. "
            "`helix inbox` shows what there is"
        )
    new = proposed.to_new_text()
    edited: dict[str, Any] = {"text": text, "title": title, "kind": kind, "project": project}
    if text is not None:
        new = replace(new, title=None)  # it was that of the other words
    written = write(request, replace(new, **{name: value for name, value in edited.items() if value}))
    request.dismissals.add(key)
    answer: answers.Accepted = {"key": key, "id": written["id"], "status": written["status"]}
    if "degraded" in written:
        answer["degraded"] = written["degraded"]
    return answer


def _not_written(request: Request, keys: list[str]) -> Iterator[str]:
    """Without those that were accepted, also where the memory was forgotten since."""
    hidden, view = request.dismissals.among(keys), request.view()
    for key in keys:
        if key not in hidden and view.find_by_key(request.keys.in_note(key)) is None:
            yield key


def _is_known(request: Request, proposals: Proposals, proposed: ProposedText) -> bool:
    """Whether a memory says it already. Asked again only when memories were written since."""
    view = request.view()
    latest = next((event.seq for event in request.activity.before(None, EventFilter(), 1)), None)
    known = proposals.compared.get(proposed.key)
    if known is not None and known[0] == latest:
        return known[1]
    answer = False
    with suppress(IndexNotReady, HelixError):
        new = to_new(replace(proposed.to_new_text(), idempotency_key=None), request)
        compared = to_compared(new)
        reaches = (Reach.to_place("project", proposed.project, None), Reach("global"))
        for memory_id in view.alike(
            f"{new.title}\n{new.body}", _COMPARED, Where(reaches=reaches, active_only=True)
        ):
            note = view.find(memory_id)
            if note is not None and resemble(compared, to_compared(note.memory)).verdict is Verdict.SAME:
                answer = True
                break
        proposals.compared[proposed.key] = (latest, answer)
    return answer


def _read(log: EventLog, place: ProposalPlace) -> ProposedText | None:
    event = _event(log, place.session, place.seq, place.hash)
    if event is None:
        return None
    if place.rule == "program":
        return _by_program(log, place, event)
    turn = str(event.payload.get("content"))
    text, title = turn[place.start : place.end].strip(), None
    if place.rule == "fix":
        others = [_event(log, place.session, one.seq, one.hash) for one in place.others]
        known = [one for one in others if one is not None]
        if len(known) < len(others):
            return None  # a part of it was erased
        command = " ".join(str(known[0].payload.get("command")).split())
        paths = dict.fromkeys(str(one.payload.get("path")) for one in known[1:])
        title = _cut(f"Why `{command}` failed", _LONGEST_TITLE)
        text = f"{text}\n\n`{_cut(command, 300)}` failed, and passed once {_listed(paths)} changed."
    return _proposed(log, place, event, text, title, place.kind, event.citation(12), turn)


def _by_program(log: EventLog, place: ProposalPlace, event: LogEvent) -> ProposedText | None:
    payload = event.payload
    text, title, evidence = payload.get("text"), payload.get("title"), payload.get("evidence")
    if not isinstance(text, str) or not isinstance(evidence, list) or not evidence:
        return None
    cited = []
    for named_event in evidence:
        if not isinstance(named_event, dict) or not isinstance(named_event.get("seq"), int):
            return None
        source = _event(log, place.session, named_event["seq"], str(named_event.get("hash")))
        if source is None:
            return None
        cited.append(source)
    turn = "\n\n".join(str(one.payload.get("content") or one.payload.get("command") or "") for one in cited)
    named = title if isinstance(title, str) else None
    return _proposed(log, place, cited[0], text, named, place.kind, cited[0].citation(12), turn)


def _proposed(
    log: EventLog,
    place: ProposalPlace,
    event: LogEvent,
    text: str,
    title: str | None,
    kind: str,
    uri: str,
    turn: str,
) -> ProposedText:
    return ProposedText(
        key=place.key, rule=place.rule, kind=kind, text=text, title=title, session=place.session,
        project=log.project_of(place.session), uri=uri, said_by=event.actor, said_at=event.timestamp,
        turn=_cut(turn, _LONGEST_TURN), times=1,
    )  # fmt: skip


def _event(log: EventLog, session: str, seq: int, event_hash: str) -> LogEvent | None:
    """None when it was erased, or is not here any more."""
    index = log.index()
    found = next((event for _, event in index.read(index.find(session, seq, event_hash))), None)
    return None if found is None or found.erased_at is not None else found


def _listed(paths: dict[str, None]) -> str:
    names = [f"`{path}`" for path in paths]
    if len(names) == 1:
        return f"{names[0]} was"
    return f"{', '.join(names[:-1])} and {names[-1]} were"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
