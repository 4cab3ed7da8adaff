"""What the tools of this dialect take and give, as they are listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helix.dialects.novamem.arguments import ArgumentRule
from helix.dialects.schema import STRING, Schema, closed, shape

_NUMBER: Schema = {"type": "number"}
_INTEGER: Schema = {"type": "integer"}
_FLAG: Schema = {"type": "boolean"}
_OBJECT: Schema = {"type": "object"}
_MAYBE: Schema = {"type": ["string", "null"]}


def takes(
    rules: Mapping[str, ArgumentRule], needed: Sequence[str] = (), *, hidden: Sequence[str] = ()
) -> Schema:
    """`hidden` is taken, too, and not listed: a client that knows of it says it."""
    listed = {name: rule.schema() for name, rule in rules.items() if name not in hidden}
    return shape(needed, **listed)


NOTHING = closed([])
_ENTRY = shape(
    ["id", "score", "tier", "namespace", "project", "source", "metadata"],
    id=STRING, memoryId=STRING, score=_NUMBER, content=STRING, tier=STRING, namespace=STRING, project=_MAYBE,
    source=STRING, metadata=_OBJECT, signals=_OBJECT, createdAt=STRING, updatedAt=STRING, confidence=_NUMBER,
)  # fmt: skip
_ENTRIES: dict[str, Any] = {"type": "array", "items": _ENTRY}
FEED = shape(["results"], results=_ENTRIES)
FOUND = shape(["results", "degraded"], results=_ENTRIES, degraded=_FLAG)
REMEMBERED = shape(
    ["id"], id=_MAYBE, memoryId=STRING, deduplicated=_FLAG, rejected=STRING, namespace=STRING, project=_MAYBE,
    embedded=_FLAG,
)  # fmt: skip
FORGOTTEN = shape(
    ["coldDeleteOk"], deleted=_FLAG, coldDeleteOk=_FLAG, sourceRef=STRING,
    ids={"type": "array", "items": STRING}, count=_INTEGER,
)  # fmt: skip
UPDATED = shape(["id", "updated", "embeddingChanged"], id=STRING, updated=_FLAG, embeddingChanged=_FLAG)
STATS = shape(
    ["byNamespace", "totalWarm", "totalCold", "lastDecayAt", "uptimeMs"],
    byNamespace=_OBJECT, totalWarm=_INTEGER, totalCold=_INTEGER, lastDecayAt=_MAYBE, uptimeMs=_INTEGER,
    byProject=_OBJECT,
)  # fmt: skip
_PROJECT = {"id": STRING, "name": STRING, "ownerUserId": STRING, "createdAt": STRING}
PROJECT = shape(list(_PROJECT), **_PROJECT)
PROJECTS = shape(
    ["projects"],
    projects={"type": "array", "items": shape([*_PROJECT, "role"], **_PROJECT, role=STRING, isActive=_FLAG)},
)
DELETED = shape(
    ["deleted", "entriesRemoved", "coldCollectionsDropped", "graphCleared"],
    deleted=_FLAG, entriesRemoved=_INTEGER, coldCollectionsDropped={"type": "array", "items": STRING},
    graphCleared=_FLAG,
)  # fmt: skip
ACTIVE = shape(["active"], active={"type": ["object", "null"]})
SHARED = shape(["added", "userId", "username"], added=_FLAG, userId=STRING, username=STRING)
UNSHARED = shape(["removed"], removed=_FLAG)
