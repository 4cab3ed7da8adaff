"""The TypeScript SDK, installed, type-checked and built once for all tests, with the machine's Node."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SDK = ROOT / "sdk" / "typescript"
MODULES = SDK / "node_modules"
_OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH")
_OF_THE_DEVELOPER = ("HELIX_", "OPENAI_")
_NEEDED = 20  # the major version of Node that the libraries ask for which the SDK is held against


@dataclass(frozen=True)
class Package:
    node: str
    npm: str

    def run(self, *command: str, cwd: Path = SDK, env: Mapping[str, str] | None = None) -> str:
        """What a command printed; when it fails the test fails with all of it."""
        own = {key: value for key, value in os.environ.items() if not key.startswith(_OF_THE_DEVELOPER)}
        done = subprocess.run(
            command, cwd=cwd, env={**own, **(env or {})}, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-12_000:]}{done.stderr[-4000:]}"
        return done.stdout

    def tsc(self, *options: str, cwd: Path = SDK) -> None:
        self.run(self.node, str(MODULES / "typescript" / "bin" / "tsc"), *options, cwd=cwd)

    def test(self, file: str, env: Mapping[str, str], runtime: str = "node") -> None:
        start = [self._bun(), "test"] if runtime == "bun" else [self.node, "--test", "--test-reporter=spec"]
        self.run(*start, f"./build/test/{file}.test.js", env=env)

    def _bun(self) -> str:
        """The program itself; the script that would put it in its place is not run."""
        found = next(MODULES.glob("@oven/bun-*/bin/bun"), None) or shutil.which("bun")
        if found is None:
            pytest.skip("NOT PROVED HERE: the TypeScript SDK in Bun (it does not come for this machine)")
        return str(found)


def find_package() -> Package:
    """Several workers of one run wait for each other."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("NOT PROVED HERE: the TypeScript SDK (there is no Node)")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.lstrip("v").partition(".")[0]) < _NEEDED:
        pytest.skip(f"NOT PROVED HERE: the TypeScript SDK (needs Node {_NEEDED}, found {version.strip()})")
    package = Package(node, npm)
    with _alone():
        _once("installed", [SDK / "package.json"], lambda: _install(npm))
        sources = sorted([*SDK.glob("src/**/*.ts"), *SDK.glob("test/*"), *SDK.glob("*.json")])
        _once("built", sources, lambda: _build(package))
    return package


@contextmanager
def _alone() -> Iterator[None]:
    MODULES.mkdir(exist_ok=True)
    with (MODULES / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _once(name: str, sources: list[Path], work: Callable[[], None]) -> None:
    wanted = hashlib.sha256(b"".join(file.name.encode() + file.read_bytes() for file in sources)).hexdigest()
    mark = MODULES / f".{name}"
    if mark.exists() and mark.read_text() == wanted:
        return
    work()
    mark.write_text(wanted)


def _install(npm: str) -> None:
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
    done = subprocess.run(command, cwd=SDK, capture_output=True, text=True)
    if done.returncode and any(code in done.stderr for code in _OFFLINE):
        pytest.skip("NOT PROVED HERE: the TypeScript SDK (its tools could not be fetched: no network)")
    assert done.returncode == 0, done.stderr[-2000:]


def _build(package: Package) -> None:
    for folder in ("dist", "build"):
        shutil.rmtree(SDK / folder, ignore_errors=True)
    package.tsc("-p", "tsconfig.build.json")
    package.tsc("-p", "test/tsconfig.json")
