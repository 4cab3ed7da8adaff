"""The one table from what goes wrong to what a caller sees: an HTTP status, and `{"error", "code"}`."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse

from helix.errors import (
    AlreadyExists,
    BadValue,
    ConfigError,
    CredentialNotFound,
    DaemonUnreachable,
    EditRefused,
    ExtraMissing,
    Forbidden,
    Frozen,
    HelixError,
    HistoryError,
    HostFileError,
    IndexBroken,
    IndexNotReady,
    JobNotFound,
    KeeperUnreachable,
    KeyReused,
    MemoryErased,
    MemoryNotFound,
    ModelError,
    NotConnected,
    NoteError,
    NotHere,
    NotWorthKeeping,
    NotYours,
    OutsideVault,
    RateLimited,
    SecretNotFound,
    SecretRefused,
    SecretsUnreadable,
    SessionNotFound,
    SessionsOff,
    SignInRefused,
    StaleHash,
    StateUnwritable,
    StorageError,
    VaultError,
    WorkspaceNotFound,
    WorkspaceUnavailable,
)
from helix.memory.tokens import clean

_STATUS: tuple[tuple[type[HelixError], int], ...] = (
    (MemoryNotFound, 404),
    (CredentialNotFound, 404),
    (WorkspaceNotFound, 404),
    (WorkspaceUnavailable, 503),
    (Forbidden, 403),
    (SignInRefused, 401),
    (RateLimited, 429),
    (Frozen, 503),
    (MemoryErased, 410),
    (SessionNotFound, 404),
    (SessionsOff, 409),
    (NotYours, 403),
    (JobNotFound, 404),
    (SecretNotFound, 404),
    (SecretsUnreadable, 503),
    (ExtraMissing, 501),
    (StaleHash, 409),
    (AlreadyExists, 409),
    (KeyReused, 409),
    (BadValue, 400),
    (NotWorthKeeping, 422),
    (SecretRefused, 422),
    (OutsideVault, 400),
    (EditRefused, 422),
    (NoteError, 422),
    (HostFileError, 422),
    (NotConnected, 404),
    (HistoryError, 404),
    (IndexBroken, 503),
    (IndexNotReady, 503),
    (ModelError, 503),
    (DaemonUnreachable, 503),
    (KeeperUnreachable, 503),
    (NotHere, 409),
    (ConfigError, 500),
    (StateUnwritable, 507),
    (StorageError, 503),
    (VaultError, 503),
)
# Where one kind of error has several causes, and they call for different answers.
_STATUS_OF_CODE = {"git-busy": 503, "git-failed": 503, "disk-full": 507}

REFUSALS: Mapping[str, int] = {
    "bad-request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "wrong-origin": 403,
    "no-such-path": 404,
    "wrong-method": 405,
    "too-slow": 408,
    "too-large": 413,
    "not-json": 415,
    "wrong-host": 421,
    "rate-limited": 429,
    "internal": 500,
    "busy": 503,
}
"""what the surface itself refuses, before or instead of the memory service"""
_REFUSAL_OF_STATUS = {status: code for code, status in REFUSALS.items()}


def http_status(error: HelixError) -> int:
    known = _STATUS_OF_CODE.get(error.code)
    return known or next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def to_body(message: str, code: str) -> dict[str, str]:
    return {"error": clean(message), "code": code}


def answer(error: HelixError) -> JSONResponse:
    status = http_status(error)
    seconds = getattr(error, "retry_after", 1 if status == 503 else None)
    headers = None if seconds is None else {"Retry-After": str(seconds)}
    return JSONResponse(to_body(error.message, error.code), status, headers)


def refuse(code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse(to_body(message, code), REFUSALS[code], headers)


def code_of_status(status: int) -> str:
    """For what the framework refuses on its own account."""
    return _REFUSAL_OF_STATUS.get(status, f"http-{status}")
