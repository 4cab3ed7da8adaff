"""The one table from errors to what a caller sees: HTTP status and body."""

from __future__ import annotations

from helix.errors import (
    AlreadyExists,
    BadValue,
    ConfigError,
    EditRefused,
    HelixError,
    HistoryError,
    IndexNotReady,
    KeyReused,
    MemoryErased,
    MemoryNotFound,
    NoteError,
    NotWorthKeeping,
    OutsideVault,
    SecretRefused,
    StaleHash,
    StorageError,
    VaultError,
)

_STATUS: tuple[tuple[type[HelixError], int], ...] = (
    (MemoryNotFound, 404),
    (MemoryErased, 410),
    (StaleHash, 409),
    (AlreadyExists, 409),
    (KeyReused, 409),
    (BadValue, 400),
    (NotWorthKeeping, 422),
    (SecretRefused, 422),
    (OutsideVault, 400),
    (EditRefused, 422),
    (NoteError, 422),
    (HistoryError, 404),
    (IndexNotReady, 503),
    (ConfigError, 500),
    (StorageError, 507),
    (VaultError, 503),
)


def http_status(error: HelixError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def to_body(message: str, code: str) -> dict[str, str]:
    return {"error": message, "code": code}
