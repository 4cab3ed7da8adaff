"""HTTP/1.1 over sockets: as much of it as talking to one server needs.

`http.client` would do, and takes longer to import than the rest of the shim.
"""

from __future__ import annotations

import threading
import time

from helix_mcp.connection import Connection, Lost, NotHttp, NotSent, lost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from helix_mcp.address import Address
    from helix_mcp.proof import Owner

_KEEP_COUNT = 16
_LONGEST_LINE = 65536
_MOST_HEADERS = 200
_PIECE = 65536


class Response:
    """Status and headers; the body comes in pieces as it arrives."""

    def __init__(self, connection: Connection, server: Server, call: RequestInFlight | None) -> None:
        self._connection = connection
        self._server = server
        self._call = call
        self._is_read = False
        try:
            version, self.status = self._status_line()
            self.headers = self._read_headers()
            while 100 <= self.status < 200:  # a word before the answer
                version, self.status = self._status_line()
                self.headers = self._read_headers()
        except (OSError, ValueError) as error:
            raise lost(error) from error
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
            raise lost(error) from error
        self._is_read = True
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
        if not self._is_read:  # otherwise the connection may be another request's by now
            self._connection.wait_at_most(seconds)

    def close(self) -> None:
        if not self._is_read:
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
            except ValueError:
                size = -1
            if size < 0:
                raise NotHttp("a chunk without a size")
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


class RequestInFlight:
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
    """Sends requests to one address, each on a connection of its own, kept for the next when it is done.

    On each connection the other side first proves who it is, where the owner wants that.
    """

    def __init__(self, address: Address, headers: Mapping[str, str], owner: Owner) -> None:
        self._address = address
        self._headers = headers
        self._owner = owner
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
        call: RequestInFlight | None = None,
    ) -> Response:
        """The answer's head; NotYours when somebody else listens there.

        `fresh` takes no kept connection, which the server may be closing at this moment.
        """
        connection = None if fresh else self._take()
        is_new = connection is None
        connection = connection or Connection(self._address)
        try:
            if call is not None and not call.begin(connection):
                raise NotSent("it was cancelled")
            if is_new and self._owner.wants_proof:
                connection.prove(self._owner)
            connection.wait_at_most(seconds)
            whole = connection.send(self._head(method, path, headers, body) + body)
            if call is not None:
                call.sent.set()
            try:
                return Response(connection, self, call)
            except Lost as error:
                if not whole:
                    raise NotSent(str(error)) from error
                raise
        except BaseException:
            connection.close()
            raise

    def _head(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        lines = [f"{method} {path} HTTP/1.1"]
        lines += [
            f"{name}: {value}"
            for name, value in {**self._headers, **self._owner.headers(), **headers}.items()
        ]
        if body or method == "POST":
            lines += [] if "Content-Type" in headers else ["Content-Type: application/json"]
            lines += [f"Content-Length: {len(body)}"]
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
