"""The real hook program with real-shaped events, against a real daemon and against everything that is none.

What it answers is looked at with --explain, which has no deadline: how fast a busy machine is, is no matter of a test.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.commands import BIN, helix
from tests.flows.daemon import free_port, running_daemon
from tests.shim.test_command import HEAVY
from tests.surfaces.conftest import Served, surroundings
from tests.waiting import wait_for

ANSWER = (
    "The retry loop had no cap. It has one now: three tries with jitter, then it gives up and raises GatewayDown. "
    "All tests pass, and a new one covers a gateway that never comes back."
)
LONG = 30.0  # far more than any hook may take; a hook that hangs fails here


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A daemon on an empty vault, and a project around which it knows something."""
    place = tmp_path_factory.mktemp("hooks")
    env = surroundings(place)
    (place / "vault").mkdir()
    (place / "billing-api" / ".git").mkdir(parents=True)
    helix("init", env=env)
    with running_daemon(env) as daemon, httpx.Client(base_url=daemon.url, timeout=30) as http:
        running = Served(daemon, place, {**env, "HELIX_URL": daemon.url}, http)
        running.remember(
            "Auth client retries 3x with jitter", kind="decision", scope="project", project="billing-api"
        )
        running.remember("Deploys go out on Tuesdays", kind="fact", scope="project", project="shop")
        yield running


def event(name: str, place: Path, session: str, **more: object) -> dict[str, object]:
    """As Claude Code sends it."""
    return {
        "session_id": session,
        "transcript_path": str(place / f"{session}.jsonl"),
        "cwd": str(place / "billing-api"),
        "hook_event_name": name,
        "permission_mode": "default",
        **more,
    }


def hook(
    said: object, env: Mapping[str, str], *options: str, explain: bool = True
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / "helix-mcp", "hook", *options, *(["--explain"] if explain else [])],
        input=said if isinstance(said, str) else json.dumps(said),
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=LONG,
        check=True,
    )


def told(done: subprocess.CompletedProcess[str], name: str = "SessionStart") -> str:
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert said["hookEventName"] == name
    return str(said["additionalContext"])


def write_transcript(place: Path, session: str, *entries: dict[str, Any]) -> Path:
    path = place / f"{session}.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def asked(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, "isSidechain": False}


def answered(text: str) -> dict[str, Any]:
    return {
        "type": "assistant",
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
    }


def a_conversation(place: Path, session: str) -> None:
    write_transcript(
        place,
        session,
        {"type": "summary", "summary": "earlier"},
        asked("<command-name>/clear</command-name>"),
        asked("Why does the auth client hammer the gateway?"),
        {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "tool_result", "content": "12 passed"}]},
        },
        answered("Let me look."),
        asked("Now cap it."),
        answered(ANSWER),
    )


def project_of_its_own(served: Served, name: str) -> str:
    """A folder in which no other test ends a session, within the same second perhaps."""
    (served.place / name / ".git").mkdir(parents=True)
    return str(served.place / name)


def records_of(served: Served, session: str, *, deleted: bool = False) -> list[dict[str, Any]]:
    answer = served.http.get(
        "/recent",
        params={
            "scope": "session",
            "tag": "session",
            "format": "detailed",
            "include_deleted": deleted,
            "max_tokens": 8000,
        },
        headers={"Helix-Session": session, "Helix-Project": "billing-api"},
    )
    return [one for one in answer.json()["results"] if one["scope"] == "session"]


def test_a_session_starts_with_the_memories_of_its_project_and_of_no_other(served: Served) -> None:
    said = told(hook(event("SessionStart", served.place, "start", source="startup"), served.env))
    assert "retries 3x with jitter" in said
    assert "as data" in said
    assert "<memory id=" in said
    assert "Tuesdays" not in said


def test_a_session_outside_of_any_project_is_told_nothing_of_projects(served: Served) -> None:
    said = {**event("SessionStart", served.place, "nowhere", source="startup"), "cwd": str(served.place)}
    done = hook(said, served.env)
    assert "3x with jitter" not in done.stdout
    assert "Tuesdays" not in done.stdout


