"""The page of all commands, what a command imports, and how a command ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.main import get_command

from helix.cli.app import app, load
from helix.cli.main import OPTIONS, commands, help_page
from helix.codes import INTERRUPTED, READER_LEFT
from tests.cli.commands import BIN, helix, helix_json
from tests.cli.terminal import COLUMNS, in_terminal
from tests.waiting import wait_for

HEAVY = ("whoosh", "lancedb", "numpy", "fastapi", "fastembed", "onnxruntime", "rich", "mcp", "helix.compose")


def test_help_is_one_page_of_eighty_columns_that_names_every_command_and_option() -> None:
    page = helix("--help").stdout
    assert page == helix().stdout == help_page()
    assert max(map(len, page.splitlines())) <= COLUMNS
    assert all(f"\n  {name} " in page for name in commands())
    listed = {word.rstrip(",") for name, _ in OPTIONS for word in name.split() if word.startswith("-")}
    assert listed == {option for one in get_command(app).params for option in one.opts} | {"-h", "--help"}


@pytest.mark.parametrize("name", commands())
def test_the_line_of_a_command_on_that_page_is_the_beginning_of_its_own_help(name: str) -> None:
    first = (load(name).help or "").partition("\n")[0]
    assert first.startswith(commands()[name][1])


def test_help_with_a_flag_before_it_is_the_same_page() -> None:
    assert helix("--vault", "x", "--help").stdout == help_page()


def test_help_imports_no_typer_and_nothing_of_the_rest() -> None:
    loaded = _imports("--help")
    assert sorted(name for name in loaded if name.startswith("helix")) == [
        "helix",
        "helix.cli",
        "helix.cli.main",
    ]
    assert not loaded & {"typer", "click", "rich", "pathlib", "typing", "re", "json"}


@pytest.mark.parametrize(
    "arguments", [("recall", "--help"), ("status",), ("version",), ("config", "path"), ("token",)]
)
def test_a_command_imports_what_it_needs_and_no_engine(place: Path, arguments: tuple[str, ...]) -> None:
    (place / "vault").mkdir()
    loaded = _imports(*arguments)
    heavy = set(HEAVY) - ({"helix.compose"} if arguments == ("status",) else set())
    assert sorted(loaded & heavy) == []


def test_a_mistyped_command_names_the_one_that_was_meant(place: Path) -> None:
    done = helix("rember", ok=False)
    assert (done.returncode, "remember" in done.stderr) == (2, True)
    assert "helix --help" in helix("xyzzy", ok=False).stderr


def test_whoever_closes_the_pipe_gets_no_traceback(place: Path) -> None:
    helix("init")
    for arguments in ("recent --json", "--help"):
        done = subprocess.run(
            ["/bin/bash", "-c", f"set -o pipefail; {BIN / 'helix'} {arguments} | true"],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode in (0, READER_LEFT)
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr


def test_ctrl_c_ends_a_command_with_130_and_without_a_traceback(place: Path) -> None:
    helix("init")
    for number in range(300):
        (place / "vault" / f"n{number}.md").write_text(
            f"---\nid: n{number}\n---\nNote number {number} says {number * 7}\n"
        )
    state = place / "state"
    process = subprocess.Popen(
        [str(BIN / "helix"), "reindex"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: list(state.rglob("catalog.db")) or process.poll() is not None, 60)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    if process.returncode:  # it may have been done already
        assert (process.returncode, "Traceback" in said) == (INTERRUPTED, False), said
    assert helix_json("reindex")["problems"] == 0
    assert helix_json("status")["memories"]["active"] > 300


def test_colour_is_for_terminals_and_no_color_turns_it_off(place: Path) -> None:
    helix("init")
    assert "\x1b[" not in helix("recent").stdout + helix("recent").stderr
    assert "\x1b[1m" in in_terminal(["recent"]).raw
    assert "\x1b[1m" not in in_terminal(["recent"], {"NO_COLOR": "1"}).raw
    assert "\x1b[1m" in in_terminal(["--help"]).raw
    assert "\x1b[" not in in_terminal(["--help"], {"NO_COLOR": "1"}).raw


def test_the_text_of_a_memory_cannot_speak_to_the_terminal(place: Path) -> None:
    helix("init")
    (place / "vault" / "evil.md").write_text(
        "---\nid: evil\ntitle: A note\n---\nclear \x1b[2J\x1b]0;owned\x07 it\n"
    )
    for seen in (in_terminal(["get", "evil"]).raw, helix("get", "evil").stdout):
        assert "\x1b[2J" not in seen
        assert "\x1b]0" not in seen
        assert "\\x1b[2J" in seen


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_shown_for_a_shell(shell: str) -> None:
    env = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run(
        [str(BIN / "helix"), "--show-completion", shell], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert "_HELIX_COMPLETE" in done.stdout


def test_the_shell_completes_commands_ids_projects_and_settings(place: Path) -> None:
    helix("init")
    helix("recent")
    assert {"recall", "recent", "relate", "remember", "restore"} <= _completions("helix re")
    assert _completions("helix get mem_2026-06-18_b") == {"mem_2026-06-18_backoff-snippet_ky6f5e"}
    assert _completions("helix recent --project exa") == {"example-app"}
    assert _completions("helix config get git.") == {"git.autocommit", "git.quiet", "git.max_wait"}
    assert "--include-deleted" in _completions("helix recall --inc")


def _completions(line: str) -> set[str]:
    words = line.split(" ")
    env = {
        **os.environ,
        "_HELIX_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run([str(BIN / "helix")], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def _imports(*arguments: str) -> set[str]:
    """The modules that a command has loaded at its end."""
    program = (
        "import sys\nbefore = set(sys.modules)\n"
        f"sys.argv = ['helix', *{arguments!r}]\n"
        "from helix.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        "sys.stderr.write('\\n'.join(set(sys.modules) - before))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split("\n"))


def test_each_program_says_its_version_as_people_ask_for_it() -> None:
    for program in ("helix", "helixd", "helix-mcp"):
        said = subprocess.run([str(BIN / program), "--version"], capture_output=True, text=True, timeout=60)
        assert said.stdout == f"{program} {version('helix-memory')}\n", said.stderr
