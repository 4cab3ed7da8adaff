"""Every error the SDK raises, in one tree, and the one table from an answer of the daemon to its error.

HelixError               code, status (None when nothing was answered), message, retry_after
├── BadRequest           400, 405, 413, 415    a value that cannot be used; the message names it
├── Unauthorized         401                   the daemon asks for its token
├── Forbidden            403, 421              not from here, not under this name, or not with this key
├── NotFound             404                   no such memory, version or path
├── Gone                 410                   forgotten, or erased for good
├── Conflict             409                   an idempotency key that was used for something else
│   └── StaleHash        stale-hash            the file changed since it was read; read it again
├── Refused              422                   understood and refused
│   ├── NotWorthKeeping  not-worth-keeping     text that says nothing; `force=True` overrides
│   └── SecretRefused    secret-refused        text with a credential in it; `allow_secrets=True` overrides
├── RateLimited          429                   too much at once; `retry_after` says how long to wait
├── Unavailable          503                   busy, starting, or the vault is not there
├── ServerError          other 5xx             something went wrong over there
├── BadAnswer            bad-answer            what answers is no Helix daemon, or one of another kind
├── DaemonUnreachable    daemon-unreachable    nothing answers, or the connection broke
├── Timeout              timeout; 408          no answer in time
└── BadSettings          bad-settings          a URL or a token that cannot be right

Codes are the daemon's own, stable and in kebab-case. `Timeout` is a `TimeoutError` too, and `DaemonUnreachable` a
`ConnectionError`, for code that knows nothing of Helix.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

STATUSES_TRIED_AGAIN = frozenset({408, 429, 502, 503, 504})
"""answers that say: not now"""


class HelixError(Exception):
    code = "error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.retry_after = retry_after
        if code is not None:
            self.code = code


class BadRequest(HelixError):
    code = "bad-request"


class Unauthorized(HelixError):
    code = "unauthorized"


class Forbidden(HelixError):
    code = "forbidden"


class NotFound(HelixError):
    code = "not-found"


class Gone(HelixError):
    code = "forgotten"


class Conflict(HelixError):
    code = "conflict"


class StaleHash(Conflict):
    code = "stale-hash"


class Refused(HelixError):
    code = "refused"


class NotWorthKeeping(Refused):
    code = "not-worth-keeping"


class SecretRefused(Refused):
    code = "secret-refused"


class RateLimited(HelixError):
    code = "rate-limited"


class Unavailable(HelixError):
    code = "unavailable"


class ServerError(HelixError):
    code = "internal"


class BadAnswer(HelixError):
    code = "bad-answer"


class DaemonUnreachable(HelixError, ConnectionError):
    code = "daemon-unreachable"


class Timeout(HelixError, TimeoutError):
    code = "timeout"


class BadSettings(HelixError, ValueError):
    code = "bad-settings"


_BY_CODE: Mapping[str, type[HelixError]] = {
    kind.code: kind for kind in (StaleHash, NotWorthKeeping, SecretRefused)
}
_BY_STATUS: Mapping[int, type[HelixError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: BadRequest,
    408: Timeout,
    409: Conflict,
    410: Gone,
    413: BadRequest,
    415: BadRequest,
    421: Forbidden,
    422: Refused,
    429: RateLimited,
    503: Unavailable,
}
_BY_HUNDRED: Mapping[int, type[HelixError]] = {4: BadRequest, 5: ServerError}


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> HelixError:
    """What an answer that is not a success means. Headers have names in lower case."""
    message, code = _message_and_code(body)
    kind = _BY_CODE.get(code or "") or _BY_STATUS.get(status) or _BY_HUNDRED.get(status // 100, BadAnswer)
    if message is None:
        # A proxy's page, or another program's: the daemon itself always says what is wrong.
        message, code = f"{status} without an explanation: {_excerpt(body)}", f"http-{status}"
    return kind(message, code=code, status=status, retry_after=_retry_after(headers))


def _message_and_code(body: bytes) -> tuple[str | None, str | None]:
    try:
        answer = json.loads(body)
        return str(answer["error"]), str(answer["code"])
    except (ValueError, KeyError, TypeError):
        return None, None


def _excerpt(body: bytes) -> str:
    return repr(body[:200].decode("utf-8", "replace")) if body else "an empty answer"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds; the header may also give a date."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if value.isascii() and value.replace(".", "", 1).isdigit():
        return float(value)
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
