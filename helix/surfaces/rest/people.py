"""The routes by which admins look after the users and keys of their org."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from helix.access import LOCAL, declare
from helix.access.people import People
from helix.errors import BadValue, HelixError
from helix.memory.principal import Principal
from helix.surfaces.caller import principal_of
from helix.surfaces.other_routes import tell_audit
from helix.surfaces.problems import answer

_Given = dict[str, Any]
_Act = Callable[[People, Principal, str, _Given], Any]


class _NothingBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _NewUserBody(_NothingBody):
    user: str
    role: str = "agent"


class _PasswordBody(_NothingBody):
    password: str


class _NewKeyBody(_NothingBody):
    user: str
    name: str = ""
    role: str | None = None
    permissions: list[str] | None = None
    projects: list[str] | None = None
    agent: str | None = None
    connector: str | None = None
    harness: str | None = None
    expires: str | None = None


def routes(people: People) -> list[Route]:
    """Bodies are read by hand: what is wrong with one is told without what was sent, which may be a password."""
    made: tuple[tuple[str, str, type[BaseModel] | None, _Act], ...] = (
        ("GET", "/users", None, lambda who, admin, _, __: {"users": who.users(admin)}),
        ("POST", "/users", _NewUserBody, lambda who, admin, _, given: who.add_user(admin, **given)),
        ("POST", "/users/{name}/remove", _NothingBody, lambda who, admin, name, _: who.remove_user(admin, name)),
        ("POST", "/users/{name}/sign-out", _NothingBody, lambda who, admin, name, _: who.sign_out(admin, name)),
        ("POST", "/users/{name}/password", _PasswordBody,
         lambda who, admin, name, given: who.set_password(admin, name, **given)),
        ("GET", "/keys", None, lambda who, admin, _, __: {"keys": who.keys(admin)}),
        ("POST", "/keys", _NewKeyBody, lambda who, admin, _, given: who.create_key(admin, **given)),
        ("POST", "/keys/{name}/revoke", _NothingBody, lambda who, admin, name, _: who.revoke_key(admin, name)),
    )  # fmt: skip
    return [Route(path, _endpoint(people, body, act), methods=[method]) for method, path, body, act in made]


def _endpoint(people: People, body: type[BaseModel] | None, act: _Act) -> Callable[..., Any]:
    @declare(LOCAL.needing("admin").unheard())
    async def endpoint(request: Request) -> Response:
        name = request.path_params.get("name", "")
        try:
            given = {} if body is None else _read(body, await request.body())
            about = (name or given.get("user", ""))[:80]
            tell_audit(request.scope, [about] if about else [])
            done = await run_in_threadpool(act, people, principal_of(request.scope), name, given)
        except HelixError as error:
            return answer(error)
        if about and "id" in done:
            tell_audit(request.scope, [about, done["id"]])
        return JSONResponse(done)

    return endpoint


def _read(kind: type[BaseModel], body: bytes) -> _Given:
    try:
        return kind.model_validate_json(body or b"{}").model_dump()
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadValue(f"{where}: {first['msg'].lower()}" if where else "the body is not JSON") from None
