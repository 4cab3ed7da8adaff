"""A dialect as a server of the protocol, in both of its eras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from helix.dialects.dialect import Dialect
from helix.surfaces.mcp.call import Tools
from helix.surfaces.mcp.notices import Notices
from helix.surfaces.mcp.resources import Resources

_A_WHILE = CacheHint(ttl_ms=300_000, scope="public")
_CACHED: Mapping[CacheableMethod, CacheHint] = {
    "server/discover": _A_WHILE,
    "tools/list": _A_WHILE,
    "resources/list": _A_WHILE,
    "resources/templates/list": _A_WHILE,
    "resources/read": CacheHint(ttl_ms=0, scope="private"),
}


class TellingServer(Server[Any]):
    """Says in the handshake, too, that it would tell when its tools change; by itself the library does not."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        telling = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(telling, experimental_capabilities, extensions)


def make_server(
    dialect: Dialect, version: str, tools: Tools, resources: Resources, notices: Notices
) -> Server[Any]:
    """Offers resources only where the dialect has some: what is not there is not advertised."""
    server = TellingServer(
        dialect.server_name,
        version=version,
        title="Helix",
        instructions=dialect.instructions,
        cache_hints=_CACHED,
        get_tool_input_schema=tools.input_schema,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        on_subscriptions_listen=notices.listen,
    )
    server.add_notification_handler(
        "notifications/initialized", types.NotificationParams, notices.initialized
    )
    if resources.uris:
        server.add_request_handler("resources/list", types.PaginatedRequestParams, resources.list)
        server.add_request_handler(
            "resources/templates/list", types.PaginatedRequestParams, resources.list_templates
        )
        server.add_request_handler("resources/read", types.ReadResourceRequestParams, resources.read)
        server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, notices.subscribe)
        server.add_request_handler(
            "resources/unsubscribe", types.UnsubscribeRequestParams, notices.unsubscribe
        )
    return server
