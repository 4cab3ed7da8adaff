"""What the conformance suite wants to find on a server, offered through our own surface.

Plain tools, resources and every listing go through the code of the product; what only the suite asks for (pictures,
prompts, questions back to the client) is added to the server from outside and is nowhere in the product.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import PromptsListChanged
from mcp.shared.exceptions import MCPError
from starlette.datastructures import Headers
from starlette.types import Scope

from helix.dialects.dialect import Arguments, Dialect, Resource, Tool
from helix.errors import HelixError
from helix.memory.request import Request
from helix.memory.workspace import Workspace
from helix.surfaces.mcp.caller import Context
from helix.surfaces.mcp.direct_calls import DirectCall
from helix.surfaces.mcp.surface import McpSurface
from tests.conformance.asking import (
    CONFIRM,
    NAME,
    ROOTS,
    STRING,
    Live,
    Result,
    ask_what_is_offered,
    asks,
    form,
    question,
    sample,
    text,
)
from tests.surfaces.mcp.serving import NoWorkspace

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
_ANY: Result = {"type": "object", "properties": {}}


def _picture() -> Result:
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def _embedded(uri: str, mime_type: str, text: str) -> Result:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


# Tools and resources that the product's own code runs


def _simple(request: Request, said: Arguments) -> str:
    return "This is a simple text response for testing."


def _broken(request: Request, said: Arguments) -> str:
    raise HelixError("This tool intentionally returns an error for testing")


def _watched(request: Request, said: Mapping[str, str]) -> Result:
    return {"watched": True}


_SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_REGION = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
_SCHEMAS: dict[str, Result] = {
    "json_schema_2020_12_tool": _SCHEMA_2020,
    "test_headers": _REGION,
    "test_sampling": {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]},
    "test_elicitation": {
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
    },
}


# Tools that talk to the client while they run


async def _contents(*contents: Result) -> Result:
    return {"content": list(contents)}


async def _mixed(ctx: Context, params: Any) -> Result:
    data = _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    return await _contents({"type": "text", "text": "Multiple content types test:"}, _picture(), data)


async def _logging(ctx: Context, params: Any) -> Result:
    for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", message, related_request_id=ctx.request_id)
        await anyio.sleep(0.05)
    return text("logged")


async def _progress(ctx: Context, params: Any) -> Result:
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
        await anyio.sleep(0.05)
    return text("done")


async def _sampling(ctx: Context, params: Any) -> Result:
    answer = await ctx.session.create_message(
        [types.SamplingMessage(role="user", content=types.TextContent(text=params.arguments["prompt"]))],
        max_tokens=100,
        related_request_id=ctx.request_id,
    )
    content = answer.content
    return text(f"LLM response: {content.text if isinstance(content, types.TextContent) else content}")


def _elicit(message: str | None, schema: Result, opening: str) -> Live:
    async def run(ctx: Context, params: Any) -> Result:
        asked = message or params.arguments["message"]
        answer = await ctx.session.elicit_form(asked, schema, ctx.request_id)
        return text(f"{opening}: action={answer.action}, content={json.dumps(answer.content)}")

    return run


_WORDS = ["option1", "option2", "option3"]
_TITLED = [{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}]
_DEFAULTS = form(
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
_ENUMS = form(
    untitledSingle={"type": "string", "enum": _WORDS},
    titledSingle={"type": "string", "oneOf": _TITLED},
    legacyEnum={"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["One", "Two"]},
    untitledMulti={"type": "array", "items": {"type": "string", "enum": _WORDS}},
    titledMulti={"type": "array", "items": {"anyOf": _TITLED}},
)


async def _missing_capability(ctx: Context, params: Any) -> Result:
    if ctx.session.client_capabilities is None or ctx.session.client_capabilities.sampling is None:
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "this needs sampling",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return text("sampling is there")


def _live(surface: Callable[[], McpSurface]) -> dict[str, Live]:
    async def change_tools(ctx: Context, params: Any) -> Result:
        await surface().tools_changed()
        return text("changed")

    async def change_prompts(ctx: Context, params: Any) -> Result:
        await surface().served("fixture").notices.bus.publish(PromptsListChanged())
        return text("changed")

    step2 = {"step2": question("Step 2: What is your favorite color?", color=STRING)}
    return {
        "test_image_content": lambda ctx, params: _contents(_picture()),
        "test_audio_content": lambda ctx, params: _contents(
            {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
        ),
        "test_embedded_resource": lambda ctx, params: _contents(
            _embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
        ),
        "test_multiple_content_types": _mixed,
        "test_tool_with_logging": _logging,
        "test_logging_tool": _logging,
        "test_tool_with_progress": _progress,
        "test_sampling": _sampling,
        "test_elicitation": _elicit(None, form(username=STRING, email=STRING), "User response"),
        "test_elicitation_sep1034_defaults": _elicit("Defaults", _DEFAULTS, "Elicitation completed"),
        "test_elicitation_sep1330_enums": _elicit("Enums", _ENUMS, "Elicitation completed"),
        "test_input_required_result_elicitation": asks(NAME),
        "test_streaming_elicitation": asks(NAME),
        "test_input_required_result_sampling": asks(
            {"capital_question": sample("What is the capital of France?")}
        ),
        "test_input_required_result_list_roots": asks({"client_roots": ROOTS}),
        "test_input_required_result_request_state": asks(CONFIRM, state="one"),
        "test_input_required_result_tampered_state": asks(CONFIRM, state="one"),
        "test_input_required_result_multiple_inputs": asks(
            {**NAME, "greeting": sample("Generate a greeting"), "client_roots": ROOTS}, state="one"
        ),
        "test_input_required_result_multi_round": asks(
            {"step1": question("Step 1: What is your name?", name=STRING)}, state="one", more={"two": step2}
        ),
        "test_input_required_result_capabilities": ask_what_is_offered,
        "test_missing_capability": _missing_capability,
        "test_trigger_tool_change": change_tools,
        "test_trigger_prompt_change": change_prompts,
    }


# Resources and prompts


_STATIC = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
}
_TEMPLATE = "test://template/{id}/data"


def _read(uri: str) -> Result | None:
    if uri in _STATIC:
        return {"contents": [{"uri": uri, **_STATIC[uri]}]}
    before, after = _TEMPLATE.split("{id}")
    if uri.startswith(before) and uri.endswith(after):
        given = uri[len(before) : -len(after)]
        said = {"id": given, "templateTest": True, "data": f"Data for ID: {given}"}
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": json.dumps(said)}]}
    return None


def _message(content: Result) -> Result:
    return {"role": "user", "content": content}


def _says(text: str) -> Result:
    return {"type": "text", "text": text}


_PROMPTS: dict[str, tuple[list[str], Callable[[Mapping[str, str]], list[Result]]]] = {
    "test_simple_prompt": ([], lambda said: [_says("This is a simple prompt for testing.")]),
    "test_prompt_with_arguments": (
        ["arg1", "arg2"],
        lambda said: [_says(f"Prompt with arguments: arg1='{said['arg1']}', arg2='{said['arg2']}'")],
    ),
    "test_prompt_with_embedded_resource": (
        ["resourceUri"],
        lambda said: [
            _embedded(said["resourceUri"], "text/plain", "Embedded resource content for testing."),
            _says("Please process the embedded resource above."),
        ],
    ),
    "test_prompt_with_image": ([], lambda said: [_picture(), _says("Please analyze the image above.")]),
    "test_input_required_result_prompt": ([], lambda said: [_says("With context.")]),
}


async def _list_prompts(ctx: Context, params: Any) -> Result:
    prompts = [
        {
            "name": name,
            "description": f"Tests {name}",
            "arguments": [{"name": one, "required": True} for one in arguments],
        }
        for name, (arguments, _) in _PROMPTS.items()
    ]
    return {"prompts": prompts, "ttlMs": 0, "cacheScope": "private"}


async def _get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> Result:
    if params.name == "test_input_required_result_prompt" and not params.input_responses:
        asked = question("What context should the prompt use?", context=STRING)
        return {"resultType": "input_required", "inputRequests": {"user_context": asked}}
    return {"messages": [_message(one) for one in _PROMPTS[params.name][1](params.arguments or {})]}


async def _complete(ctx: Context, params: Any) -> Result:
    return {"completion": {"values": ["paris", "park", "party"], "total": 3, "hasMore": False}}


async def _set_level(ctx: Context, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


def fixture_surface() -> McpSurface:
    live = _live(lambda: surface)

    def is_live(request: Request, said: Arguments) -> str:
        raise AssertionError("called from outside the product")

    plain = {"test_simple_text": _simple, "test_error_handling": _broken}
    names = [*plain, *live, *(name for name in _SCHEMAS if name not in live)]
    tools = [
        Tool(name, f"title of {name}", f"Tests {name}", _SCHEMAS.get(name, _ANY), plain.get(name, is_live))
        for name in names
    ]
    watched = Resource("test://watched-resource", "watched", "Watched", "Can be subscribed to", _watched)
    dialect = Dialect("fixture", "For the conformance suite.", tuple(tools), (watched,))
    workspace = cast(Workspace, NoWorkspace())  # nothing here asks it
    surface = McpSurface(workspace, "0", dialects={"fixture": dialect}, default="fixture")
    _extend(surface.served("fixture").server, live)
    _leave_to_the_library(surface, frozenset(names) - plain.keys())
    return surface


def _leave_to_the_library(surface: McpSurface, names: frozenset[str]) -> None:
    """Tools that talk to the client while they run need a stream. No tool of the product does."""
    direct = surface.served("fixture").direct
    find = direct.find

    def find_plain(scope: Scope, headers: Headers, message: Result) -> DirectCall | None:
        call = find(scope, headers, message)
        return None if call is None or call.tool.name in names else call

    direct.find = find_plain  # type: ignore[method-assign]  # the suite's own tools are no tools of the product


def _extend(server: Server[Any], live: Mapping[str, Live]) -> None:
    call, listed, read, templates = [
        _handler(server, method)
        for method in ("tools/call", "resources/list", "resources/read", "resources/templates/list")
    ]

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Any:
        ours = live.get(params.name)
        if params.name in _SCHEMAS and ours is None:
            return text("called")
        return await (call(ctx, params) if ours is None else ours(ctx, params))

    async def list_resources(ctx: Context, params: Any) -> Any:
        answer = await listed(ctx, params)
        static = [
            types.Resource(uri=uri, name=uri, description=uri, mime_type=one["mimeType"])
            for uri, one in _STATIC.items()
        ]
        return answer.model_copy(update={"resources": [*answer.resources, *static]})

    async def list_templates(ctx: Context, params: Any) -> Any:
        answer = await templates(ctx, params)
        ours = types.ResourceTemplate(uri_template=_TEMPLATE, name="template", mime_type="application/json")
        return answer.model_copy(update={"resource_templates": [*answer.resource_templates, ours]})

    async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        return _read(str(params.uri)) or await read(ctx, params)

    paged = types.PaginatedRequestParams

    def add(method: str, params: type[types.RequestParams], handler: Callable[..., Awaitable[Any]]) -> None:
        async def complete(ctx: Context, params: Any) -> Any:
            answer = await handler(ctx, params)
            return {"resultType": "complete", **answer} if isinstance(answer, dict) else answer

        server.add_request_handler(method, params, complete)

    add("tools/call", types.CallToolRequestParams, call_tool)
    add("resources/list", paged, list_resources)
    add("resources/templates/list", paged, list_templates)
    add("resources/read", types.ReadResourceRequestParams, read_resource)
    add("prompts/list", paged, _list_prompts)
    add("prompts/get", types.GetPromptRequestParams, _get_prompt)
    add("completion/complete", types.CompleteRequestParams, _complete)
    add("logging/setLevel", types.SetLevelRequestParams, _set_level)


def _handler(server: Server[Any], method: str) -> Callable[[Context, Any], Awaitable[Any]]:
    entry = server.get_request_handler(method)
    assert entry is not None
    return entry.handler
