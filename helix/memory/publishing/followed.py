"""What others are told to follow or are given to use: put before them only by who may publish."""

from __future__ import annotations

from collections.abc import Collection

PERMISSION = "connectors"
_KINDS = frozenset({"rule", "skill", "asset"})
_TAG = "rule"


def is_followed(kind: str, tags: Collection[str]) -> bool:
    return kind in _KINDS or _TAG in tags
