"""What the tests drive besides Python and git: installed where nobody has to be asked, named where it is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    names: tuple[str, ...]
    """any of these will do"""
    package: str
    """of Debian and Ubuntu"""
    proves: str

    def is_there(self) -> bool:
        return any(shutil.which(name) for name in self.names)


PROGRAMS = (
    Program(("chromium", "chromium-browser"), "chromium", "the dashboard, and what a real browser may ask"),
    Program(("syncthing",), "syncthing", "two machines and a real sync tool"),
    Program(("node",), "nodejs", "the TypeScript SDK, conformance with MCP"),
    Program(("npm",), "npm", "the TypeScript SDK, conformance with MCP"),
    Program(("redis-server",), "redis-server", "limits that several daemons count together"),
    Program(("curl",), "curl", "the commands of the documents"),
)


def missing() -> list[Program]:
    return [one for one in PROGRAMS if not one.is_there()]


def main() -> int:
    wanted = missing()
    why = ""
    if wanted and os.getuid() == 0 and shutil.which("apt-get"):
        print(f"installing {', '.join(one.package for one in wanted)} for the tests", file=sys.stderr)
        why = _install([one.package for one in wanted])
        wanted = missing()
    elif wanted:
        why = "only root on a machine with apt-get can install it from here"
    for one in wanted:
        print(f"MISSING: {one.names[0]}, so these tests are skipped: {one.proves}", file=sys.stderr)
    if wanted:
        print(f"MISSING because: {why or 'apt-get installed it, but it is not on the PATH'}", file=sys.stderr)
    return 0  # what is not proved is said again at the end of the tests


def _install(packages: list[str]) -> str:
    """Empty, or why it could not be done. One after the other: a package that fails does not take others along."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    failures = []
    for command in (
        ["apt-get", "update", "-qq"],
        *(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package] for package in packages),
    ):
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        if done.returncode:
            last = (done.stderr or done.stdout).strip().rpartition("\n")[2]
            failures.append(f"`{' '.join(command)}` ended with {done.returncode}: {last}")
    return "; ".join(failures)


if __name__ == "__main__":
    raise SystemExit(main())
