"""What agents are told of a project: the notes that their owner marked as rules, as one text.

Marked is a note of kind `rule`, and one of any kind with the tag `rule`. Preferences are not taken by themselves:
agents write them down as they go, and what stands in these files is followed without a question.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from helix.errors import BadValue, SecretRefused
from helix.vault.note import Note
from helix.vault.secrets import find_leak
from helix.vault.times import parse_time

KIND = TAG = "rule"
LONGEST = 32 * 1024
"""bytes: as much as Codex reads of such files; the others take no less"""

_MARKER = re.compile(r"<!--(\s*)helix:rules:")
_UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class ProjectRule:
    id: str
    title: str
    text: str
    importance: float | None = None
    created_at: str = ""


def is_rule(kind: str, tags: Sequence[object]) -> bool:
    return kind == KIND or TAG in tags


def is_near(scope: str, of_project: str | None, project: str | None) -> bool:
    """Of the project, of none, or everywhere; what is of others is nobody's here, also for who named no project."""
    return scope == "global" or (scope == "project" and of_project in (project, None))


def find_rule(note: Note, project: str | None, now: datetime) -> ProjectRule | None:
    """What a note says as a rule of a project, if it is one and holds."""
    memory = note.memory
    until = parse_time(memory.valid_until)
    if memory.status != "active" or (until is not None and until <= now):
        return None
    # A `#rule` in the text is a word like others: whoever wrote the text did not have to mean it.
    tags = note.meta.get("tags")
    if not (
        is_rule(memory.kind, tags if isinstance(tags, list) else re.split(r"[\s,]+", str(tags)))
        and is_near(memory.scope, memory.project, project)
    ):
        return None
    return ProjectRule(note.id, memory.title, memory.body.strip(), memory.importance, memory.created_at or "")


def spell(rules: Iterable[ProjectRule], project: str | None) -> str:
    """The same text for the same rules, whenever and wherever it is made; empty when there is none."""
    ordered = sorted(rules, key=lambda rule: (-(rule.importance or 0.5), rule.created_at, rule.id))
    if not ordered:
        return ""
    lines = [f"## Rules of {' '.join(project.split())}" if project else "## Rules"]
    for rule in ordered:
        body = _plain(rule.text).strip()
        if leak := find_leak({"text": body, "title": rule.title}):
            raise SecretRefused(
                f"the rule {rule.id} holds what looks like {leak.kind}; nothing was written, since these files are "
                "shared. Leave it out of the note and say where it is kept",
                leak.kind,
            )
        title = " ".join(_plain(rule.title).split())
        lines += ["", f"### {title}"]
        if body != title:
            lines += ["", body]
    text = "\n".join(lines)
    if (size := len(text.encode())) > LONGEST:
        raise BadValue(
            f"the rules have {size:,} bytes, and agents read {LONGEST:,} of such a file; shorten the notes, or take "
            "the mark from some"
        )
    return text


def digest(text: str) -> str:
    """Of a text whose line ends git may have changed."""
    return hashlib.sha256("\n".join(text.split("\r\n")).encode("utf-8", "replace")).hexdigest()[:16]


def _plain(text: str) -> str:
    """No rule may end the block that it stands in, and no terminal be told anything by a diff."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNPRINTED.sub("", _MARKER.sub(r"<!--\1helix-rules:", text))
