"""Asking the daemon over REST: one request, one JSON answer, or a reason to give up."""

from __future__ import annotations

import json

from helix_mcp.connection import Lost, NotHttp, NotSent
from helix_mcp.proof import NotYours
from helix_mcp.wire import Server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from helix_mcp.settings import Settings

_LARGEST_ANSWER = 4 * 1024 * 1024


class GiveUp(ValueError):
    """There is nothing to do, or it cannot be done; the agent goes on without."""


class Rest:
    def __init__(self, settings: Settings) -> None:
        self._server = Server(settings.address, settings.headers, settings.owner)
        self._url = settings.address.url
        self._path = settings.address.path
        self.state_folder = settings.state_folder

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        data = b"" if body is None else json.dumps(body).encode()
        try:
            response = self._server.ask(method, self._path + path, headers or {}, data)
            answer = json.loads(response.read(_LARGEST_ANSWER))
        except NotYours as error:
            raise GiveUp(str(error)) from error
        except NotSent as error:
            raise GiveUp(f"no daemon answers at {self._url} ({error})") from error
        except (Lost, NotHttp, ValueError) as error:
            raise GiveUp(f"what answers at {self._url} gave no answer that can be read ({error})") from error
        if response.status != 200 or not isinstance(answer, dict):
            problem = answer.get("error") if isinstance(answer, dict) else answer
            raise GiveUp(f"the daemon answered {method} {path} with {response.status}: {problem}")
        return answer
