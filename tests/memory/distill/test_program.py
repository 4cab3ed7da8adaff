"""A program that proposes memories of sessions: a real one, which these tests write. It may hang, flood, and lie."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from helix.config import DistillConfig
from helix.errors import MemoryNotFound
from helix.memory.distill.finished import Distiller, summary
from helix.memory.distill.program import ProgramFailed, run
from helix.memory.distill.session_prompt import read_answer
from helix.sessions import reading, verbatim
from tests.memory.distill.talk import Talk
from tests.waiting import wait_for

HOUR = 3600.0
MADE = {"kind": "decision", "title": "Queue", "text": "The queue is a table of Postgres.", "evidence": [2]}
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def program(folder: Path, body: str) -> tuple[str, ...]:
    """A stand-in for `claude -p`: Python, with the prompt in `prompt`."""
    file = folder / "program.py"
    file.write_text(f"import os, sys, time, json, subprocess\nprompt = sys.stdin.read()\n{body}\n", "utf-8")
    return (sys.executable, "-I", str(file))


def answering(folder: Path, answer: object) -> tuple[str, ...]:
    return program(
        folder, f"open({str(folder / 'prompt')!r}, 'a').write(prompt)\nprint({json.dumps(answer)!r})"
    )


def _talked(talk: Talk, session: str = "s") -> None:
    talk.start(session)
    for text in ("what about the queue?", "a table will do", "good, make it so", "done"):
        talk.say(text, session=session)


def _distiller(talk: Talk, command: tuple[str, ...], later: float = HOUR, **more: Any) -> Distiller:
    config = DistillConfig(command=command, **more)
    events, state = talk.world.helix.events, talk.world.helix.state
    return Distiller(events, state, config, clock=lambda: time.time() + later)


def test_a_session_that_ended_is_asked_about_once_and_its_memories_wait_in_the_inbox(
    talk: Talk, tmp_path: Path
) -> None:
    _talked(talk)
    command = answering(tmp_path, {"memories": [MADE]})
    assert _distiller(talk, command, later=60).work() == 0
    assert _distiller(talk, command).work() == 1
    [item] = talk.proposed()
    proposal = item["proposal"]
    assert (proposal["rule"], proposal["text"], proposal["kind"]) == ("program", MADE["text"], "decision")
    assert (item["title"], proposal["project"]) == ("Queue", "gateway")
    assert proposal["uri"].startswith("eventloom://s/events/2#")
    assert "what about the queue?" in item["detail"]
    assert talk.world.files() == {}
    prompt = (tmp_path / "prompt").read_text("utf-8")
    assert "[3] user: a table will do" in prompt
    assert _distiller(talk, command).work() == 0
    answer = talk.world.service.accept(key=item["key"])
    assert "eventloom://s/events/2#" in talk.world.read(answer["id"])
    assert talk.proposed() == []


def test_what_comes_later_is_asked_about_without_what_was_before(talk: Talk, tmp_path: Path) -> None:
    _talked(talk)
    command = answering(tmp_path, {"memories": []})
    assert _distiller(talk, command).work() == 1
    (tmp_path / "prompt").unlink()
    talk.say("one more turn is no session")
    assert _distiller(talk, command).work() == 0
    for number in range(4):
        talk.say(f"turn {number} of the afternoon")
    assert _distiller(talk, command).work() == 1
    prompt = (tmp_path / "prompt").read_text("utf-8")
    assert "afternoon" in prompt
    assert "what about the queue?" not in prompt


def test_a_day_has_so_many_questions_and_a_prompt_so_many_characters(talk: Talk, tmp_path: Path) -> None:
    for number in range(3):
        _talked(talk, f"s{number}")
        talk.say("long " * 2_000, session=f"s{number}")
    command = answering(tmp_path, {"memories": []})
    assert _distiller(talk, command, per_day=2, max_prompt_chars=3_000).work() == 2
    assert _distiller(talk, command, per_day=2).work() == 0
    assert len((tmp_path / "prompt").read_text("utf-8")) <= 2 * 3_000
    assert _distiller(talk, command, per_day=3).work() == 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.exit(3)", "ended with status 3"),
        ("print('Sure! Here is what I found.')", "no JSON"),
        ("print('[' * 100000)", "no JSON"),
        ("print(json.dumps([]))", 'the one key "memories"'),
        ("print(json.dumps({'memories': [], 'accept': True}))", 'the one key "memories"'),
        ("print(json.dumps({'memories': [{'kind': 'fact', 'text': 'x' * 50}]}))", "evidence of memory 1"),
        (
            "print(json.dumps({'memories': [{'kind': 'fact', 'text': 'x' * 50, 'evidence': [99]}]}))",
            "evidence",
        ),
        (
            "print(json.dumps({'memories': [{'kind': 'fact', 'text': 'x' * 9999, 'evidence': [2]}]}))",
            "text of",
        ),
        (
            "print(json.dumps({'memories': [{'kind': 'order', 'text': 'x' * 50, 'evidence': [2]}]}))",
            "kind of",
        ),
        (
            "print(json.dumps({'memories': [{'kind': 'fact', 'text': 'x', 'evidence': [2], 'id': 1}]}))",
            "other fields",
        ),
        ("print(json.dumps({'memories': [{}] * 50}))", "12 are allowed"),
        ("sys.stdout.write('x' * 10_000_000)", "said more than"),
    ],
)
def test_what_is_no_answer_is_told_and_tried_again_later_and_then_given_up(
    talk: Talk, tmp_path: Path, body: str, reason: str
) -> None:
    _talked(talk)
    command = program(tmp_path, body)
    later = [HOUR, HOUR + 60, HOUR + 700, HOUR + 800, HOUR + 5_000, HOUR + 9_000, 5 * HOUR]
    asked = [_distiller(talk, command, later=one).work() for one in later]
    assert asked == [1, 0, 1, 0, 1, 0, 0]
    helix = talk.world.helix
    told = summary(helix.events, DistillConfig(command=command), time.time() + HOUR)
    assert reason in str(told["last"])
    assert "given up" in str(told["last"])
    assert talk.proposed() == []


def test_a_credential_that_it_says_is_not_proposed_and_what_is_beside_it_is(
    talk: Talk, tmp_path: Path
) -> None:
    _talked(talk)
    bad = {**MADE, "text": f"The token of the staging queue is {SECRET}."}
    assert _distiller(talk, answering(tmp_path, {"memories": [bad, MADE]})).work() == 1
    assert talk.texts() == [MADE["text"]]
    everything = [file for file in tmp_path.rglob("*") if file.is_file() and file.name != "program.py"]
    assert all(SECRET.encode() not in file.read_bytes() for file in everything)


def test_one_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    note = tmp_path / "child"
    command = program(
        tmp_path,
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\ntime.sleep(600)",
    )
    with pytest.raises(ProgramFailed, match="no answer within 5 s"):
        run(command, "prompt", folder=tmp_path, timeout=5)
    wait_for(lambda: _is_gone(int(note.read_text())), 10)


def test_one_that_is_asked_when_the_daemon_stops_is_ended_at_once(tmp_path: Path) -> None:
    with pytest.raises(ProgramFailed, match="stopped"):
        run(
            program(tmp_path, "time.sleep(600)"),
            "prompt",
            folder=tmp_path,
            timeout=600,
            is_stopped=lambda: True,
        )


def test_one_that_reads_nothing_and_one_that_is_not_there(tmp_path: Path) -> None:
    silent = (sys.executable, "-c", "print(1)")
    assert run(silent, "long " * 1_000_000, folder=tmp_path, timeout=60).strip() == "1"
    with pytest.raises(ProgramFailed, match="cannot be started"):
        run((str(tmp_path / "nobody"),), "prompt", folder=tmp_path, timeout=5)


def test_its_arguments_are_seen_by_no_shell(tmp_path: Path) -> None:
    shown = run(
        (sys.executable, "-c", "import sys; print(sys.argv[1])", "$(touch x); `y`"),
        "",
        folder=tmp_path,
        timeout=60,
    )
    assert shown.strip() == "$(touch x); `y`"


def test_an_answer_in_a_fence_is_an_answer() -> None:
    made, refused = read_answer(f"```json\n{json.dumps({'memories': [MADE]})}\n```\n", frozenset({2}))
    assert (made[0].text, made[0].evidence, refused) == (MADE["text"], (2,), 0)


def test_what_it_made_of_an_event_is_erased_with_it(talk: Talk, tmp_path: Path) -> None:
    _talked(talk)
    _distiller(talk, answering(tmp_path, {"memories": [MADE]})).work()
    [item] = talk.proposed()
    talk.erase(2)
    assert talk.proposed() == []
    with pytest.raises(MemoryNotFound):
        talk.world.service.accept(key=item["key"])
    logs = [file.read_text("utf-8") for file in talk.world.folder.rglob("*.jsonl")]
    assert all("table of Postgres" not in text for text in logs)
    assert reading.verify(talk.world.service.request(), session_id="s")["ok"]


def test_what_is_only_proposed_is_not_found_as_something_that_was_said(talk: Talk, tmp_path: Path) -> None:
    _talked(talk)
    _distiller(talk, answering(tmp_path, {"memories": [MADE]})).work()
    assert verbatim.verbatim(talk.world.service.request(), query="Postgres")["results"] == []


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # A child of a killed process may wait for somebody to ask how it ended.
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z"
