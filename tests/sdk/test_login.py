"""The TypeScript SDK comes in with the login that `helix login` keeps."""

from __future__ import annotations

from pathlib import Path

from tests.access.team import serving_team
from tests.cli.commands import BIN
from tests.oauth.test_login import logged_in
from tests.sdk.package import Package


def test_a_program_comes_in_with_the_login_of_its_machine(package: Package, tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "machine").mkdir()
    with serving_team(tmp_path / "server") as team:
        machine = logged_in(team, tmp_path / "machine")
        told = {
            name: machine.env[name]
            for name in ("HELIX_URL", "HELIX_CONFIG_DIR", "HELIX_STATE_DIR", "HELIX_VAULT")
        }
        package.test("login", {**told, "HELIX_COMMAND": str(BIN / "helix")})
