"""Programs that run with secrets, on a real daemon: once, within limits, and without a value in what is told."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.commands import helix
from tests.client.conftest import Running, daemon_at
from tests.flows.daemon import running_daemon
from tests.residue import residue
from tests.waiting import wait_for

VALUE = "walrus-token-4711-tusk"
SETTINGS = """
[secrets]
programs = ["sh", "env", "no-such-program"]
longest_run = 20.0
most_output = 20000
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with daemon_at(tmp_path_factory.mktemp("secrets"), settings=SETTINGS) as one:
        ask(one, "POST", "/secrets/github", {"value": VALUE})
        yield one


def ask(running: Running, method: str, path: str, body: Any = None, status: int = 200) -> Any:
    answer = httpx.request(method, f"{running.url}{path}", json=body, timeout=30)
    assert answer.status_code == status, answer.text
    return answer.json()


def begin(running: Running, script: str, **more: Any) -> str:
    body = {"command": ["sh", "-c", script], "environment": {"GH": "github"}, **more}
    return str(ask(running, "POST", "/secret-runs", body, 202)["run_id"])


def ended(running: Running, run_id: str) -> Any:
    def look() -> Any:
        found = ask(running, "GET", f"/secret-runs/{run_id}")
        return found if found["state"] not in ("queued", "running") else None

    return wait_for(look, seconds=30)


def test_a_program_has_the_secret_and_what_it_prints_has_not(served: Running) -> None:
    found = ended(served, begin(served, 'printf "%s %s" "$GH" "${#GH}"; echo "$GH" >&2; exit 3'))
    assert (found["state"], found["exit_code"]) == ("failed", 3)
    assert (found["stdout"], found["stderr"]) == (f"[REDACTED] {len(VALUE)}", "[REDACTED]\n")


def test_a_value_that_is_written_in_pieces_is_found(served: Running) -> None:
    script = 'printf %s "${GH%-4711-tusk}"; sleep 0.2; printf %s "-4711-tusk"; echo'
    assert ended(served, begin(served, script))["stdout"] == "[REDACTED]\n"


def test_a_value_at_the_cut_is_found_whole(served: Running) -> None:
    script = 'head -c 19990 /dev/zero | tr "\\0" x; printf %s "$GH"; head -c 500000 /dev/zero | tr "\\0" y'
    printed = ended(served, begin(served, script))["stdout"]
    assert printed.startswith("x" * 19990 + "[REDACTED]")
    assert printed.endswith("[TRUNCATED]")
    assert len(printed) < 20_100


def test_nothing_of_the_daemons_environment_is_passed_on_but_what_programs_need(served: Running) -> None:
    run_id = ask(served, "POST", "/secret-runs", {"command": ["env"], "environment": {"GH": "github"}}, 202)
    printed = ended(served, run_id["run_id"])["stdout"]
    names = {line.partition("=")[0] for line in printed.splitlines()}
    assert "GH" in names
    assert not [name for name in names if "HELIX" in name or "TOKEN" in name]


def test_one_that_takes_too_long_is_ended_with_all_it_started(served: Running, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    found = ended(served, begin(served, f"sleep 60 & echo $! > {mark}; wait", timeout=0.5))
    assert (found["state"], found["exit_code"]) == ("timed_out", None)
    assert "0.5 s" in found["error"]
    wait_for(lambda: not _runs(int(mark.read_text())))


def test_one_that_is_cancelled_is_ended(served: Running, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    run_id = begin(served, f"echo $$ > {mark}; exec sleep 60")
    wait_for(lambda: mark.exists() and mark.read_text())
    ask(served, "POST", f"/secret-runs/{run_id}/cancel")
    assert ended(served, run_id)["state"] == "cancelled"
    assert not _runs(int(mark.read_text()))
    assert "ended already" in ask(served, "POST", f"/secret-runs/{run_id}/cancel", status=400)["error"]


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"command": ["cat", "/etc/passwd"], "environment": {}}, 403, "secrets.programs"),
        ({"command": ["/bin/sh", "-c", "true"], "environment": {}}, 403, "secrets.programs"),
        ({"command": [], "environment": {}}, 400, "name the program"),
        ({"command": ["sh", "a\0b"], "environment": {}}, 400, "NUL"),
        ({"command": ["sh"], "environment": {"GH": "nothing"}}, 404, "no secret"),
        ({"command": ["sh"], "environment": {"LD_PRELOAD": "github"}}, 400, "no variable"),
        ({"command": ["sh"], "environment": {"PATH": "github"}}, 400, "no variable"),
        ({"command": ["sh"], "environment": {"A=B": "github"}}, 400, "no variable"),
        ({"command": ["sh"], "environment": {}, "timeout": 999}, 400, "up to 20"),
        ({"command": ["sh", "AKIAIOSFODNN7EXAMPLQ"], "environment": {}}, 422, "looks like"),
    ],
)
def test_what_cannot_be_run_is_refused_with_what_to_do(
    served: Running, body: dict[str, Any], status: int, says: str
) -> None:
    assert says in ask(served, "POST", "/secret-runs", body, status)["error"]


