"""write: one memory more, unless it is there already, or replaces one.

`created`, `merged` into one that says the same, `superseded` for one whose value it changes, `noop` for a retry.
Decided on text and structure (`resemble`), never on one likeness score; what is only similar is named in the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field

from helix.errors import (
    BadValue,
    IndexNotReady,
    KeyReused,
    MemoryErased,
    MemoryNotFound,
    NotWorthKeeping,
    SecretRefused,
    StaleHash,
)
from helix.index.filters import ComparedPlace
from helix.memory import answers
from helix.memory.judgement.resemble import ComparedMemory, Resemblance, Verdict, resemble
from helix.memory.judgement.worth import why_not_worth
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.memory.writing.compared_texts import ComparedTexts
from helix.memory.writing.idempotency import check_key, digest_of, with_degraded
from helix.memory.writing.own_properties import check_extra
from helix.memory.writing.store import Edit, Store
from helix.memory.writing.write_order import WritePlan
from helix.vault.authors import Author, acting, current, doing
from helix.vault.edit import Remove
from helix.vault.links import EDGE_KINDS, to_link
from helix.vault.new_memory import NewMemory, title_from
from helix.vault.note import SCOPES, Memory, Note
from helix.vault.ownership import FOR_PROJECT, PRIVATE, VISIBILITIES, ownership_of
from helix.vault.secrets import find_leak
from helix.vault.times import parse_time
from helix.vault.yaml_load import Value

_Alike = tuple[Note, Resemblance]
_DECIDED = (Verdict.SAME, Verdict.CHANGED)
_COMPARED = 12
_NAMED = 3
_NEVER_REPLACED = frozenset({"event", "session"})  # what happened is not undone by what happened later
_KIND = re.compile(r"[^\W\d_][\w-]{0,39}")
_FILLED_IN = ("importance", "valid_from", "valid_until")
_LONGEST_TITLE = 200
_LONGEST_PROJECT = 200
_UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MOST_TAGS = 50
_LONGEST_TAG = 100


@dataclass(frozen=True)
class NewText:
    """What a caller wants to be remembered."""

    text: str
    title: str | None = None
    kind: str = "fact"
    scope: str = "project"
    project: str | None = None
    tags: Sequence[str] = ()
    edges: Mapping[str, Sequence[str]] = field(default_factory=dict)
    source: Mapping[str, str] = field(default_factory=dict)
    importance: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    visibility: str | None = None
    """without it as the record format says: a project's is for its members, all else is private"""
    extra: Mapping[str, Value] = field(default_factory=dict)
    """properties of one's own"""
    idempotency_key: str | None = None
    supersede_hint: str | None = None
    force: bool = False
    """also what does not seem worth keeping, and also what is there already"""
    allow_secrets: bool = False


@verb("write")
def write(request: Request, new_text: NewText) -> answers.Written:
    """Keep a memory, unless it is there already or replaces one. Answered when its file is durable on disk."""
    new, key = to_new(new_text, request), check_key(new_text.idempotency_key)
    how = ("idempotency_key", "force", "allow_secrets", "source")
    content = {name: value for name, value in vars(new_text).items() if name not in how}
    for name in ("visibility", "extra"):  # digests are kept, also those from before there were such
        if not content[name]:
            del content[name]
    digest = digest_of("write", {**content, "project": new.project})
    author = current() or Author("agent", request.place.client)
    with acting(author), nullcontext() if key is None else request.keys.held(key):
        if key is not None and (before := _before(request, key, digest, new)) is not None:
            return before
        _check(new_text, new)
        answer = _keep(request, new_text, new)
        if key is not None:
            # No more than a retry is told: the titles of others are not ours to keep when they are erased.
            kept = {"id": answer["id"], "supersedes": answer["supersedes"]}
            return with_degraded(answer, request.keys.keep(key, answer["id"], digest, kept))
        return answer


def _before(request: Request, key: str, digest: str, new: NewMemory) -> answers.Written | None:
    """The answer to a retry. Never `noop` for a text that is stored nowhere."""
    view, before = request.view(), request.keys.find(key, digest)
    row = view.find_row(before["id"]) if before else view.find_by_key(request.keys.in_note(key))
    if before is not None and row is None and request.store.is_born(before["id"], new):
        return {"id": before["id"], "status": "noop", "supersedes": before["supersedes"]}
    if row is None or row.status in ("deleted", "erased"):
        gone = before["id"] if before else None if row is None else row.id
        if gone is None:
            return None
        raise MemoryErased(
            f"what was written under the idempotency key {key!r} is {gone}, which was forgotten or deleted since; "
            "restore it, or take a new key to write it again",
            code="forgotten",
        )
    if before is not None:
        return {"id": row.id, "status": "noop", "supersedes": before["supersedes"]}
    # What was asked is not known any more, and the note alone says only that the key was used for it.
    if not request.store.has_had_text(row.id, new.body):
        raise KeyReused(
            f"the idempotency key {key!r} was used for {row.id}, which says something else; if that is not "
            "what you wrote, take a new key"
        )
    return {"id": row.id, "status": "noop", "supersedes": list(row.edges.get("supersedes", ()))}