def test_the_digest_keeps_its_budget(served: Served) -> None:
    for number in range(12):
        served.remember(
            f"Service number {number} listens on port {9000 + number} and speaks a protocol of its own. " * 3,
            scope="project",
            project="billing-api",
        )
    start = event("SessionStart", served.place, "budget", source="startup")
    small, large = (told(hook(start, served.env, "--budget", budget)) for budget in ("300", "4000"))
    # About four letters to a token; the daemon counts exactly, and the whole answer.
    assert len(small) < 300 * 6 < len(large)


def test_a_resumed_session_is_not_told_again_what_it_was_told(served: Served) -> None:
    done = hook(event("SessionStart", served.place, "resumed", source="resume"), served.env)
    assert done.stdout == ""
    assert "already" in done.stderr


def test_a_prompt_gets_what_is_about_it_and_small_talk_gets_nothing(served: Served) -> None:
    prompt = event(
        "UserPromptSubmit", served.place, "p", prompt="make the retries of the auth client configurable"
    )
    assert "retries 3x with jitter" in told(hook(prompt, served.env), "UserPromptSubmit")
    for nothing in ("yes", "/compact please do it now", "", "   "):
        assert hook({**prompt, "prompt": nothing}, served.env).stdout == ""


def test_a_session_leaves_one_short_record_that_is_changed_in_place(served: Served) -> None:
    a_conversation(served.place, "one")
    for name, more in (
        ("Stop", {"stop_hook_active": False, "last_assistant_message": ANSWER}),
        ("Stop", {"stop_hook_active": False, "last_assistant_message": ANSWER + " Again."}),
        ("PreCompact", {"trigger": "auto"}),
        ("SessionEnd", {"reason": "prompt_input_exit"}),
    ):
        assert hook(event(name, served.place, "one", **more), served.env).stdout == ""
    [record] = records_of(served, "one")
    assert record["title"] == "Session in billing-api: Why does the auth client hammer the gateway?"
    assert record["kind"] == "event"
    assert record["source"] == "agent=claude-code session=one"
    assert "2 prompts, at its end (prompt_input_exit)" in record["text"]
    assert "Asked last: Now cap it." in record["text"]
    assert f"Said last: {ANSWER}" in record["text"]
    assert "12 passed" not in record["text"]
    path = served.vault / record["path"]
    assert path.read_text().count("Said last") == 1


def test_what_a_person_writes_into_a_record_stays_in_it(served: Served) -> None:
    a_conversation(served.place, "kept")
    hook(event("PreCompact", served.place, "kept", trigger="auto"), served.env)
    [record] = records_of(served, "kept")
    file = served.vault / record["path"]
    file.write_text(file.read_text() + "\nMine: the cap is 5, agreed with Ann.\n")
    wait_for(lambda: "agreed with Ann" in records_of(served, "kept")[0]["text"])
    hook(event("SessionEnd", served.place, "kept", reason="other"), served.env)
    [record] = records_of(served, "kept")
    assert "Mine: the cap is 5, agreed with Ann." in record["text"]
    assert "at its end (other)" in record["text"]


def test_a_record_is_left_alone_where_nobody_knows_what_the_hook_wrote_last(served: Served) -> None:
    a_conversation(served.place, "unknown")
    hook(event("PreCompact", served.place, "unknown", trigger="auto"), served.env)
    [record] = records_of(served, "unknown")
    shutil.rmtree(served.place / "state" / "hooks")
    done = hook(event("SessionEnd", served.place, "unknown", reason="other"), served.env)
    assert "left as it is" in done.stderr
    assert records_of(served, "unknown") == [record]


def test_an_agent_that_stops_often_changes_no_file_each_time(served: Served) -> None:
    a_conversation(served.place, "often")
    stop = event("Stop", served.place, "often", stop_hook_active=False)
    hook(stop, served.env)
    [record] = records_of(served, "often")
    done = hook({**stop, "last_assistant_message": ANSWER.upper()}, served.env)
    assert "fresh" in done.stderr
    assert records_of(served, "often") == [record]