def test_a_program_that_is_not_there_fails_and_says_so(served: Running) -> None:
    begun = ask(served, "POST", "/secret-runs", {"command": ["no-such-program"], "environment": {}}, 202)
    assert "cannot be started" in ended(served, begun["run_id"])["error"]


def test_no_route_tells_a_value_and_no_file_has_it(served: Running) -> None:
    ended(
        served,
        begin(served, 'echo "$GH" | base64; echo "$GH" | rev; printf %s "$GH" | od -An -tx1 | tr -d " \\n"'),
    )
    paths = httpx.get(f"{served.url}/openapi.json", timeout=30).json()["paths"]
    values = {"name": "github", "run_id": "run_0", "secret_name": "github"}
    for path, methods in paths.items():
        for method in methods:
            spelled = path.format_map({**values, **dict.fromkeys(_names_in(path) - set(values), "github")})
            if "delete" in path or path in ("/events", "/reindex") or method == "patch":
                continue
            answer = httpx.request(method, f"{served.url}{spelled}", params={"q": VALUE[:6]}, timeout=30)
            assert VALUE not in answer.text, (method, path)
            assert "4711" not in answer.text, (method, path)
    assert residue(VALUE, served.place) == []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert VALUE.encode() not in process.read_bytes() or b"pytest" in process.read_bytes()
        except OSError:
            continue


def test_a_run_that_a_kill_cut_off_is_not_run_again_and_one_that_waits_is(tmp_path: Path) -> None:
    with daemon_at(tmp_path, settings=SETTINGS) as first:
        ask(first, "POST", "/secrets/github", {"value": VALUE})
        ledger = tmp_path / "ledger"
        going = [begin(first, f"echo {number} >> {ledger}; sleep 60") for number in range(4)]
        wait_for(lambda: ledger.exists() and len(ledger.read_text().split()) == 4)
        waiting = begin(first, f"echo last >> {ledger}")
        first.daemon.process.send_signal(signal.SIGKILL)
        first.daemon.process.wait(timeout=20)
        with running_daemon(dict(first.env)) as second:
            again = Running(second, first.place, first.env)
            assert ended(again, waiting)["state"] == "succeeded"
            assert {ask(again, "GET", f"/secret-runs/{run_id}")["state"] for run_id in going} == {"failed"}
            assert "not run again" in ask(again, "GET", f"/secret-runs/{going[0]}")["error"]
            listed = ask(again, "GET", "/secret-runs")["runs"]
            assert [job["run_id"] for job in listed] == [waiting, *reversed(going)]
        assert sorted(ledger.read_text().split()) == ["0", "1", "2", "3", "last"]


def test_too_many_that_wait_are_refused_until_some_have_ended(tmp_path: Path) -> None:
    with daemon_at(tmp_path, settings=SETTINGS) as one:
        ask(one, "POST", "/secrets/github", {"value": VALUE})
        for _ in range(4 + 64):
            begin(one, "sleep 20", timeout=20)
        body = {"command": ["sh"], "environment": {}}
        refused = httpx.post(f"{one.url}/secret-runs", json=body, timeout=30)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "5")


def test_without_a_daemon_the_command_runs_it_and_ends_with_its_status(tmp_path: Path) -> None:
    with daemon_at(tmp_path, settings=SETTINGS) as one:
        ask(one, "POST", "/secrets/github", {"value": VALUE})
    env = dict(one.env)
    done = helix(
        "secret", "run", "--env", "GH=github", "--", "sh", "-c", "echo $GH; exit 7", env=env, ok=False
    )
    assert (done.returncode, done.stdout) == (7, "[REDACTED]\n")
    assert [
        run["state"] for run in json.loads(helix("secret", "runs", "--json", env=env).stdout)["runs"]
    ] == ["failed"]


def _names_in(path: str) -> set[str]:
    return {piece.partition("}")[0] for piece in path.split("{")[1:]}


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "zombie" not in Path(f"/proc/{pid}/status").read_text() if Path("/proc").is_dir() else True
