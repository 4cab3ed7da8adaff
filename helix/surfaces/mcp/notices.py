"""Telling clients that something changed: over the stream of their session, or over one that they listen on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourceUpdated,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from helix.dialects.dialect import say
from helix.errors import Forbidden
from helix.surfaces.caller import principal_of
from helix.surfaces.mcp.caller import Context
from helix.surfaces.mcp.direct_calls import DirectCalls
from helix.surfaces.mcp.resources import Resources

_READS = "recall"
_MOST_STREAMS = 256
_SEND_PATIENCE = 2.0  # a client that has stopped reading does not hold up the others


class Notices:
    def __init__(self, resources: Resources, direct: DirectCalls) -> None:
        self._resources = resources
        self._direct = direct
        self.bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self.bus, max_subscriptions=_MOST_STREAMS)
        self._subscribed: dict[Connection, set[str]] = {}

    async def initialized(self, ctx: Context, params: types.NotificationParams | None) -> None:
        self._known(ctx)
        self._direct.initialized(ctx)

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        uri = str(params.uri)
        self._resources.at(ctx, uri)
        _check_may_listen(ctx)
        self._known(ctx).add(uri)
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._known(ctx).discard(str(params.uri))
        return types.EmptyResult()

    async def tell_memories_changed(self) -> None:
        for uri in self._resources.uris:
            await self.bus.publish(ResourceUpdated(uri))
        await self._tell_all(self._tell_updated)

    async def tell_tools_changed(self) -> None:
        await self.bus.publish(ToolsListChanged())
        await self._tell_all(lambda connection: connection.send_tool_list_changed())

    async def _tell_updated(self, connection: Connection) -> None:
        for uri in sorted(self._subscribed.get(connection, ())):
            await connection.send_resource_updated(uri)

    async def _tell_all(self, tell: Callable[[Connection], Awaitable[None]]) -> None:
        async def tell_one(connection: Connection) -> None:
            with anyio.move_on_after(_SEND_PATIENCE):
                await tell(connection)

        async with anyio.create_task_group() as group:
            for connection in list(self._subscribed):
                group.start_soon(tell_one, connection)

    def _known(self, ctx: Context) -> set[str]:
        """What this connection subscribed to; forgotten when it ends."""
        connection = ctx.session._connection  # the only way from a call to what outlives it
        if connection not in self._subscribed:
            self._subscribed[connection] = set()
            connection.exit_stack.callback(self._subscribed.pop, connection, None)
        return self._subscribed[connection]


def _check_may_listen(ctx: Context) -> None:
    """That something changed is told to who may read what changed."""
    if ctx.request is not None and not principal_of(ctx.request.scope).may(_READS):
        raise MCPError(types.INVALID_PARAMS, say(Forbidden.of(_READS)))