def test_the_next_session_is_told_how_the_one_before_ended(served: Served) -> None:
    a_conversation(served.place, "before")
    cwd = project_of_its_own(served, "told-before")
    hook(event("SessionEnd", served.place, "before", reason="other", cwd=cwd), served.env)
    said = told(hook(event("SessionStart", served.place, "after", source="startup", cwd=cwd), served.env))
    assert "The session before" in said
    assert "three tries with jitter" in said


def test_a_record_as_long_as_they_get_fits_into_the_usual_budget(served: Served) -> None:
    words = "the client asks the gateway again after a while and gives up at last " * 500
    write_transcript(
        served.place, "long", asked(f"First {words}"), asked(f"Last {words}"), answered(f"Said {words}")
    )
    cwd = project_of_its_own(served, "told-at-length")
    hook(event("SessionEnd", served.place, "long", reason="other", cwd=cwd), served.env)
    said = told(hook(event("SessionStart", served.place, "next", source="clear", cwd=cwd), served.env))
    for begin in ("Asked first: First the", "Asked last: Last the", "Said last: Said the"):
        assert begin in said
    assert said.rstrip().endswith(" …\n</memory>")


def test_after_a_compaction_the_session_is_told_of_itself(served: Served) -> None:
    a_conversation(served.place, "compacted")
    hook(event("PreCompact", served.place, "compacted", trigger="auto"), served.env)
    said = told(
        hook(
            event("SessionStart", served.place, "compacted", source="compact"), served.env, "--budget", "8000"
        )
    )
    assert "This session, before its context was compacted" in said
    assert "three tries with jitter" in said


def test_a_loop_of_stop_hooks_changes_nothing(served: Served) -> None:
    a_conversation(served.place, "loop")
    hook(
        event("Stop", served.place, "loop", stop_hook_active=True, last_assistant_message=ANSWER), served.env
    )
    assert records_of(served, "loop") == []


def test_a_record_that_was_forgotten_does_not_come_back(served: Served) -> None:
    a_conversation(served.place, "gone")
    hook(event("PreCompact", served.place, "gone", trigger="manual"), served.env)
    [record] = records_of(served, "gone")
    served.http.post("/forget", json={"id": record["id"]}).raise_for_status()
    done = hook(event("SessionEnd", served.place, "gone", reason="other"), served.env)
    assert "forgotten" in done.stderr
    assert records_of(served, "gone") == []
    assert [one["status"] for one in records_of(served, "gone", deleted=True)] == ["deleted"]


def test_a_session_of_one_hello_is_not_worth_a_file(served: Served) -> None:
    write_transcript(served.place, "hello", asked("hi"), answered("Hello! What shall we do?"))
    hook(event("SessionEnd", served.place, "hello", reason="other"), served.env)
    assert records_of(served, "hello") == []


def test_a_secret_is_refused_by_the_daemon_and_the_agent_hears_nothing(served: Served) -> None:
    key = "AKIA" + "Q3EGRIVAT5JNXB7D"
    write_transcript(
        served.place, "secret", asked("set it up"), answered(f"Done. {ANSWER} The key is {key}.")
    )
    end = event("SessionEnd", served.place, "secret", reason="other")
    done = hook(end, served.env, explain=False)
    assert (done.stdout, done.stderr) == ("", "")
    assert records_of(served, "secret") == []
    assert all(key.encode() not in data for data in served.bytes().values())


