"""Scopes: the permissions of the verbs, by their own names."""

from __future__ import annotations

from collections.abc import Iterable

from helix.access.roles import PERMISSIONS, ROLES

USUAL: tuple[str, ...] = tuple(name for name in PERMISSIONS if name in ROLES["agent"])
"""what a program gets that asks for nothing in particular"""


def parse_scope(text: str | None) -> frozenset[str] | None:
    """None for a text with something in it that is no scope."""
    wanted = frozenset((text or "").split()) or frozenset(USUAL)
    return wanted if wanted <= set(PERMISSIONS) else None


def emit_scope(scopes: Iterable[str]) -> str:
    """In the order in which the permissions are listed."""
    given = set(scopes)
    return " ".join(name for name in PERMISSIONS if name in given)


def within_role(scopes: Iterable[str], role: str) -> frozenset[str]:
    return frozenset(scopes) & ROLES[role]