def _check(new_text: NewText, new: NewMemory) -> None:
    check_secrets(new_text.allow_secrets, {"text": new.body, **vars(new), "body": None})
    if not new_text.force and (why := why_not_worth(new_text.text, new_text.kind)) is not None:
        raise NotWorthKeeping(f"{why}; say `force` to keep it all the same")


@dataclass(frozen=True)
class _Found:
    """What is there already of what is to be written."""

    replaced: Sequence[str] = ()
    """those that the writer says it supersedes"""
    alike: Sequence[_Alike] = ()
    degraded: str | None = None


def _keep(request: Request, new_text: NewText, new: NewMemory) -> answers.Written:
    place, compared = _place_of(new), to_compared(new)

    def look() -> WritePlan[_Found]:
        found = _look(request, new_text, new, place, compared)
        decided = [] if new_text.force else [note.id for note, how in found.alike if how.verdict in _DECIDED]
        return WritePlan(found, frozenset((*found.replaced, *decided)))

    with request.order.turn(place, compared, look, compares=not new_text.force) as found:
        return _decide(request, new_text, new, compared, found)


def _look(
    request: Request, new_text: NewText, new: NewMemory, place: ComparedPlace, compared: ComparedMemory
) -> _Found:
    view = request.view()
    replaced = _replaced(view, new)
    if new_text.supersede_hint is not None:
        old = view.row(new_text.supersede_hint)
        if old.status == "erased":
            raise MemoryErased(f"{old.id} was erased for good; write without the hint")
        replaced = list(dict.fromkeys((old.id, *replaced)))
    if replaced:
        return _Found(replaced)
    try:
        return _Found(alike=_find_alike(view, new, place, compared, request.order.texts))
    except IndexNotReady as error:
        return _Found(degraded=f"duplicates were not looked for: {error.message}")


def _decide(
    request: Request, new_text: NewText, new: NewMemory, compared: ComparedMemory, found: _Found
) -> answers.Written:
    store, alike = request.store, found.alike
    for note, how in alike if not new_text.force else ():
        if how.verdict is Verdict.SAME:
            # Not into one that was forgotten or rewritten since it was compared: the text would be in no answer.
            with suppress(StaleHash, MemoryErased, MemoryNotFound):
                return _merged(store, note, how, new, compared)
    for note, how in alike if not new_text.force else ():
        if (
            how.verdict is Verdict.CHANGED
            and note.memory.kind not in _NEVER_REPLACED
            and (now := request.view().find(note.id)) is not None
            and _still(now, how, compared)
        ):
            others = [pair for pair in alike if pair[0].id != note.id]
            return _created(store, new, [note.id], others)
    return _created(store, new, found.replaced, alike, found.degraded)


def _replaced(view: View, new: NewMemory) -> list[str]:
    """Those that its edges say it supersedes, as far as they are here and not erased."""
    rows = map(view.find_typed, new.edges.get("supersedes", ()))
    return [row.id for row in rows if row is not None and row.status != "erased"]


def _place_of(new: NewMemory) -> ComparedPlace:
    """Where the memories are that may say the same."""
    source = new.more.get("source")
    session = str(source.get("session")) if new.scope == "session" and isinstance(source, dict) else None
    return ComparedPlace.of(new.scope, new.project, session, ownership_of(new.more, new.scope, new.project))


def _find_alike(
    view: View, new: NewMemory, place: ComparedPlace, compared: ComparedMemory, texts: ComparedTexts
) -> list[_Alike]:
    """The memories of the same place that say the same, or something near; the nearest first."""
    found = []
    read_at = texts.moment()
    candidates = view.alike(f"{new.title}\n{new.body}", _COMPARED, place.to_where())
    rows = view.find_rows(candidates)
    for memory_id in candidates:
        row = rows.get(memory_id)
        known = None if row is None else texts.find(row.id, row.hash)
        if known is not None and resemble(compared, known).verdict is Verdict.OTHER:
            continue
        note = view.find(memory_id)
        if note is not None and note.memory.visible:
            theirs = texts.find(note.id, note.hash) or to_compared(note.memory)
            how = resemble(compared, theirs)
            texts.keep(note.id, note.hash, theirs, read_at=read_at)
            if how.verdict is not Verdict.OTHER:
                found.append((note, how))
    return sorted(found, key=lambda pair: (-pair[1].score, pair[0].id))


