"""Helix: a memory layer for coding agents that its owner can read.

    from helix import Helix

    mem = Helix()
    mem.write("Auth client retries 3x with jitter", kind="decision")

The names of the SDK are loaded when they are first asked for: the daemon and the commands, which live in this package
too, never pay for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helix.client.async_client import AsyncHelix
    from helix.client.client import Helix
    from helix.client.errors import (
        BadAnswer,
        BadRequest,
        BadSettings,
        Conflict,
        DaemonUnreachable,
        Forbidden,
        Gone,
        HelixError,
        NotFound,
        NotWorthKeeping,
        RateLimited,
        Refused,
        SecretRefused,
        ServerError,
        StaleHash,
        Timeout,
        Unauthorized,
        Unavailable,
    )

_ERRORS = "helix.client.errors"
_LIVES_IN = {
    "AsyncHelix": "helix.client.async_client",
    "Helix": "helix.client.client",
    "BadAnswer": _ERRORS,
    "BadRequest": _ERRORS,
    "BadSettings": _ERRORS,
    "Conflict": _ERRORS,
    "DaemonUnreachable": _ERRORS,
    "Forbidden": _ERRORS,
    "Gone": _ERRORS,
    "HelixError": _ERRORS,
    "NotFound": _ERRORS,
    "NotWorthKeeping": _ERRORS,
    "RateLimited": _ERRORS,
    "Refused": _ERRORS,
    "SecretRefused": _ERRORS,
    "ServerError": _ERRORS,
    "StaleHash": _ERRORS,
    "Timeout": _ERRORS,
    "Unauthorized": _ERRORS,
    "Unavailable": _ERRORS,
}

__all__ = [
    "AsyncHelix", "BadAnswer", "BadRequest", "BadSettings", "Conflict", "DaemonUnreachable", "Forbidden", "Gone",
    "Helix", "HelixError", "NotFound", "NotWorthKeeping", "RateLimited", "Refused", "SecretRefused", "ServerError",
    "StaleHash", "Timeout", "Unauthorized", "Unavailable",
]  # fmt: skip

if not TYPE_CHECKING:  # a type checker would take every name for one that is found here

    def __getattr__(name: str) -> object:
        if name not in _LIVES_IN:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_LIVES_IN[name]), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
