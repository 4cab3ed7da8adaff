"""Being logged in to a server elsewhere: two tokens in the user's config folder, one for minutes and one to renew it.

The one for renewing is good once, and showing it twice ends the login. So whoever renews holds a lock, looks whether
another program was faster, and has written down what it got before anybody uses it.
"""

from __future__ import annotations

import os
import time

from helix_mcp.connection import Lost, NotHttp, NotSent
from helix_mcp.proof import NotYours, Owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, Any

    from helix_mcp.address import Address

LOGINS_FILE = "logins.json"
CLIENT_ID = "helix-cli"
_LOCK_FILE = ".logins.lock"
_EARLY = 30.0
_SECONDS = 20.0
_LOCK_SECONDS = 30.0
_PAUSE = 0.02
_LARGEST = 64 * 1024


class LoginEnded(NotYours):
    """The server does not renew it any more."""


class Login:
    """With one server, as the file has it at each moment: another program may log in, renew, or log out."""

    def __init__(self, folder: str, address: Address) -> None:
        self.address = address
        self._folder = folder
        self._path = os.path.join(folder, LOGINS_FILE)
        self._seen: tuple[tuple[int, ...], dict[str, Any]] = ((), {})

    def is_there(self) -> bool:
        return bool(self.find())

    def find(self) -> dict[str, Any]:
        """Empty when nobody is logged in."""
        try:
            info = os.stat(self._path)
        except (OSError, ValueError):
            return {}
        signature = (info.st_mtime_ns, info.st_ino, info.st_size)
        if self._seen[0] != signature:
            self._seen = (signature, _read(self._path).get(self.address.url, {}))
        return self._seen[1]

    def token(self) -> str:
        """One that is good for a while yet; empty when nobody is logged in. Raises LoginEnded, NotSent."""
        login = self.find()
        if login.get("ended"):
            raise self._ended("it was ended there, or not used for long")
        if not login or time.time() < login["expires_at"] - _EARLY:
            return str(login.get("access_token", ""))
        return self._renewed(login)

    def keep(self, answer: dict[str, Any]) -> None:
        """What the server handed out."""
        with _Locked(self._folder):
            self._write(_entry(answer))

    def forget(self) -> None:
        with _Locked(self._folder):
            self._write(None)

    def _renewed(self, login: dict[str, Any]) -> str:
        with _Locked(self._folder):
            self._seen = ((), {})
            now = self.find()
            if now != login and "expires_at" in now and time.time() < now["expires_at"] - _EARLY:
                return str(now["access_token"])
            if not now or now.get("ended"):
                raise self._ended("another program found it so")
            form = {
                "grant_type": "refresh_token",
                "refresh_token": now["refresh_token"],
                "client_id": CLIENT_ID,
            }
            try:
                status, answer = ask(self.address, "/auth/token", form)
            except (Lost, NotHttp, OSError) as error:
                raise NotSent(f"your login could not be renewed: {error}") from error
            if status == 200:
                entry = _entry(answer)
                self._write(entry)
                return str(entry["access_token"])
            if answer.get("error") in ("invalid_grant", "invalid_client"):
                self._write({"ended": True})  # who comes next is told the same, and asks nobody
                raise self._ended("it was ended there, or not used for long")
        raise NotSent(f"{self.address.url} does not renew your login now (it answered {status})")

    def _ended(self, why: str) -> LoginEnded:
        return LoginEnded(
            f"your login with {self.address.url} has ended ({why})",
            f"`helix login {self.address.url}` makes a new one",
        )

    def _write(self, entry: dict[str, Any] | None) -> None:
        import json

        logins = _read(self._path)
        logins.pop(self.address.url, None)
        if entry is not None:
            logins[self.address.url] = entry
        draft = f"{self._path}-{os.urandom(4).hex()}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(logins, file, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, self._path)
        self._seen = ((), {})


def ask(address: Address, path: str, form: dict[str, str], token: str = "") -> tuple[int, dict[str, Any]]:
    """POST of a form; the status, and the JSON that was answered. Raises NotSent, Lost, NotHttp, OSError."""
    import json

    from helix_mcp.address import percent_encoded
    from helix_mcp.wire import Server

    # The address was named by the user, and is shown nothing but what it handed out itself.
    owner = Owner(address, "", token or "none", chosen=True, silent=not token)
    body = "&".join(f"{name}={percent_encoded(value)}" for name, value in form.items()).encode()
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    server = Server(address, {"Host": address.host_header}, owner)
    response = server.ask("POST", address.path + path, headers, body, fresh=True, seconds=_SECONDS)
    text = response.read(_LARGEST)
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    return response.status, answer if isinstance(answer, dict) else {}


def _entry(answer: dict[str, Any]) -> dict[str, Any]:
    return {
        "access_token": str(answer["access_token"]),
        "refresh_token": str(answer["refresh_token"]),
        "expires_at": int(time.time() + float(answer["expires_in"])),
    }


def _read(path: str) -> dict[str, Any]:
    import json

    try:
        with open(path, encoding="utf-8") as file:
            logins = json.load(file)
    except (OSError, ValueError):
        return {}
    entries = logins if isinstance(logins, dict) else {}
    return {url: entry for url, entry in entries.items() if _is_entry(entry)}


def _is_entry(entry: object) -> bool:
    if isinstance(entry, dict) and entry.get("ended") is True:
        return True
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("expires_at"), int)
        and all(_is_text(entry.get(name)) for name in ("access_token", "refresh_token"))
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isprintable()


class _Locked:
    """No other program of this user renews meanwhile. A program that dies lets go."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file: IO[str] | None = None

    def __enter__(self) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        self._file = open(os.path.join(self._folder, _LOCK_FILE), "a", encoding="utf-8")
        until, take = time.monotonic() + _LOCK_SECONDS, _taker()
        while not take(self._file):
            if time.monotonic() > until:
                self._file.close()
                raise LoginEnded("another program has been renewing your login for long", "try again")
            time.sleep(_PAUSE)

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _taker() -> Callable[[IO[str]], bool]:
    from helix_mcp.start_daemon import take_lock

    return take_lock
