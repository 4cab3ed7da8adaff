"""inbox: everything that waits for a person, in one list, each with what can be done about it.

An action is a request that can be sent as it stands. A key stands for an item as it is now: what was dismissed is shown
again when it changes.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, cast

from helix.errors import BadValue
from helix.memory import answers
from helix.memory.activity.event import Activity, EventFilter
from helix.memory.arguments import check_limit
from helix.memory.distill.proposals import WHAT
from helix.memory.distill.proposed import ProposedText, find_proposed, waiting
from helix.memory.maintenance.consolidate import Proposal, is_hidden, look
from helix.memory.publishing.published_skills import SkillEdit, list_edits
from helix.memory.reading.view import Row, View
from helix.memory.request import Request, verb
from helix.memory.verbs.table import VERBS
from helix.memory.writing.store import Edit
from helix.vault.note import Note
from helix.vault.text_merge import without_collisions

_KEY = re.compile(r"[a-z]+(?:-[a-z]+)*-[0-9a-f]{12}")
_REFUSALS = 50
_LONGEST_DIFFERENCE = 2_000
_PATIENCE = 1.5
"""how long a question waits for a look at every memory; after that it gets what the look before found"""


class _Action(TypedDict):
    """As a listing keeps it: no surface has spelled it yet."""

    name: str
    label: str
    verb: str
    arguments: dict[str, Any]


class _Item(TypedDict):
    """As a listing keeps it: the titles are those of the day when it is shown."""

    key: str
    what: answers.Waiting
    id: str | None
    other: str | None
    path: str | None
    line: int | None
    reason: str
    remedy: str
    detail: str
    actions: list[_Action]


@dataclass(frozen=True)
class Action:
    """What would settle an item: a verb and what it is asked."""

    name: str
    label: str
    verb: str
    arguments: Mapping[str, Any]

    def to_dict(self) -> _Action:
        return {"name": self.name, "label": self.label, "verb": self.verb, "arguments": dict(self.arguments)}


@verb("inbox")
def inbox(
    request: Request,
    *,
    limit: int = 20,
    max_tokens: int = 4000,
    cursor: str | None = None,
) -> answers.Inbox:
    """What waits for a person: proposed memories, files that need help, proposals to tidy, refused secrets."""
    check_limit(limit)
    head: answers.InboxHead = {}

    def entries(view: View) -> list[_Item]:
        proposals, is_current = _found(request)
        keys, is_read = waiting(request)
        items = [
            *map(_worth_keeping, keys),
            *_unreadable(view),
            *_unmerged(view.everything()),
            *_waiting(view),
            *_skill_edits(view),
            *_proposed(view, proposals),
            *_refused(request.activity),
        ]
        hidden = request.dismissals.among(item["key"] for item in items)
        shown = [item for item in items if item["key"] not in hidden]
        head["counts"] = dict(Counter(item["what"] for item in shown))
        head["looking"] = not (is_current and is_read)
        return shown

    view, listing = request.listed("inbox", request.view(), cursor, entries)
    done = request.dismissals.among(item["key"] for item in listing.entries[listing.start :])

    def render(item: _Item) -> answers.InboxItem | None:
        if item["key"] in done:
            return None
        if item["what"] != WHAT:
            return _shown(view, item)
        # Of these a listing keeps the key alone: what is said stands in a log, and may be erased there.
        proposed = find_proposed(request, item["key"])
        return None if proposed is None else _told(item, proposed)

    return request.page(
        "inbox",
        listing,
        render,
        _inbox,
        head=head,
        limit=limit,
        max_tokens=max_tokens,
    )


def _inbox(head: answers.InboxHead, items: Sequence[answers.InboxItem], end: answers.Page) -> answers.Inbox:
    return {**head, "items": list(items), **end}


@verb("dismiss")
def dismiss(request: Request, key: str) -> answers.DismissedItem:
    """Do not show an item again until it changes. Changes no file."""
    # Nothing else: what is kept here is not cleaned when a memory is erased.
    if not _KEY.fullmatch(key):
        raise BadValue("key is that of an item of the inbox")
    request.dismissals.add(key)
    return {"key": key, "status": "dismissed"}


@verb("keep_both")
def keep_both(request: Request, memory_id: str) -> answers.Settled:
    """Of a merge that kept both texts: both are right. Only the line that warns of them goes."""
    row = request.view().row(memory_id)
    note = request.store.change(row.id, _without_warning).note
    return {"id": row.id, "status": "noop" if note.hash == row.hash else "updated", "hash": note.hash}


@verb("merge")
def merge(request: Request, memory_id: str) -> answers.Settled:
    """Fold the copies of a memory into one now, and do not wait for them to be quiet."""
    note = request.store.merge(request.view().row(memory_id).id).note
    return {"id": note.id, "status": "merged", "hash": note.hash}


def _without_warning(note: Note) -> Edit | None:
    body = without_collisions(note.document.body)
    return None if body == note.document.body else Edit({}, body)


def _found(request: Request) -> tuple[Sequence[Proposal], bool]:
    """What could be tidied, and whether that is so now."""
    return (look(request), True) if request.upkeep is None else request.upkeep.last_found(_PATIENCE)


def _worth_keeping(key: str) -> _Item:
    accept = Action("accept", "Accept", "accept", {"key": key})
    return _item(WHAT, [], accept, key=key, reason="", remedy="accept it, edit it first, or dismiss it")


def _told(item: _Item, proposed: ProposedText) -> answers.InboxItem:
    shown: answers.InboxItem = {
        **item,
        "reason": f"{_CALLED.get(proposed.kind, proposed.kind)} in {proposed.session}",
        "detail": proposed.turn,
        "actions": [_spelled(Action(**action)) for action in item["actions"]],
        "title": proposed.title,
        "other_title": None,
        "proposal": proposed.to_answer(),
    }
    return shown


_CALLED = {"decision": "a decision", "preference": "a preference", "fact": "a fact"}


def _unreadable(view: View) -> Iterator[_Item]:
    for problem in view.problems():
        row = view.row_at(problem.path)
        yield _item(
            "unreadable", [problem.path, problem.code, problem.reason, str(problem.line)],
            memory_id=row.id if row else None, path=problem.path, line=problem.line, reason=problem.reason,
            remedy=problem.remedy, detail=problem.detail or problem.code,
        )  # fmt: skip


def _unmerged(rows: Iterable[Row]) -> Iterator[_Item]:
    for row in rows:
        if row.status == "active" and row.unmerged:
            yield _item(
                "unmerged", [row.id, row.hash], Action("keep-both", "Keep both texts", "keep_both", {"id": row.id}),
                memory_id=row.id, path=row.path, line=row.unmerged,
                reason="two versions changed the same lines, and both were kept, one after the other",
                remedy="keep what is right and delete the rest and the line that warns, or keep both",
            )  # fmt: skip


def _waiting(view: View) -> Iterator[_Item]:
    for memory_id, rows in view.duplicates().items():
        yield _item(
            "waiting-to-merge", [memory_id, *(f"{row.path} {row.hash}" for row in rows)],
            Action("merge", "Merge now", "merge", {"id": memory_id}),
            memory_id=memory_id, path=rows[0].path, reason=f"this memory stands in {len(rows)} files",
            remedy="Helix folds them into one when they are quiet; no text is lost",
            detail=", ".join(row.path for row in rows),
        )  # fmt: skip


def _proposed(view: View, proposals: Iterable[Proposal]) -> Iterator[_Item]:
    for proposal in proposals:
        rows = [view.find_row(one) for one in (proposal.memory_id, proposal.other_id) if one is not None]
        known = [row for row in rows if row is not None]
        if not known or any(row.status != "active" for row in known):
            # It was looked for a while ago.
            continue
        yield _item(
            proposal.what, [proposal.id, *(row.hash for row in known)], *_remedies(proposal),
            memory_id=proposal.memory_id, other=proposal.other_id, path=known[0].path, reason=proposal.reason,
            remedy=_ADVICE[proposal.what],
        )  # fmt: skip


_ADVICE = {
    "duplicate": "let the older one stand for both, or say that they are two",
    "contradiction": "let the newer one replace the older, or say that both hold",
    "expired": "forget it, or say that it still holds",
    "stale-task": "forget it if it is done or was given up",
    "dangling-link": "edit the note: write the memory that is named, or take the link away",
}


def _remedies(proposal: Proposal) -> Iterator[Action]:
    if proposal.action == "supersede" and proposal.other_id is not None:
        label = "Keep the older one" if proposal.what == "duplicate" else "Keep the newer one"
        yield Action("apply", label, "consolidate", {"ids": [proposal.id]})
        both = {"from": proposal.other_id, "to": proposal.memory_id, "rel": "relates_to"}
        yield Action("keep-both", "Keep both", "relate", both)
    elif proposal.action == "forget":
        yield Action("apply", "Forget it", "consolidate", {"ids": [proposal.id]})
        if proposal.what == "expired":
            still = {"id": proposal.memory_id, "valid_until": ""}
            yield Action("still-holds", "It still holds", "update", still)


def _skill_edits(view: View) -> Iterator[_Item]:
    for edit in list_edits(view):
        yield _item(
            "skill-edit", [], Action("accept", "Publish it", "accept", {"key": edit.key}),
            Action("forget", "Turn it down", "forget", {"id": edit.row.id}),
            key=edit.key, memory_id=edit.row.id, other=edit.skill.id, path=edit.row.path,
            reason=f"somebody changed their copy of the skill {edit.skill.name}",
            remedy="publish what they wrote, or turn it down; their copy stays as it is",
            detail=_difference(edit),
        )  # fmt: skip


def _difference(edit: SkillEdit) -> str:
    lines = difflib.unified_diff(
        edit.skill.file.text.splitlines(), edit.text.splitlines(), "published", "edited", n=1, lineterm=""
    )
    return "\n".join(lines)[:_LONGEST_DIFFERENCE]


def _refused(activity: Activity) -> Iterator[_Item]:
    for event in activity.before(None, EventFilter(whats=["refused"]), _REFUSALS):
        by = event.name or {"agent": "an agent", "person": "a person"}.get(event.who or "", "somebody")
        yield _item(
            "secret-refused", [str(event.seq)], reason=f"a text with what looks like {event.detail} was not written",
            remedy="write it again without the credential, and say where that is kept",
            detail=f"{event.time}, by {by}",
        )  # fmt: skip


def _item(
    what: answers.Waiting,
    identity: Iterable[str],
    *actions: Action,
    key: str | None = None,
    memory_id: str | None = None,
    other: str | None = None,
    path: str | None = None,
    line: int | None = None,
    reason: str,
    remedy: str,
    detail: str = "",
) -> _Item:
    digest = hashlib.sha256("\n".join([what, *identity]).encode("utf-8", "replace")).hexdigest()[:12]
    key = key or f"{what}-{digest}"
    every = [*actions, Action("dismiss", "Dismiss", "dismiss", {"key": key})]
    return {
        "key": key, "what": what, "id": memory_id, "other": other, "path": path, "line": line,
        "reason": reason, "remedy": remedy, "detail": detail,
        "actions": [action.to_dict() for action in every],
    }  # fmt: skip


def _shown(view: View, item: _Item) -> answers.InboxItem | None:
    """With the titles as they are now; None when the memory was erased since the item was listed."""
    row, other = (None if name is None else view.find_row(name) for name in (item["id"], item["other"]))
    if any(known is not None and known.status == "erased" for known in (row, other)):
        return None
    if is_hidden(view, item["what"], item["id"], item["other"]):
        return None
    titles = {
        "title": None if row is None else row.title[:200],
        "other_title": None if other is None else other.title[:200],
    }
    actions = [_spelled(Action(**action)) for action in item["actions"]]
    return cast(answers.InboxItem, {**item, "actions": actions, **titles})


def _spelled(action: Action) -> answers.Action:
    """As a request that can be sent as it stands."""
    spelled = VERBS[action.verb].route.spelled(action.arguments)
    # What settles an item changes something, and so is no GET.
    method = cast(Literal["POST", "PATCH"], spelled["method"])
    return {
        "name": action.name, "label": action.label,
        "method": method, "route": spelled["route"], "body": spelled["body"],
    }  # fmt: skip
