"""Tools that ask the client something in the place of an answer, as the stateless revision has it."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from helix.surfaces.mcp.caller import Context

Result = dict[str, Any]
Live = Callable[[Context, Any], Awaitable[Result]]

STRING = {"type": "string"}
_KEY = b"a key that only this test knows"


def text(said: str) -> Result:
    return {"content": [{"type": "text", "text": said}]}


def form(**properties: Result) -> Result:
    return {"type": "object", "properties": properties, "required": list(properties)}


def question(message: str, **properties: Result) -> Result:
    return {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": form(**properties)},
    }


def sample(said: str) -> Result:
    message = {"role": "user", "content": {"type": "text", "text": said}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}}


ROOTS: Result = {"method": "roots/list", "params": {}}
NAME = {"user_name": question("What is your name?", name=STRING)}
CONFIRM = {"confirm": question("Please confirm", ok={"type": "boolean"})}


def _sign(state: str) -> str:
    return f"{state}.{hmac.new(_KEY, state.encode(), hashlib.sha256).hexdigest()}"


def asks(requests: Result, *, state: str | None = None, more: Mapping[str, Result] | None = None) -> Live:
    """Asks until everything is answered; with a state, only its own signed one leads on."""

    async def run(ctx: Context, params: Any) -> Result:
        wanted, here = requests, state
        given = params.input_responses or {}
        if params.request_state is not None:
            here = params.request_state.partition(".")[0]
            if not hmac.compare_digest(_sign(here), params.request_state):
                raise MCPError(types.INVALID_PARAMS, "the request state was tampered with")
            wanted = (more or {}).get(here, requests)
        if wanted.keys() <= given.keys() and all(_fits(wanted[key], given[key]) for key in wanted):
            if more and here == state:
                [(following, wanted)] = more.items()
                return {
                    "resultType": "input_required",
                    "inputRequests": wanted,
                    "requestState": _sign(following),
                }
            said = {key: given[key].model_dump(mode="json") for key in wanted}
            return text(f"{'state-ok ' if state else ''}{json.dumps(said)}")
        asked = {"resultType": "input_required", "inputRequests": wanted}
        return asked if here is None else {**asked, "requestState": _sign(here)}

    return run


def _fits(request: Result, answer: object) -> bool:
    """Whether somebody who was asked for a form has filled it in."""
    if request["method"] != "elicitation/create" or not isinstance(answer, types.ElicitResult):
        return bool(request["method"] != "elicitation/create")
    names = request["params"]["requestedSchema"]["required"]
    return answer.action != "accept" or all(name in (answer.content or {}) for name in names)


async def ask_what_is_offered(ctx: Context, params: Any) -> Result:
    has = ctx.session.client_capabilities or types.ClientCapabilities()
    requests = {
        **({"ask": question("Please confirm", ok={"type": "boolean"})} if has.elicitation else {}),
        **({"sample": sample("Hello")} if has.sampling else {}),
        **({"roots": ROOTS} if has.roots else {}),
    }
    return {"resultType": "input_required", "inputRequests": requests} if requests else text("nothing to ask")
