"""From nothing running: the shim answers what it knows while the daemon starts, as the daemon itself would."""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from helix_mcp.known_answers import KnownAnswers
from helix_mcp.message import Message

from helix.surfaces.mcp.known_answers import render
from tests.flows.daemon import free_port
from tests.shim.driver import ENVELOPE, MODERN, OPENING, Driver, shim
from tests.shim.test_start import Place, home
from tests.surfaces.conftest import Served, serving
from tests.waiting import wait_for

__all__ = ["home"]
ROOT = Path(__file__).parents[2]
LISTS = ("tools/list", "resources/list", "resources/templates/list")
HANDSHAKES = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN, "1999-01-01", ""]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


def known(
    dialect: str, names: str, method: str, params: Mapping[str, object], tools: str = ""
) -> dict[str, Any] | None:
    request = Message(b"", {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params)})
    return KnownAnswers(dialect, dotted=names == "dotted", tools=tools).find(request)


def test_the_files_of_known_answers_are_what_the_daemon_answers() -> None:
    folder = ROOT / "shim" / "helix_mcp" / "known_answers"
    assert {file.name: file.read_text("utf-8") for file in folder.iterdir()} == render(), "run `make docs`"


@pytest.mark.parametrize("names", ["", "dotted"])
@pytest.mark.parametrize(
    ("dialect", "tools"), [("", ""), ("helix", ""), ("vault", ""), ("zaxy", ""), ("", "sessions")]
)
def test_what_is_known_is_what_the_daemon_says_in_every_revision(
    served: Served, dialect: str, tools: str, names: str
) -> None:
    asked = {"dialect": dialect, "names": names, "tools": tools}
    options = [f"--{name}={value}" for name, value in asked.items() if value]
    for version in HANDSHAKES:
        with shim("", *options, env={**served.env, "HELIX_URL": served.url}) as client:
            opening = {**OPENING, "protocolVersion": version}
            assert (
                known(dialect, names, "initialize", opening, tools)
                == client.ask(1, "initialize", opening)["result"]
            )
            client.send("notifications/initialized")
            for method in (*LISTS, "ping"):
                assert known(dialect, names, method, {}, tools) == client.ask(method, method).get("result")
    with shim("", *options, env={**served.env, "HELIX_URL": served.url}) as client:
        for method in ("server/discover", *LISTS, "ping", "prompts/list"):
            params = {"_meta": ENVELOPE}
            answer = client.ask(method, method, params).get("result")
            assert known(dialect, names, method, params, tools) == answer


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("initialize", {}),
        ("initialize", {**OPENING, "clientInfo": {}}),
        ("initialize", {**OPENING, "protocolVersion": 1}),
        ("tools/list", {"cursor": "x"}),
        ("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}}),
        ("server/discover", {"_meta": {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}}),
        ("tools/call", {"name": "memory_search"}),
    ],
    ids=str,
)
def test_what_the_daemon_would_refuse_is_left_to_it(method: str, params: dict[str, object]) -> None:
    assert known("", "", method, params) is None
    assert known("nosuch", "", "initialize", OPENING) is None