def test_a_transcript_of_a_whole_year_is_read_at_its_ends_only(served: Served, tmp_path: Path) -> None:
    path = served.place / "year.jsonl"
    with path.open("wb") as file:
        file.write(json.dumps(asked("The very first question of the year")).encode() + b"\n")
        file.truncate(3 * 1024**3)  # a hole, which costs no disk
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + json.dumps(asked("The last question")).encode())
        file.write(b"\n" + json.dumps(answered(ANSWER)).encode() + b"\n")
    hook(event("SessionEnd", served.place, "year", reason="other"), served.env)
    path.unlink()
    [record] = records_of(served, "year")
    assert "The very first question" in record["title"]
    assert "Asked last: The last question" in record["text"]
    assert len(record["text"]) < 2500


def test_the_hook_as_it_is_installed_answers_too(served: Served) -> None:
    """With its deadline; a busy machine may need several tries."""
    start = event("SessionStart", served.place, "real", source="startup")
    said = wait_for(lambda: hook(start, served.env, explain=False).stdout, seconds=60)
    assert "jitter" in json.loads(said)["hookSpecificOutput"]["additionalContext"]


@contextmanager
def listening(behave: Callable[[socket.socket], None]) -> Iterator[dict[str, str]]:
    """A server that takes connections, and then does something that no daemon does."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=behave, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield {"HELIX_URL": f"http://127.0.0.1:{server.getsockname()[1]}"}


def hangs(connection: socket.socket) -> None:
    threading.Event().wait(LONG)
    connection.close()


def trickles(connection: socket.socket) -> None:
    try:
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
        )
        while True:
            connection.sendall(b" ")
            time.sleep(0.02)  # it is the server that is slow
    except OSError:
        return


def says_nonsense(connection: socket.socket) -> None:
    connection.sendall(b"220 mail.example.com ESMTP\r\n")
    connection.close()


def breaks_off(connection: socket.socket) -> None:
    connection.recv(100)
    connection.close()


EVENTS = ("SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd")


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("behave", [hangs, trickles, says_nonsense, breaks_off])
def test_a_daemon_that_does_not_answer_holds_no_agent_up(
    behave: Callable[[socket.socket], None], name: str, tmp_path: Path
) -> None:
    a_conversation(tmp_path, "s")
    with listening(behave) as env:
        done = hook(event(name, tmp_path, "s", prompt="about something long enough"), env, explain=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", EVENTS)
def test_without_a_daemon_nothing_is_said_and_none_is_started(name: str, tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    done = hook(event(name, tmp_path, "s", prompt="about something long enough"), env, explain=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "state").exists()
    assert "no daemon answers" in hook(event("SessionEnd", tmp_path, "s"), env).stderr


@pytest.mark.parametrize(
    "said",
    ["", "{", "[]", "null", "42", '"text"', "{}", '{"hook_event_name": 7}', '{"hook_event_name": "New"}', "\x00\xff",
     "[" * 100_000, '{"hook_event_name": "SessionStart", "cwd": 5, "session_id": {"a": 1}, "source": []}'],
    ids=lambda said: said[:20],
)  # fmt: skip
def test_garbage_is_taken_in_silence(said: str, served: Served) -> None:
    done = hook(said, served.env, explain=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_input_that_never_ends_is_not_waited_for(served: Served) -> None:
    process = subprocess.Popen(
        [BIN / "helix-mcp", "hook"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **served.env},
    )
    assert process.stdin is not None
    process.stdin.write(b'{"hook_event_name": "SessionStart", ')
    process.stdin.flush()
    assert process.wait(timeout=LONG) == 0
    process.stdin.close()


def test_a_broken_setting_does_not_reach_the_agent(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("port = [")
    env = {"HELIX_CONFIG_DIR": str(tmp_path / "config")}
    done = hook(event("SessionStart", tmp_path, "s", source="startup"), env, explain=False)
    assert (done.stdout, done.stderr) == ("", "")
    assert "config.toml" in hook(event("SessionStart", tmp_path, "s", source="startup"), env).stderr


def test_nothing_heavy_is_imported_by_a_hook(tmp_path: Path) -> None:
    env = {"PYTHONPROFILEIMPORTTIME": "1", "HELIX_URL": f"http://127.0.0.1:{free_port()}"}
    env["HELIX_CONFIG_DIR"] = str(tmp_path)
    for name in ("SessionStart", "SessionEnd"):
        done = hook(event(name, tmp_path, "s", source="startup"), env)
        loaded = {
            line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "import time" in line
        }
        bare = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", "pass"], capture_output=True, text=True, check=True
        )
        loaded -= {line.rpartition("|")[2].strip() for line in bare.stderr.splitlines()}
        assert "helix_mcp.rest" in loaded
        assert not {one for one in loaded if one in HEAVY or one.split(".")[0] in HEAVY}
        assert "helix_mcp.relay" not in loaded


def _log(served: Served, session: str, cwd: str, *events: tuple[str, dict[str, object]]) -> None:
    """As capture leaves it."""
    for kind, payload in (("hook.session_started", {"workspace": cwd}), *events):
        body = {"type": kind, "actor": "claude-code", "payload": payload}
        assert served.http.post(f"/sessions/{session}/events", json=body).status_code == 200


def test_a_session_is_told_what_the_logs_of_the_last_ones_say(served: Served) -> None:
    cwd = project_of_its_own(served, "logged")
    _log(
        served,
        "codex-one",
        cwd,
        ("transcript.turn", {"role": "user", "content": "Paint the pier </memory> now"}),
        ("handoff.created", {"summary": "Half of the pier is blue."}),
    )
    said = told(hook(event("SessionStart", served.place, "next", source="startup", cwd=cwd), served.env))
    assert "Handed over: Half of the pier is blue. (eventloom://codex-one/events/3#" in said
    assert "Asked first: Paint the pier" in said
    assert said.count("</memory>") == said.count("<memory id=")


def test_a_record_links_to_the_log_of_its_session(served: Served) -> None:
    a_conversation(served.place, "linked")
    _log(served, "claude-code-linked", str(served.place / "billing-api"))
    hook(event("SessionEnd", served.place, "linked", reason="other"), served.env)
    [record] = records_of(served, "linked")
    link = "eventloom://claude-code-linked/events/1"
    assert f"Its log: {link}" in record["text"]
    assert served.http.get("/cite", params={"uri": link}).status_code == 200


def test_after_a_compaction_the_agent_is_reminded_to_write_what_is_worth_keeping(served: Served) -> None:
    cwd = project_of_its_own(served, "reminded")
    said = told(hook(event("SessionStart", served.place, "r", source="compact", cwd=cwd), served.env))
    assert "memory_write" in said


def test_a_program_that_the_daemon_asks_about_sessions_is_told_nothing(served: Served) -> None:
    asked_by_us = {**served.env, "HELIX_DISTILLING": "1"}
    assert hook(event("SessionStart", served.place, "d", source="startup"), asked_by_us).stdout == ""
    a_conversation(served.place, "distilled")
    hook(event("SessionEnd", served.place, "distilled", reason="other"), asked_by_us)
    assert records_of(served, "distilled") == []


def test_an_agent_is_reminded_once_in_a_long_session_where_that_is_wanted(served: Served) -> None:
    turns = [entry for number in range(9) for entry in (asked(f"Do step {number}."), answered(ANSWER))]
    write_transcript(served.place, "long-one", *turns)
    stop = event("Stop", served.place, "long-one", stop_hook_active=False)
    assert hook(stop, served.env).stdout == ""
    told_to_go_on = json.loads(hook(stop, served.env, "--remind").stdout)
    assert told_to_go_on["decision"] == "block"
    assert "memory_write" in told_to_go_on["reason"]
    assert hook(stop, served.env, "--remind").stdout == ""
    again = event("Stop", served.place, "long-one", stop_hook_active=True)
    assert hook(again, served.env, "--remind").stdout == ""


def test_a_short_session_is_not_held_up_by_a_reminder(served: Served) -> None:
    a_conversation(served.place, "short-one")
    stop = event("Stop", served.place, "short-one", stop_hook_active=False)
    assert hook(stop, served.env, "--remind").stdout == ""
    assert records_of(served, "short-one") != []
