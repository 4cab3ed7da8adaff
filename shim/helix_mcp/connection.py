"""One connection to the daemon, and the ways in which it can fail."""

from __future__ import annotations

import select
import socket
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedReader

    from helix_mcp.address import Address
    from helix_mcp.proof import Owner

_CONNECT_SECONDS = 10.0
_PROOF_SECONDS = 10.0
# A little shorter than the daemon keeps one (60 s), so that an agent may pause and none is closed under a request.
_KEEP_SECONDS = 55.0


class NotSent(Exception):
    """The request did not reach the server as a whole, so it was not carried out."""


class Lost(Exception):
    """The request was sent, and the connection ended before the whole answer was there."""


class TooSlow(Lost):
    """The answer took longer than was allowed."""


class NotHttp(Exception):
    """What answered does not speak HTTP."""


class Connection:
    def __init__(self, address: Address) -> None:
        self._socket = _connect(address)
        self.reader: BufferedReader = self._socket.makefile("rb")
        self.idle_since = 0.0

    def prove(self, owner: Owner) -> None:
        """Ask who is on the other side. NotYours when it is not the owner's daemon; nothing else was sent then."""
        challenge = owner.challenge()
        until = time.monotonic() + _PROOF_SECONDS
        self._socket.settimeout(_PROOF_SECONDS)
        try:
            self._socket.sendall(challenge.question)
            while True:
                # All of it has one deadline: pieces that come in time, one after the other, could go on for hours.
                self._socket.settimeout(max(until - time.monotonic(), 0.001))
                data = self._socket.recv(4096)
                if challenge.take(data):
                    break
                if not data:
                    raise NotSent("it closed the connection without an answer")
            host, port = self._socket.getpeername()[:2]
        except TimeoutError as error:
            raise lost(error) from error
        except OSError as error:
            raise NotSent(_reason(error)) from error
        challenge.check(host, port)

    def send(self, data: bytes) -> bool:
        """Whether every byte was taken. If not, an answer that came early (413, 401) may be there to be read."""
        try:
            self._socket.sendall(data)
        except (OSError, ValueError) as error:
            if not self._is_readable():
                raise NotSent(_reason(error)) from error
            return False
        return True

    def wait_at_most(self, seconds: float | None) -> None:
        self._socket.settimeout(seconds)

    def is_usable(self) -> bool:
        """A server says nothing on an idle connection, except that it closed it."""
        return time.monotonic() - self.idle_since < _KEEP_SECONDS and not self._is_readable()

    def _is_readable(self) -> bool:
        try:
            if hasattr(select, "poll"):  # not on Windows, where select has no limit on numbers
                poll = select.poll()
                poll.register(self._socket, select.POLLIN)
                return bool(poll.poll(0))
            return bool(select.select([self._socket], [], [], 0)[0])
        except (OSError, ValueError):
            return True

    def interrupt(self) -> None:
        """End it from another thread: whoever reads from it reads the end."""
        try:  # noqa: SIM105 (contextlib is slow to import)
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has ended already

    def close(self) -> None:
        self.interrupt()
        try:
            self.reader.close()
            self._socket.close()
        except OSError:
            pass  # closing is all that was wanted


def _connect(address: Address) -> socket.socket:
    try:
        if address.is_numeric:  # asking for a name would import the codec for international ones
            plain = socket.socket(socket.AF_INET6 if ":" in address.host else socket.AF_INET)
            plain.settimeout(_CONNECT_SECONDS)
            try:
                plain.connect((address.host, address.port))
            except OSError:
                plain.close()
                raise
        else:
            plain = socket.create_connection((address.host, address.port), _CONNECT_SECONDS)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        made = _secured(plain, address.host) if address.is_secure else plain
        made.settimeout(None)
        return made
    except (OSError, ValueError) as error:
        raise NotSent(_reason(error)) from error


def _secured(plain: socket.socket, host: str) -> socket.socket:
    import ssl

    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except OSError:
        plain.close()
        raise


def lost(error: Exception) -> Lost:
    """What an error while reading means."""
    return TooSlow("no answer in time") if isinstance(error, TimeoutError) else Lost(_reason(error))


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
