"""`/` and the files it names, with the headers that keep memory text from ever becoming a program."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from helix.access import OPEN, declare
from helix.surfaces.dashboard.files import Served, read_files

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        # Where a browser knows it: a text becomes markup or the address of a script only through the page's one policy.
        "require-trusted-types-for 'script'",
        "trusted-types helix",
    )
)
UI = "/ui"
"""below it are the files of the page: the package's own, with nothing of the vault in them"""
_SAFETY = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_ASK_AGAIN = "no-cache"
_FOR_EVER = "public, max-age=31536000, immutable"


def routes(mode: str = "local") -> list[BaseRoute]:
    """A name below `/ui` that is not of this version is not there: the page that asks is older than the daemon."""
    known = read_files(mode)

    @declare(OPEN)
    async def page(request: Request) -> Response:
        return _answer(request, known.page, _ASK_AGAIN)

    @declare(OPEN)
    async def part(request: Request) -> Response:
        found = known.parts.get(request.path_params["path"])
        if found is None or request.path_params["fingerprint"] != known.fingerprint:
            raise HTTPException(404)
        return _answer(request, found, _FOR_EVER)

    @declare(OPEN)
    async def nothing(request: Request) -> Response:
        raise HTTPException(404)

    return [
        Route("/", page),
        Route(f"{UI}/{{fingerprint}}/{{path:path}}", part),
        Route(f"{UI}/{{path:path}}", nothing),
    ]


def _answer(request: Request, served: Served, keep: str) -> Response:
    headers = {**_SAFETY, "Cache-Control": keep, "ETag": served.tag}
    known = request.headers.get("if-none-match", "").split(",")
    if served.tag in (tag.strip().removeprefix("W/") for tag in known):
        return Response(status_code=304, headers=headers)
    return Response(served.data, headers={**headers, "Content-Type": served.kind})
