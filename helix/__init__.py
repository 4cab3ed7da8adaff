"""Helix: a memory layer for coding agents that its owner can read.

    from helix import Helix

    mem = Helix()
    mem.write("Auth client retries 3x with jitter", kind="decision")

The names of the SDK are loaded when they are first asked for: the daemon and the commands, which live in this package
too, never pay for them.
"""

from __future__ import annotations

# The constant of `typing`, which is slow to import; type checkers know it by this name.
TYPE_CHECKING = False

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
    from helix.client.maintenance_results import (
        Conflicts,
        ConsolidateResult,
        Health,
        Manifest,
        Proposals,
        Stats,
    )
    from helix.client.results import (
        ContextPack,
        FileResult,
        ForgetResult,
        Graph,
        History,
        Hit,
        Memories,
        Memory,
        Neighbors,
        RelateResult,
        RestoreResult,
        SearchResult,
        UpdateResult,
        WriteResult,
    )

__all__ = [
    "AsyncHelix", "BadAnswer", "BadRequest", "BadSettings", "Conflict", "Conflicts", "ConsolidateResult",
    "ContextPack", "DaemonUnreachable", "FileResult", "Forbidden", "ForgetResult", "Gone", "Graph", "Health", "Helix",
    "HelixError", "History", "Hit", "Manifest", "Memories", "Memory", "Neighbors", "NotFound",
    "NotWorthKeeping", "Proposals", "RateLimited", "Refused", "RelateResult", "RestoreResult", "SearchResult",
    "SecretRefused", "ServerError", "StaleHash", "Stats", "Timeout", "Unauthorized", "Unavailable",
    "UpdateResult", "WriteResult",
]  # fmt: skip

_ROOMS = ("errors", "results", "maintenance_results", "client", "async_client")
"""the modules of the SDK that hold these names, those that load httpx last"""

if not TYPE_CHECKING:  # a type checker would take every name for one that is found here

    def __getattr__(name: str) -> object:
        if name in __all__:
            from importlib import import_module

            for room in _ROOMS:
                if hasattr(module := import_module(f"helix.client.{room}"), name):
                    return getattr(module, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
