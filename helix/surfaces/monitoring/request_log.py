"""The outermost layer: counts and times every request, writes its log line, and answers what nobody expected.

A line says which route was asked, never with which words: neither a question nor a memory goes into a log.
"""

from __future__ import annotations

import logging
import time
import traceback
from pathlib import PurePath

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helix.surfaces.caller import place_in
from helix.surfaces.doors import find_doors
from helix.surfaces.monitoring.metrics import Metrics
from helix.surfaces.problems import refuse

log = logging.getLogger("helix.request")

UNEXPECTED = "something went wrong in Helix itself; its log says where. What was acknowledged before is safe"
_NO_ROUTE = "none"
_FRAMES = 12


class RequestLog:
    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status, seconds = 0, 0.0

        async def watch(message: Message) -> None:
            nonlocal status, seconds
            if message["type"] == "http.response.start":
                status, seconds = message["status"], time.perf_counter() - started
                self._metrics.in_flight.dec()
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self._app(scope, receive, watch)
        except Exception as error:  # noqa: BLE001 (the outermost surface: a caller sees a sentence, never a stack)
            _log_failure(scope, error)
            if not status:
                await refuse("internal", UNEXPECTED)(scope, receive, watch)
        finally:
            if not status:  # the caller went away, or the daemon stops
                self._metrics.in_flight.dec()
                seconds = time.perf_counter() - started
            self._record(scope, status or 499, seconds)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route, method = _route(scope), _method(scope)
        # What a workspace was asked is counted there; what none was asked, with the daemon's own one.
        doors = find_doors(scope)
        metrics = self._metrics if doors is None else doors.metrics
        metrics.requests.labels(method, route, str(status)).inc()
        metrics.seconds.labels(route).observe(seconds)
        if log.isEnabledFor(logging.INFO):
            log.info(
                "%s %s %d", method, route, status,
                extra={
                    "method": method, "route": route, "status": status, "ms": round(seconds * 1000, 2),
                    "client": _client(scope),
                },
            )  # fmt: skip


def _route(scope: Scope) -> str:
    """The template and not the path, which may hold an id and would make a series of its own."""
    return str(getattr(scope.get("route"), "path", _NO_ROUTE))


def _method(scope: Scope) -> str:
    known = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
    return scope["method"] if scope["method"] in known else "other"


def _client(scope: Scope) -> str:
    return place_in(scope).client or (scope["client"] or ("unknown",))[0]


def _log_failure(scope: Scope, error: Exception) -> None:
    """Where it happened and what kind it is. Its message stays out: it may quote a memory."""
    frames = [
        f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    ]
    log.error(
        "%s in %s %s", type(error).__name__, _method(scope), _route(scope),
        extra={"error": type(error).__name__, "frames": frames},
    )  # fmt: skip
