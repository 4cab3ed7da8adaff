"""Properties that a note has beside those of the record format: whoever writes it chooses them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from helix.errors import BadValue
from helix.vault.note import RECORD_KEYS
from helix.vault.yaml_load import Value

_NAME = re.compile(r"[A-Za-z][\w-]{0,63}")
_MOST_CHARACTERS = 16_384
# Who is a member of a project, where a memory comes from and what Obsidian reads is said by other verbs or a person.
_MEANT_OTHERWISE = frozenset(
    {"owner", "visibility", "name", "members", "aliases", "alias", "sources", "consolidated"}
)


def check_extra(given: Mapping[str, Any]) -> dict[str, Value]:
    """Raises BadValue."""
    for name in given:
        if not _NAME.fullmatch(name):
            raise BadValue(
                f"{name[:60]!r} cannot be the name of a property; take letters, digits, '_' and '-', at most 64"
            )
        if name.lower() in RECORD_KEYS | _MEANT_OTHERWISE:
            raise BadValue(
                f"{name!r} has a meaning of its own in a note; take another name for your property"
            )
    try:
        size = len(json.dumps(dict(given), ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise BadValue(
            "extra holds what JSON does not have; give texts, numbers, lists and objects"
        ) from None
    if size > _MOST_CHARACTERS:
        raise BadValue(f"extra has {size:,} characters as JSON; at most {_MOST_CHARACTERS:,} fit")
    return cast(dict[str, Value], dict(given))
