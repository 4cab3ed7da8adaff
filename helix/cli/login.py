"""helix login, logout and whoami: coming in to a server elsewhere without a key."""

from __future__ import annotations

import sys
import time
from typing import Annotated, Any

import typer
from helix_mcp.address import Address, BadAddress
from helix_mcp.connection import Lost, NotHttp, NotSent
from helix_mcp.login import CLIENT_ID, Login, ask

from helix.cli.open_vault import config_of_daemon
from helix.cli.output import Json, out, print_facts, print_json, reports_errors
from helix.codes import to_error
from helix.config import Config
from helix.daemon_client import find_daemon
from helix.errors import BadValue, DaemonUnreachable, HelixError

_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_SLOWER = 5.0
Url = Annotated[
    str, typer.Argument(metavar="[URL]", help="The server, such as https://memory.example.com (HELIX_URL).")
]


@reports_errors
def login(
    context: typer.Context,
    url: Url = "",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser of this machine.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Log in to a server of a team, in a browser on any machine.

    The commands, helix-mcp and both SDKs come in with it wherever HELIX_URL names that server and no HELIX_TOKEN is
    set. What is kept lies in the config folder, for you alone, and renews itself.
    """
    config = config_of_daemon(context)
    address = _address(url or config.url)
    status, begun = _asked(address, "/auth/device/code", {"client_id": CLIENT_ID})
    if status != 200:
        raise _refused(address, status, begun)
    page = str(begun["verification_uri_complete"])
    if as_json:
        print_json({"verification_uri": page, "user_code": begun["user_code"]})
        sys.stdout.flush()
    else:
        out.print(f"Open {begun['verification_uri']} and type {begun['user_code']}")
    if browser and sys.stdin.isatty():
        import webbrowser  # only here: most commands open none

        webbrowser.open(page)
    kept = Login(str(config.config_dir), address)
    kept.keep(_awaited(address, begun))
    if not as_json:
        out.print(f"logged in; set HELIX_URL={address.url}" if config.url != address.url else "logged in")


@reports_errors
def logout(context: typer.Context, url: Url = "", as_json: Json = False) -> None:
    """Log out of a server: end what was granted there."""
    config = config_of_daemon(context)
    address = _address(url or config.url)
    kept = Login(str(config.config_dir), address)
    entry = kept.find()
    if not entry:
        raise BadValue(f"nobody is logged in to {address.url} here")
    is_ended = entry.get("ended", False)
    try:
        if not is_ended:
            form = {"token": str(entry["refresh_token"]), "client_id": CLIENT_ID}
            is_ended = _asked(address, "/auth/revoke", form)[0] == 200
    except DaemonUnreachable:
        is_ended = False
    kept.forget()
    if as_json:
        print_json({"url": address.url, "ended_there": is_ended})
    elif is_ended:
        out.print(f"logged out of {address.url}")
    else:
        out.print(
            f"forgotten here; {address.url} could not be told, where an admin ends it: `helix client grants`"
        )


@reports_errors
def whoami(context: typer.Context, as_json: Json = False) -> None:
    """Say as whom the commands come in, and what they may."""
    config = config_of_daemon(context)
    person = _who(config)
    if as_json:
        print_json(person)
        return
    print_facts(
        [
            ("who", person["name"]),
            ("where", config.url or "this machine"),
            ("org", person.get("org") or ""),
            ("may", " ".join(person.get("permissions") or ["everything"])),
            ("by", person.get("client") or ("a key" if person.get("key") else "the token of this machine")),
        ]
    )


def _who(config: Config) -> dict[str, Any]:
    owner = {"id": "local", "name": "the owner of this machine"}
    daemon = find_daemon(config)
    if daemon is None:
        return owner
    try:
        return daemon.ask("/me")
    except HelixError as error:
        if error.code != "no-such-path":
            raise
        return owner  # of a daemon for one person


def _awaited(address: Address, begun: dict[str, Any]) -> dict[str, Any]:
    """The tokens, once a person has decided. Raises HelixError."""
    pause, until = float(begun["interval"]), time.monotonic() + float(begun["expires_in"])
    form = {"grant_type": _DEVICE_GRANT, "device_code": str(begun["device_code"]), "client_id": CLIENT_ID}
    while time.monotonic() < until:
        time.sleep(pause)
        status, answer = _asked(address, "/auth/token", form)
        error = answer.get("error")
        if status == 200:
            return answer
        if error == "slow_down":
            pause += _SLOWER
        elif error != "authorization_pending":
            raise _refused(address, status, answer)
    raise BadValue("nobody let it in within the time; begin again")


def _asked(address: Address, path: str, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
    try:
        return ask(address, path, form)
    except (NotSent, Lost, NotHttp, OSError) as error:
        raise DaemonUnreachable(f"{address.url} does not answer ({error})") from error


def _address(url: str) -> Address:
    if not url:
        raise BadValue("name the server: `helix login https://memory.example.com`, or set HELIX_URL")
    try:
        address = Address(url)
    except BadAddress as error:
        raise BadValue(str(error)) from error
    if not address.is_secure and not address.is_loopback:
        raise BadValue(f"{url} is not encrypted; a login goes over https")
    return address


def _refused(address: Address, status: int, answer: dict[str, Any]) -> HelixError:
    error = str(answer.get("error", ""))
    if error == "access_denied":
        return to_error("forbidden", "whoever looked at the page said no")
    if error == "expired_token":
        return BadValue("nobody let it in within the time; begin again")
    if status == 404 or not error:
        return to_error(
            "no-such-path",
            f"{address.url} lets nobody log in (it answered {status}); is it a Helix of a team?",
        )
    reason = answer.get("error_description") or error
    return to_error(str(answer.get("code", "unauthorized")), f"{address.url} refused it: {reason}")
