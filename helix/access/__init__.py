"""Who may do what: what a route asks of a request, and users, keys and roles for more than one person."""

from __future__ import annotations

from helix.access.declaration import (
    FORM,
    JSON,
    LOCAL,
    OPEN,
    Access,
    Credential,
    bearer,
    declare,
    declared,
)

__all__ = ["FORM", "JSON", "LOCAL", "OPEN", "Access", "Credential", "bearer", "declare", "declared"]
