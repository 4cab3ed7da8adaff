"""resources/*: what a client can browse, page by page, and be told about when it changes."""

from __future__ import annotations

from urllib.parse import parse_qsl

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from helix.dialects.dialect import Dialect, Resource
from helix.errors import HelixError
from helix.memory.tokens import serialize
from helix.surfaces.mcp.call import refuse_cursor, unexpected
from helix.surfaces.mcp.caller import Context, RequestIn, caller_in
from helix.surfaces.mcp.worker_threads import Workers

JSON = "application/json"
_NOT_FOUND = -32002  # of the revisions with a handshake; the later ones say invalid params


class Resources:
    def __init__(self, dialect: Dialect, request_in: RequestIn, workers: Workers) -> None:
        self._dialect = dialect
        self._request_in = request_in
        self._workers = workers
        self._offered = {one.uri: one for one in dialect.resources}

    @property
    def uris(self) -> tuple[str, ...]:
        return tuple(self._offered)

    async def list(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        refuse_cursor(params)
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=resource.uri,
                    name=resource.name,
                    title=resource.title,
                    description=resource.description,
                    mime_type=JSON,
                )
                for resource in self._offered.values()
            ]
        )

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        refuse_cursor(params)
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=f"{resource.uri}{{?{','.join(resource.parameters)}}}",
                    name=f"{resource.name}-page",
                    title=f"{resource.title}, from a cursor on",
                    description=resource.description,
                    mime_type=JSON,
                )
                for resource in self._offered.values()
            ]
        )

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        resource = self.at(ctx, uri)
        parameters = {
            name: value for name, value in parse_qsl(uri.partition("?")[2]) if name in resource.parameters
        }
        try:
            page = await self._workers.run(resource.read, self._request_in(caller_in(ctx)), parameters)
        except HelixError as error:
            raise MCPError(types.INVALID_PARAMS, self._dialect.say_error(error)) from error
        except Exception as error:  # noqa: BLE001 (the outermost surface)
            message = self._dialect.say_error(unexpected(resource.uri, error))
            raise MCPError(types.INTERNAL_ERROR, message) from None
        contents = types.TextResourceContents(uri=uri, mime_type=JSON, text=serialize(page))
        return types.ReadResourceResult(contents=[contents])

    def at(self, ctx: Context, uri: str) -> Resource:
        resource = self._offered.get(uri.partition("?")[0].rstrip("/"))
        if resource is None:
            is_modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
            known = ", ".join(self._offered) or "none"
            raise MCPError(
                types.INVALID_PARAMS if is_modern else _NOT_FOUND,
                f"there is no resource {uri[:200]!r}; there are {known}",
                {"uri": uri},
            )
        return resource
