"""HTTP as servers really send it, read through sockets."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from helix_mcp.address import Address
from helix_mcp.connection import Connection, Lost, NotHttp, NotSent
from helix_mcp.proof import Owner
from helix_mcp.wire import RequestInFlight, Server

from tests.flows.daemon import free_port
from tests.shim.driver import OPENING, shim
from tests.shim.peer import Asked, Peer, http, polite, running_peer
from tests.waiting import wait_for

CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
BODY = (
    b"4;name=value\r\nWiki\r\n6\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n"
)


def _has_ended(peer: Peer, connections: int) -> bool:
    return peer.ended == connections


def _server(url: str) -> Server:
    address = Address(url)
    return Server(address, {"Host": "x"}, Owner(address, "", "of-the-test", chosen=True))


def test_chunks_are_put_together_wherever_they_are_cut() -> None:
    whole = CHUNKED + BODY

    def answer(asked: Asked) -> bytes:
        cut = int(asked.path[1:])
        for part in (whole[:cut], whole[cut : cut + 1]):
            asked.connection.sendall(part)
        return whole[cut + 1 :]

    with running_peer(answer) as peer:
        server = _server(peer.url)
        for cut in range(0, len(whole), 3):
            response = server.ask("GET", f"/{cut}", {})
            assert response.read() == b"Wikipedia in \r\n\r\nchunks."
            assert response.kind == "text/plain"
        assert {one.connection_number for one in peer.asked} == {
            1
        }  # trailers and all: the connection is kept


def test_a_connection_is_used_again_and_not_when_it_must_be_fresh() -> None:
    with running_peer(lambda _: http(200, b"x")) as peer:
        server = _server(peer.url)
        for fresh in (False, False, True):
            server.ask("POST", "/", {}, b"{}", fresh=fresh).read()
        assert [one.connection_number for one in peer.asked] == [1, 1, 2]


def test_a_connection_that_the_server_closed_is_not_used_again() -> None:
    def answer(asked: Asked) -> bytes | None:
        asked.connection.sendall(http(200, b"x"))
        return None

    with running_peer(answer) as peer:
        server = _server(peer.url)
        for number in range(5):
            assert server.ask("GET", "/", {}).read() == b"x"
            wait_for(partial(_has_ended, peer, number + 1))
        assert len(peer.asked) == 5


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.0 200 OK\r\n\r\nold", b"old"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 204 No\r\n\r\n", b""),
        (b"HTTP/1.1 200\r\ncontent-length:  2 \r\n\r\nok", b"ok"),
    ],
)
def test_other_ways_to_end_an_answer(answer: bytes, body: bytes) -> None:
    def send(asked: Asked) -> None:
        asked.connection.sendall(answer)

    with running_peer(send) as peer:
        assert _server(peer.url).ask("GET", "/", {}).read() == body


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"", Lost),
        (b"HTTP/1.1 200 OK\r\nContent-Le", Lost),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", Lost),
        (CHUNKED + b"5\r\nabc", Lost),
        (CHUNKED + b"5\r\nabcde\r\n", Lost),
        (CHUNKED + b"zz\r\nabcde\r\n", NotHttp),
        (CHUNKED + b"-5\r\nabcde\r\n", NotHttp),
        (b"SSH-2.0-OpenSSH\r\n", NotHttp),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 500 + b"\r\n", NotHttp),
    ],
)
def test_an_answer_that_is_not_whole_is_never_taken_for_one(answer: bytes, error: type[Exception]) -> None:
    def send(asked: Asked) -> None:
        asked.connection.sendall(answer)

    with running_peer(send) as peer, pytest.raises(error):
        _server(peer.url).ask("GET", "/", {}).read()


def test_an_answer_that_comes_before_the_whole_request_was_sent_is_read() -> None:
    """A server that refuses a large body need not read it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def refuse() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(100)
                connection.sendall(http(413, b"no"))
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 20):
                    pass

        threading.Thread(target=refuse, daemon=True).start()
        response = _server(f"http://127.0.0.1:{port}").ask("POST", "/", {}, b"x" * 8_000_000)
        assert (response.status, response.read()) == (413, b"no")


def test_nobody_there_means_that_nothing_was_sent() -> None:
    for host in ("127.0.0.1", "localhost"):
        with pytest.raises(NotSent, match=r"(?i)refused"):
            Connection(Address(f"http://{host}:{free_port()}"))


def test_a_call_is_interrupted_from_another_thread_but_never_its_successor() -> None:
    waiting = threading.Event()

    def answer(asked: Asked) -> bytes | None:
        if asked.path == "/hang":
            waiting.set()
            asked.connection.recv(1)
            return None
        return http(200, b"x")

    with running_peer(answer) as peer:
        server, call = _server(peer.url), RequestInFlight()

        def interrupt() -> None:
            waiting.wait(5)
            call.interrupt()

        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(Lost):
            server.ask("GET", "/hang", {}, call=call)
        first = RequestInFlight()
        server.ask("GET", "/", {}, call=first).read()
        second = server.ask("GET", "/", {})
        first.interrupt()
        assert second.read() == b"x"
        with pytest.raises(NotSent):
            server.ask("GET", "/", {}, call=first)


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A port that speaks TLS before a polite server, and the certificate to trust."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    making = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    naming = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*making.split(), *naming], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with running_peer(polite, secured=context) as peer:
        yield peer.port, certificate


def test_https_works_with_a_certificate_that_is_trusted_and_not_otherwise(secure: tuple[int, Path]) -> None:
    port, certificate = secure
    url = f"https://localhost:{port}"
    with shim(url, env={"SSL_CERT_FILE": str(certificate)}) as client:
        assert client.open()["result"]["protocolVersion"] == "2025-11-25"
        assert client.ask(1, "ping")["result"] == {"method": "ping"}
        assert client.end() == 0
    with shim(url) as client:
        message = client.ask(1, "initialize", OPENING)["error"]["message"]
        assert "certificate" in message.lower()
