"""tools/list and tools/call: one tool of a dialect, from a message to its answer."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import mcp_types as types
from mcp.shared.exceptions import MCPError

from helix.dialects.dialect import Dialect, Tool
from helix.errors import HelixError
from helix.memory.place import Place
from helix.memory.request import Request
from helix.memory.tokens import Payload, serialize
from helix.surfaces.mcp.argument_check import Check
from helix.surfaces.mcp.caller import Caller, Context, RequestIn, caller_in
from helix.surfaces.mcp.worker_threads import WAITING, WORKING, Stage, Workers, telling_progress, wait_until
from helix.vault.authors import Author, acting

log = logging.getLogger(__name__)

_FAILED = "something went wrong inside Helix; the daemon's log says what. Try again, or go on without memory"


@dataclass(frozen=True)
class Patience:
    """How long is waited for what, in seconds."""

    search: float = 20.0
    progress: float = 1.0


class ToolAnswer(NamedTuple):
    text: str
    payload: Payload | None = None
    """Of a failure none: clients hold it against the output schema, also of a failure."""
    is_error: bool = False


class Tools:
    def __init__(
        self,
        dialect: Dialect,
        request_in: RequestIn,
        workers: Workers,
        is_ready: Callable[[], bool],
        patience: Patience,
        on_call: Callable[[Place], None] = lambda place: None,
    ) -> None:
        self._dialect = dialect
        self._request_in = request_in
        self._workers = workers
        self._is_ready = is_ready
        self._patience = patience
        self._on_call = on_call
        self._by_name: dict[str, Tool] = {}
        self._checks: dict[str, Check] = {}
        self._sets: dict[str, Sequence[types.Tool]] = {}
        self._listed = self._know(dialect.tools)

    async def list(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        refuse_cursor(params)
        query = {} if ctx.request is None else ctx.request.query_params
        listed = [*self._listed, *(self._in_set(query["tools"]) if "tools" in query else ())]
        if query.get("names") == "dotted":
            listed = [tool.model_copy(update={"name": tool.title}) for tool in listed]
        return types.ListToolsResult(tools=listed)

    def input_schema(self, name: str) -> Payload | None:
        tool = self.find(name)
        return None if tool is None else tool.input_schema

    def find(self, name: str) -> Tool | None:
        """Also of a set that this connection did not ask for: who knows the name may use it."""
        if name not in self._by_name:
            for tool_set in self._dialect.tool_sets:
                self._in_set(tool_set)
        return self._by_name.get(name)

    def _in_set(self, name: str) -> Sequence[types.Tool]:
        make = self._dialect.tool_sets.get(name)
        if make is None:
            known = ", ".join(self._dialect.tool_sets) or "none here"
            raise MCPError(
                types.INVALID_PARAMS, f"there are no tools {name[:80]!r}; of such sets there are {known}"
            )
        if name not in self._sets:
            self._sets[name] = self._know(make())
        return self._sets[name]

    def _know(self, tools: Sequence[Tool]) -> Sequence[types.Tool]:
        for tool in tools:
            self._checks[tool.name] = Check(tool)
            self._by_name |= dict.fromkeys(tool.names, tool)
        return [to_type(tool) for tool in tools]

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self.find(params.name)
        if tool is None and self._dialect.say_unknown is not None:
            text = types.TextContent(type="text", text=self._dialect.say_unknown(params.name[:80]))
            return types.CallToolResult(content=[text], is_error=True)
        if tool is None:
            known = ", ".join(tool.name for tool in self._dialect.tools)
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:80]}; there are {known}")
        async with telling_progress(ctx, self._patience.progress) as stage:
            answered = await self.answer(tool, params.arguments or {}, caller_in(ctx), stage)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answered.text)],
            structured_content=answered.payload,
            is_error=answered.is_error,
        )

    async def answer(
        self, tool: Tool, arguments: Mapping[str, Any], caller: Caller, stage: Stage
    ) -> ToolAnswer:
        """Never raises, but for being cancelled."""
        try:
            checked = self._checks[tool.name].checked(arguments)
            if tool.uses_search and not self._is_ready():
                stage.now = WAITING
                await wait_until(self._is_ready, self._patience.search)
                stage.now = WORKING
            request = self._request_in(caller)
            self._on_call(request.place)
            return await self._workers.run(_run, tool, request, checked)
        except HelixError as error:
            return ToolAnswer(self._dialect.say_error(error), is_error=True)
        except Exception as error:  # noqa: BLE001 (the outermost surface)
            return ToolAnswer(self._dialect.say_error(unexpected(tool.name, error)), is_error=True)


def _run(tool: Tool, request: Request, arguments: dict[str, Any]) -> ToolAnswer:
    with acting(Author("agent", request.place.client)):
        answer = tool.run(request, arguments)
    return ToolAnswer(answer) if isinstance(answer, str) else ToolAnswer(serialize(answer), answer)


def unexpected(what: str, error: Exception) -> HelixError:
    """What a caller is told. The log gets the place, without the message of the error: it may quote a memory."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    log.error("%s failed with %s\n%s", what, type(error).__name__, frames)
    return HelixError(_FAILED, code="internal")


def to_type(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=tool.hints.read_only,
        destructive_hint=None if tool.hints.read_only else tool.hints.destructive,
        idempotent_hint=None if tool.hints.read_only else tool.hints.idempotent,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=hints,
    )


def refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    """Everything is on one page, so nobody was given a cursor."""
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, "the cursor is not known; ask again without one")
