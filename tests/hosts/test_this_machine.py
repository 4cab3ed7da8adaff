"""Which program a host is told to start: the name of it that outlives an upgrade."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helix.hosts.this_machine import lasting
from tests.hosts.machines import machine_in

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there the installers copy, and links need a right")


def _program(place: Path) -> Path:
    """As pipx and uv have it: in an environment of their own."""
    program = place / "tools" / "helix-memory" / "bin" / "helix-mcp"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("variable", ["", "PIPX_BIN_DIR", "UV_TOOL_BIN_DIR", "XDG_BIN_HOME", "PATH"])
def test_the_link_that_an_installer_of_tools_keeps_is_named_and_not_what_lies_in_its_environment(
    tmp_path: Path, variable: str
) -> None:
    program = _program(tmp_path)
    folder = tmp_path / "programs" if variable else tmp_path / "home" / ".local" / "bin"
    folder.mkdir(parents=True)
    (folder / "helix-mcp").symlink_to(program)
    machine = machine_in(tmp_path, env={variable: str(folder)} if variable else {})
    assert lasting(program, machine) == str(folder / "helix-mcp")


def test_the_folder_that_helix_was_called_from_goes_before_others(tmp_path: Path) -> None:
    program = _program(tmp_path)
    for name in ("called", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "helix-mcp").symlink_to(program)
    machine = machine_in(tmp_path, env={"PATH": str(tmp_path / "other")})
    assert lasting(program, machine, str(tmp_path / "called")) == str(tmp_path / "called" / "helix-mcp")


def test_a_program_of_that_name_from_another_installation_is_not_taken(tmp_path: Path) -> None:
    program, other = _program(tmp_path / "this"), _program(tmp_path / "other")
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "helix-mcp").symlink_to(other)
    machine = machine_in(tmp_path, env={"PATH": os.pathsep.join((str(folder), str(other.parent), "", "."))})
    assert lasting(program, machine) == str(program)
