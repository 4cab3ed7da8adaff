"""Who is on the other side: what listens on a port of this machine proves that it is its owner's daemon.

Any user of the machine can take the port while no daemon runs. So the first question on each connection is one that
only somebody who can read the owner's token can answer, and until it is answered nothing else is sent: no token, no
question, no memory. The address is part of the answer; who sits at another one cannot hand the question on to the
daemon and its answer back. No `hmac` here: it would load OpenSSL, which takes longer than the whole exchange.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from helix_mcp.address import Address
    from helix_mcp.login import Login

PATH = "/proof"
_BLOCK = 64
_LARGEST_ANSWER = 16 * 1024
_TWO_LINES = b"\r\n\r\n"


class NotYours(Exception):
    """What answers does not prove that it is its owner's daemon. It was told nothing."""

    def __init__(self, trouble: str, remedy: str) -> None:
        super().__init__(f"{trouble}; {remedy}")
        self.trouble = trouble


class Owner:
    """The user on this side: a token, and where it lies when it was not given."""

    def __init__(
        self,
        address: Address,
        token_file: str,
        token: str = "",
        *,
        chosen: bool = False,
        silent: bool = False,
        login: Login | None = None,
    ) -> None:
        """`chosen` says that the user named the address: with a token for it, that is the user's own affair (a tunnel,
        a proxy). With https a certificate does the proving. For other machines the token file is not read. `silent`
        shows the token to nobody. `login` counts where no token was given and the user named the address."""
        self.address = address
        self._token_file = token_file
        self._token = token
        self._silent = silent
        self._is_loopback = address.is_loopback
        self._read: tuple[tuple[int, ...], str] = ((), "")
        self._login = login if chosen and not token and login is not None and login.is_there() else None
        is_own_affair = chosen and bool(token or self._login)
        self.wants_proof = address.is_loopback and not address.is_secure and not is_own_affair

    def token(self) -> str:
        """Looked for each time: it may have been made or changed a moment ago."""
        if self._login is not None:
            return self._login.token()
        if self._token or not self._is_loopback:
            return self._token
        signature = _signature(self._token_file)
        if self._read[0] != signature or not signature:
            self._read = (signature, read_token(self._token_file))
        return self._read[1]

    @property
    def is_logged_in(self) -> bool:
        """Whether what is shown may have to be renewed first, which asks the server."""
        return self._login is not None and not self._silent

    def headers(self) -> dict[str, str]:
        """What is shown to a daemon that has proved itself."""
        token = "" if self._silent else self.token()
        return {"Authorization": f"Bearer {token}"} if token else {}

    def challenge(self) -> Challenge:
        return Challenge(self)

    def refusal(self, why: str) -> NotYours:
        return NotYours(
            f"port {self.address.port} at {self.address.host} is held by a program that does not prove to be your "
            f"Helix daemon ({why}), and was told nothing",
            "stop it, or set HELIX_PORT to a free port. If it is your daemon, start it again with the settings that "
            "are used here: `helix down`, `helix up`",
        )

    def missing(self) -> NotYours:
        return self.refusal(f"there is no token in {self._token_file} to know it by")


class Challenge:
    """One question and its answer, over whatever carries bytes."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._nonce = os.urandom(32).hex()
        self._answer = b""
        address = owner.address
        # Nothing in it tells who asks.
        self.question = (
            f"GET {address.path}{PATH}?challenge={self._nonce} HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"
        ).encode("latin-1")

    def take(self, data: bytes) -> bool:
        """A piece of the answer; whether all of it is there."""
        self._answer += data
        if len(self._answer) > _LARGEST_ANSWER:
            raise self._owner.refusal("it says too much")
        head, separator, body = self._answer.partition(_TWO_LINES)
        if not separator:
            if head[:7] != b"HTTP/1."[: len(head)]:
                raise self._owner.refusal("it does not speak HTTP")
            return False
        return len(body) >= self._length(head)

    def check(self, host: str, port: int) -> None:
        """Whether it was answered by the owner's daemon at this address. Raises NotYours."""
        head, _, body = self._answer.partition(_TWO_LINES)
        status = head.split(b" ", 2)[1:2]
        if status == [b"404"]:
            raise self._owner.refusal("it does not know the question; an older helixd would not either")
        if status != [b"200"]:
            shown = b"".join(status)[:3].decode("latin-1")
            raise self._owner.refusal(f"it answers the question with {shown}")
        token = self._owner.token()
        if not token:
            raise self._owner.missing()
        # The question is never asked again, so that how long the comparison takes tells nothing.
        if body != proof_of(token, self._nonce, host, port).encode():
            raise self._owner.refusal("it does not know your token")

    def _length(self, head: bytes) -> int:
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                return int(value)
        raise self._owner.refusal("its answer has no length")


def proof_of(token: str, challenge: str, host: str, port: int) -> str:
    """HMAC-SHA256 of the challenge and of the address at which it was asked, with the token as its key."""
    return _hmac(token.encode(), f"helix proof\n{challenge}\n{host}\n{port}".encode())


def _signature(path: str) -> tuple[int, ...]:
    """Another one when the file was written since."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return ()
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def read_token(path: str) -> str:
    """Empty when there is none, or none that could stand in a header."""
    try:
        with open(path, encoding="ascii") as file:
            token = file.readline(4096).strip()
    except (OSError, ValueError):
        return ""
    return token if token.isprintable() else ""


def _hmac(key: bytes, text: bytes) -> str:
    sha256 = _sha256()
    key = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    inner = sha256(bytes(byte ^ 0x36 for byte in key) + text).digest()
    return str(sha256(bytes(byte ^ 0x5C for byte in key) + inner).hexdigest())


def _sha256() -> Callable[[bytes], Any]:
    """The interpreter's own, where it has one: `hashlib` loads OpenSSL."""
    try:
        from _sha2 import sha256  # type: ignore[import-not-found]
    except ImportError:
        try:
            from _sha256 import sha256  # type: ignore[import-not-found]  # until Python 3.11
        except ImportError:
            from hashlib import sha256
    made: Callable[[bytes], Any] = sha256
    return made