def _created(
    store: Store,
    new: NewMemory,
    supersedes: Sequence[str],
    alike: Sequence[_Alike],
    degraded: str | None = None,
) -> answers.Written:
    stored = store.add(new, supersedes=supersedes)
    status: answers.WriteStatus = "superseded" if supersedes else "created"
    return _answer(stored.note, status, supersedes, alike, degraded or stored.degraded)


def _merged(
    store: Store, note: Note, how: Resemblance, new: NewMemory, compared: ComparedMemory
) -> answers.Written:
    def add(now: Note) -> Edit | None:
        if not _still(now, how, compared):
            raise StaleHash(f"{now.id} was changed while it was compared")
        return _with_what_is_new(now, new)

    with doing("merged", "said again"):
        stored = store.change(note.id, add)
    answer = _answer(stored.note, "merged", [], [], stored.degraded)
    answer["reason"] = how.reason
    if dropped := _not_kept(stored.note, new):
        answer["not_kept"] = dropped
    return answer


def to_compared(memory: NewMemory | Memory) -> ComparedMemory:
    """What is compared. A title that is only the first words of the text says nothing of its own."""
    title = "" if memory.title == title_from(memory.body) else memory.title
    return ComparedMemory(title, memory.body, memory.kind, memory.project, tuple(memory.tags))


def to_new(new_text: NewText, request: Request) -> NewMemory:
    """The memory as it would be born. Raises BadValue for what cannot be meant."""
    if not new_text.text.strip():
        raise BadValue("the text is empty; there is nothing to remember")
    if new_text.scope not in SCOPES:
        raise BadValue(f"scope is {new_text.scope[:60]!r}; give one of {', '.join(SCOPES)}")
    check_edges(new_text.edges)
    key = check_key(new_text.idempotency_key)
    project = new_text.project if new_text.scope == "global" else new_text.project or request.place.project
    source = {
        key: value
        for key, value in {
            "agent": request.place.client,
            "session": request.place.session,
            **new_text.source,
        }.items()
        if value
    }
    if new_text.scope == "session":
        source.setdefault("session", "default")
    more: dict[str, Value] = {
        "source": dict(source) or None,
        "importance": check_importance(new_text.importance),
        "valid_from": check_time("valid_from", new_text.valid_from),
        "valid_until": check_time("valid_until", new_text.valid_until),
        "idempotency_key": None if key is None else request.keys.in_note(key),
        "owner": request.principal.user,
        "visibility": check_visibility(new_text.visibility, project)
        or _unshared(request, new_text.scope, project),
        **check_extra(new_text.extra),
    }
    return NewMemory(
        body=new_text.text,
        title=check_title(new_text.title) or title_from(new_text.text) or "untitled",
        kind=check_kind(new_text.kind),
        scope=new_text.scope,
        # None for who names none: in a made-up project there would be no reader.
        project=None if project is None else to_project(project),
        tags=check_tags(new_text.tags),
        edges=new_text.edges,
        more=more,
    )


def check_secrets(allowed: bool, record: Mapping[str, object]) -> None:
    """`record` is all that is about to be written. Raises SecretRefused."""
    leak = None if allowed else find_leak(record)
    if leak is not None:
        raise SecretRefused(
            f"it holds what looks like {leak.kind} ({leak.where}); nothing was written. Leave it out and say where it "
            "is kept, or say `allow_secrets`",
            leak.kind,
        )


def check_title(title: str | None) -> str | None:
    text = " ".join((title or "").split())
    if len(text) > _LONGEST_TITLE:
        raise BadValue(f"the title has {len(text)} characters; at most {_LONGEST_TITLE} fit")
    return text or None


def to_project(name: str) -> str | None:
    """None for a name that says nothing. As long as the header that says it, and on one line like that."""
    text = " ".join(name.split())
    if len(text) > _LONGEST_PROJECT or _UNPRINTED.search(text):
        raise BadValue(f"the name of a project is at most {_LONGEST_PROJECT} printable characters")
    return text or None


def check_kind(kind: str) -> str:
    if not _KIND.fullmatch(kind):
        raise BadValue(f"kind is {kind[:60]!r}; give a word such as fact, decision, preference or task")
    return kind.lower()


