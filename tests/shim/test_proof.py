"""Who is on the other side: every client of ours against the user's own daemon, and against somebody on its port."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from helix_mcp import connection
from helix_mcp.address import Address
from helix_mcp.proof import NotYours, Owner, proof_of

from helix import AsyncHelix, BadAnswer, Helix
from tests.cli.commands import BIN, helix
from tests.flows.daemon import running_daemon
from tests.shim.driver import shim
from tests.squatter import ORDER, Squatter, squatting
from tests.surfaces.conftest import Served, surroundings

TOKEN = "kT3vQ8wLx2Rb7NdYp5Zc1Ms9Hf4Gj6Ua0Ei"  # noqa: S105 (of nobody)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("proved")
    env = surroundings(place)
    (place / "vault").mkdir()
    with running_daemon(env) as daemon, httpx.Client(base_url=daemon.url, timeout=30) as http:
        running = Served(daemon, place, env, http)
        running.remember("Deploys go out on Tuesdays", scope="global")
        yield running


def of_a_user(place: Path, squatter: Squatter) -> dict[str, str]:
    """Settings of somebody whose daemon does not run, and whose port another user has taken."""
    env = {**surroundings(place), "HELIX_PORT": str(squatter.port)}
    (place / "config").mkdir(mode=0o700)
    (place / "config" / "token").write_text(f"{TOKEN}\n")
    helix("init", env=env)
    return env


def hook(env: Mapping[str, str], place: Path, *options: str) -> subprocess.CompletedProcess[str]:
    event = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(place), "source": "startup"}
    return subprocess.run(
        [BIN / "helix-mcp", "hook", *options],
        input=json.dumps(event), env=env, capture_output=True, text=True, timeout=30,
    )  # fmt: skip


def test_the_proof_is_an_hmac_of_question_and_address() -> None:
    said = b"helix proof\nabc\n127.0.0.1\n7878"
    for token in ("short", TOKEN, "long" * 40):
        assert proof_of(token, "abc", "127.0.0.1", 7878) == hmac.digest(token.encode(), said, "sha256").hex()
    assert len(proof_of(TOKEN, "abc", "::1", 1)) == hashlib.sha256().digest_size * 2


def test_a_hook_hands_a_squatter_no_token_and_tells_the_agent_nothing_of_it(tmp_path: Path) -> None:
    with squatting() as squatter:
        env = of_a_user(tmp_path, squatter)
        explained, silent = hook(env, tmp_path, "--explain"), hook(env, tmp_path)
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")
    assert explained.stdout == ""
    assert f"port {squatter.port} at 127.0.0.1 is held by a program" in explained.stderr
    assert squatter.heard.startswith(b"GET /proof?challenge=")
    assert TOKEN.encode() not in squatter.heard
    assert tmp_path.name.encode() not in squatter.heard  # nor in which project somebody works


def test_the_shim_answers_with_an_error_and_hands_a_squatter_nothing(tmp_path: Path) -> None:
    with squatting() as squatter:
        env = of_a_user(tmp_path, squatter)
        with shim("", env=env, cwd=tmp_path) as driver:
            answer = driver.open()
            assert (
                "is held by a program that does not prove to be your Helix daemon"
                in answer["error"]["message"]
            )
            again = driver.call(2, "memory_search", {"query": "the deploys of our project"})
            assert "is held by a program" in again["error"]["message"]
            assert driver.end() == 0
            assert "is held by a program" in driver.said
    assert TOKEN.encode() not in squatter.heard
    assert b"deploys" not in squatter.heard


def test_a_squatter_that_answers_a_byte_at_a_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_PROOF_SECONDS", 0.4)
    over = threading.Event()

    def trickle(server: socket.socket) -> None:
        with server.accept()[0] as taken, suppress(OSError):
            taken.sendall(b"HTTP/1.1 200 OK\r\n")
            while not over.wait(0.05):
                taken.sendall(b"X")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=trickle, args=(server,), daemon=True).start()
        address = Address(f"http://127.0.0.1:{server.getsockname()[1]}")
        asked = connection.Connection(address)
        # Were it not given up, the squatter would: it runs into the limit of an answer after a quarter of an hour.
        threading.Timer(20, over.set).start()
        with pytest.raises(connection.TooSlow):
            asked.prove(Owner(address, "nowhere", TOKEN))
        asked.close()
        assert not over.is_set()
        over.set()


def test_commands_hand_a_squatter_no_token_and_believe_nothing_of_it(tmp_path: Path) -> None:
    with squatting() as squatter:
        env = {**of_a_user(tmp_path, squatter), "HELIX_URL": squatter.url}
        read = subprocess.run([BIN / "helix", "recent"], env=env, capture_output=True, text=True, timeout=60)
        written = subprocess.run(
            [BIN / "helix", "remember", "Deploys go out on Tuesdays", "--global"],
            env=env, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        doctor = subprocess.run(
            [BIN / "helix", "doctor"], env=env, capture_output=True, text=True, timeout=120
        )
    assert ORDER not in read.stdout + read.stderr
    assert "is held by a program" in read.stderr
    assert written.returncode != 0
    assert "is held by a program" in written.stderr
    assert "port-taken" in doctor.stdout
    assert TOKEN.encode() not in squatter.heard
    assert b"Tuesdays" not in squatter.heard


@pytest.mark.parametrize("is_async", [False, True])
def test_the_python_client_hands_a_squatter_nothing(
    is_async: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with squatting() as squatter:
        for name, value in of_a_user(tmp_path, squatter).items():
            monkeypatch.setenv(name, value)
        with pytest.raises(BadAnswer, match="is held by a program"):
            _search(is_async)
    assert TOKEN.encode() not in squatter.heard
    assert b"deploys" not in squatter.heard


def _search(is_async: bool, url: str | None = None) -> int:
    if not is_async:
        with Helix(url, scope="global") as helix:
            return len(helix.recent().results) + len(helix.search("deploys").results)

    async def run() -> int:
        async with AsyncHelix(url, scope="global") as helix:
            return len((await helix.recent()).results) + len((await helix.search("deploys")).results)

    import asyncio

    return asyncio.run(run())


@pytest.mark.parametrize("is_async", [False, True])
def test_the_python_client_takes_its_own_daemon(
    is_async: bool, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in served.env.items():
        monkeypatch.setenv(name, value)
    assert _search(is_async) == 2
    assert _search(is_async, served.url.replace("127.0.0.1", "localhost")) == 2


def test_hook_shim_and_commands_take_their_own_daemon(served: Served) -> None:
    assert "Tuesdays" in hook(served.env, served.place, "--explain").stdout
    done = subprocess.run([BIN / "helix", "recent", "--all"], env=served.env, capture_output=True, text=True)
    assert "Tuesdays" in done.stdout
    with shim("", env=served.env) as driver:
        driver.open()
        answer = driver.call(2, "memory_search", {"query": "deploys", "scope": "global"})
        assert "Tuesdays" in json.dumps(answer)


def test_the_question_handed_on_to_the_real_daemon_proves_nothing(served: Served) -> None:
    """A squatter at another port that lets the daemon answer for it."""
    port = Address(served.url).port
    with squatting(relay_to=port) as relay:
        env = {**served.env, "HELIX_PORT": str(relay.port)}
        done = hook(env, served.place, "--explain")
    assert done.stdout == ""
    assert "it does not know your token" in done.stderr
    token = (served.place / "config" / "token").read_text("ascii").strip()
    assert token.encode() not in relay.heard


def test_an_address_and_a_token_that_the_user_chose_are_the_users_own_affair(served: Served) -> None:
    """A tunnel, or a proxy: it stands at another port than the daemon."""
    token = (served.place / "config" / "token").read_text("ascii").strip()
    with squatting(relay_to=Address(served.url).port) as tunnel:
        env = {**served.env, "HELIX_URL": tunnel.url, "HELIX_TOKEN": token}
        assert "Tuesdays" in hook(env, served.place, "--explain").stdout
    assert b"/proof" not in tunnel.heard


def test_a_token_in_the_settings_is_what_the_daemon_proves_to_know(tmp_path: Path) -> None:
    env = {**surroundings(tmp_path), "HELIX_TOKEN": TOKEN}
    (tmp_path / "vault").mkdir()
    with running_daemon(env) as daemon:
        assert "there is no memory" in hook(env, tmp_path, "--explain").stderr
        other = {**env, "HELIX_TOKEN": TOKEN[::-1]}
        assert "it does not know your token" in hook(other, tmp_path, "--explain").stderr
        rotated = {**env, "HELIX_TOKEN": "", "HELIX_URL": daemon.url}
        assert "there is no token in" in hook(rotated, tmp_path, "--explain").stderr


def test_a_new_token_is_known_to_a_running_daemon_and_to_running_clients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = {**surroundings(tmp_path), "HELIX_REQUIRE_TOKEN": "true"}
    (tmp_path / "vault").mkdir()
    with running_daemon(env):
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        with shim("", env=env) as driver, Helix(scope="global") as helix:
            driver.open()
            assert helix.recent().results == ()
            subprocess.run([BIN / "helix", "token", "--rotate"], env=env, check=True, capture_output=True)
            assert helix.recent().results == ()
            assert "result" in driver.call(3, "memory_search", {"query": "deploys", "scope": "global"})


def test_a_daemon_that_does_not_know_the_question_is_kept_away_from(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(TOKEN)
    owner = Owner(Address("http://127.0.0.1:7878"), str(token))
    challenge = owner.challenge()
    assert challenge.take(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}")
    with pytest.raises(NotYours, match="an older helixd"):
        challenge.check("127.0.0.1", 7878)


@pytest.mark.parametrize(
    "said",
    [
        b"220 mail.example.com ESMTP\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 20_000,
    ],
    ids=["not HTTP", "no length", "no end"],
)
def test_what_speaks_otherwise_is_not_listened_to(said: bytes, tmp_path: Path) -> None:
    owner = Owner(Address("http://127.0.0.1:7878"), str(tmp_path / "token"))
    with pytest.raises(NotYours):
        owner.challenge().take(said)


@pytest.mark.parametrize("challenge", ["", "zz" * 32, "ab", "ab" * 100])
def test_the_daemon_proves_itself_for_proper_questions_only(challenge: str, served: Served) -> None:
    assert served.http.get("/proof", params={"challenge": challenge}).status_code == 400


def test_the_proof_needs_no_token_and_no_web_page_gets_it(served: Served) -> None:
    asked = {"challenge": "ab" * 32}
    port, token = Address(served.url).port, (served.place / "config" / "token").read_text("ascii").strip()
    assert served.http.get("/proof", params=asked).text == proof_of(token, "ab" * 32, "127.0.0.1", port)
    refused = served.http.get("/proof", params=asked, headers={"Sec-Fetch-Site": "cross-site"})
    assert refused.status_code == 403


def test_asking_who_is_there_loads_no_openssl() -> None:
    code = "import sys, helix_mcp.proof as p; p.proof_of('t', 'c', 'h', 1); print('_hashlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
