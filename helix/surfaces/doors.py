"""What the routes are made of: the doors to one workspace, which a request carries in its scope.

Nothing that answers has a way to those of another: who chooses among them (`in_workspace`) stands before the routes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.types import Scope

from helix.index.station import SharedEngine

if TYPE_CHECKING:
    from helix.access.audit import Audit
    from helix.errors import HelixError
    from helix.memory.search_engine import RecallSoon
    from helix.memory.workspace import Workspace
    from helix.surfaces.mcp.lazy_surface import McpSoon
    from helix.surfaces.monitoring.clients import Clients
    from helix.surfaces.monitoring.events import Events
    from helix.surfaces.monitoring.health import DaemonHealth
    from helix.surfaces.monitoring.metrics import Metrics
    from helix.surfaces.monitoring.status import DaemonStatus

_DOORS = "helix.doors"
_REFUSAL = "helix.no_doors"


@dataclass(frozen=True)
class Doors:
    workspace: Workspace
    recall: RecallSoon
    health: DaemonHealth
    metrics: Metrics
    events: Events
    clients: Clients
    status: DaemonStatus
    look_for_capture: Callable[[], None]
    """somebody has turned capture on"""
    mcp: McpSoon
    audit: Audit | None = None
    """who did what in it; None where nobody but its owner comes in"""
    is_main: bool = True
    """whether it is the one that the daemon runs for"""
    find_engine: Callable[[], SharedEngine | None] = lambda: None
    """that of its index, if other daemons use it as well and it is open"""


def put_doors(scope: Scope, doors: Doors) -> None:
    scope[_DOORS] = doors


def find_doors(scope: Scope) -> Doors | None:
    """None for a request that is about no workspace: it was refused before."""
    doors: Doors | None = scope.get(_DOORS)
    return doors


def doors_in(scope: Scope) -> Doors:
    """Of the workspace that a request is about."""
    doors: Doors = scope[_DOORS]
    return doors


def put_refusal(scope: Scope, why: HelixError) -> None:
    """For a request that is served without a workspace, as anybody's is, and that asked for one."""
    scope[_REFUSAL] = why


def refusal_in(scope: Scope) -> HelixError:
    """Why there are no doors."""
    why: HelixError = scope[_REFUSAL]
    return why
