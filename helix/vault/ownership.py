"""Whose a memory is, and for whom else: what its note says, or the rule of its folder.

What people write by hand names no owner. `.helix/visibility.yaml` says whose it is by where it lies:

    people/*: {owner: "*"}
    handbook: {visibility: team}

Each line names a folder, with all that lies below it; a `*` is any one name, and as an owner that very name. Of several
that fit the last one counts. A note that names its owner is not asked for its folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from helix.errors import NoteError
from helix.vault.yaml_load import Value, load

VISIBILITIES = ("private", "project", "team")
PRIVATE, FOR_PROJECT, FOR_TEAM = VISIBILITIES
RULES_FILE = ".helix/visibility.yaml"

_SAYS = frozenset({"owner", "visibility"})
_ANY = "*"


class FolderRule(NamedTuple):
    owner: str | None
    visibility: str | None


class Ownership(NamedTuple):
    owner: str | None
    """the name of a user"""
    visibility: str
    """for whom it is beside its owner: nobody, the members of its project, or the whole team"""


def ownership_of(
    meta: Mapping[str, Value], scope: str, project: str | None, folder: FolderRule | None = None
) -> Ownership:
    """What nobody owns is for nobody unless it says so, and so is what says it in a word that is none of the three."""
    owner, visibility = _text(meta.get("owner")), _text(meta.get("visibility"))
    if owner is None and folder is not None:
        owner, visibility = folder.owner, visibility or folder.visibility
    if visibility is None:
        is_shared = owner is not None and scope == "project" and project is not None
        return Ownership(owner, FOR_PROJECT if is_shared else PRIVATE)
    visibility = visibility.lower()
    return Ownership(owner, visibility if visibility in VISIBILITIES else PRIVATE)


class FolderRules:
    def __init__(self, text: str | None) -> None:
        """Raises NoteError for a text that cannot be meant."""
        self._rules = [] if text is None else [_rule(folder, says) for folder, says in load(text).items()]

    def find(self, path: str) -> FolderRule | None:
        """What is said of a note at this path."""
        for folder, rule in reversed(self._rules):
            if (match := folder.match(path)) is not None:
                return rule._replace(owner=match[1]) if rule.owner == _ANY else rule
        return None


def _rule(folder: str, says: Value) -> tuple[re.Pattern[str], FolderRule]:
    named = folder[:60]
    if not isinstance(says, dict) or not says or not says.keys() <= _SAYS:
        raise NoteError(f"{named!r} says something else than owner and visibility")
    owner, visibility = _text(says.get("owner")), _text(says.get("visibility"))
    if visibility is not None and visibility not in VISIBILITIES:
        known = ", ".join(VISIBILITIES)
        raise NoteError(f"the visibility of {named!r} is none of {known}")
    parts = folder.strip("/").split("/")
    if owner == _ANY and _ANY not in parts:
        raise NoteError(f"the owner of {named!r} is a *, and there is none in the folder")
    pattern = "/".join("([^/]+)" if part == _ANY else re.escape(part) for part in parts)
    return re.compile(f"{pattern}/"), FolderRule(owner, visibility)


def _text(value: Value) -> str | None:
    if value is None or isinstance(value, list | dict):
        return None
    return str(value).strip() or None
