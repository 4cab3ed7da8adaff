"""What is published: the wheel holds what it must, and works once it is installed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.client.conftest import Running

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_THE_CHECKOUT = """
import sys
sys.path[:0] = sys.argv[1:3]
import helix
from helix import Helix
assert helix.__file__.startswith(sys.argv[1]), helix.__file__
with Helix(sys.argv[3]) as mem:
    print(mem.health().version)
from helix.vault.starter import find_template
print(find_template())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = place.glob("*.whl")
    return wheel


def test_the_wheel_holds_the_types_the_shim_and_the_starter_vault(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        "helix/py.typed",
        "helix/client/client.py",
        "helix_mcp/__init__.py",
        "helix/vault_template/README.md",
    ):
        assert name in names
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"helix", "helix_mcp"}


def test_the_sdk_and_the_starter_vault_work_from_the_installed_wheel(
    wheel: Path, running: Running, tmp_path: Path
) -> None:
    target = tmp_path / "site"
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-index",
        "--no-deps",
        "--target",
        str(target),
    ]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    packages = str(Path(httpx.__file__).parents[1])
    # -S leaves out the path of this checkout, which an editable install puts there.
    command = [sys.executable, "-I", "-S", "-c", WITHOUT_THE_CHECKOUT, str(target), packages, running.url]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == str(target / "helix" / "vault_template")
