"""A memory that has no file yet: what it says, and where and as what it will be born."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from helix.errors import BadValue
from helix.vault.links import EDGE_KINDS, to_link
from helix.vault.note import MADE_UP_PROJECT, SCOPES
from helix.vault.paths import folder_name
from helix.vault.yaml_load import Value


@dataclass(frozen=True)
class NewMemory:
    """A memory that has no file yet."""

    body: str
    title: str
    kind: str = "fact"
    scope: str = "global"
    project: str | None = None
    tags: Sequence[str] = ()
    edges: Mapping[str, Sequence[str]] = field(default_factory=dict)
    more: Mapping[str, Value] = field(default_factory=dict)
    """further keys of the record: source, importance, valid_from, idempotency_key, … or a person's own"""


HOMES = frozenset({"global", "projects", "sessions"})
"""the folders of new memories"""


def home_of(new: NewMemory) -> str:
    if new.scope == "global":
        return "global"
    home = "projects" if new.scope == "project" else "sessions"
    # Files do not move when they are filed: a folder for unfiled ones would hold filed ones before long.
    return f"{home}/{folder_name(new.project)}" if new.project else home


def to_meta(memory_id: str, new: NewMemory, now: str) -> dict[str, Value]:
    if new.scope not in SCOPES:
        raise BadValue(f"scope {new.scope!r} is not one of {', '.join(SCOPES)}")
    unknown = set(new.edges).difference(EDGE_KINDS)
    if unknown:
        raise BadValue(f"{sorted(unknown)[0]!r} is not a kind of edge; those are {', '.join(EDGE_KINDS)}")
    meta: dict[str, Value] = {"id": memory_id, "title": new.title, "kind": new.kind, "scope": new.scope}
    if new.project:
        meta |= filed_under(new.project)
    meta |= {"status": "active", "tags": list(new.tags), "created_at": now, "updated_at": now}
    meta |= {kind: [to_link(target) for target in targets] for kind, targets in new.edges.items() if targets}
    meta |= {key: value for key, value in new.more.items() if key not in meta and value is not None}
    return meta


def filed_under(project: str) -> dict[str, Value]:
    """What a record says of a project that somebody has named."""
    return {"project": project} | ({"filed": True} if project == MADE_UP_PROJECT else {})


def title_from(body: str) -> str:
    """A title for a text that came without one: its first words."""
    first = next((line.strip("# \t") for line in body.splitlines() if line.strip("# \t")), "")
    words = first[:80]
    return words if len(first) <= 80 else words.rpartition(" ")[0] or words
