from __future__ import annotations

import json
import shlex
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix.errors import HostFileError, NotConnected
from helix.hosts.hooks import EVENTS, Hooks, Where, file_of, fragment, install, installed, uninstall
from tests.hosts.documents import json_text
from tests.hosts.machines import EXECUTABLE, machine_in, records_in
from tests.scale import scaled

OURS = Hooks(EXECUTABLE)
WITH_PROMPTS = Hooks(EXECUTABLE, prompt_context=True, budget=800, remind=True)
SETTINGS = """{
  // mine
  "permissions": { "allow": ["Bash(npm run test:*)"], "deny": [] },
  "hooks": {
    "Stop": [
      { "matcher": "", "hooks": [{ "type": "command", "command": "afplay /System/Library/Sounds/Glass.aiff" }] }
    ],
    "PreToolUse": [
      {
        "matcher": "Bash", // every command
        "hooks": [
          { "type": "command", "command": "./check.sh", "timeout": 10 },
        ],
      },
    ],
  },
  "model": "opus"
}
"""


def commands_in(path: Path, event: str) -> list[str]:
    document = json.loads(path.read_text())
    return [hook["command"] for group in document["hooks"].get(event, []) for hook in group["hooks"]]


@pytest.mark.parametrize("where", ["project", "local", "user"])
def test_hooks_go_in_beside_those_of_the_user_and_out_again_to_the_byte(where: Where, tmp_path: Path) -> None:
    machine, records = machine_in(tmp_path), records_in(tmp_path)
    path = file_of(where, machine)
    path.parent.mkdir(parents=True)
    path.write_text(SETTINGS)
    done = install(where, machine, OURS, records)
    assert done.changed
    text = path.read_text()
    assert text.count(OURS.command) == len(EVENTS)
    for kept in ("// mine", "Glass.aiff", "./check.sh", "// every command", '"model": "opus"'):
        assert kept in text
    assert installed(where, machine) == ["Stop", "SessionStart", "PreCompact", "SessionEnd"]
    uninstall(where, machine, records)
    assert path.read_text() == SETTINGS
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_installing_again_with_other_wishes_replaces_ours_and_undoes_to_the_start(tmp_path: Path) -> None:
    machine, records = machine_in(tmp_path), records_in(tmp_path)
    path = file_of("project", machine)
    path.parent.mkdir()
    path.write_text(SETTINGS)
    install("project", machine, WITH_PROMPTS, records)
    assert "UserPromptSubmit" in installed("project", machine)
    install("project", machine, OURS, records)
    assert not install("project", machine, OURS, records).changed
    assert "UserPromptSubmit" not in path.read_text()
    assert "--budget" not in path.read_text()
    assert "--remind" not in path.read_text()
    uninstall("project", machine, records)
    assert path.read_text() == SETTINGS


def test_settings_that_were_not_there_are_gone_again(tmp_path: Path) -> None:
    machine, records = machine_in(tmp_path), records_in(tmp_path)
    path = install("project", machine, OURS, records).path
    assert path.read_text() == fragment(OURS)
    assert uninstall("project", machine, records).removed
    assert list(machine.folder.iterdir()) == []


def test_a_hook_of_the_user_in_our_group_stays(tmp_path: Path) -> None:
    machine, records = machine_in(tmp_path), records_in(tmp_path)
    path = install("project", machine, OURS, records).path
    document: dict[str, Any] = json.loads(path.read_text())
    document["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "say done"})
    path.write_text(json.dumps(document, indent=1))
    uninstall("project", machine, records)
    assert commands_in(path, "Stop") == ["say done"]
    assert json.loads(path.read_text()) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}
    }


