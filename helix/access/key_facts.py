"""What is told of a key, to people and to programs."""

from __future__ import annotations

from typing import Any

from helix.access.credentials import Key


def to_json(key: Key) -> dict[str, Any]:
    """Never its value."""
    bounds = key.bounds
    return {
        "id": key.id,
        "user": key.user,
        "name": key.name,
        "role": key.role,
        "permissions": None if bounds.permissions is None else sorted(bounds.permissions),
        "projects": None if bounds.projects is None else sorted(bounds.projects),
        "agent": bounds.agent,
        "connector": bounds.connector,
        "harness": bounds.harness,
        "workspaces": None if bounds.workspaces is None else sorted(bounds.workspaces),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_at": key.last_used_at,
    }
