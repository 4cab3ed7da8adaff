"""Server-sent events, parsed as the standard says, from pieces that are cut anywhere."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class EventParser:
    """Feed it bytes, take the data of whole events. Remembers the last event's id and the server's wish to wait."""

    def __init__(self) -> None:
        self.last_id = ""
        self.retry: float | None = None
        self._id = ""
        self._data: list[bytes] = []
        self._line: list[bytes] = []  # pieces of the line that has not ended yet; it may be megabytes long
        self._after_cr = False
        self._at_start = True

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The data of each event that ends in this piece; an event without data is none."""
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
            self._after_cr = False
        if not piece:
            return
        self._after_cr = piece.endswith(b"\r")
        for part in piece.splitlines(keepends=True):
            ended = part.endswith((b"\n", b"\r"))
            self._line.append(part.rstrip(b"\r\n") if ended else part)
            if ended:
                line, self._line = b"".join(self._line), []
                if (data := self._take(line)) is not None:
                    yield data

    def _take(self, line: bytes) -> bytes | None:
        if self._at_start:
            line = line.removeprefix(b"\xef\xbb\xbf")
            self._at_start = False
        if not line:
            data, self._data = b"\n".join(self._data), []
            self.last_id = self._id
            return data or None
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        elif field == b"retry" and value.isdigit():
            self.retry = int(value) / 1000
        return None


def events(pieces: Iterable[bytes], parser: EventParser) -> Iterator[bytes]:
    for piece in pieces:
        yield from parser.feed(piece)