def test_without_a_record_ours_go_and_the_others_stay(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    path = file_of("project", machine)
    path.parent.mkdir()
    path.write_text(SETTINGS)
    install("project", machine, OURS, records_in(tmp_path))
    uninstall("project", machine, records_in(tmp_path / "elsewhere"))
    text = path.read_text()
    assert EXECUTABLE not in text
    assert "Glass.aiff" in text
    assert "// every command" in text


def test_settings_that_cannot_be_read_are_left_alone(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    path = file_of("project", machine)
    path.parent.mkdir()
    for text in ('{\n"hooks": {"Stop": 3}}', '{\n"hooks": []}', '{\n"hooks"\n'):
        path.write_text(text)
        with pytest.raises(HostFileError, match=r"settings\.json:\d: .*nothing was changed"):
            install("project", machine, OURS, records_in(tmp_path))
        assert path.read_text() == text
    with pytest.raises(NotConnected):
        uninstall("user", machine, records_in(tmp_path))


def test_the_command_is_one_that_a_shell_can_run() -> None:
    hooks = Hooks(
        "/opt/my tools/helix-mcp", budget=900, env={"HELIX_CONFIG_DIR": "/a b", "HELIX_PORT": "7999"}
    )
    assert shlex.split(hooks.command) == [
        "HELIX_CONFIG_DIR=/a b", "HELIX_PORT=7999", "/opt/my tools/helix-mcp", "hook", "--budget", "900",
    ]  # fmt: skip


_hook = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["a", "b --hook", "helix-mcp"])}
)
_group = st.fixed_dictionaries({"hooks": st.lists(_hook, max_size=2)}, optional={"matcher": st.just("Bash")})
_hooks = st.dictionaries(st.sampled_from([*EVENTS, "PreToolUse"]), st.lists(_group, max_size=2), max_size=3)
_settings = st.fixed_dictionaries(
    {}, optional={"model": st.just("opus"), "hooks": _hooks, "env": st.just({})}
)


@settings(max_examples=scaled(40), deadline=None)
@given(data=st.data())
def test_whatever_the_settings_say_installing_and_uninstalling_leaves_every_byte(data: st.DataObject) -> None:
    document = data.draw(_settings)
    text = data.draw(json_text(document, comments=True))
    with tempfile.TemporaryDirectory() as folder:
        machine, records = machine_in(Path(folder)), records_in(Path(folder))
        path = file_of("user", machine)
        path.parent.mkdir()
        path.write_bytes(text.encode())
        install("user", machine, data.draw(st.sampled_from([OURS, WITH_PROMPTS])), records)
        assert set(installed("user", machine)) >= set(EVENTS)
        uninstall("user", machine, records)
        assert path.read_bytes() == text.encode()


@pytest.mark.parametrize(
    "command",
    [
        "{} hook | tee ~/hook.log",
        "{} hook|jq .",
        "{} hook > ~/hook.json",
        "{} hook; afplay done.aiff",
        "{} hook && echo done",
        "tee ~/event.json | {} hook",
        "timeout 1 {} hook",
        "~/bin/notify.sh; {} hook",
        "sh -c '{} hook'",
        "{} hook --explain",
        "{} hook $(date)",
        "{} hookworm",
        "echo {} hook",
        "{} hook\nrm -f ~/event.json",
    ],
)
def test_a_hook_of_the_user_that_runs_helix_mcp_too_stays(command: str, tmp_path: Path) -> None:
    machine, records = machine_in(tmp_path), records_in(tmp_path)
    path = file_of("project", machine)
    path.parent.mkdir(parents=True)
    own = command.format(EXECUTABLE)
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": own}]}]}}, indent=2)
    path.write_text(text)
    assert installed("project", machine) == []
    install("project", machine, OURS, records)
    assert commands_in(path, "Stop") == [own, OURS.command]
    uninstall("project", machine, records)
    assert path.read_text() == text


@pytest.mark.parametrize(
    "hooks",
    [
        OURS,
        WITH_PROMPTS,
        Hooks("C:\\Program Files\\helix-mcp.exe"),
        Hooks("/a b/helix-mcp", env={"HELIX_URL": "http://x; y"}),
    ],
    ids=lambda hooks: hooks.command,
)
def test_ours_is_known_however_it_was_installed(hooks: Hooks, tmp_path: Path) -> None:
    machine, records = machine_in(tmp_path), records_in(tmp_path)
    install("project", machine, hooks, records)
    assert set(installed("project", machine)) == set(hooks.events)
    install("project", machine, OURS, records)
    assert commands_in(file_of("project", machine), "Stop") == [OURS.command]
