"""HTTP/1.1 over sockets: as much of it as talking to one server needs.

`http.client` would do, and takes longer to import than the rest of the shim.
"""

from __future__ import annotations

import select
import socket
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from io import BufferedReader

    from helix_mcp.address import Address

_CONNECT_SECONDS = 10.0
# Shorter than uvicorn's five seconds, so that a kept connection is rarely closed under a request.
_KEEP_SECONDS = 3.0
_KEEP_COUNT = 16
_LONGEST_LINE = 65536
_MOST_HEADERS = 200
_PIECE = 65536


class NotSent(Exception):
    """The request did not reach the server as a whole, so it was not carried out."""


class Lost(Exception):
    """The request was sent, and the connection ended before the whole answer was there."""


class NotHttp(Exception):
    """What answered does not speak HTTP."""


class Connection:
    def __init__(self, address: Address) -> None:
        self._socket = _connect(address)
        self.reader: BufferedReader = self._socket.makefile("rb")
        self.idle_since = 0.0

    def send(self, data: bytes) -> bool:
        """Whether every byte was taken. If not, an answer that came early (413, 401) may be there to be read."""
        try:
            self._socket.sendall(data)
        except (OSError, ValueError) as error:
            if not self._is_readable():
                raise NotSent(_said(error)) from error
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
        raise NotSent(_said(error)) from error


def _secured(plain: socket.socket, host: str) -> socket.socket:
    import ssl

    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except OSError:
        plain.close()
        raise


def _said(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class Response:
    """Status and headers; the body comes in pieces as it arrives."""

    def __init__(self, connection: Connection, server: Server, call: Call | None) -> None:
        self._connection = connection
        self._server = server
        self._call = call
        try:
            version, self.status = self._status_line()
            self.headers = self._read_headers()
            while 100 <= self.status < 200:  # a word before the answer
                version, self.status = self._status_line()
                self.headers = self._read_headers()
        except (OSError, ValueError) as error:
            raise Lost(_said(error)) from error
        length = self.headers.get("content-length", "")
        self._chunked = self.headers.get("transfer-encoding", "").lower().endswith("chunked")
        self._length = int(length) if length.isdigit() and not self._chunked else None
        if self.status in (204, 304):
            self._chunked, self._length = False, 0
        self._reusable = version == b"HTTP/1.1" and "close" not in self.headers.get("connection", "").lower()
        self._reusable = self._reusable and (self._chunked or self._length is not None)

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def pieces(self) -> Iterator[bytes]:
        """The body as it arrives; Lost when it ends too early. The connection is kept when all was read."""
        try:
            if self._chunked:
                yield from self._chunks()
            elif self._length is not None:
                yield from self._exactly(self._length)
            else:
                while piece := self._connection.reader.read1(_PIECE):
                    yield piece
        except (OSError, ValueError) as error:
            raise Lost(_said(error)) from error
        if self._call is not None:
            self._call.end()
        if self._reusable:
            self._server.keep(self._connection)
        else:
            self._connection.close()

    def read(self, most: int = -1) -> bytes:
        """The whole body, or its beginning."""
        got: list[bytes] = []
        for piece in self.pieces():
            got.append(piece)
            if 0 <= most <= sum(map(len, got)):
                self.close()
                break
        return b"".join(got)

    def wait_at_most(self, seconds: float | None) -> None:
        """For each piece that is still to come; Lost when it takes longer."""
        self._connection.wait_at_most(seconds)

    def close(self) -> None:
        self._connection.close()

    def _status_line(self) -> tuple[bytes, int]:
        line = self._connection.reader.readline(_LONGEST_LINE)
        if not line:
            raise Lost("it closed the connection without an answer")
        version, _, rest = line.partition(b" ")
        if not version.startswith(b"HTTP/1.") or not rest[:3].isdigit():
            raise NotHttp(line[:80].decode("utf-8", "replace").strip())
        return version, int(rest[:3])

    def _read_headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        for _ in range(_MOST_HEADERS):
            line = self._line()
            if not line:
                return headers
            name, _, value = line.partition(b":")
            headers[name.strip().lower().decode("latin-1")] = value.strip().decode("latin-1")
        raise NotHttp("more headers than anybody needs")

    def _line(self) -> bytes:
        line = self._connection.reader.readline(_LONGEST_LINE)
        if not line.endswith(b"\n"):
            raise Lost("the answer ends in its middle")
        return line.rstrip(b"\r\n")

    def _chunks(self) -> Iterator[bytes]:
        while True:
            try:
                size = int(self._line().partition(b";")[0], 16)
            except ValueError as error:
                raise NotHttp("a chunk without a size") from error
            if size == 0:
                while self._line():
                    pass  # trailers
                return
            yield from self._exactly(size)
            self._line()

    def _exactly(self, count: int) -> Iterator[bytes]:
        while count:
            piece = self._connection.reader.read1(min(count, _PIECE))
            if not piece:
                raise Lost("the answer ends in its middle")
            count -= len(piece)
            yield piece


class Call:
    """A request under way, which another thread may interrupt."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self.interrupted = False
        self.begun = False
        self.sent = threading.Event()

    def begin(self, connection: Connection) -> bool:
        with self._lock:
            self._connection = connection
            self.begun = not self.interrupted
            return self.begun

    def end(self) -> None:
        """The connection goes to the next request now, which must not be interrupted for this one."""
        with self._lock:
            self._connection = None

    def interrupt(self) -> None:
        with self._lock:
            self.interrupted = True
            if self._connection is not None:
                self._connection.interrupt()


class Server:
    """Sends requests to one address, each on a connection of its own, kept for the next when it is done."""

    def __init__(self, address: Address, headers: Mapping[str, str]) -> None:
        self._address = address
        self._headers = headers
        self._lock = threading.Lock()
        self._idle: list[Connection] = []

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        fresh: bool = False,
        seconds: float | None = None,
        call: Call | None = None,
    ) -> Response:
        """The answer's head. `fresh` takes no kept connection, which the server may be closing at this moment."""
        connection = None if fresh else self._take()
        connection = connection or Connection(self._address)
        try:
            if call is not None and not call.begin(connection):
                raise NotSent("it was cancelled")
            connection.wait_at_most(seconds)
            whole = connection.send(self._head(method, path, headers, body) + body)
            if call is not None:
                call.sent.set()
            try:
                return Response(connection, self, call)
            except Lost as lost:
                if not whole:
                    raise NotSent(str(lost)) from lost
                raise
        except BaseException:
            connection.close()
            raise

    def _head(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        lines = [f"{method} {path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in {**self._headers, **headers}.items()]
        if method == "POST":
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def _take(self) -> Connection | None:
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if connection.is_usable():
                    return connection
                connection.close()
        return None

    def keep(self, connection: Connection) -> None:
        connection.idle_since = time.monotonic()
        with self._lock:
            self._idle.append(connection)
            oldest = self._idle.pop(0) if len(self._idle) > _KEEP_COUNT else None
        if oldest is not None:
            oldest.close()