@contextmanager
def installed(folder: Path, helixd: str, **env: str) -> Iterator[Driver]:
    """helix-mcp, and beside it a helixd that is this script."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "helixd").write_text(f"#!/bin/sh\necho $$ > '{folder}/pid'\n{helixd}\n")
    (programs / "helix-mcp").write_text(f"#!{sys.executable}\nfrom helix_mcp import main\nmain()\n")
    for program in programs.iterdir():
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    place = {"HELIX_STATE_DIR": str(folder / "state"), "HELIX_CONFIG_DIR": os.devnull}
    url = f"http://127.0.0.1:{free_port()}"
    try:
        with shim(url, env={**place, **env}, may_start=True, program=programs / "helix-mcp") as client:
            yield client
    finally:
        if "exec" in helixd and (folder / "pid").exists():  # otherwise it has ended by itself
            with suppress(ProcessLookupError):
                os.kill(int((folder / "pid").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("era", ["handshake", MODERN])
def test_a_client_is_answered_before_the_daemon_listens_and_the_input_may_end_then(
    tmp_path: Path, era: str
) -> None:
    with installed(tmp_path, "exec sleep 600") as client:
        params: dict[str, object] = {"_meta": ENVELOPE} if era == MODERN else {}
        if era == MODERN:
            assert client.ask(1, "server/discover", params)["result"]["supportedVersions"] == [MODERN]
        else:
            assert client.open()["result"]["serverInfo"]["name"] == "helix"
        tools = client.ask(2, "tools/list", params)["result"]["tools"]
        assert "memory_search" in {tool["name"] for tool in tools}
        wait_for((tmp_path / "pid").exists)
        assert client.end() == 0


def test_a_signal_ends_a_shim_whose_daemon_does_not_come(tmp_path: Path) -> None:
    with installed(tmp_path, "exec sleep 600") as client:
        client.open()
        client.send("tools/call", {"name": "memory_search", "arguments": {"query": "x"}}, 3)
        wait_for((tmp_path / "pid").exists)
        client.process.send_signal(signal.SIGTERM)
        assert client.wait() == 0


def test_a_daemon_that_cannot_start_is_the_error_of_the_first_call(tmp_path: Path) -> None:
    with installed(tmp_path, "echo 'helixd: there is no vault' >&2; exit 1") as client:
        assert "result" in client.open()
        for number in (1, 2):
            error = client.call(number, "memory_search", {"query": "x"})["error"]
            assert error["code"] == -32090
            assert "there is no vault" in error["message"]
        assert "there is no vault" in client.ask(3, "tools/list")["error"]["message"]
        assert client.end() == 0


def test_without_leave_to_start_a_daemon_nothing_is_promised() -> None:
    with shim(f"http://127.0.0.1:{free_port()}") as client:
        assert client.ask(1, "initialize", OPENING)["error"]["code"] == -32090


@pytest.mark.parametrize("era", ["handshake", MODERN])
def test_a_session_that_began_before_the_daemon_is_one_like_any_other(home: Place, era: str) -> None:
    with shim("", "--session=s-1", env=home.env, may_start=True) as client:
        meta: dict[str, object] = {"_meta": ENVELOPE} if era == MODERN else {}
        if era == MODERN:
            client.ask(1, "server/discover", meta)
        else:
            client.open()
        for number in range(5):
            arguments = {"text": f"Fact number {number} about owls and their nests", "force": True}
            client.send("tools/call", {"name": "memory_write", "arguments": arguments, **meta}, number)
        answers = [client.receive(60) for _ in range(5)]
        assert sorted(one["id"] for one in answers) == list(range(5)), answers
        assert not any(one["result"].get("isError") for one in answers), answers
        assert len(list(Path(home.env["HELIX_VAULT"]).rglob("*fact-number*.md"))) == 5
        assert client.is_silent  # what was said before the daemon was there is what it says
        if era != MODERN:
            client.ask(10, "resources/subscribe", {"uri": "helix://graph"})
            client.send(
                "tools/call",
                {
                    "name": "memory_write",
                    "arguments": {"text": "One more about owls in barns", "force": True},
                },
                11,
            )
            seen = [client.receive(60) for _ in range(2)]
            assert {one.get("method", one.get("id")) for one in seen} == {
                11,
                "notifications/resources/updated",
            }
        assert client.end() == 0


OTHER = f"PYTHONPATH={ROOT} exec {sys.executable} -m tests.shim.mcp_server $HELIX_PORT '{{folder}}'"


def test_a_client_hears_that_the_daemon_that_was_started_is_of_another_release(tmp_path: Path) -> None:
    with installed(tmp_path, OTHER.format(folder=tmp_path)) as client:
        client.open()
        assert "memory_search" in str(client.ask(1, "tools/list"))
        assert client.receive(60)["method"] == "notifications/tools/list_changed"
        assert {tool["name"] for tool in client.ask(2, "tools/list")["result"]["tools"]} >= {"echo", "count"}
        wait_for(lambda: "another way" in client.said)
        assert client.end() == 0


def test_a_stateless_client_hears_it_on_the_stream_that_it_listens_to(tmp_path: Path) -> None:
    with installed(tmp_path, OTHER.format(folder=tmp_path)) as client:
        assert "memory_search" in str(client.ask(1, "tools/list", {"_meta": ENVELOPE}))
        wanted = {"notifications": {"toolsListChanged": True}, "_meta": ENVELOPE}
        client.send("subscriptions/listen", wanted, "stream")
        heard = [client.receive(60) for _ in range(2)]
        [changed] = [one for one in heard if one["method"] == "notifications/tools/list_changed"]
        assert changed["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": "stream"}
        assert client.end() == 0
