"""Machines that are not this one: a home, a project and a system of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from helix.hosts.fragment import Program
from helix.hosts.host import Host, Machine, Scope
from helix.hosts.record import Records

EXECUTABLE = "/opt/helix/bin/helix-mcp"
PROGRAM = Program(EXECUTABLE)
FIXTURES = Path(__file__).parent / "fixtures"


def machine_in(place: Path, platform: str = "linux", env: Mapping[str, str] | None = None) -> Machine:
    home, folder = place / "home", place / "project"
    for one in (home, folder):
        one.mkdir(exist_ok=True)
    return Machine(home, env or {}, platform, folder)


def records_in(place: Path) -> Records:
    return Records(place / "state")


def fixtures() -> list[tuple[str, Scope, Path]]:
    """Every fixture: the host, the scope, the file."""
    found: list[tuple[str, Scope, Path]] = []
    for path in sorted(FIXTURES.glob("*/*")):
        if "." not in path.stem:
            found.append((path.parent.name, "user" if path.stem == "user" else "project", path))
    return found


def put_fixture(host: Host, scope: Scope, machine: Machine, fixture: Path) -> Path:
    """As the file of the host on that machine."""
    path = host.file(scope, machine).with_suffix(fixture.suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(fixture.read_bytes())
    return path
