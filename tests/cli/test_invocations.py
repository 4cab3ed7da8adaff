"""Every command with every option, in a terminal of 80 columns: it works, and it fits."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from helix.cli.app import app
from helix.cli.reference import every_command
from helix.vault.log.event import EventDraft
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root
from tests.cli.commands import BIN, helix
from tests.cli.forked import run_forked
from tests.cli.invocations import BY_DAEMON, WITHOUT_DAEMON, Line
from tests.cli.terminal import COLUMNS, in_terminal, width
from tests.flows.daemon import free_port


@pytest.fixture
def story(monkeypatch: pytest.MonkeyPatch, place: Path) -> Iterator[Path]:
    """A vault in git with a note without an id and a broken one, in a home of its own, and an editor.

    In a place with a short name, as a home is: a path of its own takes half of the 80 columns.
    """
    with tempfile.TemporaryDirectory(prefix="hx", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        for name in ("vault", "state_dir", "config_dir"):
            monkeypatch.setenv(f"HELIX_{name.upper()}", str(place / name.partition("_")[0]))
        monkeypatch.chdir(place)
        yield _begin(monkeypatch, place)


def _begin(monkeypatch: pytest.MonkeyPatch, place: Path) -> Path:
    monkeypatch.setenv("HOME", str(place / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "home" / ".config"))
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    editor = place / "editor"
    editor.write_text('#!/bin/sh\necho "- one more line" >> "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    helix("init")
    (place / "vault" / "Zettel.md").write_text("Just text\n")
    (place / "vault" / "broken.md").write_text("---\ntitle: [\n---\n")
    (place / "notes").mkdir()
    (place / "code").mkdir()
    (place / "notes" / "idea.md").write_text("# An idea\n\nCarry notes from elsewhere.\n")
    (place / "paper.md").write_text("# Feeding\n\nThe seals are fed at noon.\n")
    helix("init", "--git")
    log = SessionLogs(Root(place / "notes"), lambda: "other").append(
        "zoo",
        [
            EventDraft("decision.made", "keeper", {"decision": "The lions get a pond"}),
            EventDraft("transcript.turn", "keeper", {"content": "The lions like it"}),
        ],
    )
    (place / "zoo.jsonl").write_bytes(b"".join(event.to_line() for event in log))
    shutil.rmtree(place / "notes" / "sessions")
    return place


def test_every_option_of_every_command_is_in_the_story() -> None:
    used: dict[str, set[str]] = {}
    names = {name for name, _ in every_command()}
    for line in (*BY_DAEMON, *WITHOUT_DAEMON):
        words = shlex.split(line.typed)
        if words[0] == "git":
            continue
        first = 2 if words[0] == "--vault" else 0
        name = next(
            (one for one in (" ".join(words[first : first + n]) for n in (3, 2, 1)) if one in names), ""
        )
        used.setdefault(name, set()).update(word for word in words if word.startswith("--"))
        used.setdefault("", set()).update(words[:first])
    known = {"": get_command(app), **dict(every_command())}
    missing = {
        name: [
            one.opts[-1]
            for one in command.params
            if one.param_type_name == "option" and not used.get(name, set()) & set(one.opts)
        ]
        for name, command in known.items()
    }
    assert {
        name: options for name, options in missing.items() if options or (name and name not in used)
    } == {}


def test_the_story_with_a_daemon(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    try:
        _tell(BY_DAEMON)
    finally:
        helix("down")


@pytest.mark.model
def test_the_story_without_a_daemon(story: Path) -> None:
    _tell(WITHOUT_DAEMON)


def _id_in(answer: dict[str, Any]) -> str:
    """Of what was answered, or of the first in a list."""
    found = answer.get("id") or answer.get("job_id")
    return str(found or next(each[0] for each in answer.values() if isinstance(each, list))["id"])


def _tell(lines: Sequence[Line]) -> None:
    known: dict[str, str] = {}
    for line in lines:
        words = shlex.split(line.typed.format(**known))
        if words[0] == "git":
            run = [
                "git",
                "-C",
                os.environ["HELIX_VAULT"],
                "-c",
                "user.name=T",
                "-c",
                "user.email=t@localhost",
            ]
            subprocess.run([*run, *words[1:]], check=True, timeout=60)
            continue
        if "--json" in words:
            command = [str(BIN / "helix"), *words]
            done = run_forked(command, env=os.environ, cwd=os.getcwd(), feed="", timeout=120)
            said, status = done.stdout + done.stderr, done.returncode
            assert done.stdout, f"helix {line.typed}: {status}\n{done.stderr}"
            answer = json.loads(done.stdout)
            assert "\x1b" not in said
            if line.keeps:
                known[line.keeps] = _id_in(answer)
        else:
            seen = in_terminal(words)
            said, status = seen.text, seen.status
            long = [text for text in seen.lines if width(text) > COLUMNS and len(text.split()) > 1]
            assert long == [] or not line.fits, line.typed
            assert "Traceback" not in said, said
        assert status == line.status, f"helix {line.typed}: {status}\n{said}"
        assert line.shows.casefold() in " ".join(said.split()).casefold(), f"helix {line.typed}: {said}"
