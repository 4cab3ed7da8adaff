"""The workspaces of a daemon besides its own one: opened when somebody asks, closed when nobody does, never too many.

Each is a task, which holds its vault from its lock to its last thread. One that cannot be opened, or that breaks, says
so to whoever asks for it and to the owner of the daemon, and takes nothing along.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from helix.access.workspaces import MAIN, ListedWorkspace, Workspaces
from helix.config import WorkspacesConfig
from helix.daemon.resources import give_back_memory, memory_mb, raise_file_limit
from helix.daemon.served_workspace import ServedWorkspace
from helix.errors import HelixError, WorkspaceUnavailable
from helix.memory.principal import UNKNOWN, Principal
from helix.memory.tokens import Payload
from helix.surfaces.doors import Doors
from helix.surfaces.monitoring.metrics import AllMetrics

log = logging.getLogger(__name__)

_LOOK_EVERY = 0.5
# Who asks again and again for one that cannot be opened does not make the daemon try as often.
_TRY_AGAIN = 2.0
_OPENED_AT_ONCE = 4
_LAST_ANSWERS = 5.0


class _Open:
    """One that is open, or on its way there or back."""

    def __init__(self, listed: ListedWorkspace) -> None:
        self.listed = listed
        self.served: ServedWorkspace | None = None
        self.failure: str | None = None
        self.leases = 0
        self.used_at = time.monotonic()
        self.is_ready = anyio.Event()
        self.shall_close = anyio.Event()
        self.is_closed = anyio.Event()

    @property
    def doors(self) -> Doors:
        if self.served is None:
            raise WorkspaceUnavailable("the workspace was closed a moment ago; try again")
        return self.served.doors

    def leave(self) -> None:
        self.leases -= 1
        self.used_at = time.monotonic()

    def may_close(self) -> bool:
        return self.leases == 0 and self.is_ready.is_set() and not self.shall_close.is_set()

    def is_at_work(self) -> bool:
        return self.served is not None and self.served.is_at_work()


class OpenWorkspaces:
    def __init__(
        self,
        config: WorkspacesConfig,
        listed: Workspaces,
        main: ServedWorkspace,
        open_one: Callable[[ListedWorkspace], AbstractContextManager[ServedWorkspace]],
    ) -> None:
        """`main` is the daemon's own one; `open_one` opens another, with all that is blocking about it."""
        self._config = config
        self._listed = listed
        self._main = main
        self._open_one = open_one
        self._open: dict[str, _Open] = {}
        self._failures: dict[str, tuple[float, str]] = {}
        self._opening = anyio.Lock()
        self._openers = anyio.CapacityLimiter(_OPENED_AT_ONCE)
        self._group: TaskGroup | None = None

    # Requests

    def main(self, principal: Principal, named: str | None) -> Doors | None:
        if principal == UNKNOWN or (named is None and principal.sees_everything):
            return self._main.doors
        return self._main.doors if self._listed.chosen(principal, named).is_main else None

    async def enter(self, principal: Principal, named: str | None) -> _Open:
        listed = self._listed.chosen(principal, named)
        workspace = self._open.get(listed.full_name)
        if workspace is None or workspace.shall_close.is_set() or workspace.listed.vault != listed.vault:
            workspace = await self._opened(listed, principal)
        workspace.leases += 1
        try:
            await workspace.is_ready.wait()
            if workspace.failure is not None:
                raise _unavailable(listed, workspace.failure, principal)
        except BaseException:
            workspace.leave()
            raise
        return workspace

    async def _opened(self, listed: ListedWorkspace, principal: Principal) -> _Open:
        async with self._opening:
            while (workspace := self._open.get(listed.full_name)) is not None:
                if not workspace.shall_close.is_set() and workspace.listed.vault == listed.vault:
                    return workspace
                workspace.shall_close.set()
                await workspace.is_closed.wait()
            until, why = self._failures.get(listed.full_name, (0.0, ""))
            if time.monotonic() < until:
                raise _unavailable(listed, why, principal)
            await self._make_room(listed)
            if self._group is None:
                raise WorkspaceUnavailable("the daemon is about to stop")
            raise_file_limit()
            workspace = self._open[listed.full_name] = _Open(listed)
            self._group.start_soon(self._run, workspace)
            return workspace

    async def _make_room(self, wanted: ListedWorkspace) -> None:
        while len(self._open) >= max(self._config.most_open, 1) or self._is_full():
            idle = [one for one in self._open.values() if one.may_close()]
            if not idle:
                raise WorkspaceUnavailable(
                    f"there is no room to open {wanted.name} beside those in use; try again in a moment"
                )
            await self._close(min(idle, key=lambda workspace: (workspace.is_at_work(), workspace.used_at)))

    def _is_full(self) -> bool:
        most = self._config.max_memory_mb
        return most > 0 and memory_mb() > most

    # One workspace

    async def _run(self, workspace: _Open) -> None:
        name = workspace.listed.full_name
        try:
            await self._serve(workspace)
        except (HelixError, OSError, sqlite3.Error) as error:
            workspace.failure = error.message if isinstance(error, HelixError) else str(error)
            log.warning("the workspace %s cannot be served: %s", name, workspace.failure)
        except Exception as error:  # one workspace that breaks must not end the others
            workspace.failure = f"something went wrong in Helix itself: {type(error).__name__}"
            log.exception("the workspace %s broke", name)
        finally:
            if workspace.failure is None:
                self._failures.pop(name, None)
            else:
                self._failures[name] = (time.monotonic() + _TRY_AGAIN, workspace.failure)
            del self._open[name]
            workspace.is_ready.set()
            workspace.is_closed.set()

    async def _serve(self, workspace: _Open) -> None:
        with ExitStack() as opened:
            await anyio.to_thread.run_sync(self._enter, opened, workspace, limiter=self._openers)
            try:
                if (served := workspace.served) is not None:
                    async with served.run():
                        workspace.is_ready.set()
                        await workspace.shall_close.wait()
                        served.end_streams()
                        await _until_left(workspace)
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(opened.close, limiter=self._openers)
        workspace.served = None
        await anyio.to_thread.run_sync(give_back_memory, limiter=self._openers)

    def _enter(self, opened: ExitStack, workspace: _Open) -> None:
        workspace.served = opened.enter_context(self._open_one(workspace.listed))

    async def _close(self, workspace: _Open) -> None:
        workspace.shall_close.set()
        await workspace.is_closed.wait()

    # As long as the app serves

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            self._group = group
            group.start_soon(self._watch)
            try:
                yield
            finally:
                self._group = None
                with anyio.CancelScope(shield=True):
                    for workspace in list(self._open.values()):
                        workspace.shall_close.set()
                    for workspace in list(self._open.values()):
                        await workspace.is_closed.wait()
                group.cancel_scope.cancel()

    async def _watch(self) -> None:
        while True:
            await anyio.sleep(_LOOK_EVERY)
            if self._open:
                self._close_some()

    def _close_some(self) -> None:
        """Those that were archived or moved at once; those that nobody uses when they were idle for long."""
        for workspace in list(self._open.values()):
            if not self._is_still_listed(workspace):
                workspace.shall_close.set()
            idle = time.monotonic() - workspace.used_at
            if workspace.may_close() and idle > 60 * self._config.idle_minutes and not workspace.is_at_work():
                workspace.shall_close.set()
        if self._is_full() and (idlers := [one for one in self._open.values() if one.may_close()]):
            min(idlers, key=lambda workspace: (workspace.is_at_work(), workspace.used_at)).shall_close.set()

    def _is_still_listed(self, workspace: _Open) -> bool:
        try:
            found = self._listed.find(workspace.listed.full_name)
        except HelixError as error:  # a list that somebody is mending closes nothing
            log.warning("%s", error.message)
            return True
        return found is not None and found.archived_at is None and found.vault == workspace.listed.vault

    def end_streams(self) -> None:
        """From any thread: the daemon is about to stop, and would wait for those who listen."""
        for workspace in list(self._open.values()):
            if workspace.served is not None:
                workspace.served.end_streams()

    # Who looks after it

    def states(self, principal: Principal) -> list[Payload]:
        """Those that somebody may ask for. Where they are, and why one cannot be opened, is for the daemon's owner."""
        offered = self._listed.open_to(principal)
        return [
            {
                "name": listed.full_name if principal.sees_everything else listed.name,
                "org": listed.org,
                "is_default": listed is offered[0],
                **self._state(listed, tells_why=principal.sees_everything),
            }
            for listed in offered
        ]

    def _state(self, listed: ListedWorkspace, *, tells_why: bool) -> Payload:
        if listed.is_main:
            state, why = "open", None
        else:
            state, why = self._state_of_other(listed)
        return {"state": state, **({"vault": str(listed.vault), "reason": why} if tells_why else {})}

    def _state_of_other(self, listed: ListedWorkspace) -> tuple[str, str | None]:
        if listed.archived_at is not None:
            return "archived", None
        if (workspace := self._open.get(listed.full_name)) is not None and workspace.served is not None:
            return "open", None
        if listed.full_name in self._failures:
            return "unavailable", self._failures[listed.full_name][1]
        return "closed", None

    def figures(self) -> bytes:
        """Of all that are open. As long as there is none but the daemon's own one, they bear no names."""
        others = {name: one.doors.metrics for name, one in list(self._open.items()) if one.served is not None}
        own = self._main.doors.metrics
        return AllMetrics({MAIN: own, **others}).render() if len(self._listed.all()) > 1 else own.render()


async def _until_left(workspace: _Open) -> None:
    """Answers under way are given, for a while: who asks on is told to come again, by the next one of the name."""
    with anyio.move_on_after(_LAST_ANSWERS):
        while workspace.leases:
            await anyio.sleep(0.02)


def _unavailable(listed: ListedWorkspace, why: str, principal: Principal) -> WorkspaceUnavailable:
    if principal.sees_everything:
        return WorkspaceUnavailable(f"the workspace {listed.full_name} cannot be opened: {why}")
    return WorkspaceUnavailable(
        f"the workspace {listed.name} cannot be opened now; whoever looks after the daemon sees why"
    )
