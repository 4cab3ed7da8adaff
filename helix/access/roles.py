"""The roles that a user or a key can have, and what each may do, in the words of the verbs' permissions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from helix.errors import BadValue
from helix.memory.verbs.verb import Permission

Role = Literal["admin", "operator", "agent", "readonly"]

PERMISSIONS: tuple[str, ...] = get_args(Permission)
_AGENT = ("remember", "recall", "modify", "forget", "recover", "documents")
ROLES: Mapping[str, frozenset[str]] = {
    "admin": frozenset(PERMISSIONS),
    "operator": frozenset({*_AGENT, "connectors", "diagnostics", "analytics"}),
    "agent": frozenset(_AGENT),
    "readonly": frozenset({"recall"}),
}
CONNECTOR: frozenset[str] = frozenset({"recall", "remember", "documents"})
"""what the key of a connector is good for when nobody says otherwise"""


def check_role(role: str) -> str:
    if role not in ROLES:
        raise BadValue(f"there is no role {role!r}; there are {', '.join(ROLES)}")
    return role


def check_permissions(permissions: Iterable[str]) -> frozenset[str]:
    wanted = frozenset(permissions)
    if unknown := sorted(wanted - set(PERMISSIONS)):
        raise BadValue(f"there is no permission {unknown[0]!r}; there are {', '.join(PERMISSIONS)}")
    return wanted