def check_tags(tags: Sequence[str]) -> list[str]:
    found = list(dict.fromkeys("-".join(tag.strip().lstrip("#").split()) for tag in tags))
    found = [tag for tag in found if tag]
    if len(found) > _MOST_TAGS or any(len(tag) > _LONGEST_TAG for tag in found):
        raise BadValue(f"at most {_MOST_TAGS} tags of {_LONGEST_TAG} characters fit")
    return found


def check_importance(importance: float | None) -> float | None:
    if importance is not None and not 0 <= importance <= 1:
        raise BadValue(f"importance is {importance}; give a number from 0 to 1")
    return importance


def check_time(name: str, text: str | None) -> str | None:
    if text is not None and parse_time(text) is None:
        raise BadValue(f"{name} is {text[:60]!r}; write a time like 2026-06-18 or 2026-06-18T09:12:44Z")
    return text


def check_visibility(visibility: str | None, project: str | None) -> str | None:
    if visibility is not None and visibility not in VISIBILITIES:
        raise BadValue(f"visibility is {visibility[:60]!r}; give one of {', '.join(VISIBILITIES)}")
    if visibility == FOR_PROJECT and not project:
        raise BadValue("what is for the members of a project needs the name of the project")
    return visibility


def _unshared(request: Request, scope: str, project: str | None) -> str | None:
    """A user who names a project that they are no member of writes it for themselves: nobody put it before others who
    is not one of them."""
    if request.principal.user is None or scope != "project" or project is None:
        return None
    return None if request.projects.has_member(project) else PRIVATE


def check_edges(edges: Mapping[str, Sequence[str]]) -> None:
    for rel in edges:
        if rel not in EDGE_KINDS:
            raise BadValue(f"{rel[:60]!r} is not a kind of edge; those are {', '.join(EDGE_KINDS)}")


def _still(note: Note, how: Resemblance, compared: ComparedMemory) -> bool:
    return note.memory.visible and resemble(compared, to_compared(note.memory)).verdict is how.verdict


def _with_what_is_new(note: Note, new: NewMemory) -> Edit | None:
    """What the new one says beside its text: tags, edges, where it comes from, and what the other does not say at all:
    how important it is, and from when to when it holds. Nothing there is taken away."""
    changes: dict[str, Value | Remove] = {}
    known = {tag.casefold() for tag in note.memory.tags}
    tags = [tag for tag in new.tags if tag.casefold() not in known]
    if tags:
        changes["tags"] = [*_listed(note.meta.get("tags")), *tags]
    for rel, targets in new.edges.items():
        there = note.memory.edges.get(rel, ())
        if added := [to_link(target) for target in targets if target not in there]:
            changes[rel] = [*_listed(note.meta.get(rel)), *added]
    for name in _FILLED_IN:
        if new.more.get(name) is not None and note.meta.get(name) is None:
            changes[name] = new.more[name]
    source = new.more.get("source")
    if source:
        sources = note.meta.get("sources")
        others = list(sources) if isinstance(sources, list) else []
        if note.meta.get("source") is None:
            changes["source"] = source
        elif source != note.meta.get("source") and source not in others:
            changes["sources"] = [*others, source]
    return Edit(changes) if changes else None


def _not_kept(note: Note, new: NewMemory) -> list[str]:
    """What the new one wanted otherwise than the memory that it was merged into: there it stays as it was."""
    # Who names no kind means a fact by default, and says nothing by it.
    wanted = {
        "kind": None if new.kind == "fact" else new.kind,
        **{name: new.more.get(name) for name in _FILLED_IN},
    }
    there = {"kind": note.memory.kind, **{name: getattr(note.memory, name) for name in _FILLED_IN}}
    return [name for name, value in wanted.items() if value is not None and value != there[name]]


def _listed(value: Value) -> list[Value]:
    if isinstance(value, list):
        return value
    return [] if value is None else [part for part in str(value).replace(",", " ").split() if part]


def _answer(
    note: Note,
    status: answers.WriteStatus,
    supersedes: Sequence[str],
    alike: Sequence[_Alike],
    degraded: str | None,
) -> answers.Written:
    answer: answers.Written = {"id": note.id, "status": status, "supersedes": list(supersedes)}
    if alike:
        answer["similar"] = [
            {"id": other.id, "title": other.memory.title[:120], "why": how.reason}
            for other, how in alike[:_NAMED]
        ]
    if degraded:
        answer["degraded"] = degraded
    return answer
