"""The agent of examples/typescript-agent, by the commands of its README."""

from __future__ import annotations

import http.server
import json
import re
import shlex
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.sdk.package import ROOT, SDK, Package

EXAMPLE = ROOT / "examples" / "typescript-agent"


@dataclass(frozen=True)
class Agent:
    package: Package
    folder: Path
    env: Mapping[str, str]

    def commands(self) -> list[str]:
        readme = (self.folder / "README.md").read_text("utf-8")
        return readme.split("Then, in this folder:")[1].split("```sh\n")[1].split("```")[0].splitlines()

    def run(self, command: str, **more: str) -> str:
        """The last line that a command prints."""
        said = self.package.run(*shlex.split(command), cwd=self.folder, env={**self.env, **more})
        return said.splitlines()[-1] if said else ""


@pytest.fixture(scope="module")
def agent(package: Package, asked: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Agent:
    """The example as it lies in git, beside the built SDK."""
    place = tmp_path_factory.mktemp("example")
    folder = place / "examples" / "typescript-agent"
    listed = subprocess.run(["git", "ls-files", "."], cwd=EXAMPLE, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(EXAMPLE / name, folder / name)
    (place / "sdk").mkdir()
    (place / "sdk" / "typescript").symlink_to(SDK)
    agent = Agent(
        package, folder, {**asked, "npm_config_prefer_offline": "true", "npm_config_package_lock": "false"}
    )
    agent.run(agent.commands()[0])
    package.tsc(cwd=folder)
    return agent


def test_what_it_was_told_in_one_run_it_knows_in_the_next(agent: Agent) -> None:
    _, tell, ask = agent.commands()
    noted = agent.run(tell)
    [memory_id] = re.findall(r"mem_\d{4}-\d{2}-\d{2}_[\w-]+", noted)
    assert noted == f"Noted as {memory_id}."
    known = agent.run(ask)
    assert "Tuesdays only" in known
    assert known.endswith(f"[{memory_id}]")
    assert agent.run(tell) == f"I knew that already: {memory_id}."
    assert agent.run('node dist/agent.js "Who paints the observatory?"') == "I remember nothing about that."


def test_a_model_that_is_served_gets_what_is_known_and_the_tools(agent: Agent) -> None:
    agent.run('node dist/agent.js "Remember that the beacon is serviced on Fridays"')
    with served_model() as (url, seen):
        said = agent.run(
            'node dist/agent.js "When is the beacon serviced?"', OPENAI_BASE_URL=url, OPENAI_MODEL="tiny"
        )
    assert said == "On Fridays."
    first, second = seen
    assert "on Fridays" in first["messages"][0]["content"], "what is known comes along from the start"
    assert {tool["function"]["name"] for tool in first["tools"]} == {
        "memory_search", "memory_write", "memory_get",
    }  # fmt: skip
    assert second["messages"][-1]["role"] == "tool"
    assert "on Fridays" in second["messages"][-1]["content"]


def test_without_a_daemon_it_says_how_to_start_one(agent: Agent) -> None:
    with pytest.raises(AssertionError, match="start it with `helixd`"):
        agent.run('node dist/agent.js "When do deploys go out?"', HELIX_URL="http://127.0.0.1:9")


@contextmanager
def served_model() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server of Chat Completions whose model searches once and then answers."""
    seen: list[dict[str, Any]] = []

    class Completions(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(asked)
            call = {"name": "memory_search", "arguments": '{"query": "when is the beacon serviced"}'}
            message: dict[str, Any] = {"role": "assistant", "content": "On Fridays."}
            if asked["messages"][-1]["role"] == "user":
                message |= {
                    "content": None,
                    "tool_calls": [{"id": "c", "type": "function", "function": call}],
                }
            body = json.dumps({"choices": [{"message": message}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name in the base class)
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Completions)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()
